//! `inputanim select`

use clap::ArgGroup;
use inputanim::edit::{EditReport, Select};
use inputanim::{CurvePath, Limits};

use crate::arguments::names::{MarkerArgs, NAMES, NameArgs, warn_of_unmatched, warn_of_unrecorded};
use crate::files::in_out::{Change, InOut, checked};
use crate::messages::diagnostics::{warn, warn_of_kept_damage};
use crate::messages::outcome::Outcome;

/// Select streams, joints and markers of a recording, and remove the others
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("selection").required(true).multiple(true)
    .args(["joints", "exclude", "keep_markers", "drop_markers", "no_markers"]))]
#[command(after_help = format!("\
Without --joints, everything is selected except the names in --exclude. The tracking and pinch states of a \
hand stay with its joints; --exclude left.pinching removes the pinches of the left hand. The length of the \
recording does not change.

{NAMES}

Examples:
  inputanim select take.bin --joints left -o left-hand.bin
  inputanim select take.bin --exclude gaze,head -o hands.bin
  inputanim select take.bin --joints '*Tip,Palm' --no-markers -o tips.bin
  inputanim select game.bin --drop-markers FPS -o quiet.bin"))]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    names: NameArgs,
    #[command(flatten)]
    markers: MarkerArgs,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let (joints, exclude) = args.names.texts();
    let mut select = Select::default();
    (select.joints, select.exclude) = (joints, exclude);
    (select.markers, select.exclude_markers) = args.markers.patterns();
    let edit = checked(select)?;
    let choice = args.names.choice()?;
    args.io.change(limits, "selected", args, |recording, job| {
        let file = job.input.display().to_string();
        warn_of_unrecorded(&choice, recording, &file)?;
        warn_of_kept_damage(recording, &job.input, |path| choice.keeps(path.into()));
        if let EditReport::UnmatchedMarkers(names) = edit.apply(recording, limits)? {
            warn_of_unmatched(names.iter().map(String::as_str), &file);
        }
        let is_state = |path| matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
        if !recording
            .curves()
            .any(|(path, curve)| !curve.is_empty() && !is_state(path))
        {
            warn(format_args!("{file}: no poses remain"));
        }
        Ok(Change::default())
    })
}
