//! Bones whose length jumps (L21): a joint that moves away from its parent between two keys.

use super::code::Code;
use super::finding::{Finding, FindingBuilder};
use super::points::ForwardEvaluator;
use crate::curve::{Curve, FloatCurve, Keys};
use crate::joint::Joint;
use crate::key::{FullKey, SimpleKey};
use crate::path::CurvePath;
use crate::recording::HandJointCurves;
use crate::time_range::TimeRange;
use crate::time_union::TimeUnion;

/// The smallest change of length between two keys that counts as a jump, in metres. In recordings
/// of a device, the length of a bone changes by up to 6.5 mm from one key to the next. The
/// simulated hands of Unity's editor move from gesture to gesture; their bones change by about
/// 13 mm at 30 frames a second.
const JUMP: f64 = 0.015;

/// The longest time between two keys that are compared, in seconds. Between keys further apart, a
/// jump cannot be distinguished from a slow change.
const MAX_INTERVAL: f32 = 0.1;

/// The findings in bones.
#[derive(Default)]
pub(super) struct BoneFindings {
    jumps: FindingBuilder,
    /// The greatest jump, in metres.
    greatest: f64,
}

impl BoneFindings {
    /// Adds the jumps in the length of the bone from a joint to its parent, within the time ranges in which the hand is
    /// `tracked`. `paths` are the curves of the joint's position. `is_orderly` is `true` if the keys of its x curve are
    /// in order and finite.
    pub(super) fn add(
        &mut self,
        joint: Joint,
        joints: &HandJointCurves<'_>,
        is_orderly: bool,
        paths: [CurvePath; 3],
        tracked: &[TimeRange],
    ) {
        let Some(parent) = joint.parent() else { return };
        let ends = [joint, parent].map(|end| &joints[end].position);
        let is_empty = |curve: &FloatCurve<'_>| curve.keys.is_empty();
        let is_empty = ends.into_iter().flatten().any(is_empty);
        // A joint without keys was not recorded, so the bone has no length.
        if is_empty || (is_orderly && is_steady(ends)) {
            return;
        }
        each_jump(ends, tracked, |time, change| {
            self.jumps.add_to(&paths, time);
            self.greatest = self.greatest.max(change);
        });
    }

    /// Appends the jumps of bones that come later in the file.
    pub(super) fn append(&mut self, later: BoneFindings) {
        self.jumps.append(later.jumps);
        self.greatest = self.greatest.max(later.greatest);
    }

    /// Returns the finding of all jumps; `None` without jumps.
    pub(super) fn finish(self) -> Option<Finding> {
        let mut finding = self.jumps.finish(Code::BoneJump, ["jump", "jumps"])?;
        let millimetres = format!(", the greatest by {:.0} mm", self.greatest * 1000.0);
        finding.detail.push_str(&millimetres);
        Some(finding)
    }
}

