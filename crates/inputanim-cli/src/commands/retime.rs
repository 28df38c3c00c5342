//! `inputanim retime`

use inputanim::Limits;
use inputanim::edit::Retime;

use crate::arguments::time_range::duration;
use crate::files::in_out::{Change, InOut};
use crate::messages::diagnostics::warn_of_kept_damage;
use crate::messages::outcome::Outcome;

/// Change the speed of a recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All times are scaled about t = 0, including those of markers. Poses do not change.

Examples:
  inputanim retime take.bin --speed 2 -o fast.bin
  inputanim retime take.bin --duration 10 -o ten-seconds.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    pace: Pace,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Pace {
    /// New speed: 2 is twice as fast, 0.5 is half as fast
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    speed: Option<f64>,
    /// New duration, from t = 0 to the last key
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true)]
    duration: Option<f32>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut retime = Retime::default();
    (retime.speed, retime.duration) = (args.pace.speed, args.pace.duration);
    args.io
        .edit(limits, "retimed", args, retime, |recording, job| {
            warn_of_kept_damage(recording, &job.input, |_| true);
            Ok(Change::default())
        })
}
