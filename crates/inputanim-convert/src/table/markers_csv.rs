//! Markers as comma-separated values (RFC 4180), for spreadsheets and scripts.
//!
//! ```csv
//! time_s,name
//! 0.35,reach
//! 1.5,"grab, then turn"
//! ```
//!
//! Times are seconds with the fewest digits that read back as the same 32-bit float, or `Infinity`,
//! `-Infinity`, `NaN` as in [JSON](crate::json). Names are any text. Nothing is lost in either direction.
//!
//! The columns are found by their names in the first row, in any order and case; other columns are ignored.

use std::io::{self, Write};

use inputanim::{Limits, Marker};

use crate::shared::Error;
use crate::shared::limits::check_limit;
use crate::shared::mapping::{TIME, TIME_S};
use crate::shared::number::Number;
use crate::shared::utf16;
use crate::table::table_error::{TableError, first_names};
use crate::table::text::{CellRows, refuse_separator};

const NAME: &str = "name";

/// Writes markers as a CSV table with the columns `time_s` and `name`, in the given order.
///
/// # Errors
/// Fails when `output` fails.
///
/// ```
/// use inputanim::Marker;
/// use inputanim_convert::markers_csv;
/// let mut text = Vec::new();
/// markers_csv::write(&[Marker::new(0.35, "reach")], &mut text)?;
/// assert_eq!(text, b"time_s,name\n0.35,reach\n");
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn write(markers: &[Marker<'_>], output: impl Write) -> Result<(), Error> {
    let rows = || -> csv::Result<()> {
        let mut table = csv::Writer::from_writer(output);
        table.write_record([TIME_S, NAME])?;
        for marker in markers {
            let time = Number(marker.time).to_string();
            table.write_record([time.as_str(), &marker.name])?;
        }
        // The rest is written here, because a writer that is dropped ignores errors.
        Ok(table.flush()?)
    };
    rows().map_err(|error| Error::Io(io::Error::from(error)))
}

/// Reads markers from a CSV table that has at least the columns `time_s` and `name`, in the order of its rows.
///
/// # Errors
/// Fails when a column is missing, a row is damaged, or a time is not a number. Such errors contain the line. Also
/// fails when the text exceeds [`Limits::max_bytes`], or the markers exceed [`Limits::max_markers`].
///
/// ```
/// use inputanim::{Limits, Marker};
/// use inputanim_convert::markers_csv;
/// let markers = markers_csv::read(b"name,time_s\nreach,0.35\n", &Limits::default())?;
/// assert_eq!(markers, [Marker::new(0.35, "reach")]);
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn read(text: &[u8], limits: &Limits) -> Result<Vec<Marker<'static>>, Error> {
    check_limit(text.len() as u64, limits.max_bytes, "bytes")?;
    // The text is in memory already, so a row needs no limit of its own.
    let text = utf16::to_utf8(text);
    let mut rows = CellRows::new(&*text, b',', text.len());
    rows.advance()?;
    let names = rows.names()?;
    refuse_separator(&names, "commas")?;
    let position = |name: &str| {
        names
            .iter()
            .position(|other| other.eq_ignore_ascii_case(name))
    };
    let time = position(TIME_S).or_else(|| position(TIME));
    let name = position(NAME);
    let (Some(time), Some(name)) = (time, name) else {
        let columns = [(TIME_S, time), (NAME, name)].into_iter();
        let missing = columns.filter(|(_, position)| position.is_none());
        return Err(TableError::MarkerColumns {
            place: rows.place(),
            columns: missing.map(|(name, _)| name.to_owned()).collect(),
            found: first_names(&names),
            is_chosen: false,
        }
        .into());
    };
    let mut markers = Vec::new();
    while rows.advance()? {
        rows.check_count(names.len())?;
        check_limit(markers.len() as u64 + 1, limits.max_markers, "markers")?;
        let text = rows.value(time)?.unwrap_or_default();
        let seconds: Number = text
            .parse()
            .map_err(|_| TableError::value(rows.place(), TIME_S, "a number of seconds", text))?;
        markers.push(Marker::new(seconds.0, rows.cell(name)?.to_owned()));
    }
    Ok(markers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<Marker<'static>>, Error> {
        super::read(text, &Limits::default())
    }

    #[test]
    fn tables_of_spreadsheets_are_read() {
        let text = "\u{feff}Name, Time_S ,note\r\n\"a, \"\"b\"\"\r\nc\",-1.50,x\r\n,2,\r\n";
        let markers = read(text.as_bytes()).unwrap();
        assert_eq!(
            markers,
            [Marker::new(-1.5, "a, \"b\"\r\nc"), Marker::new(2.0, "")]
        );
        assert_eq!(read(b"time_s,name").unwrap(), []);
    }

    #[test]
    fn errors_contain_the_line() {
        let error = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        for end in ["\n", "\r\n", "\r"] {
            let text = "\u{feff}time_s,name;1,\"a;b\";;1.2.3,b;".replace(';', end);
            assert_eq!(
                error(&text),
                "line 5: time_s: expected a number of seconds, found \"1.2.3\""
            );
        }
        let expected = "line 1: expected commas between cells, found semicolons";
        assert_eq!(error("time_s;name\n1;a\n"), expected);
        let expected = "line 1: missing columns time_s, name; found \"t\", \"label\"";
        assert_eq!(error("t,label\n1,a\n"), expected);
        let text = error("time_s,name\n1,5,a\n");
        assert!(text.starts_with("line 2: expected 2 cells"), "{text}");
        let error = read(b"time_s,name\n1,\xff\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2: invalid UTF-8");
    }

    #[test]
    fn limits_bound_the_number_of_markers() {
        let mut limits = Limits::default();
        limits.max_markers = 1;
        assert!(super::read(b"time_s,name\n1,a\n", &limits).is_ok());
        let error = super::read(b"time_s,name\n1,a\n1,a\n", &limits).unwrap_err();
        assert!(matches!(error, Error::Limit { limit: 1, .. }));
    }
}
