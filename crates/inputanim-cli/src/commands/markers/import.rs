//! `inputanim markers import`

use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::edit::markers;
use inputanim::{Limits, Marker};
use inputanim_convert::{markers_csv, webvtt};

use crate::diagnostics::warn;
use crate::in_out::{Change, InOut};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::text::count;

use super::{MarkerFormat, require_list};

/// Import markers from CSV or WebVTT
#[derive(Debug, clap::Args)]
#[command(after_help = "\
CSV needs the columns time_s and name; other columns are ignored. Each cue of WebVTT becomes a marker at \
its start.

Examples:
  inputanim markers import take.bin events.csv -o marked.bin
  inputanim markers import take.bin chapters.vtt --replace -o marked.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    /// The markers (.csv or .vtt); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Remove the existing markers
    #[arg(long)]
    replace: bool,
    /// The format of FILE [default: by its extension]
    #[arg(long = "from", alias = "as", value_name = "FORMAT")]
    format: Option<MarkerFormat>,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let format = match args.format {
        Some(format) => format,
        None => MarkerFormat::of(&args.file, "--from")?,
    };
    let standard_input = Path::new("-");
    if args.file == standard_input && args.io.reads_stdin() {
        let message = "cannot read both the recording and the markers from standard input";
        return Err(Refusal::usage(message, "use a file for one of them"));
    }
    let (new, outcome) = read(&args.file, format, limits)?;
    // Changed markers make the outputs of an earlier batch outdated.
    args.io
        .change(limits, "edited", &(args, &new), |recording, _| {
            require_list(recording)?;
            if args.replace {
                recording.markers.clone_from(&new);
            } else {
                markers::add_all(recording, new.clone());
            }
            let change = Change::with(format!("{} imported", count(new.len(), "marker")));
            Ok(Change { outcome, ..change })
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
        MarkerFormat::Csv => markers_csv::read(input.bytes(), limits).with_context(in_file)?,
        MarkerFormat::Vtt => {
            let (markers, report) = webvtt::read(input.bytes(), limits).with_context(in_file)?;
            for loss in report.losses {
                warn(format_args!("{}: lost: {loss}", input.name()));
                outcome = Outcome::DataLost;
            }
            markers
        }
    };
    Ok((markers, outcome))
}
