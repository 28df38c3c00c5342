//! `inputanim concat`

use std::path::PathBuf;

use anyhow::Context;
use inputanim::edit::{self, Join};
use inputanim::{Limits, Recording};

use crate::diagnostics::warn;
use crate::in_out::Target;
use crate::input::Input;
use crate::outcome::Outcome;

/// Put recordings one after the other
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each plays from t = 0 to its last key; markers come along. The result has the layout of the first.
With --gap everything stands still between two recordings and no hand is tracked; with --blend
everything goes straight from the end of one to the start of the next; without either the next
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

/// As names of curves begin.
const STREAMS: [&str; 4] = ["camera", "left", "right", "gaze"];

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
    let recorded = |recording: &Recording<'_>| -> Vec<&str> {
        let has = |name: &str| {
            let mut curves = recording.curves();
            curves.any(|(path, curve)| path.to_string().starts_with(name) && !curve.is_empty())
        };
        STREAMS.into_iter().filter(|name| has(name)).collect()
    };
    let there: Vec<Vec<&str>> = recordings.iter().map(recorded).collect();
    for (input, streams) in inputs.iter().zip(&there) {
        let others = there.iter().flatten();
        let missing = STREAMS.iter().filter(|name| !streams.contains(name));
        for name in missing.filter(|name| others.clone().any(|other| other == *name)) {
            let file = input.name();
            warn(format_args!(
                "{file}: there is no {name} in it: it stands still there"
            ));
        }
    }
    let all = edit::concat(&recordings, join).context("cannot put them together")?;
    args.target.write(&all)?;
    Ok(Outcome::Done)
}
