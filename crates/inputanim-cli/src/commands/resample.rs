//! `inputanim resample`

use inputanim::Limits;
use inputanim::edit;

use crate::in_out::InOut;
use crate::outcome::Outcome;
use crate::values::rate;

/// Give all poses keys at a steady rate, joined by straight lines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
At each multiple of 1/HZ from t = 0 on there is a key with what plays then. The first and the last key \
of each pose stay, and so do those of each time in which a hand is tracked; nothing is put where it is \
not tracked. Pinches, when a hand is tracked, and markers keep their times. Between the keys it plays \
what straight lines say: what happens faster than the rate is lost.

Examples:
  inputanim resample take.bin --rate 30 -o smaller.bin
  inputanim resample reduced.bin --rate 60 -o every-frame.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Keys per second
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: f64,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.io.change(limits, |recording| {
        edit::resample_with(recording, args.rate, limits)?;
        Ok(Outcome::Done)
    })
}
