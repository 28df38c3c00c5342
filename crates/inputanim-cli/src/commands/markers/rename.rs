//! `inputanim markers rename`

use inputanim::Limits;
use inputanim::edit::markers;
use inputanim::marker_names::matches;

use crate::arguments::names::require_marker;
use crate::files::in_out::{Change, InOut};
use crate::messages::outcome::Outcome;
use crate::messages::text::count;

use super::require_index;

/// Rename markers
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  inputanim markers rename take.bin --name grap --new-name grab -o right.bin
  inputanim markers rename take.bin --index 2 --new-name release -o right.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    filter: MarkerFilter,
    /// The new name
    #[arg(long, value_name = "NEW", allow_hyphen_values = true)]
    new_name: String,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct MarkerFilter {
    /// Rename all markers with this name; `*` stands for any characters, and `?` for one
    #[arg(long, value_name = "OLD", allow_hyphen_values = true)]
    name: Option<String>,
    /// Rename the marker with this index in `markers list`
    #[arg(long, value_name = "N")]
    index: Option<usize>,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let MarkerFilter { name: old, index } = &args.filter;
    args.io.change(limits, "edited", args, |recording, _| {
        if let Some(name) = old {
            require_marker(&recording.markers, name)?;
        }
        if let &Some(index) = index {
            require_index(recording, index)?;
        }
        let is_named = |name: &str| old.as_ref().is_some_and(|old| matches(old, name));
        let is_meant = |at, name: &str| *index == Some(at) || is_named(name);
        let renamed = markers::rename(
            recording,
            |at, marker| is_meant(at, &marker.name),
            args.new_name.clone(),
        );
        Ok(Change::with(format!(
            "{} renamed",
            count(renamed, "marker")
        )))
    })
}
