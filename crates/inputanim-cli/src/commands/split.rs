//! `inputanim split`

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::marker_names::matches;
use inputanim::{Limits, Marker, Recording, edit};

use crate::arguments::names::require_marker;
use crate::arguments::time_range::TIMES;
use crate::arguments::values::Hand;
use crate::files::in_out::{format_of, write_recording};
use crate::files::input::Input;
use crate::files::output;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::{count, seconds};
use inputanim::TimePoint;

/// Split a recording into parts
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
-o out/take.bin writes out/take-1.bin, out/take-2.bin and so on. Each part starts at t = 0. The parts are \
listed on standard output. `concat` joins them again.

{TIMES}

Examples:
  inputanim split take.bin --at 2.5,7 -o part.bin
  inputanim split take.bin --at-markers -o trials/trial.bin
  inputanim split take.bin --at-markers='start*' -o trials/trial.bin
  inputanim split take.bin --at-gaps both -o part.bin
  inputanim split take.bin --into 4 -o quarter.bin"))]
pub(crate) struct Args {
    /// The recording (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    #[command(flatten)]
    places: Places,
    /// The file name of the parts (.bin, or .mcap or .json, which also keep controllers and unknown values); a number is added before the extension
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace parts that already exist
    #[arg(short, long)]
    force: bool,
    /// Do not list the parts
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Places {
    /// Split at these times
    #[arg(
        long,
        value_name = "TIME,...",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    at: Vec<TimePoint>,
    /// Split at every marker, or at every marker whose name matches; `*` stands for any characters and `?`
    /// for one
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    at_markers: Option<Option<String>>,
    /// Split in the middle of every gap in which this hand is not tracked; with `both`, in which neither
    /// hand is tracked
    #[arg(long, value_name = "HAND")]
    at_gaps: Option<Hand>,
    /// Split into this number of parts of equal length
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    into: Option<u32>,
}

impl Places {
    fn times(&self, recording: &Recording<'_>) -> anyhow::Result<Vec<f32>> {
        let times = if let Some(name) = &self.at_markers {
            let fits = |marker: &&Marker<'_>| {
                let name = name.as_ref();
                name.is_none_or(|name| matches(name, &marker.name))
            };
            if let Some(name) = name {
                require_marker(&recording.markers, name)?;
            }
            // Playback reaches no marker whose time is not finite.
            let named = recording.markers.iter().filter(fits);
            let named = named.filter(|marker| marker.time.is_finite());
            named.map(|marker| marker.time).collect()
        } else if let Some(hand) = self.at_gaps {
            edit::gap_times(recording, hand.side())
        } else if let Some(parts) = self.into {
            edit::equal_times(recording, parts)?
        } else {
            let played = recording.played_range();
            self.at.iter().map(|time| time.within(played)).collect()
        };
        let end = recording.duration();
        // One part is a copy, which needs no time to cut at.
        let is_one_part = self.into == Some(1);
        if !is_one_part && !times.iter().any(|&time| time > 0.0 && time < end) {
            let message = match (&self.at_markers, self.at_gaps) {
                (Some(Some(name)), _) => {
                    format!("no marker {name:?} between 0 s and the end at {end} s")
                }
                (Some(None), _) => format!("no marker between 0 s and the end at {end} s"),
                (_, Some(_)) => "no gap in the tracking".to_owned(),
                _ if self.into.is_some() => format!("too short to split: {end} s"),
                _ => format!("no split time between 0 s and the end at {end} s"),
            };
            let hint = "`inputanim info IN` shows the length, the gaps and the markers";
            return Err(Refusal::failure(message, hint));
        }
        Ok(times)
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    format_of(&args.output)?;
    if args.output == Path::new("-") {
        let message = "cannot write several recordings to standard output";
        return Err(Refusal::usage(message, "choose a file with -o"));
    }
    let input = Input::open(&args.input, limits)?;
    let recording = input.recording(limits)?;
    let context = || input.context();
    let times = args.places.times(&recording).with_context(context)?;
    let parts = || edit::split_parts(&recording, &times).with_context(context);
    let count_of_parts = parts()?.len();
    let paths: Vec<PathBuf> = (1..=count_of_parts)
        .map(|number| numbered(&args.output, number, count_of_parts))
        .collect();
    // No part is written if one of them already exists, so that parts of two runs do not mix.
    for path in &paths {
        output::check(path, args.force)?;
    }
    // No part is written if one of them cannot be made. Only one part is in memory at a time, so each is made again.
    for part in parts()? {
        part.with_context(context)?;
    }
    let mut listing = io::stdout().lock();
    let (mut start, mut outcome) = (0.0, Outcome::Done);
    for (path, part) in paths.iter().zip(parts()?) {
        let part = part.with_context(context)?;
        outcome = outcome.and(write_recording(path, args.force, &part)?);
        let end = start + part.duration();
        if !args.quiet {
            writeln!(
                listing,
                "{}  {} s to {} s, {}",
                path.display(),
                seconds(start),
                seconds(end),
                count(part.markers.len(), "marker"),
            )?;
        }
        // Each part begins at t = 0, so its time in the original is the sum of the durations before
        // it.
        start = end;
    }
    Ok(outcome)
}

/// Returns the path of a part: `path` with the number of the part. All numbers have the width of `last`, so that names
/// sort like the parts.
fn numbered(path: &Path, number: usize, last: usize) -> PathBuf {
    let digits = last.to_string().len();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut name = format!("{stem}-{number:0digits$}");
    if let Some(extension) = path.extension() {
        name = format!("{name}.{}", extension.to_string_lossy());
    }
    path.with_file_name(name)
}
