//! `inputanim split`

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use inputanim::{Limits, Recording, Side, edit};

use crate::in_out::{To, write_recording};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::text::{count, seconds};

/// Cut a recording into parts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The parts are numbered before the extension: -o out/take.bin writes out/take-1.bin and so on, each \
beginning at t = 0. They are listed on standard output. `concat` puts them together again.

Examples:
  inputanim split take.bin --at 2.5,7 -o part.bin
  inputanim split take.bin --at-markers -o trials/trial.bin
  inputanim split take.bin --at-gaps any -o seen.bin
  inputanim split take.bin --into 4 -o quarter.bin")]
pub(crate) struct Args {
    /// The recording (.bin or lossless .json, told from its content); `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    places: Places,
    /// What the parts are called, .bin or lossless .json; a number is put before the extension
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace parts that are there
    #[arg(short, long)]
    force: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Places {
    /// At these times, in seconds
    #[arg(
        long,
        value_name = "SECONDS,...",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    at: Vec<f32>,
    /// At every marker, or at those of a name
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    at_markers: Option<Option<String>>,
    /// In the middle of every gap in which that hand, or any hand, is not tracked
    #[arg(long, value_name = "HAND")]
    at_gaps: Option<Hand>,
    /// Into so many parts of one length
    #[arg(long, value_name = "PARTS", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    into: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Hand {
    /// Neither hand is tracked.
    Any,
    /// The left hand is not.
    Left,
    /// The right hand is not.
    Right,
}

impl Places {
    fn times(&self, recording: &Recording<'_>) -> anyhow::Result<Vec<f32>> {
        let times = if let Some(name) = &self.at_markers {
            let markers = recording.markers.iter();
            let named = markers.filter(|m| name.as_ref().is_none_or(|name| m.name == *name));
            named.map(|marker| marker.time).collect()
        } else if let Some(hand) = self.at_gaps {
            let hand = match hand {
                Hand::Any => None,
                Hand::Left => Some(Side::Left),
                Hand::Right => Some(Side::Right),
            };
            edit::gap_times(recording, hand)
        } else if let Some(parts) = self.into {
            edit::equal_times(recording, parts)
        } else {
            self.at.clone()
        };
        let end = recording.duration();
        let is_one_part = self.into == Some(1);
        if !is_one_part && !times.iter().any(|&time| time > 0.0 && time < end) {
            let message = match (&self.at_markers, self.at_gaps) {
                (Some(Some(name)), _) => format!("no marker called {name:?} lies inside"),
                (Some(None), _) => "no marker lies inside".to_owned(),
                (_, Some(_)) => "there is no such gap".to_owned(),
                _ if self.into.is_some() => format!("it lasts only {end} s"),
                _ => format!("none of the times lies between 0 s and the end at {end} s"),
            };
            let hint = "`inputanim info` shows how long a take is, its gaps and its markers";
            return Err(Refusal::failure(message, hint));
        }
        Ok(times)
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    To::of(&args.output, "name it .bin or .json")?;
    if args.output == Path::new("-") {
        let message = "several recordings do not go into one output";
        return Err(Refusal::usage(message, "name a file after -o"));
    }
    let input = Input::open(&args.input, limits)?;
    let recording = input.recording(limits)?;
    let saying = || input.name().to_owned();
    let times = args.places.times(&recording).with_context(saying)?;
    let parts = edit::split(&recording, &times).with_context(saying)?;
    let paths: Vec<PathBuf> = (1..=parts.len())
        .map(|number| numbered(&args.output, number, parts.len()))
        .collect();
    // None is written where another is in the way.
    for path in &paths {
        output::check(path, args.force)?;
    }
    let mut listing = io::stdout().lock();
    let mut start = 0.0;
    for (path, part) in paths.iter().zip(&parts) {
        write_recording(path, args.force, part)?;
        let end = start + part.duration();
        writeln!(
            listing,
            "{}  {} s to {} s, {}",
            path.display(),
            seconds(start),
            seconds(end),
            count(part.markers.len(), "marker"),
        )?;
        start = end;
    }
    Ok(Outcome::Done)
}

/// As many digits as the last number has, so that names sort as the parts do.
fn numbered(path: &Path, number: usize, last: usize) -> PathBuf {
    let digits = last.to_string().len();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name = format!("{stem}-{number:0digits$}");
    if let Some(extension) = path.extension() {
        name = format!("{name}.{}", extension.to_string_lossy());
    }
    path.with_file_name(name)
}
