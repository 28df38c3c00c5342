//! `inputanim select`

use inputanim::edit::{self, Piece};
use inputanim::{Limits, Side};

use crate::diagnostics::warn;
use crate::in_out::InOut;
use crate::names::{self, List, Name, NameKind, names};
use crate::outcome::{Outcome, Refusal};

/// Keep some of what is recorded and leave out the rest
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Names: camera, gaze, left or right for a hand, left.Palm or right.IndexTip for a joint, IndexTip for \
that of both hands, left.pinching; * and ? stand for other characters. `sample --help` lists the \
joints. Without --keep everything is kept that is not dropped.

Poses are kept or left out whole. Joints are kept together with when their hand is tracked and \
pinches; --drop left.pinching leaves the pinches out. Markers stay unless --no-markers says so.

Examples:
  inputanim select take.bin --keep left -o left-hand.bin
  inputanim select take.bin --drop gaze,camera -o hands.bin
  inputanim select take.bin --keep '*Tip,*.Palm' --no-markers -o tips.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    what: What,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct What {
    /// Keep only these
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    keep: Vec<List<String>>,
    /// Leave these out, also of those that are kept
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    drop: Vec<List<String>>,
    /// Leave the markers out
    #[arg(long)]
    no_markers: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let choice = Choice {
        keep: of(&args.what.keep)?,
        drop: of(&args.what.drop)?,
    };
    choice.refuse_joints_without_tracking()?;
    args.io.change(limits, |recording| {
        let names = choice.keep.iter().chain(&choice.drop);
        names::warn_of_unrecorded(recording, &args.io.input, names);
        edit::select(recording, |piece| choice.keeps(piece));
        if recording.curves().all(|(_, curve)| curve.is_empty()) {
            warn(format_args!("{}: nothing is left", args.io.input.display()));
        }
        if args.what.no_markers {
            recording.markers.clear();
        }
        Ok(Outcome::Done)
    })
}

fn of(lists: &[List<String>]) -> anyhow::Result<Vec<Name>> {
    let texts: Vec<String> = lists.iter().flat_map(|list| list.0.clone()).collect();
    Name::all(&texts)
}

/// What the names say.
struct Choice {
    keep: Vec<Name>,
    drop: Vec<Name>,
}

impl Choice {
    fn keeps(&self, piece: Piece) -> bool {
        let mut named = self.keep.iter().flat_map(|name| &name.pieces);
        let is_kept = self.keep.is_empty()
            || match piece {
                // States go with whatever is kept of their hand.
                Piece::Tracked(side) | Piece::Pinching(side) => {
                    named.any(|other| other.side() == Some(side))
                }
                _ => named.any(|&other| other == piece),
            };
        is_kept && !self.drop.iter().any(|name| name.pieces.contains(&piece))
    }

    /// Joints are shown only while their hand is tracked, so that alone cannot go.
    fn refuse_joints_without_tracking(&self) -> anyhow::Result<()> {
        for name in self.drop.iter().filter(|name| name.kind == NameKind::Plain) {
            let &[Piece::Tracked(side)] = name.pieces.as_slice() else {
                continue;
            };
            let rest_is_kept =
                Piece::all().any(|piece| piece.side() == Some(side) && self.keeps(piece));
            if rest_is_kept {
                let message = format!(
                    "{side}.tracked stays as long as anything of the {side} hand does, \
                     which is shown only while it is on"
                );
                let hint = match side {
                    Side::Left => "--drop left leaves out the whole hand",
                    Side::Right => "--drop right leaves out the whole hand",
                };
                return Err(Refusal::usage(message, hint));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(keep: &[&str], drop: &[&str]) -> Choice {
        let all = |texts: &[&str]| texts.iter().map(|text| Name::new(text).unwrap()).collect();
        Choice {
            keep: all(keep),
            drop: all(drop),
        }
    }

    fn kept(keep: &[&str], drop: &[&str]) -> Vec<String> {
        let choice = choice(keep, drop);
        let pieces = Piece::all().filter(|&piece| choice.keeps(piece));
        pieces.map(|piece| piece.to_string()).collect()
    }

    #[test]
    fn a_joint_is_kept_with_the_states_of_its_hand() {
        let palm = ["left.tracked", "left.pinching", "left.Palm"];
        assert_eq!(kept(&["left.Palm"], &[]), palm);
        let no_pinches = kept(&["left.Palm"], &["left.pinching"]);
        assert_eq!(no_pinches, ["left.tracked", "left.Palm"]);
    }

    #[test]
    fn what_is_not_kept_by_name_and_what_is_dropped_goes() {
        assert_eq!(kept(&["camera", "gaze"], &["gaze"]), ["camera"]);
        let hands = kept(&[], &["camera", "gaze"]).len();
        assert_eq!(hands, Piece::all().count() - 2);
        assert_eq!(kept(&[], &["left", "right.*"]), ["camera", "gaze"]);
    }

    #[test]
    fn that_a_hand_is_tracked_does_not_go_before_its_joints() {
        let refusal = |keep: &[&str], drop: &[&str]| {
            let choice = choice(keep, drop);
            choice.refuse_joints_without_tracking().is_err()
        };
        assert!(refusal(&[], &["left.tracked"]));
        assert!(!refusal(&[], &["left.tracked", "left"]));
        assert!(!refusal(&["right"], &["left.tracked"]));
    }
}
