//! `inputanim markers export`

use std::path::{Path, PathBuf};

use inputanim::Limits;
use inputanim_convert::{markers_csv, webvtt};

use crate::diagnostics::warn;
use crate::input::Input;
use crate::outcome::Outcome;
use crate::output;

use super::MarkerFormat;

/// Write the markers of a recording as a table or as WebVTT
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A table (.csv) loses nothing. WebVTT (.vtt) has a cue for each marker, to the next marker's time or \
the end; it has whole milliseconds, none before 0, and is in order of time. What that loses is said: \
exit code 3.

Examples:
  inputanim markers export take.bin -o take.csv
  inputanim markers export take.bin -o take.vtt")]
pub(super) struct Args {
    /// The recording (.bin or lossless .json); `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The format [default: by the extension of FILE, csv on standard output]
    #[arg(long = "as", value_name = "FORMAT")]
    format: Option<MarkerFormat>,
    /// Replace FILE if it is there
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let format = match args.format {
        Some(format) => format,
        None if args.output == Path::new("-") => MarkerFormat::Csv,
        None => MarkerFormat::of(&args.output)?,
    };
    let input = Input::open(&args.input, limits)?;
    let recording = input.recording(limits)?;
    let mut losses = Vec::new();
    output::write_to(&args.output, args.force, false, |output| {
        match format {
            MarkerFormat::Csv => markers_csv::write(&recording.markers, output)?,
            MarkerFormat::Vtt => losses = webvtt::write(&recording, output)?,
        }
        Ok(())
    })?;
    for loss in &losses {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    Ok(match losses.is_empty() {
        true => Outcome::Done,
        false => Outcome::DataLost,
    })
}
