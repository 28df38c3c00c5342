//! The error type of XROR files.

use inputanim::RecordError;

use super::FpzipError;

/// An XROR file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum XrorError {
    /// The bytes are not one document of BSON.
    #[error("byte {offset}: expected {expected}, found {found}")]
    Bson {
        /// The place in the file.
        offset: usize,
        /// The expected part of a document.
        expected: &'static str,
        /// The content that was found.
        found: String,
    },
    /// The document is longer than the file.
    #[error("the file is cut off: expected {expected} bytes, found {found}")]
    CutOff {
        /// The size that the document states, in bytes.
        expected: usize,
        /// The number of bytes in the file.
        found: usize,
    },
    /// A member of the document is missing, or has another type.
    #[error("{member}: expected {expected}, found {found}")]
    Member {
        /// The path of the member, such as `info.hardware.devices`.
        member: String,
        /// The expected type of the value.
        expected: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// An array cannot be decompressed.
    #[error("cannot decompress {member}")]
    Fpzip {
        /// The path of the array: `frames`, or an event such as `events.gc`.
        member: String,
        /// The cause.
        source: FpzipError,
    },
    /// The frames do not have one number for each axis.
    #[error(
        "frames: expected {expected} numbers per frame (the time and the axes of all devices), found {found}"
    )]
    Columns {
        /// The number of axes and the time.
        expected: usize,
        /// The number of columns.
        found: usize,
    },
    /// A frame that is not compressed cannot be read.
    #[error("frame {frame}: expected an array of numbers, found {found}")]
    Frame {
        /// Counted from 0.
        frame: usize,
        /// The type that was found.
        found: &'static str,
    },
    /// A frame that is not compressed does not have one number for each axis.
    #[error(
        "frame {frame}: expected {expected} numbers (the time and the axes of all devices), found {found}"
    )]
    FrameColumns {
        /// Counted from 0.
        frame: usize,
        /// The number of axes and the time.
        expected: usize,
        /// The number of numbers.
        found: usize,
    },
    /// The compressed frames are damaged from the first one on.
    #[error("the compressed frames are damaged from the first one on: {problem}")]
    Damaged {
        /// The description of the damage.
        problem: String,
    },
    /// The file has no frames.
    #[error("frames: expected at least one frame, found none")]
    Empty,
    /// None of the devices is the head or a hand.
    #[error("expected a device with the joint HEAD, HAND_LEFT or HAND_RIGHT, found {devices}")]
    NothingToRead {
        /// The first devices, with their types and joints.
        devices: String,
    },
    /// A frame cannot be recorded.
    #[error("frame {frame} cannot be recorded")]
    Record {
        /// Counted from 0.
        frame: usize,
        /// The cause.
        source: RecordError,
    },
}

impl crate::shared::error::OfFormat for XrorError {}
