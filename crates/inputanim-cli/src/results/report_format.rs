//! Reports for programs: JSON, ndjson and CSV.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Formatted text, for reading.
    #[default]
    Table,
    /// One JSON array.
    Json,
    /// One JSON object for each line.
    Ndjson,
    /// Comma-separated values with a header line.
    Csv,
}

/// A writer of results.
pub(crate) enum Rows<W: Write> {
    Json { output: W, is_empty: bool },
    Ndjson(W),
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> Rows<W> {
    /// Creates a writer of results in a format. Returns `output` as the error if the format is a table for people,
    /// which each command prints itself.
    pub(crate) fn new(format: ReportFormat, output: W) -> Result<Rows<W>, W> {
        match format {
            // Tables for people differ by verb, so the verb gets its output back and prints its
            // own.
            ReportFormat::Table => Err(output),
            ReportFormat::Json => Ok(Rows::Json {
                output,
                is_empty: true,
            }),
            ReportFormat::Ndjson => Ok(Rows::Ndjson(output)),
            ReportFormat::Csv => Ok(Rows::Csv(Box::new(csv::Writer::from_writer(output)))),
        }
    }

    /// Writes the header line of CSV, for rows that do not name their columns. Other formats have none.
    pub(crate) fn columns(&mut self, names: &[&str]) -> anyhow::Result<()> {
        if let Rows::Csv(table) = self {
            table.write_record(names)?;
        }
        Ok(())
    }

    /// Writes a result: `object` in the formats of JSON, or `rows` in CSV.
    pub(crate) fn push<R: Serialize>(
        &mut self,
        object: &impl Serialize,
        rows: impl FnOnce() -> Vec<R>,
    ) -> anyhow::Result<()> {
        match self {
            Rows::Json { output, is_empty } => {
                // The array is written item by item: results appear while files are read, and
                // memory does not grow with their number.
                let before = if *is_empty { "[\n" } else { ",\n" };
                *is_empty = false;
                output.write_all(before.as_bytes())?;
                serde_json::to_writer(output, object)?;
            }
            Rows::Ndjson(output) => {
                serde_json::to_writer(&mut *output, object)?;
                output.write_all(b"\n")?;
            }
            Rows::Csv(table) => {
                // Only CSV needs rows, so they are made on demand.
                for row in rows() {
                    table.serialize(row)?;
                }
            }
        }
        Ok(())
    }

    /// Writes a result as an object in the formats of JSON. Writes nothing in CSV.
    pub(crate) fn push_object(&mut self, object: &impl Serialize) -> anyhow::Result<()> {
        self.push(object, Vec::<()>::new)
    }

    /// Flushes the output.
    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        match self {
            Rows::Json { output, .. } | Rows::Ndjson(output) => output.flush()?,
            Rows::Csv(table) => table.flush()?,
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Rows::Json {
                mut output,
                is_empty,
            } => {
                let end: &[u8] = if is_empty { b"[]\n" } else { b"\n]\n" };
                output.write_all(end)?;
                output.flush()?;
            }
            Rows::Ndjson(mut output) => output.flush()?,
            Rows::Csv(mut table) => table.flush()?,
        }
        Ok(())
    }
}

/// The result of a verb for one file.
pub(crate) trait Report: Serialize {
    /// Returns the result as rows of CSV.
    fn rows(&self) -> Vec<impl Serialize>;
}

/// Prints reports to standard output in a format for programs. Prints nothing if the format is the table for people.
pub(crate) fn print_reports(format: ReportFormat, reports: &[impl Report]) -> anyhow::Result<()> {
    let Ok(mut rows) = Rows::new(format, io::stdout().lock()) else {
        return Ok(());
    };
    for report in reports {
        rows.push(report, || report.rows())?;
    }
    rows.finish()
}
