//! `inputanim sample`: values at times, as the recording plays.

mod instants;
mod selection;
mod table;

use std::io::{self, BufWriter};
use std::path::PathBuf;

use inputanim::{Device, DeviceLoss, Frame, Limits, Marker, Recording, Space, TimeRange};
use inputanim::{SamplerCursor, doctor};
use inputanim_convert::SampleError;
use inputanim_convert::frames::FrameRow;

use crate::arguments::names::{NAMES, NameArgs, unknown};
use crate::arguments::time_range::{TIMES, within};
use crate::arguments::values::{rate, spaces};
use crate::files::input::{CorrectionArgs, Input};
use crate::messages::diagnostics::{note, warn, warn_of_damage};
use crate::messages::outcome::Outcome;
use crate::messages::text::count;
use crate::results::report_format::{ReportFormat, Rows};
use inputanim::{RelativeTimeRange, TimePoint};

use instants::{Instant, Outside, instants};
use selection::Selection;

/// Evaluate a recording at given times: poses of the head, the hands and the gaze
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
Times are in seconds, positions in metres; rotations are unit quaternions x, y, z, w. Joints of a hand \
that is not tracked are omitted. Before the first and after the last key of a curve, its \
wrap modes apply, as in Unity.

If --joints names a joint that is not recorded, its columns are empty.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 done, but the sampled curves are damaged.

{NAMES}

{TIMES}

Examples:
  inputanim sample take.bin --joints right.IndexTip --time 1..2 --rate 30
  inputanim sample take.bin --rate 60 --format csv > take.csv
  inputanim sample take.bin --at 1.5 --space openxr --format json"))]
pub(crate) struct Args {
    /// The recording (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Sampling rate in Hz
    #[arg(long, default_value_t = 60.0, value_parser = rate, value_name = "HZ", allow_negative_numbers = true)]
    rate: f64,
    /// Sample this time range [default: from 0 to the end]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<RelativeTimeRange>,
    /// Sample these times only
    #[arg(
        long,
        value_name = "TIME,...",
        allow_hyphen_values = true,
        value_delimiter = ','
    )]
    #[arg(conflicts_with_all = ["rate", "time"])]
    at: Vec<TimePoint>,
    /// Sample at the times of all keys of the printed curves
    #[arg(long, conflicts_with_all = ["rate", "at"])]
    at_keys: bool,
    /// Sample at every marker, or at every marker whose name matches, and print their names; `*` stands for any
    /// characters, and `?` for one
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "*")]
    #[arg(conflicts_with_all = ["rate", "at", "at_keys"])]
    at_markers: Option<String>,
    #[command(flatten)]
    names: NameArgs,
    /// Axes of the output
    #[arg(long, default_value_t, value_parser = spaces(), ignore_case = true)]
    space: Space,
    /// Do not normalise rotations: print the numbers that MRTK evaluates
    #[arg(long)]
    raw: bool,
    /// Hold the first and the last value of each curve instead of applying its wrap modes
    #[arg(long)]
    clamp: bool,
    /// Also print joints while their hand is not tracked, interpolated across the gap
    #[arg(long)]
    untracked: bool,
    #[command(flatten)]
    corrections: CorrectionArgs,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.path, limits)?;
    let (recording, read) = input.corrected(args.corrections, limits)?;
    let mut sampler = input.sampler(&recording)?;
    if args.raw {
        sampler = sampler.with_raw_rotations();
    }
    if args.clamp {
        sampler = sampler.with_clamped_ends();
    }
    if args.untracked {
        sampler = sampler.with_untracked_joints();
    }
    let choice = args.names.choice()?;
    let known = choice.check(&[&recording]);
    known.map_err(|error| unknown(&error))?;
    let mut selection = Selection::new(&recording, &sampler, &choice);
    selection.columns.marker = args.at_markers.is_some();
    let range = args
        .time
        .map(|range| within(range, &recording, input.name()));
    let range = range.transpose()?;
    let instants = instants(args, range, &recording, &sampler, &selection, limits);
    // The hint of this error has a command for the file. The other errors are about options.
    let instants = instants.map_err(|error| {
        if error.is::<SampleError>() {
            error.context(input.context())
        } else {
            error
        }
    })?;
    note_pulses(args, range, &recording, &selection, input.name());
    if !selection.missing.is_empty() {
        let (name, missing) = (input.name(), selection.missing.join(", "));
        warn(format_args!(
            "{name}: not recorded, columns are empty: {missing}"
        ));
    }
    let between = markers_between(args, range, &recording);
    let findings = doctor::damage(&recording, |path| selection.has(path));
    warn_of_damage(&findings, input.name());

    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut outside = Outside::of(&sampler);
    // Times mostly rise, so the search for keys starts where the last one ended.
    let mut cursor = SamplerCursor::default();
    let frames = instants.map(|Instant { time, marker }| {
        outside.count(time);
        let mut frame = Frame::default();
        sampler.read(time, &mut cursor, &mut frame);
        (args.space.frame(frame), marker)
    });
    selection.columns = selection.columns.in_space(args.space);
    match Rows::new(args.format, output) {
        Ok(mut rows) => {
            let columns = selection.columns.names();
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            rows.columns(&columns)?;
            let mut frames = frames.peekable();
            let mut others = &between[..];
            while let Some((frame, marker)) = frames.next() {
                // The last frame has the markers after it too.
                let passed = match frames.peek() {
                    Some(_) => others.partition_point(|marker| marker.time <= frame.time),
                    None => others.len(),
                };
                let (passed, rest) = others.split_at(passed);
                others = rest;
                let row = FrameRow::of_frame(&frame, marker.as_deref(), &selection.columns)
                    .with_markers(passed);
                rows.push(&row, || vec![row.cells()])?;
            }
            rows.finish()?;
            if args.format == ReportFormat::Csv {
                note_left_out(&between, input.name());
            }
        }
        Err(output) => table::print(frames, &selection, output)?,
    }
    // A time range has its own warning.
    if args.time.is_none() {
        outside.warn(input.name());
    }
    Ok(if findings.is_empty() {
        read
    } else {
        Outcome::DataLost
    })
}

