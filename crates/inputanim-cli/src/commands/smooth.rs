//! `inputanim smooth`

use anstream::eprintln;
use inputanim::diff::{self, Options, Verdict};
use inputanim::edit::{self, Piece, Smoothing};
use inputanim::{Limits, Recording};

use crate::diagnostics::warn;
use crate::in_out::InOut;
use crate::names::{self, List, Name, names};
use crate::outcome::{Outcome, Refusal};

use super::diff::deviation_table;

/// Take noise out of poses
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A One Euro filter: a low-pass whose cutoff rises with the speed, so that slow movements become calm \
and fast ones are followed. What is smoothed is a little late, and is no longer what was measured; \
standard error says how far the poses were moved.

Noise is left in a still hand: lower --min-cutoff. Fast movements lag: raise --beta, and \
--rotation-beta for rotations.

Names are those of `select`.

Examples:
  inputanim smooth take.bin -o calm.bin
  inputanim smooth take.bin --min-cutoff 0.5 --beta 40 --only left,right -o calmer.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// The cutoff at rest: changes slower than so many a second stay
    #[arg(long, value_name = "HZ", allow_negative_numbers = true,
          default_value_t = Smoothing::default().min_cutoff)]
    min_cutoff: f64,
    /// By how much the cutoff of positions rises for each metre per second
    #[arg(long, value_name = "HZ", allow_negative_numbers = true,
          default_value_t = Smoothing::default().beta)]
    beta: f64,
    /// By how much that of rotations and of the gaze's direction rises for each radian per second
    #[arg(long, value_name = "HZ", allow_negative_numbers = true,
          default_value_t = Smoothing::default().rotation_beta)]
    rotation_beta: f64,
    /// The cutoff of the speeds that --beta is about
    #[arg(long, value_name = "HZ", allow_negative_numbers = true,
          default_value_t = Smoothing::default().derivative_cutoff)]
    derivative_cutoff: f64,
    /// Smooth only these poses
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    only: Vec<List<String>>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let texts: Vec<String> = args.only.iter().flat_map(|list| list.0.clone()).collect();
    let only = Name::all(&texts)?;
    let is_state = |piece: &Piece| matches!(piece, Piece::Tracked(_) | Piece::Pinching(_));
    if let Some(name) = only.iter().find(|name| name.pieces.iter().all(is_state)) {
        let message = format!("{} is on or off: there is nothing to smooth", name.text);
        return Err(Refusal::usage(
            message,
            "--only takes poses: left, left.Palm, camera",
        ));
    }
    let is_meant = |piece| only.is_empty() || only.iter().any(|name| name.pieces.contains(&piece));
    let with = Smoothing {
        min_cutoff: args.min_cutoff,
        beta: args.beta,
        rotation_beta: args.rotation_beta,
        derivative_cutoff: args.derivative_cutoff,
    };
    args.io.change(limits, |recording| {
        names::warn_of_unrecorded(recording, &args.io.input, only.iter());
        let before = recording.clone();
        edit::smooth(recording, &with, is_meant)?;
        tell(&before, recording);
        Ok(Outcome::Done)
    })
}

/// Says how far the poses were moved.
fn tell(before: &Recording<'_>, after: &Recording<'_>) {
    match diff::compare(before, after, &Options::default()) {
        Ok(found) if found.verdict == Verdict::Equal => eprintln!("nothing was changed"),
        Ok(found) => {
            eprintln!("how far poses were moved:");
            for line in deviation_table(&found) {
                eprintln!("{line}");
            }
        }
        Err(error) => warn(format_args!(
            "how far poses were moved cannot be told: {}",
            error.source
        )),
    }
}
