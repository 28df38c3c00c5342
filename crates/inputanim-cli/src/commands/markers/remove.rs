//! `inputanim markers remove`

use inputanim::Limits;
use inputanim::edit::markers;

use crate::diagnostics::warn;
use crate::in_out::InOut;
use crate::outcome::Outcome;
use crate::time_range::TimeRange;

use super::{require_index, require_name};

/// Take markers out
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  inputanim markers remove take.bin --name grab -o fewer.bin
  inputanim markers remove take.bin --index 0 --index 3 -o fewer.bin
  inputanim markers remove take.bin --range 2.. -o fewer.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// All of this name; may be given several times
    #[arg(long, allow_hyphen_values = true)]
    name: Vec<String>,
    /// That of this index, as `markers list` counts; may be given several times
    #[arg(long, value_name = "N")]
    index: Vec<usize>,
    /// Those from A to B seconds, both included; either may be left out
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    range: Option<TimeRange>,
    /// All
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let which = &args.which;
    args.io.change(limits, |recording| {
        for name in &which.name {
            require_name(recording, name)?;
        }
        for &index in &which.index {
            require_index(recording, index)?;
        }
        let removed = markers::remove(recording, |index, marker| {
            let is_within = |range: &TimeRange| range.0.contains(&marker.time);
            which.all
                || which.name.iter().any(|name| *name == marker.name)
                || which.index.contains(&index)
                || which.range.as_ref().is_some_and(is_within)
        });
        if removed == 0 && which.range.is_some() {
            let file = args.io.input.display();
            warn(format_args!("{file}: no marker lies in that range"));
        }
        Ok(Outcome::Done)
    })
}
