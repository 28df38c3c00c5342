//! `inputanim retime`

use inputanim::{Limits, edit};

use crate::in_out::InOut;
use crate::outcome::Outcome;

/// Make a recording faster or slower
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Times are stretched about t = 0, those of markers and those below 0 too; what moves keeps its way.

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
    /// Times as fast: 2 is twice as fast, 0.5 half as fast
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    speed: Option<f64>,
    /// Seconds that it shall last, from t = 0 to its last key
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    duration: Option<f64>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.io.change(limits, |recording| {
        if let Some(speed) = args.pace.speed {
            edit::retime(recording, speed)?;
        }
        if let Some(seconds) = args.pace.duration {
            edit::retime_to(recording, seconds)?;
        }
        Ok(Outcome::Done)
    })
}