/// Returns `true` if a bone certainly never jumps. This is so if its six curves have the same key times and linear
/// segments, and if its length changes by less than [`JUMP`] from each key to the next. The keys of the first curve
/// must be finite and in order of time.
///
/// Nearly all bones with a key in every frame pass this test, which is much faster than
/// [`each_jump`].
fn is_steady([joint, parent]: [&[FloatCurve<'_>; 3]; 2]) -> bool {
    let [x, y, z] = joint.each_ref().map(|curve| &curve.keys);
    let [px, py, pz] = parent.each_ref().map(|curve| &curve.keys);
    let keys = [x, y, z, px, py, pz];
    // Slices of one type of key let the compiler vectorise the loops. If the curves have different
    // forms of keys, a slice is empty and the counts differ.
    let simple = keys.map(|keys| match keys {
        Keys::Simple(keys) => &keys[..],
        Keys::Full(_) => &[],
    });
    let full = keys.map(|keys| match keys {
        Keys::Full(keys) => &keys[..],
        Keys::Simple(_) => &[],
    });
    if !simple[0].is_empty() {
        is_steady_by(simple, SimpleKey::time, SimpleKey::value)
    } else {
        let is_linear = |keys: &[FullKey]| keys.iter().all(FullKey::is_linear);
        is_steady_by(full, FullKey::time, FullKey::value) && full.iter().all(|keys| is_linear(keys))
    }
}

fn is_steady_by<K>(keys: [&[K]; 6], time: impl Fn(&K) -> f32, value: impl Fn(&K) -> f32) -> bool {
    /// The number of keys whose lengths are computed before they are compared. The compiler
    /// vectorises the two separate loops.
    const BLOCK: usize = 128;
    let count = keys[0].len();
    if keys.iter().any(|keys| keys.len() != count) {
        return false;
    }
    // The last length of the previous block is kept, so that a jump across the boundary is found
    // too.
    let mut last_length = None;
    let mut squares = [0.0_f64; BLOCK];
    let mut lengths = [0.0_f64; BLOCK + 1];
    for start in (0..count).step_by(BLOCK) {
        let end = count.min(start + BLOCK);
        let [x, y, z, px, py, pz] = keys.map(|keys| &keys[start..end]);
        let squares = &mut squares[..x.len()];
        squares.fill(0.0);
        let mut differ = 0;
        for (joint, parent) in [(x, px), (y, py), (z, pz)] {
            for (((square, a), b), x) in squares.iter_mut().zip(joint).zip(parent).zip(x) {
                let along = f64::from(value(a)) - f64::from(value(b));
                *square += along * along;
                let bits = time(x).to_bits();
                differ |= (time(a).to_bits() ^ bits) | (time(b).to_bits() ^ bits);
            }
        }
        for (length, square) in lengths[1..].iter_mut().zip(&*squares) {
            *length = square.sqrt();
        }
        // The first key of the curve has no key before it. With its own length, the difference is
        // 0.
        lengths[0] = last_length.unwrap_or(lengths[1]);
        let mut jumps = 0;
        for pair in lengths[..=x.len()].windows(2) {
            // Written so that NaN, which compares as false, counts as a jump.
            jumps |= u32::from((pair[1] - pair[0]).abs() < JUMP) ^ 1;
        }
        if differ | jumps != 0 {
            return false;
        }
        last_length = Some(lengths[x.len()]);
    }
    true
}

/// Calls `visit` for every jump of a bone's length within the `tracked` time ranges, with its time in seconds and its
/// size in metres. `ends` are the positions of the joint and its parent.
fn each_jump(
    ends: [&[FloatCurve<'_>; 3]; 2],
    tracked: &[TimeRange],
    mut visit: impl FnMut(f32, f64),
) {
    let times = TimeUnion::of(ends.into_iter().flatten().map(Curve::Float));
    let mut times = times.into_iter().peekable();
    let mut coordinates = ends.map(|curves| curves.each_ref().map(ForwardEvaluator::of));
    for &range in tracked {
        // The comparison restarts for each tracked range. A change of the bone's length across a tracking gap is not a
        // jump.
        let mut before: Option<(f32, f64)> = None;
        while let Some(time) = times.next_if(|&time| time <= range.end) {
            if time < range.start {
                continue;
            }
            let Some(length) = length_at(&mut coordinates, time, range) else {
                continue;
            };
            if let Some((earlier, other)) = before {
                let change = (length - other).abs();
                if change >= JUMP && time - earlier <= MAX_INTERVAL {
                    visit(time, change);
                }
            }
            before = Some((time, length));
        }
    }
}

/// Returns the distance in metres between a joint and its parent at a time within the tracked time range `range`.
/// `None` if a coordinate is [not known](ForwardEvaluator::at).
fn length_at(
    [joint, parent]: &mut [[ForwardEvaluator<'_>; 3]; 2],
    time: f32,
    range: TimeRange,
) -> Option<f64> {
    let mut squares = 0.0;
    for (a, b) in joint.iter_mut().zip(parent) {
        let along = a.at(time, range)? - b.at(time, range)?;
        squares += along * along;
    }
    Some(squares.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::doctor;
    use crate::frame::Pose;
    use crate::layout::Layout;
    use crate::recording::Recording;

    /// Returns a recording of a moving tip and its parent at 60 Hz. The tip is displaced by
    /// `displacement` metres at one key.
    fn recording(displacement: f32) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let left = &mut recording.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (1.5, true)]);
        for step in (0..60).chain(90..=120) {
            let time = step as f32 / 60.0;
            // The hand is found again elsewhere, which is not a jump of a bone.
            let x = if step < 60 { time } else { time + 3.0 };
            let aside = if step == 30 { displacement } else { 0.0 };
            let joints = &mut left.joints;
            joints[Joint::IndexDistalJoint].push(time, &Pose::at([x, 1.0, 0.0]));
            joints[Joint::IndexTip].push(time, &Pose::at([x, 1.02, aside]));
        }
        recording
    }

    fn found(recording: &Recording<'_>) -> Option<Finding> {
        let mut findings = doctor::findings(recording).into_iter();
        findings.find(|finding| finding.code == Code::BoneJump)
    }

    #[test]
    fn a_moving_hand_keeps_the_length_of_its_bones() {
        assert_eq!(found(&recording(0.0)), None);
        assert_eq!(found(&recording(0.01)), None);
    }

    #[test]
    fn a_joint_displaced_at_one_key_has_two_jumps() {
        let finding = found(&recording(0.04)).unwrap();
        assert_eq!(finding.count, 2);
        assert_eq!(finding.curves[0].to_string(), "left.IndexTip.position.x");
        assert_eq!(
            finding.detail,
            "2 jumps, in left.IndexTip.position, from 0.500 s to 0.517 s, the greatest by 25 mm"
        );
    }

    /// Tests a joint with tangents whose keys are at other times than the keys of its parent.
    #[test]
    fn bones_are_measured_along_tangents() {
        let mut recording = Recording::new(Layout::Mrtk1_0);
        let left = &mut recording.hands_mut().left;
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
        assert_eq!(found(&recording), None);
    }

    #[test]
    fn jumps_of_an_untracked_hand_do_not_count() {
        let mut recording = recording(0.04);
        recording.hands_mut().left.tracked = BooleanCurve::new([(0.0, false), (1.5, true)]);
        assert_eq!(found(&recording), None);
    }
}
