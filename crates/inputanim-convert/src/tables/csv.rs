//! Tables as text: cells between commas (CSV, RFC 4180) or tabs (TSV), the first row naming the columns.
//!
//! Numbers have the fewest digits that read back as the same 32-bit float. What is not known is empty.
//! In a table of keys what is no number is `Infinity`, `-Infinity`, `NaN`, or any other NaN with its
//! bits, `NaN(0xffc00001)`, as in [JSON](crate::json); in a wide one it is empty too. Markers are rows.

use std::io::Write;

use inputanim::{CurvePath, Recording};

use super::error::shown;
use super::keys::{Collector, Kind, Row, column, is_keys};
use super::separator::{LONGEST, first_line, rows_of};
use super::take::{Take, refuse_passed_over, refuse_utf_16, within};
use super::{
    Error, Loss, Note, Options, Place, ReadOptions, Reading, Setting, Shape, hololens, instants,
    keys_out,
};
use crate::frames;
use crate::json::Number;
use crate::lines::{LineCounter, is_utf_16, utf_8};

pub use super::separator::Separator;

/// Writes a recording as a table, with bounded memory, and says what text cannot hold.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When `output` fails, the recording cannot be played (wide), or it holds what its own layout cannot
/// (keys).
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::tables::{Options, Shape, csv};
/// let options = Options { shape: Shape::Keys, ..Options::default() };
/// let mut text = Vec::new();
/// csv::write(&Recording::new(Layout::Mrtk1_1), &options, csv::Separator::Comma, &mut text)?;
/// assert!(text.starts_with(b"curve,time_s,value,in_tangent,"));
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    separator: Separator,
    output: impl Write,
) -> Result<Vec<Loss>, Error> {
    let mut table = csv::WriterBuilder::new()
        .delimiter(separator.byte())
        .from_writer(output);
    let losses = match options.shape {
        Shape::Wide => {
            let columns = instants::columns(recording, options);
            table.write_record(columns.heads())?;
            instants::rows(recording, options, &columns, |row| {
                Ok(table.serialize(row.cells())?)
            })?
        }
        Shape::Keys => {
            table.write_record(column::ALL)?;
            let mut cell = String::new();
            keys_out::rows(recording, |row| write_key(&mut table, row, &mut cell))?;
            Vec::new()
        }
    };
    table.flush()?;
    Ok(losses)
}

fn write_key<W: Write>(
    table: &mut csv::Writer<W>,
    row: &Row<'_>,
    cell: &mut String,
) -> Result<(), Error> {
    let Row {
        time,
        value,
        slopes,
        wrap,
        ..
    } = *row;
    let mut put = |value: Option<&dyn std::fmt::Display>| {
        use std::fmt::Write;
        cell.clear();
        if let Some(value) = value {
            // A String takes everything.
            write!(cell, "{value}").unwrap_or_default();
        }
        table.write_field(&cell)
    };
    let floats = [time, value].into_iter().chain(slopes);
    put(row.curve.as_ref().map(|path| path as _))?;
    for number in floats {
        put(number.map(Number).as_ref().map(|number| number as _))?;
    }
    put(row.weighted_mode.as_ref().map(|mode| mode as _))?;
    put(row.kind.map(Kind::name).as_ref().map(|name| name as _))?;
    for mode in wrap {
        put(mode.as_ref().map(|mode| mode as _))?;
    }
    put(row.name.as_ref().map(|name| name as _))?;
    table.write_record(None::<&[u8]>)?;
    Ok(())
}

/// Reads a recording from a table of either shape, or from one that the StreamRecorder of HoloLens2ForCV
/// wrote (docs/tables.md). Without a separator it is what the first line has more of.
///
/// # Errors
/// When the text is no such table, or a row cannot be part of a recording; the error says in which
/// line and column.
///
/// ```
/// use inputanim_convert::tables::{ReadOptions, csv};
/// let text = b"time_s,left.pinching\n0,0\n0.5,1\n";
/// let reading = csv::read(text, None, &ReadOptions::default())?;
/// assert_eq!(reading.recording.duration(), 0.5);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn read(
    text: &[u8],
    separator: Option<Separator>,
    options: &ReadOptions,
) -> Result<Reading, Error> {
    within(text.len() as u64, options.limits.max_bytes, "bytes")?;
    refuse_utf_16(text)?;
    options.refuse(&[Setting::Recording], "a table of one recording")?;
    let separator = separator.unwrap_or_else(|| Separator::of(text));
    separator.check(text)?;
    let head = head(text, separator)?;
    if hololens::is_row(&head) {
        return hololens::read(text, separator, options);
    }
    let has = |name: &str| head.iter().any(|cell| cell.trim() == name);
    match is_keys(has) {
        true => read_keys(text, separator, options),
        false => read_instants(text, separator, options),
    }
}

