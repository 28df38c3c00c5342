//! `inputanim markers import`

use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::edit::markers;
use inputanim::{Limits, Marker};
use inputanim_convert::{markers_csv, webvtt};

use crate::diagnostics::warn;
use crate::in_out::InOut;
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};

use super::{MarkerFormat, require_list};

/// Add the markers of a table or of WebVTT
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A table has the columns time_s and name in any order, and maybe others. Of WebVTT each cue becomes a \
marker at its start. With --replace the markers stand in the order of FILE.

Examples:
  inputanim markers import take.bin events.csv -o marked.bin
  inputanim markers import take.bin chapters.vtt --replace -o marked.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    /// The markers; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Instead of those that there are
    #[arg(long)]
    replace: bool,
    /// The format of FILE [default: by its extension]
    #[arg(long = "as", value_name = "FORMAT")]
    format: Option<MarkerFormat>,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let format = match args.format {
        Some(format) => format,
        None => MarkerFormat::of(&args.file)?,
    };
    let standard_input = Path::new("-");
    if args.file == standard_input && args.io.input == standard_input {
        let message = "the recording and the markers cannot both come from standard input";
        return Err(Refusal::usage(message, "name a file for one of them"));
    }
    let (new, outcome) = read(&args.file, format, limits)?;
    args.io.change(limits, |recording| {
        require_list(recording)?;
        if args.replace {
            recording.markers = new;
        } else {
            markers::add_all(recording, new);
        }
        Ok(outcome)
    })
}

fn read(
    path: &Path,
    format: MarkerFormat,
    limits: &Limits,
) -> anyhow::Result<(Vec<Marker<'static>>, Outcome)> {
    let input = Input::open(path, limits)?;
    let in_file = || input.name().to_owned();
    let mut outcome = Outcome::Done;
    let markers = match format {
        MarkerFormat::Csv => markers_csv::read_with(input.bytes(), limits).with_context(in_file)?,
        MarkerFormat::Vtt => {
            let (markers, losses) =
                webvtt::read_with(input.bytes(), limits).with_context(in_file)?;
            for loss in losses {
                warn(format_args!("{}: lost: {loss}", input.name()));
                outcome = Outcome::DataLost;
            }
            markers
        }
    };
    Ok((markers, outcome))
}
