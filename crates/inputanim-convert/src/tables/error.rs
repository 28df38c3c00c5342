//! What can go wrong with a table.

use std::fmt;
use std::io;

use inputanim::{CurvePath, Layout, Loss, RecordError, UnknownCurve, UnknownLayout};

use crate::frames;
use crate::sampled::SampleError;

/// Where in a table something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A row, counted from 1.
    Row(u64),
    /// A line of text, counted from 1; where a row starts.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Row(row) => write!(f, "row {row}"),
            Place::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// A recording that could not be written as a table, or a table that is no recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The recording holds what its own layout cannot: write it in another layout.
    #[error("the layout {layout} cannot hold {}", first(losses))]
    NotInLayout {
        /// The layout.
        layout: Layout,
        /// What it cannot hold.
        losses: Vec<Loss>,
    },
    /// The output failed.
    #[error("the table cannot be written")]
    Io(#[from] io::Error),
    /// A line is no frame.
    #[error(transparent)]
    Frames(#[from] frames::Error),
    /// A row has more or less cells than the first.
    #[error("{place}: expected {expected} cells as in the first row, found {found}")]
    Cells {
        /// Where.
        place: Place,
        /// Cells of the first row.
        expected: usize,
        /// Cells of this one.
        found: usize,
    },
    /// The text is not UTF-8.
    #[error("{place}: expected text in UTF-8")]
    Encoding {
        /// Where.
        place: Place,
    },
    /// The text is UTF-16.
    #[error("the text is UTF-16: save it as UTF-8")]
    Utf16,
    /// Cells are separated by something else.
    #[error("{place} is separated by {found}: expected {expected}")]
    Separator {
        /// Where.
        place: Place,
        /// Such as "`;`".
        found: &'static str,
        /// Commas or tabs.
        expected: &'static str,
    },
    /// A line is no object of JSON that says what it should.
    #[error("{place}: {message}")]
    Json {
        /// Where.
        place: Place,
        /// What is wrong with it.
        message: String,
    },
    /// A cell cannot be what its column is for.
    #[error("{place}: {column}: expected {expected}, found {found}")]
    Value {
        /// Where.
        place: Place,
        /// The column.
        column: String,
        /// What it should be.
        expected: &'static str,
        /// What it is, cut short.
        found: String,
    },
    /// A cell is empty that must not be, seeing the others of its row.
    #[error("{place}: {column} is missing")]
    Missing {
        /// Where.
        place: Place,
        /// The column.
        column: String,
    },
    /// Rows contradict each other.
    #[error("{place}: {what} is {found}, but {first} in a row before")]
    Contradiction {
        /// Where.
        place: Place,
        /// What they say two things about.
        what: String,
        /// What this row says.
        found: String,
        /// What the row before said.
        first: String,
    },
    /// `curve` names none.
    #[error("{place}")]
    Curve {
        /// Where.
        place: Place,
        /// What was found.
        source: UnknownCurve,
    },
    /// `layout` names none.
    #[error("{place}")]
    Layout {
        /// Where.
        place: Place,
        /// What was found.
        source: UnknownLayout,
    },
    /// Keys of a curve whose stream is not there by the flags or the layout.
    #[error("the curve {0} is there, but the flags or the layout say that its stream is not")]
    StreamMissing(CurvePath),
    /// Flags in version 1.0.
    #[error("there are flags, but the layout {0} has none")]
    FlagsUnexpected(Layout),
    /// An instant that cannot be recorded.
    #[error("{place}")]
    Record {
        /// Where.
        place: Place,
        /// Why.
        source: RecordError,
    },
    /// The columns are of neither shape.
    #[error(
        "expected the columns of keys (curve, time_s, value) or of instants (time_s, \
         camera.position.x, left.tracked, …), found {found}"
    )]
    Columns {
        /// The first of them.
        found: String,
    },
    /// A column that was to be another is not there.
    #[error("the column {source_column} ({column}) is not there: found {found}")]
    NoSource {
        /// What it was to be.
        column: String,
        /// Its name in the table.
        source_column: String,
        /// The first of those that are there.
        found: String,
    },
    /// A column of a pose or ray is not there, though others of it are.
    #[error("the column {0} is missing: others of its pose or ray are there")]
    NoColumn(String),
    /// A column that means nothing here.
    #[error(
        "the column {0} means nothing here: expected those of keys or of instants, as docs/tables.md \
         lists them"
    )]
    Unknown(String),
    /// There are several recordings in the table.
    #[error("there are several recordings in the table, {first:?} and {second:?} among them")]
    Several {
        /// The first.
        first: String,
        /// Another.
        second: String,
    },
    /// The recording that was asked for is not in the table.
    #[error("there is no recording {name:?} in the table{}", There(found))]
    NoRecording {
        /// Its name.
        name: String,
        /// Those that are there, the first ten of them.
        found: Vec<String>,
    },
    /// A setting that changes nothing for such a table.
    #[error("there is no use for {setting} in {table}")]
    Idle {
        /// The setting.
        setting: Setting,
        /// What the table is.
        table: &'static str,
    },
    /// The time is not there, but something that may be it.
    #[error("the column time_s is not there: is it {like:?}?")]
    NoTime {
        /// The name of the column that may be it.
        like: String,
    },
    /// Members of ndjson have the names of columns.
    #[error(
        "{place}: time_s is the name of a column: expected members in each other, such as \
         {{\"time\":0.5,\"camera\":{{\"position\":[0,1.6,0],\"rotation\":[0,0,0,1]}}}}, as docs/frames.md has them"
    )]
    Flat {
        /// Where.
        place: Place,
    },
    /// No column is known but the time.
    #[error("nothing but the time is known in the table: passed over are {passed}")]
    NothingKnown {
        /// Names of columns that mean nothing, the first of them.
        passed: String,
    },
    /// Times that are too large to be told apart.
    #[error(
        "{place}: the time {time} s does not come after the frame before it: 32-bit floats as large as \
         this are {step} s apart"
    )]
    TimesTooLarge {
        /// Where.
        place: Place,
        /// The time.
        time: f32,
        /// From one float to the next.
        step: f32,
    },
    /// A column is there twice.
    #[error("the column {0} is there twice")]
    Twice(String),
    /// A column has values of a type that cannot be used.
    #[error("the column {column} holds {found}: expected {expected}")]
    Type {
        /// The column.
        column: String,
        /// What it should hold.
        expected: &'static str,
        /// What it holds.
        found: String,
    },
    /// What the metadata say of markers or recordings is no JSON that does.
    #[error("the metadata of the table cannot be read")]
    Metadata(#[source] serde_json::Error),
    /// There is more than the limits allow.
    #[error("expected at most {limit} {things} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// What it bounds.
        things: &'static str,
    },
    /// The container is packed in a way that is not read.
    #[error("the table is {found}, which is not read here: write it with {instead}")]
    Unread {
        /// How it is packed.
        found: String,
        /// How it should be.
        instead: &'static str,
    },
    /// The container is not well formed.
    #[error("not a whole {format} file: {message}")]
    Damaged {
        /// Arrow or Parquet.
        format: &'static str,
        /// What is wrong with it.
        message: String,
    },
}

