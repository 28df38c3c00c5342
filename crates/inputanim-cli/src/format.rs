//! Results for programs: JSON, ndjson and CSV.

use std::io::Write;

use clap::ValueEnum;
use serde::Serialize;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Table,
    /// One JSON array.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// Comma-separated values with a header line.
    Csv,
}

/// Results that go out one by one.
pub(crate) enum Rows<W: Write> {
    Json { output: W, is_empty: bool },
    Ndjson(W),
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> Rows<W> {
    /// `Err` gives the output back where the format is for people.
    pub(crate) fn new(format: Format, output: W) -> Result<Rows<W>, W> {
        match format {
            Format::Table => Err(output),
            Format::Json => Ok(Rows::Json {
                output,
                is_empty: true,
            }),
            Format::Ndjson => Ok(Rows::Ndjson(output)),
            Format::Csv => Ok(Rows::Csv(Box::new(csv::Writer::from_writer(output)))),
        }
    }

    /// The first line of CSV, where the rows do not name their columns.
    pub(crate) fn columns(&mut self, names: &[&str]) -> anyhow::Result<()> {
        if let Rows::Csv(table) = self {
            table.write_record(names)?;
        }
        Ok(())
    }

    /// One result: as an object, or as the rows that it is in CSV.
    pub(crate) fn push<R: Serialize>(
        &mut self,
        object: &impl Serialize,
        rows: impl FnOnce() -> Vec<R>,
    ) -> anyhow::Result<()> {
        match self {
            Rows::Json { output, is_empty } => {
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
                for row in rows() {
                    table.serialize(row)?;
                }
            }
        }
        Ok(())
    }

    /// Hands on what has been pushed.
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
