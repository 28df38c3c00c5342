//! What comes of a table that is read.

use std::fmt;

use inputanim::{Recording, Space};

use super::Loss;

/// A recording from a table, and what is to be known of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The recording.
    pub recording: Recording<'static>,
    /// What of the table is not in it.
    pub losses: Vec<Loss>,
    /// How the table was taken, where there is another way.
    pub notes: Vec<Note>,
}

impl From<Recording<'static>> for Reading {
    /// All of a table, as it says itself.
    fn from(recording: Recording<'static>) -> Reading {
        Reading {
            recording,
            losses: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// How a table was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// Poses with columns of a position and none of a rotation: they are not turned.
    NotTurned {
        /// Such as `right.IndexTip`.
        poses: Vec<String>,
    },
    /// The axes that were asked for are not those that the table says.
    Axes {
        /// What it says.
        said: Space,
        /// What was asked for.
        taken: Space,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Names that are told.
        const TOLD: usize = 3;
        match self {
            Note::NotTurned { poses } => {
                let told = poses[..poses.len().min(TOLD)].join(", ");
                write!(f, "no columns of rotations, so not turned: {told}")?;
                match poses.len().saturating_sub(TOLD) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Note::Axes { said, taken } => {
                write!(
                    f,
                    "the table says that its axes are {said}: taken as {taken}"
                )
            }
        }
    }
}