/// How a table is read otherwise than it would be: a part of [`ReadOptions`](super::ReadOptions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// [`recording`](super::ReadOptions::recording).
    Recording,
    /// [`mappings`](super::ReadOptions::mappings).
    Mappings,
    /// [`ignore_unknown`](super::ReadOptions::ignore_unknown).
    IgnoreUnknown,
    /// [`space`](super::ReadOptions::space).
    Space,
    /// [`from_zero`](super::ReadOptions::from_zero).
    FromZero,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Setting::Recording => "the name of a recording",
            Setting::Mappings => "other names of columns",
            Setting::IgnoreUnknown => "passing over unknown columns",
            Setting::Space => "other axes",
            Setting::FromZero => "a first row at t = 0",
        })
    }
}

struct There<'n>(&'n [String]);

impl fmt::Display for There<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else {
            return Ok(());
        };
        write!(f, ": there are {first:?}")?;
        others.iter().try_for_each(|name| write!(f, ", {name:?}"))
    }
}

fn first(losses: &[Loss]) -> String {
    losses.first().map(Loss::to_string).unwrap_or_default()
}

impl From<csv::Error> for Error {
    fn from(error: csv::Error) -> Error {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Error::Io(error),
            other => Error::Io(io::Error::other(format!("{other:?}"))),
        }
    }
}

#[cfg(feature = "tables")]
impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Error {
        match error {
            arrow_schema::ArrowError::IoError(_, error) => Error::Io(error),
            other => Error::Damaged {
                format: "Arrow",
                message: other.to_string(),
            },
        }
    }
}

/// What Parquet's crate says, without its own name.
#[cfg(feature = "tables")]
pub(super) fn without_name(message: &str) -> &str {
    message.strip_prefix("Parquet error: ").unwrap_or(message)
}

#[cfg(feature = "tables")]
impl From<parquet::errors::ParquetError> for Error {
    fn from(error: parquet::errors::ParquetError) -> Error {
        let damaged = |message: String| Error::Damaged {
            format: "Parquet",
            message: without_name(&message).to_owned(),
        };
        match error {
            parquet::errors::ParquetError::External(error) => match error.downcast() {
                Ok(error) => Error::Io(*error),
                Err(other) => damaged(other.to_string()),
            },
            other => damaged(other.to_string()),
        }
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
