//! Tables as text: CSV (RFC 4180) and TSV, whose first row names the columns.
//!
//! Numbers have the fewest digits that read back as the same 32-bit float. Unknown values are empty. In a
//! table of keys, a number that is not finite is `Infinity`, `-Infinity`, `NaN`, or any other NaN with its
//! bits, `NaN(0xffc00001)`, as in [JSON](crate::json); in a wide table it is empty. Markers are rows.

use inputanim::Recording;

use super::keys::{KeyCollector, KeyRow, Kind, Subject, column, is_keys};
use super::{
    ReadField, frame_options, hololens, ignores_unknown, recorder, refuse, refuse_for_keys,
};
use crate::shared::mapping::RECORDING;
use crate::shared::number::Number;
use crate::shared::{Error, ReadOptions, Report};
use crate::table::frames::TextFormat;
use crate::table::frames::values::{NUMBER, UnknownNames};
use crate::table::recording_filter::RecordingFilter;
use crate::table::table_error::TableError;
use crate::table::text::{CellRows, first_line};

/// Reads a recording from a wide table, a table of keys, or a table that the StreamRecorder of HoloLens2ForCV wrote
/// (docs/tables.md).
pub(super) fn read(
    text: &[u8],
    format: TextFormat,
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    check_separator(text, format)?;
    // The table is in memory, so its rows need no limit of their own.
    let separator = if format == TextFormat::Tsv {
        b'\t'
    } else {
        b','
    };
    let mut rows = CellRows::new(text, separator, text.len());
    rows.advance()?;
    let names = rows.names()?;
    // A table of HoloLens2ForCV has no row of names, so its cells decide.
    if hololens::is_row(&names) {
        let axes = ReadField::Space;
        let fields = [
            ReadField::FromZero,
            ReadField::IgnoreUnknown,
            ReadField::Mappings,
            ReadField::MinConfidence,
            ReadField::Recording,
            ReadField::SkipBad,
            axes,
        ];
        refuse(options, &fields, "a table of HoloLens2ForCV")?;
        hololens::read(rows, options)
    } else if is_keys(|name| names.iter().any(|other| other == name)) {
        read_keys(rows, names, options)
    } else {
        let mut frames = frame_options(options);
        // The text is in memory already, so a row needs no limit of its own.
        frames.max_line = text.len();
        recorder::read(text, format, &frames, options)
    }
}

/// Fails if the first line contains commas, tabs or semicolons, but not the separator of `format`.
fn check_separator(text: &[u8], format: TextFormat) -> Result<(), TableError> {
    let line = first_line(text);
    let (separator, expected) = match format {
        TextFormat::Tsv => (b'\t', "tabs"),
        _ => (b',', "commas"),
    };
    // In languages with a decimal comma, spreadsheets separate cells with semicolons.
    let others = [(b',', "commas"), (b'\t', "tabs"), (b';', "semicolons")];
    let other = others.iter().find(|(other, _)| line.contains(other));
    match other {
        Some((_, found)) if !line.contains(&separator) => {
            Err(TableError::Separator { expected, found })
        }
        _ => Ok(()),
    }
}

fn read_keys(
    mut rows: CellRows<&[u8]>,
    names: Vec<String>,
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    refuse_for_keys(options)?;
    let columns = KeyColumns::new(&rows, &names, options)?;
    let mut collector = KeyCollector::new(options);
    let mut recordings = RecordingFilter::new(options.recording.as_deref());
    while rows.advance()? {
        if let Err(error) = rows.check_count(names.len()) {
            collector.skip(error.into())?;
            continue;
        }
        if let Some(column) = columns.recording
            && !recordings.selects(rows.cell(column)?)?
        {
            continue;
        }
        match columns.row(&rows) {
            Ok(row) => collector.push(rows.place(), &row)?,
            Err(error) => collector.skip(error.into())?,
        }
    }
    recordings.refuse_unknown()?;
    let mut report = Report::default();
    report.notes.extend(columns.unknown.note());
    let recording = collector.finish(options, &mut report)?;
    Ok((recording, report))
}

/// The columns of a table of keys.
struct KeyColumns {
    /// The columns by their index in [`column::ALL`].
    known: [Option<usize>; column::ALL.len()],
    /// The column with the names of recordings, in a table of several recordings.
    recording: Option<usize>,
    unknown: UnknownNames,
}

impl KeyColumns {
    fn new(
        rows: &CellRows<&[u8]>,
        names: &[String],
        options: &ReadOptions,
    ) -> Result<KeyColumns, TableError> {
        let place = rows.place();
        let mut columns = KeyColumns {
            known: [None; column::ALL.len()],
            recording: None,
            unknown: UnknownNames::new(ignores_unknown(options)),
        };
        let mut unknown_names = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let earlier = match column::ALL.iter().position(|column| column == name) {
                Some(column) => columns.known[column].replace(index),
                None if name == RECORDING => columns.recording.replace(index),
                None => {
                    unknown_names.push(name.as_str());
                    None
                }
            };
            if earlier.is_some() {
                let column = name.clone();
                return Err(TableError::Duplicate { place, column });
            }
        }
        columns.unknown.add(place, unknown_names, &column::KNOWN)?;
        Ok(columns)
    }

    fn row<'r>(&self, rows: &'r CellRows<&[u8]>) -> Result<KeyRow<'r>, TableError> {
        let place = rows.place();
        let cell = |column: usize| match self.known[column] {
            Some(index) => rows.value(index),
            None => Ok(None),
        };
        let wrong = |index: usize, expected, found: &str| {
            TableError::value(place, column::ALL[index], expected, found)
        };
        let float = |index: usize| match cell(index)? {
            None => Ok(None),
            Some(text) => match text.parse::<Number>() {
                Ok(Number(number)) => Ok(Some(number)),
                Err(_) => Err(wrong(index, NUMBER, text)),
            },
        };
        let integer = |index: usize| match cell(index)? {
            None => Ok(None),
            // Programs that represent missing numbers as NaN write integers as floats.
            Some(text) => match text.strip_suffix(".0").unwrap_or(text).parse::<i32>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(wrong(index, "a 32-bit integer", text)),
            },
        };
        let kind = cell(8)?
            .map(|name| Kind::find(name).ok_or_else(|| wrong(8, Kind::LIST, name)))
            .transpose()?;
        let curve = cell(0)?.map(|name| Subject::parse(place, name, kind));
        Ok(KeyRow {
            curve: curve.transpose()?,
            time: float(1)?,
            value: float(2)?,
            slopes: [float(3)?, float(4)?, float(5)?, float(6)?],
            weighted_mode: integer(7)?,
            kind,
            wrap: [integer(9)?, integer(10)?],
            // White space belongs to a name.
            name: self.known[11].map(|index| rows.cell(index)).transpose()?,
            pulse: [float(12)?, float(13)?],
        })
    }
}
