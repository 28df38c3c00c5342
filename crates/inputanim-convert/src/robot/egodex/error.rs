//! The errors of the reader.

use inputanim::RecordError;

use super::Hdf5Error;
use crate::detect::unread::UnreadFormat;
use crate::shared::{Format, Remedy};

/// A file that cannot be read as an episode of EgoDex.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EgoDexError {
    /// The file, or the object with this path, cannot be read as HDF5.
    #[error("cannot read {path} of the HDF5 file")]
    Hdf5 {
        /// The path of the object, such as `/transforms/camera`.
        path: String,
        /// The place and cause.
        source: Hdf5Error,
    },
    /// The HDF5 file contains other data.
    #[error(
        "not an episode of EgoDex: expected matrices such as /transforms/camera and /transforms/leftHand, found {found}"
    )]
    Other {
        /// The members of the file or of its group `transforms`.
        found: String,
    },
    /// A dataset has an unexpected shape.
    #[error("{path}: expected the shape {expected}, found {found:?}")]
    Shape {
        /// The path of the dataset.
        path: String,
        /// The expected shape.
        expected: String,
        /// The shape in the file.
        found: Vec<u64>,
    },
    /// The episode has no frames.
    #[error("{path}: expected at least one frame, found none")]
    Empty {
        /// The path of the first dataset.
        path: String,
    },
    /// The threshold of the confidences is not a confidence.
    #[error("invalid confidence: {0} (must be at least 0 and at most 1)")]
    Confidence(f32),
    /// Poses that cannot be recorded, such as positions that no 32-bit float can hold.
    #[error("frame {frame} cannot be recorded")]
    Record {
        /// Counted from 0.
        frame: usize,
        /// The cause.
        source: RecordError,
    },
}

impl crate::shared::error::OfFormat for EgoDexError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            EgoDexError::Other { .. } => {
                UnreadFormat::of_format(Format::EgoDex).map(Remedy::Export)
            }
            _ => None,
        }
    }
}
