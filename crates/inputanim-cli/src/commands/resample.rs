//! `inputanim resample`

use inputanim::edit::Resample;
use inputanim::{Limits, Recording};

use crate::arguments::values::rate;
use crate::files::batch::Job;
use crate::files::in_out::{Change, InOut};
use crate::messages::outcome::Outcome;

/// Replace the keys of all poses, and of inputs with numbers, by keys at a constant rate
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every pose gets a key at each multiple of 1/HZ seconds from t = 0 on, with its value at that time, and \
linear interpolation between the keys. Motion that is faster than the rate is lost. The first and the \
last key of each pose, and of each period in which a hand is tracked, are kept. Joints get no keys while \
their hand is not tracked. States, buttons and markers do not change.

Examples:
  inputanim resample take.bin --rate 30 -o smaller.bin
  inputanim resample reduced.bin --rate 60 -o every-frame.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Keys per second, in Hz
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: f64,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let resample = Resample::new(args.rate);
    let no_facts = |_: &Recording<'_>, _: &Job| Ok(Change::default());
    args.io.edit(limits, "resampled", args, resample, no_facts)
}
