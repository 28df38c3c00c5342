//! A hand: when it is seen, and its skeleton and mesh.

use inputanim::{Joint, Joints, Side};

use super::Loss;
use super::mesh::mesh;
use super::skeleton::Skeleton;
use super::stage::{Prim, Value};
use super::take::{Changes, TAKE, Take, known};
use crate::rigid::Rigid;

pub(super) fn hand(take: &Take<'_>, side: Side, losses: &mut Vec<Loss>) -> Option<Prim> {
    let seen = Seen::of(take, side);
    if let Some(joint) = seen.first_unknown {
        losses.push(Loss::Hand {
            side,
            frames: seen.unknown_frames,
            joint,
        });
    }
    if !(seen.tracked.is_ever_on() || seen.pinching.is_ever_on()) {
        return None;
    }
    let root = Prim::new("SkelRoot", side.name())
        .attribute(seen.tracked.visibility())
        .attribute(seen.tracked.attribute("inputanim:tracked"))
        .attribute(seen.pinching.attribute("inputanim:pinching"));
    let skeleton = Skeleton::at(&seen.rest);
    if skeleton.is_empty() {
        return Some(root);
    }
    // Most programs ask for names that are unique.
    let name = |part: &str| format!("{side}_{part}");
    let path = |part: &str| format!("/{TAKE}/{side}/{}", name(part));
    let bind = |prim: Prim| prim.field(API_SCHEMAS, Value::Prepended(&["SkelBindingAPI"]));
    let motion = skeleton.motion(name("motion"), take, side, seen.shown);
    let prim =
        bind(skeleton.prim(name("skeleton"))).relationship("skel:animationSource", path("motion"));
    let mesh = bind(mesh(name("mesh"), &skeleton.places()))
        .relationship("skel:skeleton", path("skeleton"));
    Some(root.child(motion).child(prim).child(mesh))
}

const API_SCHEMAS: &str = "apiSchemas";

/// What there is of a hand.
#[derive(Default)]
struct Seen {
    tracked: Changes,
    pinching: Changes,
    /// The times, in seconds, while it is tracked, and those at which it is lost.
    shown: Vec<f32>,
    /// Where each joint is first known.
    rest: Joints<Option<Rigid>>,
    /// Frames in which a joint is not known that is recorded.
    unknown_frames: usize,
    first_unknown: Option<Joint>,
}

impl Seen {
    fn of(take: &Take<'_>, side: Side) -> Seen {
        let mut seen = Seen::default();
        let recorded = take.sampler.recorded_joints(side);
        for frame in take.frames() {
            let hand = frame.hand(side);
            let code = take.code(frame.time);
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
