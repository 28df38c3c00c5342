//! `inputanim doctor`

mod diagnosis;
mod explain;
mod print;

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use inputanim::Limits;

use crate::files::input::{Files, Input};
use crate::messages::diagnostics::{self, Kinds};
use crate::messages::outcome::Outcome;
use crate::messages::progress;
use crate::messages::text::count;
use crate::results::report_format::{ReportFormat, Rows};
use diagnosis::Diagnosis;
use explain::Topic;
use print::Common;

/// Start here: explain the problems of recordings, their effect on playback, and their remedies
#[derive(Debug, clap::Args)]
#[command(
    // All commands share the argument, which is required in the others. --explain reads no file.
    mut_arg("paths", |paths| paths.required(false).required_unless_present("explain")),
    after_help = "\
A file is healthy if it is well formed and has no damage and no warnings; notes are allowed. If a file is not well \
formed, its intact parts are examined. Exit code: 0 if every file is healthy, 1 otherwise.

Examples:
  inputanim doctor take.bin
  inputanim doctor -r studies --brief
  inputanim doctor -r studies --format csv > diagnoses.csv
  inputanim doctor --explain D1"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// Print one line for each file
    #[arg(short, long, conflicts_with_all = ["format", "all_curves"])]
    brief: bool,
    /// Treat notes as problems: a file with any finding is not healthy
    #[arg(long)]
    strict: bool,
    /// List all curves of a finding, not only the first three
    #[arg(long)]
    all_curves: bool,
    /// Explain a code such as D1, or `all` codes; without CODE, list the codes. No file is read
    #[arg(
        long,
        value_name = "CODE",
        num_args = 0..=1,
        default_missing_value = "list",
        conflicts_with_all = ["paths", "recursive", "brief", "strict", "all_curves"]
    )]
    explain: Option<Topic>,
    /// Format of the results
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
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
    let found = args.files.find()?;
    let files: Vec<&Path> = found.paths().collect();
    let mut progress = progress::Files::new(files.len(), args.format == ReportFormat::Table);
    let (mut healthy, mut missing) = (0, 0);
    let mut kinds = Kinds::default();
    let mut common = (files.len() > 1).then(Common::default);
    for path in &files {
        // A file that does not exist is no recording to judge, but a typing error.
        let is_missing = *path != Path::new("-") && !path.exists() && output.is_err();
        if let Some(Err(error)) = is_missing.then(|| Input::open(path, limits)) {
            progress.suspend(|| diagnostics::report(&error));
            missing += 1;
            continue;
        }
        let read = || Diagnosis::new(path, args.files.from, limits, args.strict);
        let diagnosis = progress.suspend(|| kinds.of_file(files.len(), read));
        healthy += usize::from(diagnosis.healthy);
        progress.suspend(|| match &mut output {
            Ok(rows) => rows.push(&diagnosis, || diagnosis.rows()),
            Err(output) => print::diagnosis(output, &diagnosis, common.as_mut(), args),
        })?;
        progress.step();
    }
    drop(progress);
    kinds.print();
    if let (Err(output), Some(common)) = (&mut output, common) {
        common.print(output)?;
        let found = count(files.len() - missing, "file");
        writeln!(output, "{healthy} of {found} healthy")?;
    }
    finish(output)?;
    Ok(if healthy == files.len() {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

fn finish<W: Write, P: Write>(output: Result<Rows<W>, P>) -> anyhow::Result<()> {
    match output {
        Ok(rows) => rows.finish(),
        Err(mut output) => Ok(output.flush()?),
    }
}
