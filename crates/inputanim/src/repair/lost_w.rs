//! Rotations whose w was not saved (D1, D2).

use crate::doctor::damaged_w;
use crate::joint::{Joint, Joints, Side};
use crate::path::{CurvePath, PoseChannel};
use crate::recording::Recording;

use super::halved::Halved;
use super::{Mended, camera, hand};

/// Rebuilds every w that was lost.
pub(super) fn mend(recording: &mut Recording<'_>, mended: &mut Vec<Mended>) {
    let damaged = damaged_w(recording);
    let code_of = |path: CurvePath| {
        let found = damaged.iter().find(|(other, _)| *other == path);
        found.map(|(_, code)| *code)
    };
    let path = CurvePath::Camera(PoseChannel::RotationW);
    if let Some(code) = code_of(path)
        && let Some(halved) = recording
            .camera
            .as_ref()
            .map(|pose| Halved::new(&pose.rotation))
        && let Ok(choices) = camera::choose(recording, &halved)
        && let Some(pose) = &mut recording.camera
    {
        mended.push(halved.restore(path, code, &mut pose.rotation, &choices));
    }
    let Some(hands) = &mut recording.hands else {
        return;
    };
    for side in Side::BOTH {
        let path = |joint| CurvePath::Joint(side, joint, PoseChannel::RotationW);
        let joints = &mut hands.hand_mut(side).joints;
        let halved = Joints::from_fn(|joint: Joint| {
            code_of(path(joint)).map(|code| (code, Halved::new(&joints[joint].rotation)))
        });
        if halved.iter().all(|(_, halved)| halved.is_none()) {
            continue;
        }
        let lost = Joints::from_fn(|joint| halved[joint].as_ref().map(|(_, halved)| halved));
        // Keys without a time, which alone would be refused, are gone by now.
        let Ok(chosen) = hand::choose(side, joints, &lost) else {
            continue;
        };
        for (joint, choices) in chosen.iter() {
            if let (Some((code, halved)), Some(choices)) = (&halved[joint], choices) {
                let rotation = &mut joints[joint].rotation;
                mended.push(halved.restore(path(joint), *code, rotation, choices));
            }
        }
    }
}
