//! `inputanim shift`

use inputanim::{Limits, edit};

use crate::in_out::InOut;
use crate::outcome::Outcome;

/// Move a recording in time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What comes before t = 0 is kept, but playback starts there.

Examples:
  inputanim shift take.bin --by 1.5 -o later.bin
  inputanim shift take.bin --by -0.25 -o sooner.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Seconds; below 0 is sooner
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    by: f64,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.io.change(limits, |recording| {
        edit::shift(recording, args.by)?;
        Ok(Outcome::Done)
    })
}
