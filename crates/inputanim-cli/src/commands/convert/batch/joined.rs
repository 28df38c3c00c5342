//! Many recordings as one table, in which each has row groups or batches of its own.

use anyhow::Context;
use inputanim::Recording;
use inputanim_convert::Format;
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{Error, Options, arrow, parquet};

use super::plan::Job;
use super::work::Work;
use crate::input::Input;
use crate::output::Sink;

/// A table in the making.
enum Table<'o, 's> {
    Parquet(Box<parquet::Writer<&'o mut Sink<'s>>>),
    Arrow(Box<arrow::Writer<&'o mut Sink<'s>>>),
}

impl<'o, 's> Table<'o, 's> {
    fn new(
        format: Format,
        columns: &Columns,
        options: &Options,
        output: &'o mut Sink<'s>,
    ) -> Result<Table<'o, 's>, Error> {
        Ok(match format {
            Format::Arrow => Table::Arrow(Box::new(arrow::Writer::new(columns, options, output)?)),
            _ => Table::Parquet(Box::new(parquet::Writer::new(columns, options, output)?)),
        })
    }

    fn push(&mut self, name: &str, recording: &Recording<'_>) -> Result<(), Error> {
        match self {
            Table::Parquet(table) => table.push(name, recording),
            Table::Arrow(table) => table.push(name, recording),
        }
    }

    fn finish(self) -> Result<(), Error> {
        match self {
            Table::Parquet(table) => table.finish(),
            Table::Arrow(table) => table.finish(),
        }
    }
}

/// Writes recordings that were looked at, one after the other.
pub(super) fn write<'j>(
    work: &Work<'_>,
    jobs: impl Iterator<Item = &'j Job>,
    columns: &Columns,
    output: &mut Sink<'_>,
) -> anyhow::Result<()> {
    let (options, _) = work.conversion.table_options();
    let mut table = Table::new(work.to, columns, &options, output)?;
    for job in jobs {
        let input = Input::open(&job.input, work.limits)?;
        let (recording, _) = work.conversion.read(&input, work.limits)?;
        let pushed = table.push(&job.output.to_string(), &recording);
        pushed.with_context(|| input.name().to_owned())?;
    }
    Ok(table.finish()?)
}
