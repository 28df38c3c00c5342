//! `inputanim info`

mod print;
pub(crate) mod report;

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use inputanim::Limits;
use inputanim_convert::tables::{RowFormat, RowWriter};
use inputanim_scan::{FileRows, OnError, Scan, ScanOptions, Shape};

use crate::files::input::{Files, FoundFile, FromArgs, Input, file_opener};
use crate::messages::diagnostics::{self, Kinds, note};
use crate::messages::outcome::Outcome;
#[cfg(feature = "parquet")]
use crate::messages::outcome::Refusal;
use crate::messages::progress;
use crate::messages::scan_error;
use crate::results::report_format::{ReportFormat, Rows};
use crate::results::text_rows::TextRows;
use report::{Report, Unreadable};

/// Show the contents of recordings: streams, states, markers and findings
#[derive(Debug, clap::Args)]
#[command(after_help = "\
If a file is not well formed, `info` shows its intact parts, and the exit code is 1.

--brief and CSV have one line for each file: its duration, how long each hand was tracked, and the \
codes of its findings. `inputanim doctor --explain CODE` explains a code.

Examples:
  inputanim info take.bin
  inputanim info -r studies --brief
  inputanim info -r studies --format csv > recordings.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// Print one line for each file
    #[arg(short, long, conflicts_with = "format")]
    brief: bool,
    /// Format of the results
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    /// For CSV: a catalogue, as `catalog` writes it. Recordings that did not change since are not opened
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FILE")]
    catalog: Option<std::path::PathBuf>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if args.format == ReportFormat::Csv {
        return table(args, limits);
    }
    #[cfg(feature = "parquet")]
    if args.catalog.is_some() {
        let message = "--catalog has no effect on this format";
        return Err(Refusal::usage(message, "--format csv uses a catalogue"));
    }
    let found = args.files.find()?;
    let files: Vec<&Path> = found.paths().collect();
    let scrolls = args.format == ReportFormat::Table && !args.brief;
    let mut progress = progress::Files::new(files.len(), scrolls);
    let mut outcome = found.outcome();
    let mut output = Rows::new(args.format, io::stdout().lock()).map_err(AutoStream::auto);
    // The columns line up only when all rows are known, so --brief prints at the end.
    let mut brief = Vec::new();
    let mut is_first = true;
    let mut kinds = Kinds::default();
    for path in &files {
        let read = || report_of(path, args.files.from, limits);
        let report = progress.suspend(|| kinds.of_file(files.len(), read));
        if report
            .as_ref()
            .map_or(true, |report| report.error.is_some())
        {
            outcome = outcome.and(Outcome::Failed);
        }
        progress.suspend(|| match (&mut output, &report) {
            (Ok(rows), Ok(report)) => rows.push_object(report),
            (Ok(rows), Err(error)) => rows.push_object(&Unreadable::new(path, error)),
            (Err(_), Err(error)) => {
                diagnostics::report(error);
                Ok(())
            }
            (Err(_), Ok(report)) if args.brief => {
                brief.push(print::brief(report));
                Ok(())
            }
            (Err(output), Ok(report)) => print::full(output, report, std::mem::take(&mut is_first)),
        })?;
        progress.step();
    }
    drop(progress);
    kinds.print();
    match output {
        Ok(rows) => rows.finish()?,
        Err(mut output) => {
            if !brief.is_empty() {
                writeln!(output, "{}", print::brief_table(&brief))?;
            }
            output.flush()?;
        }
    }
    Ok(outcome)
}

/// Prints a row of CSV for each file.
fn table(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut options = ScanOptions::default();
    options.shape = Shape::Info;
    options.format = args.files.from.from;
    options.on_error = OnError::Column;
    options.limits = *limits;
    options.opener = file_opener(*limits);
    // The column `findings` has the codes of the damage too.
    options.damage_column = None;
    #[cfg(feature = "parquet")]
    if let Some(file) = &args.catalog {
        let catalog = inputanim_scan::Catalog::read(file, limits);
        options.catalog = Some(catalog.map_err(|error| scan_error::of_scan(error.into(), None))?);
    }
    let found = args.files.find()?;
    let files = &found.files;
    if files.is_empty() {
        let rows = RowWriter::new(RowFormat::Csv, &options.fields()?, io::stdout())?;
        rows.finish()?;
        return Ok(found.outcome());
    }
    let sources = files.iter().map(FoundFile::source);
    let scan = Scan::new(sources, options).map_err(|error| scan_error::of_scan(error, None))?;
    // Nothing has been read yet, so these are notices about the catalogue.
    for notice in scan.notices() {
        note(format_args!("{}: {}", notice.file, notice.notice));
    }
    let mut rows = RowWriter::new(RowFormat::Csv, scan.fields(), io::stdout())?;
    let mut progress = progress::Files::new(files.len(), false);
    let mut outcome = found.outcome();
    for file in 0..files.len() {
        let batch = match scan.rows_of(file).and_then(FileRows::all) {
            Ok(batch) => batch,
            Err(error) => scan.row_of_error(file, &error.problem),
        };
        let fields = scan.fields();
        if TextRows::new(fields, &batch)
            .iter()
            .any(|row| !row.text("error").is_empty())
        {
            outcome = outcome.and(Outcome::Failed);
        }
        progress.suspend(|| rows.push(batch))?;
        progress.step();
    }
    rows.finish()?;
    Ok(outcome)
}

fn report_of(path: &Path, from: FromArgs, limits: &Limits) -> anyhow::Result<Report> {
    let input = Input::open_as(path, from, limits)?;
    let recovery = input.recover(limits)?;
    Ok(Report::new(&input, &recovery))
}
