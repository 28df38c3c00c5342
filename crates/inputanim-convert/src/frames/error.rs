//! What can be wrong with frames as text.

use std::io;

/// Text that is no frame. But for [`Io`](Error::Io) and [`TooLong`](Error::TooLong), and for the
/// first row of a table, reading can go on behind it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input failed.
    #[error("the input cannot be read")]
    Io(#[from] io::Error),
    /// A line is longer than the [limit](super::Options::max_line).
    #[error("line {line}: expected at most {limit} bytes (the limit), found more")]
    TooLong {
        /// Counted from 1, as in all others; where a row starts.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// The input ends before the line does.
    #[error("line {line}: the input ends in the middle of it")]
    Torn {
        /// The line.
        line: u64,
    },
    /// The text is not UTF-8.
    #[error("line {line}: expected text in UTF-8")]
    Encoding {
        /// The line.
        line: u64,
    },
    /// The text is not JSON.
    #[error("line {line}, byte {column}: no JSON: {message}")]
    Json {
        /// The line.
        line: u64,
        /// Where in it, counted from 1.
        column: usize,
        /// What was expected there.
        message: String,
    },
    /// The text is something else than an object.
    #[error("line {line}: expected an object, {{\"time\": ...}}, found {found}")]
    Object {
        /// The line.
        line: u64,
        /// What it begins with.
        found: String,
    },
    /// The first row names no columns.
    #[error(
        "line {line}: expected the names of columns (time_s, camera.position.x, ...), found {found}"
    )]
    Head {
        /// The line.
        line: u64,
        /// What it begins with.
        found: String,
    },
    /// A row has more or less cells than there are columns.
    #[error("line {line}: expected {expected} cells as in the first row, found {found}")]
    Cells {
        /// The line.
        line: u64,
        /// Cells of the first row.
        expected: usize,
        /// Cells of this one.
        found: usize,
    },
    /// A value is of the wrong kind.
    #[error("line {line}: {field}: expected {expected}, found {found}")]
    Value {
        /// The line.
        line: u64,
        /// The column, or the way to the member: `left.joints.Palm.position`.
        field: String,
        /// What it should be.
        expected: &'static str,
        /// What it begins with.
        found: String,
    },
    /// Something that must be there is not: the time, or a part of a pose of which there is another.
    #[error("line {line}: {field} is missing")]
    Missing {
        /// The line.
        line: u64,
        /// What is missing.
        field: String,
    },
    /// The time is not there, but something that may be it.
    #[error("line {line}: time_s is missing: is it {like:?}?")]
    NoTime {
        /// The line.
        line: u64,
        /// The name of the column that may be it.
        like: String,
    },
    /// A column or member is there twice.
    #[error("line {line}: {field} is there twice")]
    Twice {
        /// The line.
        line: u64,
        /// Which.
        field: String,
    },
    /// A column or member that means nothing here.
    #[error("line {line}: {field} means nothing here: expected {expected}")]
    Unknown {
        /// The line.
        line: u64,
        /// Which.
        field: String,
        /// What there can be.
        expected: &'static str,
    },
}

impl Error {
    /// The line that it is about, counted from 1.
    pub fn line(&self) -> Option<u64> {
        match self {
            Error::Io(_) => None,
            Error::TooLong { line, .. }
            | Error::Torn { line }
            | Error::Encoding { line }
            | Error::Json { line, .. }
            | Error::Object { line, .. }
            | Error::Head { line, .. }
            | Error::Cells { line, .. }
            | Error::Value { line, .. }
            | Error::Missing { line, .. }
            | Error::NoTime { line, .. }
            | Error::Twice { line, .. }
            | Error::Unknown { line, .. } => Some(*line),
        }
    }

    /// Whether nothing behind it can be read.
    pub fn is_final(&self) -> bool {
        matches!(self, Error::Io(_) | Error::TooLong { .. })
    }
}

/// The beginning of a text that was found, without what would move a cursor.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
