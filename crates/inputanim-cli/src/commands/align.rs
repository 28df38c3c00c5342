//! `inputanim align`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use inputanim::edit::{Align, AlignReport, ClockMarker, EditReport};
use inputanim::{Limits, Recording};
use inputanim_convert::{Mapping, MarkerList};

use crate::arguments::time_range::duration;
use crate::files::in_out::{Change, InOut, checked};
use crate::files::input::Input;
use crate::files::triggers::TriggerArgs;
use crate::messages::diagnostics::{note_of_file, warn_of_kept_damage};
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::{count, quoted};

/// Align a recording with another clock by common markers
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A marker with the same name in the recording and in FILE is one event. The offset and the drift of the clocks are \
fitted to these events by least squares, and all times of the recording become times of the other clock. Markers are \
matched by their names and so that the intervals between them agree, so a missing marker does not shift the matches \
after it. If several alignments are possible, the command refuses them.

t = 0 of the result is --zero on the other clock. Times of a recording have single precision, so choose a \
zero near the recording if the other clock counts from long ago.

Examples:
  inputanim align take.bin --to-markers eeg-events.tsv -o aligned.bin
  inputanim align take.bin --to-markers eeg.xdf --rename 11=start --rename 12=stop -o aligned.bin
  inputanim align left.bin --to-markers right.bin --name 'trial *' -o left-aligned.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// The markers on the other clock: a table (.csv, .tsv), an XDF file, WebVTT, or a recording; `-` is standard input
    #[arg(long, value_name = "FILE")]
    to_markers: PathBuf,
    /// Compare only markers with this name; `*` stands for any characters, and `?` for one. May be given several times
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Vec<String>,
    /// The time in seconds on the other clock that becomes t = 0 [default: 0; of XDF, the first sample of the file]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    zero: Option<f64>,
    /// The time in seconds on the other clock at t = 0 of the recording is in this range
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    offset: Option<OffsetRange>,
    /// Correct only the offset of the clocks and no drift
    #[arg(long)]
    offset_only: bool,
    /// The largest distance of two equal markers after the alignment
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "50ms", allow_negative_numbers = true)]
    tolerance: f32,
    /// The largest drift of the clocks, in parts per million
    #[arg(
        long,
        value_name = "PPM",
        default_value_t = 1000.0,
        allow_negative_numbers = true
    )]
    max_drift: f64,
    #[command(flatten)]
    triggers: TriggerArgs,
    /// The column of a table FILE with the names [default: name, marker, trial_type, description or value]
    #[arg(long, value_name = "COLUMN")]
    marker_column: Option<String>,
    /// The stream of an XDF file FILE with the markers, as STREAM or STREAM/CHANNEL [default: all streams of markers]
    #[arg(long, value_name = "STREAM")]
    marker_stream: Option<String>,
}

/// A range of offsets in seconds, which may be open. They have double precision, because clocks have large times.
#[derive(Clone, Copy, Debug)]
struct OffsetRange([f64; 2]);

impl FromStr for OffsetRange {
    type Err = String;

