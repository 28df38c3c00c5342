//! Animation clips of Unity (`.anim`), as its editor writes them: YAML with a curve for every position
//! and rotation.
//!
//! ```yaml
//! %YAML 1.1
//! %TAG !u! tag:unity3d.com,2011:
//! --- !u!74 &7400000
//! AnimationClip:
//!   m_Name: take
//!   m_PositionCurves:
//!   - curve:
//!       m_Curve:
//!       - serializedVersion: 3
//!         time: 0
//!         value: {x: 0, y: 1.6, z: 0}
//!         inSlope: {x: 0, y: 0, z: 0}
//!         outSlope: {x: 0, y: 0.5, z: 0}
//!     path: Camera
//! ```
//!
//! The clip moves objects below the one that plays it, by their paths:
//!
//! | path | what |
//! |---|---|
//! | `Camera` | the head: position and rotation |
//! | `LeftHand`, `RightHand` | whether the object is active says whether the hand is tracked |
//! | `LeftHand/IndexTip` and so on | the joints, by their names in MRTK |
//! | `LeftHand/Pinch` | active while the hand pinches |
//! | `Gaze`, `Gaze/Direction` | where the eyes are, and from there a vector that says where they look |
//!
//! Poses are those of the world, so that the objects of hands and of the gaze must themselves stand at
//! the origin and not be turned. Axes and metres are Unity's own, as in a recording.
//!
//! Keys stay keys: with their tangents and weights, straight lines as the slopes that they have. A key of
//! a clip is one of a whole vector: where one component has a key, the others get one too, between
//! theirs and so that they play what they did. What plays before 0 is left out, curves that repeat are
//! written out, and so is nothing of [`Joint::None`](inputanim::Joint::None). Markers become events.

mod keys;
mod write;
mod yaml;

use std::fmt;
use std::io;

use inputanim::edit::EditError;

pub use write::write;

/// How a clip is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The name of the clip; Unity wants it to be that of the file, without `.anim`.
    pub name: String,
    /// The function that markers call, with their name as its string.
    pub event: String,
}

impl Default for Options {
    /// A clip `take`, whose markers call `OnMarker`.
    fn default() -> Options {
        Options {
            name: "take".to_owned(),
            event: "OnMarker".to_owned(),
        }
    }
}

/// Why a clip is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A key is at no time or an infinite one, or a curve repeats too often to be written out.
    #[error(transparent)]
    Keys(#[from] EditError),
    /// A name that no function can have.
    #[error("{0:?} is no name of a function: expected letters, digits and _")]
    Event(String),
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Something that a clip cannot hold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// Keys whose value is not finite: they are left out.
    Values {
        /// How many.
        keys: usize,
    },
    /// Tangents and weights that are not finite and do not mean that a value holds.
    Tangents {
        /// Keys that have some.
        keys: usize,
    },
    /// Markers before 0 or after the end, or at no time: they are left out.
    Markers {
        /// How many.
        markers: usize,
        /// The time of the first.
        time: f32,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Loss::Values { keys } => {
                write!(f, "{keys} key{} whose value is not finite", plural(keys))
            }
            Loss::Tangents { keys } => write!(
                f,
                "the tangents or weights of {keys} key{}, which are not finite",
                plural(keys)
            ),
            Loss::Markers { markers, time } => write!(
                f,
                "{markers} marker{} outside of the clip, such as at {time} s",
                plural(markers)
            ),
        }
    }
}
