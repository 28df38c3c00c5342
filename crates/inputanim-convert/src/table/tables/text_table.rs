//! Tables that are written as text: CSV, TSV and newline-delimited JSON.

use std::fmt::{Display, Write as _};
use std::io::Write;

use inputanim::Recording;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::json::KeyObject;
use super::keys::{KeyRow, Kind, column};
use super::{keys_out, samples, tidy};
use crate::shared::number::Number;
use crate::shared::{Error, Format, Report, TableShape, WriteOptions};
use crate::table::frames::{Cell, Columns};

/// A text table that is written row by row.
pub(super) struct TextTable<W: Write> {
    columns: Columns,
    output: Output<W>,
}

enum Output<W: Write> {
    Cells(Box<csv::Writer<W>>),
    Lines(W),
}

impl<W: Write> TextTable<W> {
    /// Begins a table. For CSV and TSV, writes the row with the names of the labels and columns.
    pub(super) fn new(
        format: Format,
        columns: &Columns,
        options: &WriteOptions,
        output: W,
    ) -> Result<TextTable<W>, Error> {
        let columns = columns.clone().in_space(options.space);
        let separator = match format {
            Format::Ndjson => None,
            Format::Tsv => Some(b'\t'),
            _ => Some(b','),
        };
        let output = match separator {
            None => Output::Lines(output),
            Some(separator) => {
                let mut builder = csv::WriterBuilder::new();
                builder.delimiter(separator).has_headers(false);
                let mut table = builder.from_writer(output);
                let names = match options.shape {
                    TableShape::Wide => columns.names(),
                    TableShape::Tidy => tidy::names(&columns),
                    TableShape::Keys => {
                        let names = column::names(!columns.devices.is_empty()).iter();
                        names.map(|name| (*name).to_owned()).collect()
                    }
                };
                let labels = options.labels.iter().map(|(name, _)| name);
                let names = labels.chain(&names);
                table.write_record(names).map_err(output_error)?;
                Output::Cells(Box::new(table))
            }
        };
        Ok(TextTable { columns, output })
    }

    /// Writes all rows of a recording. Adds the losses and the number of rows to `report`.
    pub(super) fn push(
        &mut self,
        recording: &Recording<'_>,
        options: &WriteOptions,
        report: &mut Report,
    ) -> Result<(), Error> {
        let TextTable { columns, output } = self;
        let mut rows = 0;
        let (names, texts): (Vec<_>, Vec<_>) = options.labels.iter().cloned().unzip();
        let labels = Members(&names, &texts);
        match options.shape {
            TableShape::Wide => samples::rows(recording, options, columns, report, |row| {
                rows += 1;
                output.row(&labels, row, || row.cells())
            })?,
            TableShape::Tidy => {
                let names = tidy::names(columns);
                tidy::rows(recording, options, columns, report, |row| {
                    let cells = row.cells(columns);
                    rows += 1;
                    match output {
                        Output::Cells(_) => output.row(&labels, &(), || cells),
                        Output::Lines(_) => output.row(&labels, &Members(&names, &cells), Vec::new),
                    }
                })?;
            }
            TableShape::Keys => {
                let mut cell = String::new();
                keys_out::rows(recording, options.time, |row| {
                    rows += 1;
                    match output {
                        Output::Cells(table) => {
                            let has_devices = !columns.devices.is_empty();
                            write_key(table, labels.1, row, has_devices, &mut cell)
                                .map_err(output_error)
                        }
                        Output::Lines(_) => output.row(&labels, &KeyObject::from(row), Vec::new),
                    }
                })?;
            }
        }
        report.rows += rows;
        Ok(())
    }

    /// Writes the end of the table.
    pub(super) fn finish(self) -> Result<(), Error> {
        match self.output {
            Output::Cells(mut table) => Ok(table.flush()?),
            Output::Lines(mut output) => Ok(output.flush()?),
        }
    }
}

impl<W: Write> Output<W> {
    /// Writes a row after its labels: `object` as a line of JSON, or `cells` as a row of CSV or TSV.
    fn row<R: Serialize>(
        &mut self,
        labels: &Members<'_, String>,
        object: &R,
        cells: impl FnOnce() -> Vec<Cell>,
    ) -> Result<(), Error> {
        match self {
            Output::Cells(table) => table.serialize((labels.1, cells())).map_err(output_error),
            Output::Lines(output) => {
                let written = if labels.0.is_empty() {
                    serde_json::to_writer(&mut *output, object)
                } else {
                    serde_json::to_writer(&mut *output, &Labelled { labels, object })
                };
                // Serialization fails only if the output does.
                written.map_err(std::io::Error::from)?;
                Ok(output.write_all(b"\n")?)
            }
        }
    }
}

/// The members of a JSON object: names and values.
struct Members<'m, V>(&'m [String], &'m [V]);

impl<V: Serialize> Serialize for Members<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0.iter().zip(self.1) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// An object with its labels as the first members.
#[derive(Serialize)]
struct Labelled<'l, R: Serialize> {
    #[serde(flatten)]
    labels: &'l Members<'l, String>,
    #[serde(flatten)]
    object: &'l R,
}

/// Converts an error of the CSV writer to an I/O error. Only the output can fail, because all rows have the same number
/// of cells.
fn output_error(error: csv::Error) -> Error {
    Error::Io(error.into())
}

fn write_key<W: Write>(
    table: &mut csv::Writer<W>,
    labels: &[String],
    row: &KeyRow<'_>,
    has_devices: bool,
    cell: &mut String,
) -> csv::Result<()> {
    for label in labels {
        table.write_field(label)?;
    }
    // One buffer serves all cells; a table of keys has millions of them.
    let mut put = |value: Option<&dyn Display>| {
        cell.clear();
        if let Some(value) = value {
            // Writing to a `String` does not fail.
            write!(cell, "{value}").unwrap_or_default();
        }
        table.write_field(&cell)
    };
    let KeyRow {
        time,
        value,
        slopes,
        wrap,
        ..
    } = *row;
    put(row.curve.as_ref().map(|path| path as _))?;
    for number in [time, value].into_iter().chain(slopes) {
        put(number.map(Number).as_ref().map(|number| number as _))?;
    }
    put(row.weighted_mode.as_ref().map(|mode| mode as _))?;
    put(row.kind.map(Kind::name).as_ref().map(|name| name as _))?;
    for mode in wrap {
        put(mode.as_ref().map(|mode| mode as _))?;
    }
    put(row.name.as_ref().map(|name| name as _))?;
    for number in row.pulse.iter().filter(|_| has_devices) {
        put(number.map(Number).as_ref().map(|number| number as _))?;
    }
    table.write_record(None::<&[u8]>)
}
