//! `inputanim doctor`

mod diagnosis;
mod explain;
mod next;
mod print;

use std::io::{self, Write};

use anstream::AutoStream;
use inputanim::Limits;

use crate::format::{Format, Rows};
use crate::input::Files;
use crate::outcome::Outcome;
use crate::progress;
use crate::text::count;
use diagnosis::Diagnosis;
use explain::Topic;

/// Say what is wrong with recordings, what it means when they are played, and what to do about it
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("paths", |paths| paths.required(false).required_unless_present("explain")),
    after_help = "\
Of a file that is not well formed it diagnoses what is whole. \
Exit code 0 when every file is healthy, else 1. A file is healthy when it is well formed and nothing \
worse than a note is found in it.

Examples:
  inputanim doctor take.bin
  inputanim doctor -r studies --format csv > diagnoses.csv
  inputanim doctor --explain D1"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// Notes count too: a file in which anything is found is not healthy
    #[arg(long)]
    strict: bool,
    /// List all the curves that a finding is about, not only the first
    #[arg(long)]
    all_curves: bool,
    /// Say what a code means (no file is read): one such as D1, `all`, or without it a list of codes
    #[arg(
        long,
        value_name = "CODE",
        num_args = 0..=1,
        default_missing_value = "list",
        conflicts_with_all = ["paths", "recursive", "strict", "all_curves"]
    )]
    explain: Option<Topic>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut output = Rows::new(args.format, io::stdout().lock()).map_err(AutoStream::auto);
    if let Some(topic) = args.explain {
        match &mut output {
            Ok(rows) => explain::push(rows, topic)?,
            Err(output) => explain::print(output, topic)?,
        }
        finish(output)?;
        return Ok(Outcome::Done);
    }
    let files = args.files.expand()?;
    let mut progress = progress::Files::new(files.len(), args.format == Format::Table);
    let mut healthy = 0;
    for path in &files {
        let diagnosis = Diagnosis::of(path, limits, args.strict);
        healthy += usize::from(diagnosis.healthy);
        progress.suspend(|| match &mut output {
            Ok(rows) => rows.push(&diagnosis, || diagnosis.rows()),
            Err(output) => print::diagnosis(output, &diagnosis, args.all_curves),
        })?;
        progress.step();
    }
    if let (Err(output), all @ 2..) = (&mut output, files.len()) {
        writeln!(output, "{healthy} of {} healthy", count(all, "file"))?;
    }
    finish(output)?;
    Ok(match healthy == files.len() {
        true => Outcome::Done,
        false => Outcome::Failed,
    })
}

fn finish<W: Write, P: Write>(output: Result<Rows<W>, P>) -> anyhow::Result<()> {
    match output {
        Ok(rows) => rows.finish(),
        Err(mut output) => Ok(output.flush()?),
    }
}
