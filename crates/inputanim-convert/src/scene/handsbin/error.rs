//! The error type of captures of hands by Unity.

use inputanim::RecordError;

/// A capture of hands by Unity that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandsBinError {
    /// The file has a version that is not known.
    #[error("byte 0: expected version 1 or 2 of a capture of hands, found version {found}")]
    Version {
        /// The version that the file states.
        found: i32,
    },
    /// The file ends within a value.
    #[error(
        "byte {offset}: the file is cut off: expected {expected} ({size} bytes), found {found} bytes"
    )]
    CutOff {
        /// The place at which the value begins.
        offset: usize,
        /// The value that was expected.
        expected: &'static str,
        /// The size of the value in bytes.
        size: usize,
        /// The number of bytes that are left.
        found: usize,
    },
    /// A value that captures do not have.
    #[error("byte {offset}: expected {expected}, found {found}")]
    Value {
        /// The place of the value.
        offset: usize,
        /// The expected value.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// A frame that cannot be recorded.
    #[error("byte {offset}: the frame cannot be recorded")]
    Record {
        /// The place at which the frame begins.
        offset: usize,
        /// The cause.
        source: RecordError,
    },
}

impl crate::shared::error::OfFormat for HandsBinError {}
