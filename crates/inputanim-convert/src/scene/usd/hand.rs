//! A hand: its visibility, skeleton and mesh.

use inputanim::{Joint, Joints, Side};

use super::mesh::mesh;
use super::sampled_recording::{Changes, ROOT_PRIM, SampledRecording, known};
use super::skeleton::Skeleton;
use super::stage::{Prim, Value};
use crate::shared::report::counted;
use crate::shared::rigid::Rigid;
use crate::shared::{LossKind, Report};

pub(super) fn hand(
    recording: &SampledRecording<'_>,
    side: Side,
    report: &mut Report,
) -> Option<Prim> {
    let seen = Seen::of(recording, side);
    if let Some(joint) = seen.first_unknown {
        let message = format!(
            "{side} hand: unknown joints such as {joint} in {}, last pose held",
            counted(seen.unknown_frames, "frame")
        );
        report.lose(LossKind::Joints, seen.unknown_frames, message);
    }
    // A hand that never appears needs no prim.
    if !(seen.tracked.is_ever_on() || seen.pinching.is_ever_on()) {
        return None;
    }
    let root = Prim::new("SkelRoot", side.name())
        .attribute(seen.tracked.visibility())
        .attribute(seen.tracked.attribute("inputanim:tracked"));
    let root = match recording.sampler.lacks_pinches(side) {
        true => root,
        false => root.attribute(seen.pinching.attribute("inputanim:pinching")),
    };
    let skeleton = Skeleton::at(&seen.rest);
    if skeleton.is_empty() {
        return Some(root);
    }
    // Many programs require unique names.
    let name = |part: &str| format!("{side}_{part}");
    let path = |part: &str| format!("/{ROOT_PRIM}/{side}/{}", name(part));
    let bind = |prim: Prim| prim.field(API_SCHEMAS, Value::Prepended(&["SkelBindingAPI"]));
    let motion = skeleton.motion(name("motion"), recording, side, seen.shown);
    let prim =
        bind(skeleton.prim(name("skeleton"))).relationship("skel:animationSource", path("motion"));
    let mesh = bind(mesh(name("mesh"), &skeleton.places()))
        .relationship("skel:skeleton", path("skeleton"));
    Some(root.child(motion).child(prim).child(mesh))
}

const API_SCHEMAS: &str = "apiSchemas";

/// The frames of a hand.
#[derive(Default)]
struct Seen {
    tracked: Changes,
    pinching: Changes,
    /// The times of the frames in which the hand is tracked, and of the frames at which it is lost, in seconds.
    shown: Vec<f32>,
    /// The first known pose of each joint.
    rest: Joints<Option<Rigid>>,
    /// The number of tracked frames in which a recorded joint is unknown.
    unknown_frames: usize,
    first_unknown: Option<Joint>,
}

impl Seen {
    fn of(recording: &SampledRecording<'_>, side: Side) -> Seen {
        let mut seen = Seen::default();
        let recorded = recording.sampler.recorded_joints(side);
        for frame in recording.frames() {
            let hand = frame.hand(side);
            let code = recording.code(frame.time);
            // The frame at which the hand is lost has a sample too: before it, USD interpolates towards it.
            if hand.tracked || seen.tracked.last() == Some(true) {
                seen.shown.push(frame.time);
            }
            seen.tracked.push(code, hand.tracked);
            seen.pinching.push(code, hand.pinching);
            if !hand.tracked {
                continue;
            }
            let mut unknown = None;
            for &joint in Joint::OPENXR.iter().filter(|&&joint| recorded[joint]) {
                let pose = hand.joints[joint].and_then(known);
                if pose.is_none() {
                    unknown = unknown.or(Some(joint));
                }
                seen.rest[joint] = seen.rest[joint].or(pose);
            }
            seen.unknown_frames += usize::from(unknown.is_some());
            seen.first_unknown = seen.first_unknown.or(unknown);
        }
        seen
    }
}
