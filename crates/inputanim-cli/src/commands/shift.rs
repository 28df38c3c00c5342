//! `inputanim shift`

use inputanim::Limits;
use inputanim::edit::Shift;

use crate::arguments::time_range::signed_duration;
use crate::files::in_out::{Change, InOut};
use crate::messages::diagnostics::warn_of_kept_damage;
use crate::messages::outcome::Outcome;

/// Shift a recording in time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All keys and markers move by the same time. Keys before t = 0 are kept, but playback starts at t = 0.

Examples:
  inputanim shift take.bin --by 1.5 -o later.bin
  inputanim shift take.bin --by -250ms -o earlier.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Time to shift by, such as 1.5 or -250ms; negative is earlier
    #[arg(long, value_name = "TIME", value_parser = signed_duration, allow_hyphen_values = true)]
    by: f32,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let shift = Shift::new(args.by);
    args.io
        .edit(limits, "shifted", args, shift, |recording, job| {
            warn_of_kept_damage(recording, &job.input, |_| true);
            Ok(Change::default())
        })
}
