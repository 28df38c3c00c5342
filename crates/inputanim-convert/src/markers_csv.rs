//! Markers as comma-separated values (RFC 4180), for spreadsheets and scripts.
//!
//! ```csv
//! time_s,name
//! 0.35,reach
//! 1.5,"grab, then turn"
//! ```
//!
//! Times are seconds with the fewest digits that read back as the same 32-bit float, or `Infinity`,
//! `-Infinity`, `NaN` as in [JSON](crate::json). Names are any text; what holds a comma, quotation
//! mark or line break stands within quotation marks. Nothing is lost either way.
//!
//! When read, the columns are found by their heads in the first row, in any order; other columns
//! are passed over.

use std::io::{self, Write};

use inputanim::{Limits, Marker};

use crate::json::{NotANumber, Number};
use crate::lines::{LineCounter, utf_8};

const TIME: &str = "time_s";
const NAME: &str = "name";

/// Text that is not a list of markers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no table at all.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// A row has more or less cells than the first.
    #[error("line {line}: expected {expected} cells as in the first row, found {found}")]
    Cells {
        /// Counted from 1; where the row starts.
        line: usize,
        /// Cells of the first row.
        expected: usize,
        /// Cells of this one.
        found: usize,
    },
    /// The text is not UTF-8.
    #[error("line {line}: expected text in UTF-8")]
    Encoding {
        /// Counted from 1.
        line: usize,
    },
    /// The first row does not say which column is which.
    #[error("line 1: expected the columns {TIME} and {NAME} (with commas), found {found:?}")]
    Head {
        /// The first row.
        found: String,
    },
    /// A time is no number.
    #[error("line {line}: expected a number of seconds")]
    Time {
        /// Counted from 1; where the row starts.
        line: usize,
        /// What was found.
        source: NotANumber,
    },
    /// There is more than the limits allow.
    #[error("expected at most {limit} {things} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// What it bounds.
        things: &'static str,
    },
}

/// Writes markers in the order in which they are given.
///
/// # Errors
/// When `output` fails.
///
/// ```
/// use inputanim::Marker;
/// use inputanim_convert::markers_csv;
/// let mut text = Vec::new();
/// markers_csv::write(&[Marker::new(0.35, "reach")], &mut text)?;
/// assert_eq!(text, b"time_s,name\n0.35,reach\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write(markers: &[Marker<'_>], output: impl Write) -> io::Result<()> {
    let rows = || -> csv::Result<()> {
        let mut table = csv::Writer::from_writer(output);
        table.write_record([TIME, NAME])?;
        for marker in markers {
            let time = Number(marker.time).to_string();
            table.write_record([time.as_str(), &marker.name])?;
        }
        Ok(table.flush()?)
    };
    rows().map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

/// Reads markers in the order in which they stand, with the default [`Limits`].
///
/// # Errors
/// When the text is no such table; the error says in which line.
///
/// ```
/// use inputanim::Marker;
/// use inputanim_convert::markers_csv;
/// let markers = markers_csv::read(b"name,time_s\nreach,0.35\n")?;
/// assert_eq!(markers, [Marker::new(0.35, "reach")]);
/// # Ok::<(), markers_csv::Error>(())
/// ```
pub fn read(text: &[u8]) -> Result<Vec<Marker<'static>>, Error> {
    read_with(text, &Limits::default())
}

/// Reads markers within `limits`; [`Limits::max_bytes`] bounds the text.
///
/// # Errors
/// As [`read`], and when a limit is passed.
pub fn read_with(text: &[u8], limits: &Limits) -> Result<Vec<Marker<'static>>, Error> {
    let too_many = |limit, things| Err(Error::Limit { limit, things });
    if text.len() as u64 > limits.max_bytes {
        return too_many(limits.max_bytes, "bytes");
    }
    let text = utf_8(text).map_err(|line| Error::Encoding { line })?;
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
        .into_records();
    let head = rows.next().transpose()?.unwrap_or_default();
    let column = |name: &str| {
        let mut cells = head.iter();
        cells.position(|cell| cell.trim().eq_ignore_ascii_case(name))
    };
    let (Some(time), Some(name)) = (column(TIME), column(NAME)) else {
        let cells: Vec<&str> = head.iter().collect();
        let found = cells.join(",").chars().take(60).collect();
        return Err(Error::Head { found });
    };
    let mut markers = Vec::new();
    for row in rows {
        let row = row?;
        let start = row.position().map_or(0, csv::Position::byte);
        let line = || LineCounter::new(text.as_bytes()).line_from(start as usize);
        let (expected, found) = (head.len(), row.len());
        if expected != found {
            return Err(Error::Cells {
                line: line(),
                expected,
                found,
            });
        }
        if markers.len() as u64 == limits.max_markers {
            return too_many(limits.max_markers, "markers");
        }
        let cell = |column: usize| row.get(column).unwrap_or_default();
        let seconds: Number = cell(time).trim().parse().map_err(|source| Error::Time {
            line: line(),
            source,
        })?;
        markers.push(Marker::new(seconds.0, cell(name).to_owned()));
    }
    Ok(markers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_a_spreadsheet_is_read() {
        let text = "\u{feff}Name, Time_S ,note\r\n\"a, \"\"b\"\"\r\nc\",-1.50,x\r\n,2,\r\n";
        let markers = read(text.as_bytes()).unwrap();
        assert_eq!(
            markers,
            [Marker::new(-1.5, "a, \"b\"\r\nc"), Marker::new(2.0, "")]
        );
        assert_eq!(read(b"time_s,name").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str| {
            let error = read(text.as_bytes()).unwrap_err();
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            format!("{error} {}", cause.unwrap_or_default())
        };
        for end in ["\n", "\r\n", "\r"] {
            let text = "\u{feff}time_s,name;1,\"a;b\";;1.2.3,b;".replace(';', end);
            let text = error(&text);
            assert!(text.contains("line 5") && text.contains("1.2.3"), "{text}");
        }
        let text = error("time_s;name\n1;a\n");
        assert!(text.contains("\"time_s;name\""), "{text}");
        let text = error("time_s,name\n1,5,a\n");
        assert!(text.starts_with("line 2: expected 2 cells"), "{text}");
        assert!(error("").contains("found \"\""));
        let error = read(b"time_s,name\n1,\xff\n").unwrap_err();
        assert!(matches!(error, Error::Encoding { line: 2 }), "{error}");
    }

    #[test]
    fn there_may_not_be_more_than_the_limits_allow() {
        let limits = Limits {
            max_markers: 1,
            ..Limits::default()
        };
        assert!(read_with(b"time_s,name\n1,a\n", &limits).is_ok());
        let error = read_with(b"time_s,name\n1,a\n1,a\n", &limits).unwrap_err();
        assert!(matches!(error, Error::Limit { limit: 1, .. }));
    }
}
