//! The errors of WebVTT.

/// Text that is not WebVTT. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WebVttError {
    /// The file does not begin with its signature.
    #[error("line 1: expected WEBVTT, found {found:?}")]
    Signature {
        /// The start of the first line.
        found: String,
    },
    /// The text is not UTF-8.
    #[error("line {line}: invalid UTF-8")]
    Encoding {
        /// The line.
        line: usize,
    },
    /// The times of a cue are malformed.
    #[error("line {line}: expected two times as in 00:01.000 --> 00:02.500, found {found:?}")]
    Times {
        /// The line.
        line: usize,
        /// The start of the line.
        found: String,
    },
}