/// Whether bytes look like a table: the first line is text of more than one cell. Those of a table
/// between semicolons or in UTF-16, as spreadsheets write them, do too: [`read`] says what is wrong.
///
/// ```
/// use inputanim_convert::tables::csv;
/// assert!(csv::is_csv(b"curve\ttime_s\tvalue\n"));
/// assert!(!csv::is_csv(b"PAR1\x15\x04,\x15"));
/// assert!(!csv::is_csv(br#"{"time":0.5,"left":{}}"#));
/// ```
pub fn is_csv(text: &[u8]) -> bool {
    if is_utf_16(text) {
        return true;
    }
    let line = first_line(text);
    let is_sign = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    let has_cells = line.iter().any(|sign| b",\t;".contains(sign));
    let is_json = [b'{', b'['].contains(&text.trim_ascii_start().first().copied().unwrap_or(0));
    has_cells && !is_json && line.iter().all(is_sign) && str::from_utf8(line).is_ok()
}

/// The first row, cut off where it is too long for one.
fn head(text: &[u8], separator: Separator) -> Result<csv::StringRecord, Error> {
    let start = &text[..text.len().min(LONGEST)];
    let mut head = csv::ByteRecord::new();
    rows_of(start, separator).read_byte_record(&mut head)?;
    let place = Place::Line(1);
    csv::StringRecord::from_byte_record(head).map_err(|_| Error::Encoding { place })
}

fn read_instants(
    text: &[u8],
    separator: Separator,
    options: &ReadOptions,
) -> Result<Reading, Error> {
    let settings = options.of_frames();
    let mappings = &options.mappings;
    let mut reader = frames::csv::Reader::of_table(text, &settings, separator.byte(), mappings)?;
    if !reader.has_more_than_time() {
        refuse_passed_over(reader.ignored())?;
    }
    let mut take = Take::new(None, None, options);
    while let Some(event) = reader.next() {
        take.event(Place::Line(reader.line()), event?)?;
    }
    let mut reading = take.finish();
    let poses = reader.not_turned();
    if !poses.is_empty() {
        reading.notes.push(Note::NotTurned { poses });
    }
    Ok(reading)
}

fn read_keys(text: &[u8], separator: Separator, options: &ReadOptions) -> Result<Reading, Error> {
    options.refuse_for_keys()?;
    let line = |line| Place::Line(line as u64);
    let text = utf_8(text).map_err(|found| Error::Encoding { place: line(found) })?;
    let mut rows = rows_of(text.as_bytes(), separator);
    let mut lines = LineCounter::new(text.as_bytes());
    let mut record = csv::StringRecord::new();
    rows.read_record(&mut record)?;
    let heads = Heads::new(&record, options)?;
    let mut collector = Collector::new(options.limits);
    while rows.read_record(&mut record)? {
        let start = record.position().map_or(0, csv::Position::byte);
        let place = line(lines.line_from(start as usize));
        let (expected, found) = (heads.count, record.len());
        if expected != found {
            return Err(Error::Cells {
                place,
                expected,
                found,
            });
        }
        collector.push(place, &heads.row(place, &record)?)?;
    }
    Ok(collector.finish(options)?.into())
}

/// Where in a row of keys the columns stand.
struct Heads {
    count: usize,
    /// By their places in [`column::ALL`].
    places: [Option<usize>; 12],
}

impl Heads {
    fn new(head: &csv::StringRecord, options: &ReadOptions) -> Result<Heads, Error> {
        let mut places = [None; 12];
        for (index, name) in head.iter().enumerate() {
            let name = name.trim();
            match column::ALL.iter().position(|column| *column == name) {
                Some(place) if places[place].is_some() => {
                    return Err(Error::Twice(name.to_owned()));
                }
                Some(place) => places[place] = Some(index),
                None if options.ignores_unknown() => {}
                None => return Err(Error::Unknown(shown(name))),
            }
        }
        Ok(Heads {
            count: head.len(),
            places,
        })
    }

    fn row<'t>(&self, place: Place, record: &'t csv::StringRecord) -> Result<Row<'t>, Error> {
        let cell = |index: usize| {
            let text = self.places[index].and_then(|index| record.get(index));
            text.filter(|text| !text.trim().is_empty())
        };
        let wrong = |index: usize, expected, found: &str| Error::Value {
            place,
            column: column::ALL[index].to_owned(),
            expected,
            found: shown(found),
        };
        let float = |index: usize| match cell(index) {
            None => Ok(None),
            Some(text) => match text.trim().parse::<Number>() {
                Ok(Number(number)) => Ok(Some(number)),
                Err(_) => Err(wrong(index, "a number that a 32-bit float can hold", text)),
            },
        };
        let integer = |index: usize| match cell(index) {
            None => Ok(None),
            // Programs whose missing numbers are floats write whole ones as such.
            Some(text) => match text.trim().trim_end_matches(".0").parse::<i32>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(wrong(index, "a whole number of 32 bits", text)),
            },
        };
        let curve = cell(0).map(|name| name.trim().parse::<CurvePath>());
        let curve = curve.transpose();
        let kind = cell(8).map(|name| {
            let kind = Kind::find(name.trim());
            kind.ok_or_else(|| wrong(8, Kind::LIST, name))
        });
        Ok(Row {
            curve: curve.map_err(|source| Error::Curve { place, source })?,
            time: float(1)?,
            value: float(2)?,
            slopes: [float(3)?, float(4)?, float(5)?, float(6)?],
            weighted_mode: integer(7)?,
            kind: kind.transpose()?,
            wrap: [integer(9)?, integer(10)?],
            // Of names blanks count.
            name: self.places[11].and_then(|index| record.get(index)),
        })
    }
}
