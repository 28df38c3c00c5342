//! Rebuilds the w of rotations that was not saved (D1, D2).

use crate::doctor::{Code, damaged_w};
use crate::joint::{Joint, Joints, Side};
use crate::path::{CurvePath, PoseChannel};
use crate::recording::{HandCurves, Recording};

use super::hand::Hand;
use super::lost_rotation::LostRotation;
use super::report::CurveRepair;
use super::{hand, head};

/// Rebuilds the keys of every w curve that was lost (D1, D2). Appends what was changed to `repaired`.
pub(super) fn repair(recording: &mut Recording<'_>, repaired: &mut Vec<CurveRepair>) {
    let damaged = damaged_w(recording);
    let code_of = |path: CurvePath| {
        let found = damaged.iter().find(|(other, _)| *other == path);
        found.map(|(_, code)| *code)
    };
    let path = CurvePath::Head(PoseChannel::RotationW);
    if let Some(code) = code_of(path)
        && let Some(lost_rotation) = recording
            .head
            .as_ref()
            .map(|pose| LostRotation::new(&pose.rotation))
        && let Ok(choices) = head::choose(recording, &lost_rotation)
        && let Some(pose) = &mut recording.head
    {
        repaired.push(lost_rotation.restore(path, code, &mut pose.rotation, &choices));
    }
    let Some(hands) = &mut recording.hands else {
        return;
    };
    let path = |side, joint| CurvePath::Joint(side, joint, PoseChannel::RotationW);
    let lost_rotations =
        |side: Side, hand: &HandCurves<'_>| -> Joints<Option<(Code, LostRotation)>> {
            Joints::from_fn(|joint: Joint| {
                let code = code_of(path(side, joint))?;
                Some((code, LostRotation::new(&hand.joints[joint].rotation)))
            })
        };
    let lost_rotation = Side::BOTH.map(|side| (side, lost_rotations(side, hands.hand(side))));
    let damaged_hands = lost_rotation.iter().map(|(side, lost_rotation)| Hand {
        side: *side,
        curves: &hands.hand(*side).joints,
        lost: Joints::from_fn(|joint| {
            lost_rotation[joint]
                .as_ref()
                .map(|(_, lost_rotation)| lost_rotation)
        }),
    });
    let damaged_hands: Vec<Hand<'_>> = damaged_hands
        .filter(|hand| hand.lost.iter().any(|(_, lost)| lost.is_some()))
        .collect();
    // The only error is a key with a NaN time, and such keys were removed.
    let Ok(chosen) = hand::choose(&damaged_hands) else {
        return;
    };
    let sides: Vec<Side> = damaged_hands.iter().map(|hand| hand.side).collect();
    for (side, chosen) in sides.into_iter().zip(chosen) {
        let (_, lost_rotation) = &lost_rotation[side as usize];
        for (joint, choices) in chosen.iter() {
            if let (Some((code, lost_rotation)), Some(choices)) = (&lost_rotation[joint], choices) {
                let rotation = &mut hands.hand_mut(side).joints[joint].rotation;
                repaired.push(lost_rotation.restore(path(side, joint), *code, rotation, choices));
            }
        }
    }
}
