//! `inputanim info`

mod print;
mod report;

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use inputanim::Limits;

use crate::diagnostics;
use crate::format::{Format, Rows};
use crate::input::{Files, Input};
use crate::outcome::Outcome;
use crate::progress;
use report::Report;

/// Show what is in recordings: streams, states, markers, and what is wrong with them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of a damaged file it shows what is whole; the exit code is then 1.
CSV and --brief give one line a file.

Examples:
  inputanim info take.bin
  inputanim info -r studies --brief
  inputanim info -r studies --format csv > recordings.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// One line a file
    #[arg(short, long, conflicts_with = "format")]
    brief: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let files = args.files.expand()?;
    let bar = progress::files(files.len());
    let mut outcome = Outcome::Done;
    let mut output = Rows::new(args.format, io::stdout().lock()).map_err(AutoStream::auto);
    let mut brief = Vec::new();
    let mut is_first = true;
    for path in &files {
        let report = match look(path, limits) {
            Ok(report) => report,
            Err(error) => {
                outcome = outcome.and(Outcome::of_error(&error));
                bar.suspend(|| diagnostics::report(&error));
                continue;
            }
        };
        if let Some(error) = &report.error {
            outcome = outcome.and(Outcome::Failed);
            let error = anyhow::Error::from(error.clone()).context(report.file.clone());
            bar.suspend(|| diagnostics::report(&error));
        }
        bar.suspend(|| match &mut output {
            Ok(rows) => rows.push(&report, || vec![report.row()]),
            Err(_) if args.brief => {
                brief.push(print::brief(&report));
                Ok(())
            }
            Err(output) => print::whole(output, &report, std::mem::take(&mut is_first)),
        })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
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

fn look(path: &Path, limits: &Limits) -> anyhow::Result<Report> {
    let input = Input::open(path, limits)?;
    let recovery = input.recover(limits)?;
    Ok(Report::of(&input, &recovery))
}
