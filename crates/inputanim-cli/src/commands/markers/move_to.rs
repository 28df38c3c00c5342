//! `inputanim markers move`

use inputanim::edit::{Edit, MoveMarker};
use inputanim::{Limits, TimePoint};

use crate::arguments::time_range::TIMES;
use crate::files::in_out::{Change, InOut};
use crate::messages::outcome::Outcome;

use super::{require_index, warn_if_not_played};

/// Move a marker to another time
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
{TIMES}

Example: inputanim markers move take.bin --index 2 --to 1.5 -o moved.bin"))]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Index of the marker in `markers list`
    #[arg(long, value_name = "N")]
    index: usize,
    /// The new time
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    to: TimePoint,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.io.change(limits, "edited", args, |recording, job| {
        require_index(recording, args.index)?;
        let time = args.to.within(recording.played_range());
        warn_if_not_played(recording, time, job);
        let index = args.index;
        Edit::from(MoveMarker::new(index, time)).apply(recording, limits)?;
        Ok(Change::with("1 marker moved".to_owned()))
    })
}
