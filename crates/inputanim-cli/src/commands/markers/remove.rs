//! `inputanim markers remove`

use inputanim::Limits;
use inputanim::edit::markers;
use inputanim::marker_names::matches;

use crate::arguments::names::require_marker;
use crate::arguments::time_range::{TIMES, within};
use crate::files::in_out::{Change, InOut};
use crate::messages::diagnostics::warn;
use crate::messages::outcome::Outcome;
use crate::messages::text::count;
use inputanim::RelativeTimeRange;

use super::require_index;

/// Remove markers
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
{TIMES}

Examples:
  inputanim markers remove take.bin --name grab -o fewer.bin
  inputanim markers remove game.bin --name FPS --name 'debug *' -o fewer.bin
  inputanim markers remove take.bin --index 0 --index 3 -o fewer.bin
  inputanim markers remove take.bin --time 2.. -o fewer.bin"))]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    filter: MarkerFilter,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct MarkerFilter {
    /// Remove all markers with this name; `*` stands for any characters, and `?` for one. May be given several times
    #[arg(long, allow_hyphen_values = true)]
    name: Vec<String>,
    /// Remove the marker with this index in `markers list`; may be given several times
    #[arg(long, value_name = "N")]
    index: Vec<usize>,
    /// Remove the markers in this time range
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<RelativeTimeRange>,
    /// Remove all markers
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let filter = &args.filter;
    args.io.change(limits, "edited", args, |recording, job| {
        // A name or an index that does not exist is a typing error. A range may well be empty.
        for name in &filter.name {
            require_marker(&recording.markers, name)?;
        }
        for &index in &filter.index {
            require_index(recording, index)?;
        }
        let file = job.input.display().to_string();
        let range = filter.time.map(|range| within(range, recording, &file));
        let range = range.transpose()?;
        let removed = markers::remove(recording, |index, marker| {
            filter.all
                || filter.name.iter().any(|name| matches(name, &marker.name))
                || filter.index.contains(&index)
                || range.is_some_and(|range| range.contains(marker.time))
        });
        if removed == 0 && range.is_some() {
            warn(format_args!("{file}: no marker is in the time range"));
        }
        Ok(Change::with(format!(
            "{} removed",
            count(removed, "marker")
        )))
    })
}
