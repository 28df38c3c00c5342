//! `inputanim sample`: values at times, as the recording plays.

mod rows;
mod selection;
mod table;

use std::io::{self, BufWriter};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use inputanim::doctor::{self, Severity};
use inputanim::{Limits, Recording, Sampler, Space, Span};

use crate::diagnostics::warn;
use crate::format::{Format, Rows};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::time_range::TimeRange;

use rows::Instant;
use selection::Selection;

/// Print what plays at given times: head, hands and gaze as poses
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Positions are metres, rotations quaternions x, y, z, w of length 1. While a hand is not tracked its
joints are left out. Before the first and after the last key of a curve its wrap modes hold, as in
Unity.

Names for --joints are those that the columns of CSV begin with: camera, gaze, left.Wrist,
right.IndexTip. A name without a hand is of both; * and ? stand for other characters.

Examples:
  inputanim sample take.bin --joints right.IndexTip --time 1..2 --rate 30
  inputanim sample take.bin --rate 60 --format csv > take.csv
  inputanim sample take.bin --at 1.5 --space openxr --format json")]
pub(crate) struct Args {
    /// The recording (.bin, or lossless .json); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Times per second
    #[arg(long, default_value_t = 60.0, value_parser = rate, value_name = "HZ")]
    rate: f64,
    /// From A to B seconds; an end that is left out is that of the recording
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<TimeRange>,
    /// At these times only
    #[arg(
        long,
        value_name = "S,...",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    #[arg(conflicts_with_all = ["rate", "time"])]
    at: Vec<f32>,
    /// At every time at which any curve has a key
    #[arg(long, conflicts_with_all = ["rate", "at"])]
    at_keys: bool,
    /// Only these poses
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    joints: Vec<String>,
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

pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate.is_finite() => Ok(rate),
        _ => Err("expected a number above 0".to_owned()),
    }
}

fn spaces() -> impl TypedValueParser<Value = Space> {
    let value = |space: Space| match space {
        Space::OpenXr => PossibleValue::new(space.name()).alias("webxr"),
        space => PossibleValue::new(space.name()),
    };
    PossibleValuesParser::new(Space::ALL.map(value)).try_map(|name| name.parse::<Space>())
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.path, limits)?;
    let recording = input.recording(limits)?;
    warn_of_damage(&recording, input.name());
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
    let selection = Selection::new(&recording, &sampler, &args.joints)?;
    let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let frames = sampler.frames(times(args, &sampler)?);
    let frames = frames.map(|frame| args.space.frame(frame));
    match Rows::new(args.format, output) {
        Ok(mut rows) => {
            let columns = selection.columns();
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            rows.columns(&columns)?;
            for frame in frames {
                let instant = Instant::new(&frame, &selection);
                rows.push(&instant, || vec![instant.cells()])?;
            }
            rows.finish()?;
        }
        Err(output) => table::print(frames, &selection, output)?,
    }
    Ok(Outcome::Done)
}

/// Damage is in the numbers that follow: who reads them should know.
pub(crate) fn warn_of_damage(recording: &Recording<'_>, name: &str) {
    for finding in doctor::examine(recording) {
        if finding.severity() == Severity::Damage {
            warn(format_args!("{name}: {finding}"));
        }
    }
}

fn times(args: &Args, sampler: &Sampler) -> anyhow::Result<Box<dyn Iterator<Item = f32>>> {
    if !args.at.is_empty() {
        return Ok(Box::new(args.at.clone().into_iter()));
    }
    let whole = Span {
        start: 0.0,
        end: sampler.duration(),
    };
    if args.at_keys {
        let range = args.time.clone();
        let is_wanted = move |time: &f32| range.as_ref().is_none_or(|range| range.0.contains(time));
        return Ok(Box::new(sampler.key_times().into_iter().filter(is_wanted)));
    }
    let span = match &args.time {
        Some(range) => range.within(whole),
        None => whole,
    };
    if span.start > span.end {
        let message = format!("the recording ends at {} s", whole.end);
        return Err(Refusal::failure(
            message,
            "give --time an end to go beyond it",
        ));
    }
    Ok(Box::new(span.times_at(args.rate)))
}
