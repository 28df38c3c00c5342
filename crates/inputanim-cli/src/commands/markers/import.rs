//! `inputanim markers import`

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::edit::{ClockMarker, markers};
use inputanim::{Layout, Limits, Marker, Recording};
use inputanim_convert::{marker_events, markers_csv, webvtt};

use crate::files::in_out::{Change, InOut};
use crate::files::input::Input;
use crate::files::triggers::{TriggerArgs, note_unnamed};
use crate::messages::diagnostics::warn;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::count;

use super::{MarkerFormat, require_list};

/// Import markers from CSV, events of BIDS, or WebVTT
#[derive(Debug, clap::Args)]
#[command(after_help = "\
CSV needs the columns time_s and name; other columns are ignored. TSV has the events of BIDS: onset in seconds, and \
the name in trial_type or value. --rename and --triggers give triggers their names. Each cue of WebVTT becomes a marker at \
its start. A marker that the recording already has, with the same time and name, is not imported again.

Examples:
  inputanim markers import take.bin events.csv -o marked.bin
  inputanim markers import take.bin events.tsv --rename 11=start -o marked.bin
  inputanim markers import take.bin chapters.vtt --replace -o marked.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    /// The markers (.csv, .tsv or .vtt); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Remove the existing markers
    #[arg(long)]
    replace: bool,
    /// The format of FILE [default: by its extension]
    #[arg(long = "from", value_name = "FORMAT")]
    format: Option<MarkerFormat>,
    #[command(flatten)]
    triggers: TriggerArgs,
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
    let new = named(args, new, limits)?;
    // Changed markers make the outputs of an earlier batch outdated.
    args.io
        .change(limits, "edited", &(args, &new), |recording, _| {
            require_list(recording)?;
            let facts = import(recording, &new, args.replace);
            Ok(Change {
                facts,
                outcome,
                ..Change::default()
            })
        })
}

/// Gives triggers their names. A note counts the triggers without a name.
fn named(
    args: &Args,
    markers: Vec<Marker<'static>>,
    limits: &Limits,
) -> anyhow::Result<Vec<Marker<'static>>> {
    let names = args.triggers.names(limits)?;
    if names.is_empty() {
        return Ok(markers);
    }
    let mut list = Recording::new(Layout::Mrtk1_1);
    list.markers = markers;
    let report = markers::name_triggers(&mut list, &names);
    let file = args.file.display().to_string();
    note_unnamed(&file, &report);
    args.triggers.note_unused(&file, &report.unused);
    Ok(list.markers)
}

/// Adds the markers in `new`, except those that the recording already has. If `replaces` is true, removes all existing
/// markers first. Returns facts for the summary, such as `3 markers imported`.
fn import<'a>(
    recording: &mut Recording<'a>,
    new: &[Marker<'static>],
    replaces: bool,
) -> Vec<String> {
    let old = if replaces {
        Vec::new()
    } else {
        std::mem::take(&mut recording.markers)
    };
    // Times are compared by their bits, because NaN does not equal itself.
    let key = |marker: &Marker<'a>| (marker.time.to_bits(), marker.name.clone());
    let known: HashSet<_> = old.iter().map(key).collect();
    let mut added: Vec<Marker<'a>> = new.to_vec();
    added.retain(|marker| !known.contains(&key(marker)));
    let existing = new.len() - added.len();
    let end = recording.duration();
    let early = added.iter().filter(|marker| marker.time < 0.0).count();
    let late = added.iter().filter(|marker| marker.time > end).count();
    let mut facts = vec![format!("{} imported", count(added.len(), "marker"))];
    if replaces {
        // The order of the file is kept.
        recording.markers = added;
    } else {
        recording.markers = old;
        markers::add_all(recording, added);
    }
    match existing {
        0 => {}
        1 => facts.push("1 already exists".to_owned()),
        _ => facts.push(format!("{existing} already exist")),
    }
    // Allowed by the format (docs/format.md 3.6), but hardly intended.
    let outside = [(early, "before t = 0"), (late, "after the end")];
    for (markers, place) in outside.into_iter().filter(|(markers, _)| *markers > 0) {
        facts.push(format!("{markers} {place}"));
    }
    facts
}

/// Times that are rounded by more seconds than this are far from the recording.
const MAX_ROUNDING: f64 = 1e-3;

/// Warns if times of markers lose more than a millisecond in single precision.
fn warn_of_rounding(events: &[ClockMarker], file: &str) {
    let rounding = |event: &ClockMarker| (event.time - f64::from(event.time as f32)).abs();
    let largest = events.iter().map(rounding).fold(0.0, f64::max);
    if largest > MAX_ROUNDING {
        warn(format_args!(
            "{file}: times rounded to single precision, by up to {largest:.3} s; `inputanim align` uses exact times"
        ));
    }
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
        MarkerFormat::Csv => {
            let markers = markers_csv::read(input.bytes(), limits).with_context(in_file)?;
            // The same table with times in double precision.
            if let Ok(events) = marker_events::read(input.bytes(), Some("name"), limits) {
                warn_of_rounding(&events, input.name());
            }
            markers
        }
        MarkerFormat::Tsv => {
            let events = marker_events::read(input.bytes(), None, limits).with_context(in_file)?;
            warn_of_rounding(&events, input.name());
            let events = events.into_iter();
            events
                .map(|event| Marker::new(event.time as f32, event.name))
                .collect()
        }
        MarkerFormat::Eve => {
            let message = "events of MNE are not read: their samples have no rate";
            let hint =
                "`mne.read_events` and `mne.annotations_from_events` convert them to a table";
            return Err(Refusal::usage(message, hint));
        }
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