    fn from_str(text: &str) -> Result<OffsetRange, String> {
        let bound = |text: &str, open: f64| match text.trim() {
            "" => Some(open),
            text => text.parse::<f64>().ok().filter(|bound| !bound.is_nan()),
        };
        let range = text.split_once("..").and_then(|(least, most)| {
            let range = [
                bound(least, f64::NEG_INFINITY)?,
                bound(most, f64::INFINITY)?,
            ];
            (range[0] <= range[1]).then_some(OffsetRange(range))
        });
        range.ok_or_else(|| "expected a range of seconds such as 100..101.5".to_owned())
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if args.to_markers == Path::new("-") && args.io.reads_stdin() {
        let message = "cannot read both the recording and the markers from standard input";
        return Err(Refusal::usage(message, "use a file for one of them"));
    }
    let list = markers(args, limits)?;
    let mut align = Align::new(list.markers);
    align.names.clone_from(&args.name);
    align.zero = args.zero.unwrap_or(list.zero);
    align.offset = args.offset.map(|range| range.0);
    align.offset_only = args.offset_only;
    // The decimal number that the user wrote, and not the nearest single-precision number.
    align.tolerance = args.tolerance.to_string().parse().unwrap_or_default();
    align.max_drift = args.max_drift;
    let edit = checked(align.clone())?;
    // A changed list makes the outputs of an earlier batch outdated.
    let options = (args, &align);
    args.io
        .change(limits, "aligned", &options, |recording, job| {
            warn_of_kept_damage(recording, &job.input, |_| true);
            let names: Vec<String> = recording
                .markers
                .iter()
                .map(|marker| marker.name.to_string())
                .collect();
            let EditReport::Align(report) = edit.apply(recording, limits)? else {
                unreachable!("`Align` reports a fit");
            };
            let file = job.input.display().to_string();
            print_unmatched(&file, &names, &align.markers, &report);
            Ok(Change {
                facts: facts(&report),
                details: details(recording, &report),
                ..Change::default()
            })
        })
}

/// Reads the markers on the other clock. Triggers get their names, and a note counts the triggers without a name.
fn markers(args: &Args, limits: &Limits) -> anyhow::Result<MarkerList> {
    let names = args.triggers.names(limits)?;
    let input = Input::open(&args.to_markers, limits)?;
    let mut options = input.options(limits);
    if let Some(stream) = &args.marker_stream {
        let mapping: Mapping = format!("marker={stream}").parse().map_err(|_| {
            let message = format!("invalid stream {stream:?}");
            Refusal::usage(message, "write STREAM or STREAM/CHANNEL")
        })?;
        options.mappings = vec![mapping];
    }
    let column = args.marker_column.as_deref();
    let (mut list, report) = input.read_markers(column, &options)?;
    input.print_report(&report);
    let unused = names.unused(list.markers.iter().map(|marker| &*marker.name));
    args.triggers.note_unused(input.name(), &unused);
    for marker in &mut list.markers {
        if let Some(name) = names.name_of(&marker.name) {
            name.clone_into(&mut marker.name);
        }
    }
    Ok(list)
}

/// Prints notes about the markers without a partner.
fn print_unmatched(file: &str, names: &[String], other: &[ClockMarker], report: &AlignReport) {
    let own = report.unmatched.iter().map(|&index| &*names[index]);
    let others = report.clock_unmatched.iter();
    let others = others.map(|&index| &*other[index].name);
    let lists = [
        ("of the recording", listed(own)),
        ("of the other clock", listed(others)),
    ];
    for (place, (number, names)) in lists {
        if number > 0 {
            let markers = count(number, "marker");
            let text = format!("{markers} {place} without a partner: {names}");
            note_of_file(file, "markers without a partner", text);
        }
    }
}

/// Returns the number of markers, and their first names with their numbers.
fn listed<'n>(markers: impl Iterator<Item = &'n str>) -> (usize, String) {
    const LISTED: usize = 5;
    const COLUMNS: usize = 40;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    markers.for_each(|name| *counts.entry(name).or_default() += 1);
    let number = counts.values().sum();
    let named = counts.iter().take(LISTED).map(|(name, count)| {
        let name = quoted(name, COLUMNS);
        match count {
            1 => name,
            count => format!("{name} ({count})"),
        }
    });
    let mut text = named.collect::<Vec<_>>().join(", ");
    if counts.len() > LISTED {
        text += &format!(", and {}", count(counts.len() - LISTED, "more name"));
    }
    (number, text)
}

fn facts(report: &AlignReport) -> Vec<String> {
    let markers = format!("{} matched", count(report.matches.len(), "marker"));
    let drift = match report.drift {
        Some(drift) => format!("drift {drift:.1} ppm"),
        None => "no drift fitted".to_owned(),
    };
    let residual = 1000.0 * report.largest_residual;
    vec![markers, drift, format!("largest residual {residual:.1} ms")]
}

fn details(recording: &Recording<'_>, report: &AlignReport) -> String {
    let milliseconds = |seconds: f64| format!("{:.3} ms", 1000.0 * seconds);
    let drift = match (report.drift, report.drift_error) {
        (Some(drift), Some(error)) => format!("{drift:.2} ppm, standard error {error:.2} ppm"),
        (Some(drift), None) => format!("{drift:.2} ppm, from two markers"),
        (None, _) => "not fitted: only the offset is corrected".to_owned(),
    };
    let worst = report.matches.iter().max_by(|a, b| {
        let [a, b] = [a, b].map(|marker| marker.residual.abs());
        a.total_cmp(&b)
    });
    let worst = worst.map_or(String::new(), |marker| {
        format!(" at {} ({:.3} s)", quoted(&marker.name, 40), marker.time)
    });
    let end = recording.duration();
    format!(
        "  offset     t = 0 of the recording is at {:.6} s of the other clock\n  \
           zero       t = 0 of the result is at {} s of the other clock\n  \
           drift      {drift}\n  \
           residuals  {} RMS, at most {}{worst}\n  \
           rounding   at most {} until {end:.3} s",
        report.offset,
        report.zero,
        milliseconds(report.rms_residual),
        milliseconds(report.largest_residual),
        milliseconds(report.largest_rounding),
    )
}