/// Returns the markers that JSON has beside the frames, in order of time: those of the time range with a finite time, unless
/// instants are given.
fn markers_between<'r>(
    args: &Args,
    range: Option<TimeRange>,
    recording: &'r Recording<'_>,
) -> Vec<Marker<'r>> {
    if args.at_markers.is_some() || !args.at.is_empty() {
        return Vec::new();
    }
    let all = recording.markers.iter();
    let is_wanted = |time: f32| time.is_finite() && range.is_none_or(|range| range.contains(time));
    let wanted = all.filter(|marker| is_wanted(marker.time));
    let mut markers: Vec<_> = wanted
        .map(|marker| Marker::new(marker.time, &*marker.name))
        .collect();
    markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    markers
}

/// Prints a note for each printed device with haptic pulses in the time range. Selected instants are no such range.
fn note_pulses(
    args: &Args,
    range: Option<TimeRange>,
    recording: &Recording<'_>,
    selection: &Selection,
    name: &str,
) {
    if args.at_markers.is_some() || !args.at.is_empty() {
        return;
    }
    let is_printed = |device: &&Device<'_>| {
        let mut printed = selection.columns.devices.iter();
        printed.any(|printed| printed.name == device.name)
    };
    for device in recording.devices.iter().filter(is_printed) {
        let loss = match range {
            None => DeviceLoss::of(device, |_| true),
            Some(range) => DeviceLoss::within(device, &[range], |_| true),
        };
        if loss.haptics > 0 {
            note(format_args!(
                "{name}: {}: {} not printed: cat --show haptics prints them",
                device.name,
                count(loss.haptics, "haptic pulse")
            ));
        }
    }
}

/// Prints a note about markers that a table does not have.
fn note_left_out(markers: &[Marker<'_>], name: &str) {
    if !markers.is_empty() {
        note(format_args!(
            "{name}: the table is without {}: --format ndjson has markers, and --at-markers samples at them",
            count(markers.len(), "marker")
        ));
    }
}
