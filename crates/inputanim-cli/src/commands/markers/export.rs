//! `inputanim markers export`

use std::path::{Path, PathBuf};

use inputanim::Limits;
use inputanim::marker_names::matches;
use inputanim_convert::{Report, markers_csv, webvtt};

use crate::arguments::names::require_marker;
use crate::files::input::Input;
use crate::files::output;
use crate::messages::diagnostics::{note, warn};
use crate::messages::outcome::Outcome;

use super::MarkerFormat;

/// Export markers to CSV or WebVTT
#[derive(Debug, clap::Args)]
#[command(after_help = "\
CSV contains all data of the markers. In WebVTT, each marker becomes a cue that lasts until the next marker or \
the end. WebVTT stores times as whole milliseconds, in order of time. If times are rounded, the command prints a \
note. If data is lost, the exit code is 3.

Examples:
  inputanim markers export take.bin -o take.csv
  inputanim markers export take.bin -o take.vtt")]
pub(super) struct Args {
    /// The recording (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Export only markers with this name; `*` stands for any characters, and `?` for one
    #[arg(long, allow_hyphen_values = true)]
    name: Option<String>,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The format [default: from the extension of FILE; csv on standard output]
    #[arg(long = "to", value_name = "FORMAT")]
    format: Option<MarkerFormat>,
    /// Replace FILE if it already exists
    #[arg(short, long)]
    force: bool,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let format = match args.format {
        Some(format) => format,
        None if args.output == Path::new("-") => MarkerFormat::Csv,
        None => MarkerFormat::of(&args.output, "--to")?,
    };
    let input = Input::open(&args.input, limits)?;
    let mut recording = input.recording(limits)?;
    if let Some(name) = &args.name {
        require_marker(&recording.markers, name)?;
        recording
            .markers
            .retain(|marker| matches(name, &marker.name));
    }
    let mut report = Report::default();
    output::write_to(&args.output, args.force, false, |output| {
        match format {
            MarkerFormat::Csv => markers_csv::write(&recording.markers, output)?,
            MarkerFormat::Vtt => report = webvtt::write(&recording, output)?,
        }
        Ok(())
    })?;
    report.notes.iter().for_each(note);
    for loss in &report.losses {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    Ok(if report.losses.is_empty() {
        Outcome::Done
    } else {
        Outcome::DataLost
    })
}
