//! `inputanim report`

use std::path::PathBuf;

use inputanim::Limits;

use crate::input::{Files, Input};
use crate::outcome::Outcome;
use crate::{output, page};

/// Write a report that opens in a browser: the recordings, their findings and their measures
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The report is one HTML file that contains the recordings and the viewer of `inputanim view`. It needs no \
network, so you can send it by mail or keep it with the results of a test.

Examples:
  inputanim report take.bin -o report.html
  inputanim report -r studies -o report.html")]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace a file that already exists
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    page::viewer()?;
    let files = args.files.expand()?;
    let mut recordings = Vec::new();
    for (path, name) in files.iter().zip(page::names_of(&files)) {
        let input = Input::open(path, limits)?;
        recordings.push((name, input.bytes().to_vec()));
    }
    let report = page::report(&recordings)?;
    output::write_to(&args.output, args.force, false, |output| {
        output.write_all(report.as_bytes())?;
        Ok(())
    })?;
    Ok(Outcome::Done)
}
