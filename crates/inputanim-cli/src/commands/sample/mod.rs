//! `inputanim sample`: values at times, as the recording plays.

mod instants;
mod selection;
mod table;

use std::io::{self, BufWriter};
use std::path::PathBuf;

use inputanim::sampler::Cursor;
use inputanim::summary::Summary;
use inputanim::{Frame, Limits, Space};
use inputanim_convert::frames::Row;

use crate::diagnostics::{warn, warn_of_damage};
use crate::format::{Format, Rows};
use crate::input::Input;
use crate::names::{List, names};
use crate::outcome::Outcome;
use crate::time_range::TimeRange;
use crate::values::{rate, spaces};

use instants::{Instant, Outside, instants};
use selection::Selection;

/// Print what plays at given times: head, hands and gaze as poses
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Times are seconds, positions metres, rotations quaternions x, y, z, w of length 1. While a hand is \
not tracked its joints are left out. Before the first and after the last key of a curve its wrap \
modes hold, as in Unity.

Names for --joints: camera, gaze, left or right for a hand, left.Palm or right.IndexTip for a joint, \
IndexTip for that of both hands; * and ? stand for other characters. A joint that is asked for by its \
name and not recorded is left empty. Joints are Wrist, Palm, ThumbMetacarpalJoint, \
ThumbProximalJoint, ThumbDistalJoint, ThumbTip; IndexMetacarpal, IndexKnuckle, IndexMiddleJoint, \
IndexDistalJoint, IndexTip; and as the index finger Middle…, Ring… and Pinky….

Examples:
  inputanim sample take.bin --joints right.IndexTip --time 1..2 --rate 30
  inputanim sample take.bin --rate 60 --format csv > take.csv
  inputanim sample take.bin --at 1.5 --space openxr --format json")]
pub(crate) struct Args {
    /// The recording (.bin, or lossless .json); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Times per second
    #[arg(long, alias = "hz", default_value_t = 60.0, value_parser = rate, value_name = "HZ", allow_negative_numbers = true)]
    rate: f64,
    /// From A to B seconds; an end that is left out is that of the recording
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<TimeRange>,
    /// At these times only, in seconds with a decimal point
    #[arg(long, value_name = "S,...", allow_hyphen_values = true, value_parser = times)]
    #[arg(conflicts_with_all = ["rate", "time"])]
    at: Option<List<f32>>,
    /// At every time at which something of what is printed has a key
    #[arg(long, conflicts_with_all = ["rate", "at"])]
    at_keys: bool,
    /// At the markers, with their names
    #[arg(long, conflicts_with_all = ["rate", "at", "at_keys"])]
    at_markers: bool,
    /// Only these poses
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    joints: Vec<List<String>>,
    /// The axes
    #[arg(long, default_value_t, value_parser = spaces())]
    space: Space,
    /// Rotations as the toolkit evaluates them, not normalised
    #[arg(long)]
    raw: bool,
    /// Hold the ends of every curve, whatever its wrap modes
    #[arg(long)]
    clamp: bool,
    /// Joints also while their hand is not tracked: a straight line over the gap
    #[arg(long)]
    untracked: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn times(text: &str) -> Result<List<f32>, String> {
    let time = |text: &str| match text.trim().parse::<f32>() {
        Ok(time) if time.is_finite() => Ok(time),
        _ => Err(format!("`{text}` is no number of seconds")),
    };
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts.map(time).collect::<Result<_, _>>().map(List)
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.path, limits)?;
    let recording = input.recording(limits)?;
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
    let names: Vec<String> = args.joints.iter().flat_map(|list| list.0.clone()).collect();
    let mut selection = Selection::new(&recording, &sampler, &names)?;
    selection.columns.marker = args.at_markers;
    let instants = instants(args, &recording, &sampler, &selection)?;
    if !selection.missing.is_empty() {
        let (name, missing) = (input.name(), selection.missing.join(", "));
        warn(format_args!(
            "{name}: not recorded, so left empty: {missing}"
        ));
    }
    let summary = Summary::of(&recording);
    warn_of_damage(&recording, &summary, input.name(), |path| {
        selection.has(path)
    });

    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut outside = Outside::of(&sampler);
    let mut cursor = Cursor::default();
    let frames = instants.map(|Instant { time, marker }| {
        outside.count(time);
        let mut frame = Frame::default();
        sampler.read(time, &mut cursor, &mut frame);
        (args.space.frame(frame), marker)
    });
    match Rows::new(args.format, output) {
        Ok(mut rows) => {
            let columns = selection.columns.heads();
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            rows.columns(&columns)?;
            for (frame, marker) in frames {
                let row = Row::of_frame(&frame, marker.as_deref(), &selection.columns);
                rows.push(&row, || vec![row.cells()])?;
            }
            rows.finish()?;
        }
        Err(output) => table::print(frames, &selection, output)?,
    }
    outside.warn(input.name());
    Ok(Outcome::Done)
}
