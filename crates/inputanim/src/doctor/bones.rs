//! Bones that change their length at once (L21): a joint that jumps away from its parent.

use super::code::Code;
use super::finding::{Finding, Tally};
use super::line::Line;
use crate::curve::{Curve, FloatCurve};
use crate::joint::{Joint, Side};
use crate::path::{CurvePath, PoseChannel};
use crate::recording::{HandJointCurves, Recording};
use crate::span::Span;
use crate::summary::{Summary, Union};

/// In metres. In recordings of a device bones change by up to 6.5 mm from one key to the next; those
/// of hands simulated in Unity's editor, which glide from gesture to gesture, by about 13 mm at 30
/// frames a second.
const JUMP: f64 = 0.015;

/// Keys further apart in time tell no jump from a slow change. In seconds.
const AT_ONCE: f32 = 0.1;

pub(super) fn examine(recording: &Recording<'_>, summary: &Summary) -> Option<Finding> {
    let hands = recording.hands.as_ref()?;
    let mut jumps = Tally::default();
    let mut greatest = 0.0_f64;
    for side in Side::BOTH {
        let tracked = &summary.hand(side).tracked;
        for joint in Joint::ALL {
            let Some(bone) = Bone::of(&hands.hand(side).joints, joint) else {
                continue;
            };
            let paths = [
                PoseChannel::PositionX,
                PoseChannel::PositionY,
                PoseChannel::PositionZ,
            ]
            .map(|channel| CurvePath::Joint(side, joint, channel));
            bone.each_jump(tracked, |time, by| {
                jumps.add_to(&paths, time);
                greatest = greatest.max(by);
            });
        }
    }
    let mut finding = jumps.finish(Code::BoneJump, ["jump", "jumps"])?;
    let millimetres = format!(", the greatest by {:.0} mm", greatest * 1000.0);
    finding.detail.push_str(&millimetres);
    Some(finding)
}

/// A joint and the one it hangs on.
struct Bone<'r> {
    /// When either was sampled.
    times: Vec<f32>,
    /// x, y, z of both.
    ends: [[Line<'r>; 3]; 2],
}

impl<'r> Bone<'r> {
    /// `None` where there is nothing to measure.
    fn of(joints: &'r HandJointCurves<'_>, joint: Joint) -> Option<Bone<'r>> {
        let ends = [joint, joint.parent()?].map(|end| &joints[end].position);
        let mut union = Union::default();
        for curve in ends.into_iter().flatten() {
            union.add(&Curve::Float(curve));
        }
        let is_recorded = |curve: &FloatCurve<'_>| !curve.keys.is_empty();
        ends.into_iter().flatten().all(is_recorded).then(|| Bone {
            times: union.finish(),
            ends: ends.map(|curves| curves.each_ref().map(Line::of)),
        })
    }

    /// Tells when the length jumps while the hand is tracked, and by how many metres.
    fn each_jump(mut self, tracked: &[Span], mut tell: impl FnMut(f32, f64)) {
        let mut times = std::mem::take(&mut self.times).into_iter().peekable();
        for &span in tracked {
            let mut before: Option<(f32, f64)> = None;
            while let Some(time) = times.next_if(|&time| time <= span.end) {
                if time < span.start {
                    continue;
                }
                let Some(length) = self.length_at(time, span) else {
                    continue;
                };
                if let Some((earlier, other)) = before {
                    let by = (length - other).abs();
                    if by >= JUMP && time - earlier <= AT_ONCE {
                        tell(time, by);
                    }
                }
                before = Some((time, length));
            }
        }
    }

    fn length_at(&mut self, time: f32, span: Span) -> Option<f64> {
        let [joint, parent] = &mut self.ends;
        let mut squares = 0.0;
        for (a, b) in joint.iter_mut().zip(parent) {
            let along = a.at(time, span)? - b.at(time, span)?;
            squares += along * along;
        }
        Some(squares.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::frame::Pose;
    use crate::key::FullKey;
    use crate::layout::Layout;

    /// A tip and its parent at 60 Hz, moving; `glitch` lies the tip aside at one key.
    fn take(glitch: f32) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let left = &mut take.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (1.5, true)]);
        for step in (0..60).chain(90..=120) {
            let time = step as f32 / 60.0;
            // Found again elsewhere: that is no jump of a bone.
            let x = if step < 60 { time } else { time + 3.0 };
            let aside = if step == 30 { glitch } else { 0.0 };
            let joints = &mut left.joints;
            joints[Joint::IndexDistalJoint].push(time, &Pose::at([x, 1.0, 0.0]));
            joints[Joint::IndexTip].push(time, &Pose::at([x, 1.02, aside]));
        }
        take
    }

    fn found(take: &Recording<'_>) -> Option<Finding> {
        examine(take, &Summary::of(take))
    }

    #[test]
    fn a_hand_that_moves_keeps_its_bones() {
        assert_eq!(found(&take(0.0)), None);
        assert_eq!(found(&take(0.01)), None);
    }

    #[test]
    fn a_joint_that_lies_aside_for_one_key_jumps_there_and_back() {
        let finding = found(&take(0.04)).unwrap();
        assert_eq!(finding.count, 2);
        assert_eq!(finding.curves[0].to_string(), "left.IndexTip.position.x");
        assert_eq!(
            finding.detail,
            "2 jumps, in left.IndexTip.position, from 0.500 s to 0.517 s, the greatest by 25 mm"
        );
    }

    /// As fewer keys with tangents say it: the tip's keys lie between those of its parent.
    #[test]
    fn bones_are_measured_along_tangents() {
        let mut take = Recording::new(Layout::Mrtk1_0);
        let left = &mut take.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (2.0, true)]);
        let arc = |times: &[f32]| {
            let key = |&time: &f32| FullKey::hermite(time, time * time, 2.0 * time, 2.0 * time);
            FloatCurve::full(times.iter().map(key))
        };
        let joints = &mut left.joints;
        for time in [0.0, 2.0] {
            joints[Joint::IndexDistalJoint].push(time, &Pose::at([0.0, 1.0, 0.0]));
            joints[Joint::IndexTip].push(time, &Pose::at([0.0, 1.02, 0.0]));
        }
        joints[Joint::IndexDistalJoint].position[0] = arc(&[0.0, 0.95, 1.0, 2.0]);
        joints[Joint::IndexTip].position[0] = arc(&[0.0, 1.0, 2.0]);
        assert_eq!(found(&take), None);
    }

    #[test]
    fn what_is_not_seen_does_not_count() {
        let mut take = take(0.04);
        take.hands_mut().left.tracked = BooleanCurve::new([(0.0, false), (1.5, true)]);
        assert_eq!(found(&take), None);
    }
}
