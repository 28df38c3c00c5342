//! Frames as text, an instant a line: newline-delimited JSON or a table (docs/frames.md).
//!
//! ```json
//! {"time":1.5,"camera":{"position":[0.0,1.6,0.0],"rotation":[0.0,0.0,0.0,1.0]}}
//! {"time":1.51,"marker":"grab"}
//! ```
//!
//! Written, each number has the fewest digits that read back as the same 32-bit float, so that what
//! is finite comes back bit for bit. Read, columns and members may stand in any order, and what is
//! left out or empty is not known: [`Frame`] says `None`. A pose has all of its numbers or none. A
//! hand of which it is not said whether it is tracked is so where one of its joints is known.
//!
//! Lines are read as they come, with bounded memory: text may come from a pipe that never ends.
//!
//! ```
//! use inputanim::{Layout, Recorder};
//! use inputanim_convert::frames::{Event, Options, Reader};
//! let text = "time_s,left.pinching\n0,0\n0.5,1\n";
//! let mut recorder = Recorder::new(Layout::Mrtk1_1);
//! for event in Reader::new(text.as_bytes(), None, &Options::default())? {
//!     match event? {
//!         Event::Frame(frame) => {
//!             recorder.push(&frame)?;
//!         }
//!         Event::Marker(marker) => recorder.mark(marker.time, marker.name)?,
//!     }
//! }
//! assert_eq!(recorder.finish().duration(), 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
pub mod csv;
mod error;
pub(crate) mod line;
mod lines;
mod map;
pub mod ndjson;

use std::collections::BTreeSet;
use std::io::BufRead;

use inputanim::{Frame, Marker};

pub use columns::{Cell, Columns, Row, Value};
pub(crate) use columns::{MARKER, TIME_S};
pub use error::Error;
pub use map::{Mapping, NoMapping};

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An instant.
    Frame(Box<Frame>),
    /// A named instant.
    Marker(Marker<'static>),
}

/// The form of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// An object a line.
    Ndjson,
    /// A table whose first row names the columns.
    Csv,
}

/// What is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Passes over columns and members that mean nothing here; without it they are errors.
    pub ignore_unknown: bool,
    /// Counts times from that of the first line on, in double precision: clocks that run for days, or
    /// since 1970, have times that lie too close together for a 32-bit float.
    pub from_zero: bool,
    /// Most bytes of a line, or of a row that goes on over several.
    pub max_line: usize,
}

impl Default for Options {
    /// Nothing unknown, times as they stand there, and lines of up to a megabyte; those of whole frames have ten or twenty
    /// thousand bytes.
    fn default() -> Options {
        Options {
            ignore_unknown: false,
            from_zero: false,
            max_line: 1 << 20,
        }
    }
}

/// Reads frames and markers in either form, as they come; see the [module](self).
///
/// An error is about one line, and behind it reading goes on, unless it [is
/// final](Error::is_final).
#[derive(Debug)]
pub enum Reader<R> {
    /// An object a line.
    Ndjson(ndjson::Reader<R>),
    /// A table.
    Csv(Box<csv::Reader<R>>),
}

impl<R: BufRead> Reader<R> {
    /// A reader of a form, or of that which the first character tells: an object begins with `{`.
    /// Waits for the first bytes of the input, or the first row of a table.
    ///
    /// # Errors
    /// When the input fails, or the first row of a table does not name its columns.
    pub fn new(
        mut input: R,
        format: Option<Format>,
        options: &Options,
    ) -> Result<Reader<R>, Error> {
        let format = match format {
            Some(format) => format,
            None => told_by(input.fill_buf()?),
        };
        Ok(match format {
            Format::Ndjson => Reader::Ndjson(ndjson::Reader::with(input, options)),
            Format::Csv => Reader::Csv(Box::new(csv::Reader::with(input, options)?)),
        })
    }

    /// The line that was read last, counted from 1: that of the last event or error.
    pub fn line(&self) -> u64 {
        match self {
            Reader::Ndjson(reader) => reader.line(),
            Reader::Csv(reader) => reader.line(),
        }
    }

    /// Names of columns or members that were passed over so far, the first hundred of them.
    pub fn ignored(&self) -> &BTreeSet<String> {
        match self {
            Reader::Ndjson(reader) => reader.ignored(),
            Reader::Csv(reader) => reader.ignored(),
        }
    }

    /// The names of poses of which a table has positions and no rotations: they are not turned.
    pub fn not_turned(&self) -> Vec<String> {
        match self {
            Reader::Ndjson(_) => Vec::new(),
            Reader::Csv(reader) => reader.not_turned(),
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Result<Event, Error>> {
        match self {
            Reader::Ndjson(reader) => reader.next(),
            Reader::Csv(reader) => reader.next(),
        }
    }
}

/// Nothing at all is no table, which would have a first row.
fn told_by(start: &[u8]) -> Format {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    match start.trim_ascii_start().first() {
        None | Some(b'{') => Format::Ndjson,
        Some(_) => Format::Csv,
    }
}
