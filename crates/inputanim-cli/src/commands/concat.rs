//! `inputanim concat`

use std::path::PathBuf;

use anyhow::Context;
use inputanim::edit::{self, Join};
use inputanim::{Limits, Recording, Stream};

use crate::diagnostics::warn;
use crate::in_out::Target;
use crate::input::Input;
use crate::outcome::Outcome;

/// Put recordings one after the other
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each plays from t = 0 to its last key; markers come along. The result has the layout of the first. \
With --gap everything stands still between two recordings and no hand is tracked; with --blend \
everything goes straight from the end of one to the start of the next; without either the next \
begins where the one before ends.

Examples:
  inputanim concat first.bin second.bin -o both.bin
  inputanim concat trial-*.bin --gap 1 -o session.bin")]
pub(crate) struct Args {
    /// The recordings (.bin or lossless .json), in order
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    join: Between,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct Between {
    /// Stand still for so many seconds between two recordings
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    gap: Option<f32>,
    /// Glide from one recording to the next in so many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    blend: Option<f32>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let join = match (args.join.gap, args.join.blend) {
        (Some(seconds), _) => Join::Gap(seconds),
        (_, Some(seconds)) => Join::Blend(seconds),
        _ => Join::Cut,
    };
    args.target.check()?;
    let inputs: Vec<Input> = args
        .inputs
        .iter()
        .map(|path| Input::open(path, limits))
        .collect::<anyhow::Result<_>>()?;
    let recordings = inputs
        .iter()
        .map(|input| input.recording(limits))
        .collect::<anyhow::Result<Vec<_>>>()?;
    for stream in Stream::ALL {
        let has = |recording: &Recording<'_>| {
            let mut curves = recording.curves();
            curves.any(|(path, curve)| path.stream() == stream && !curve.is_empty())
        };
        let there: Vec<bool> = recordings.iter().map(has).collect();
        for (input, _) in inputs.iter().zip(&there).filter(|(_, there)| !**there) {
            if there.contains(&true) {
                let file = input.name();
                warn(format_args!(
                    "{file}: nothing is recorded of {stream}, which holds there"
                ));
            }
        }
    }
    let all = edit::concat(&recordings, join).context("cannot put them together")?;
    args.target.write(&all)?;
    Ok(Outcome::Done)
}
