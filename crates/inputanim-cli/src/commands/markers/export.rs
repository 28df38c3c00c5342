//! `inputanim markers export`

use std::path::{Path, PathBuf};

use inputanim::Limits;
use inputanim::marker_names::matches;
use inputanim_convert::marker_events::{self, SampleClock};
use inputanim_convert::{Report, markers_csv, webvtt};

use crate::arguments::names::require_marker;
use crate::files::input::Input;
use crate::files::output;
use crate::files::triggers::{TriggerArgs, note_without_markers};
use crate::messages::diagnostics::{note, warn};
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::printable;

use super::MarkerFormat;

/// Export markers to CSV, WebVTT, or events of BIDS or MNE
#[derive(Debug, clap::Args)]
#[command(after_help = "\
CSV contains all data of the markers. TSV has the events of BIDS: onset, duration, trial_type (the name) and value (the \
number of the trigger, or n/a). EVE has the events of MNE: the sample at --rate, 0, and the number of the trigger. \
--rename and --triggers give the numbers of names; a marker whose name is a number has this number. In WebVTT, each marker becomes a cue that lasts until the next marker or \
the end. WebVTT stores times as whole milliseconds, in order of time. If times are rounded, the command prints a \
note. If data is lost, the exit code is 3.

Examples:
  inputanim markers export take.bin -o take.csv
  inputanim markers export take.bin -o take.vtt
  inputanim markers export take.bin --triggers triggers.csv -o events.tsv
  inputanim markers export take.bin --rename 11=start --rename 12=stop --rate 500 -o take.eve")]
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
    #[command(flatten)]
    triggers: TriggerArgs,
    /// The samples per second of the EEG whose samples the events of MNE count
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// The number of the sample at t = 0: raw.first_samp of MNE [default: 0]
    #[arg(
        long,
        value_name = "N",
        requires = "rate",
        allow_negative_numbers = true
    )]
    first_sample: Option<i64>,
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
    let clock = sample_clock(args, format)?;
    let names = args.triggers.names(limits)?;
    let numbers = names.numbers().map_err(|error| {
        let message = printable(&error.to_string()).into_owned();
        Refusal::usage(
            message,
            "give each name one number, and each number one name",
        )
    })?;
    let input = Input::open(&args.input, limits)?;
    let mut recording = input.recording(limits)?;
    if let Some(name) = &args.name {
        require_marker(&recording.markers, name)?;
        recording
            .markers
            .retain(|marker| matches(name, &marker.name));
    }
    let given = args.triggers.rename.iter().map(|pair| &*pair.name);
    let markers = &recording.markers;
    let unused = given.filter(|name| !markers.iter().any(|marker| marker.name == **name));
    note_without_markers(input.name(), "name", unused);
    let mut report = Report::default();
    output::write_to(&args.output, args.force, false, |output| {
        match format {
            MarkerFormat::Csv => markers_csv::write(&recording.markers, output)?,
            MarkerFormat::Tsv => {
                report = marker_events::write_bids(&recording.markers, &numbers, output)?;
            }
            MarkerFormat::Eve => {
                report = marker_events::write_mne(&recording.markers, &numbers, clock, output)?;
            }
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

/// Returns the samples that the events of MNE count. Fails if an option has no effect, or if the rate is missing.
fn sample_clock(args: &Args, format: MarkerFormat) -> anyhow::Result<SampleClock> {
    let are_numbers = matches!(format, MarkerFormat::Tsv | MarkerFormat::Eve);
    if !are_numbers && (args.triggers.triggers.is_some() || !args.triggers.rename.is_empty()) {
        let message = "--rename and --triggers have no effect: only --to tsv and --to eve have numbers of triggers";
        return Err(Refusal::usage(
            message,
            "`inputanim markers rename` renames markers",
        ));
    }
    match (args.rate, format) {
        (Some(rate), MarkerFormat::Eve) => {
            Ok(SampleClock::new(rate, args.first_sample.unwrap_or(0)))
        }
        (None, MarkerFormat::Eve) => {
            let message = "events of MNE need the samples per second of the EEG";
            Err(Refusal::usage(
                message,
                "state them with --rate, such as --rate 500",
            ))
        }
        (Some(_), _) => {
            let message = "--rate has no effect: only --to eve counts samples";
            Err(Refusal::usage(message, "leave out --rate"))
        }
        (None, _) => Ok(SampleClock::new(1.0, 0)),
    }
}
