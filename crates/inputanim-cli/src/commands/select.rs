//! `inputanim select`

use clap::ArgGroup;
use inputanim::edit;
use inputanim::{CurvePath, Element, Limits, Side};

use crate::diagnostics::{warn, warn_of_kept_damage};
use crate::in_out::{Change, InOut};
use crate::names::{Choice, NAMES, NameArgs};
use crate::outcome::{Outcome, Refusal};

/// Select streams and joints of a recording, and remove the others
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("selection").required(true).multiple(true)
    .args(["joints", "exclude", "no_markers"]))]
#[command(after_help = format!("\
Without --joints, everything is selected except the names in --exclude. The tracking and pinch states of a \
hand stay with its joints; --exclude left.pinching removes the pinches of the left hand. The length of the \
recording does not change.

{NAMES}

Examples:
  inputanim select take.bin --joints left -o left-hand.bin
  inputanim select take.bin --exclude gaze,camera -o hands.bin
  inputanim select take.bin --joints '*Tip,Palm' --no-markers -o tips.bin"))]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    names: NameArgs,
    /// Remove the markers
    #[arg(long)]
    no_markers: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let choice = args.names.choice()?;
    refuse_joints_without_tracking(&choice)?;
    args.io.change(limits, "selected", args, |recording, job| {
        let file = job.input.display().to_string();
        choice.warn_of_unrecorded(recording, &file);
        warn_of_kept_damage(recording, &job.input, |path| choice.keeps(path.into()));
        edit::select(recording, |element| choice.keeps(element));
        let is_state = |path| matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
        if !recording
            .curves()
            .any(|(path, curve)| !curve.is_empty() && !is_state(path))
        {
            warn(format_args!("{file}: no poses remain"));
        }
        if args.no_markers {
            recording.markers.clear();
        }
        Ok(Change::default())
    })
}

/// Refuses to remove only the tracking state of a hand, since joints are visible only while it is
/// tracked.
fn refuse_joints_without_tracking(choice: &Choice) -> anyhow::Result<()> {
    let is_tracking = |element: &Element| matches!(element, Element::Tracked(_));
    // A name that selects joints too, such as `left` or `*t*`, is not meant for the state.
    let mut names = choice.exclude.iter();
    let Some(name) = names.find(|name| name.elements.iter().all(is_tracking)) else {
        return Ok(());
    };
    let mut sides = name.elements.iter().filter_map(|element| element.side());
    let kept = sides.find(|&side| {
        Element::all().any(|element| element.side() == Some(side) && choice.keeps(element))
    });
    match kept {
        None => Ok(()),
        Some(side) => Err(Refusal::usage(
            format!(
                "cannot remove {side}.tracked: the other data of the {side} hand is valid only \
                 while it is on"
            ),
            match side {
                Side::Left => "--exclude left removes the complete hand",
                Side::Right => "--exclude right removes the complete hand",
            },
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(joints: &[&str], exclude: &[&str]) -> Vec<String> {
        let choice = Choice::new(joints, exclude).unwrap();
        let elements = Element::all().filter(|&element| choice.keeps(element));
        elements.map(|element| element.to_string()).collect()
    }

    #[test]
    fn a_joint_is_kept_with_the_states_of_its_hand() {
        let palm = ["left.tracked", "left.pinching", "left.Palm"];
        assert_eq!(kept(&["left.Palm"], &[]), palm);
        let no_pinches = kept(&["left.Palm"], &["left.pinching"]);
        assert_eq!(no_pinches, ["left.tracked", "left.Palm"]);
    }

    #[test]
    fn elements_that_are_not_kept_or_are_dropped_are_removed() {
        assert_eq!(kept(&["camera", "gaze"], &["gaze"]), ["camera"]);
        let hands = kept(&[], &["camera", "gaze"]).len();
        assert_eq!(hands, Element::all().count() - 2);
        assert_eq!(kept(&[], &["left", "right.*"]), ["camera", "gaze"]);
    }

    #[test]
    fn tracking_cannot_be_dropped_without_the_joints() {
        let refusal = |joints: &[&str], exclude: &[&str]| {
            let choice = Choice::new(joints, exclude).unwrap();
            refuse_joints_without_tracking(&choice).is_err()
        };
        for name in ["left.tracked", "left.tracke?", "*.tracked", "tracked"] {
            assert!(refusal(&[], &[name]), "{name}");
        }
        assert!(!refusal(&[], &["left.tracked", "left"]));
        assert!(!refusal(&["right"], &["left.tracked"]));
        assert!(!refusal(&[], &["*.t*"]));
    }
}
