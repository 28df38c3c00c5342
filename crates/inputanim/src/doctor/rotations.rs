//! Findings in rotations: the lost w curve (D1, D2), sign flips (D4), lengths other than 1 (L16)
//! and 0 (L18).

use super::code::Code;
use super::finding::{Finding, FindingBuilder};
use super::pose::{PosePath, poses};
use crate::curve::{FloatCurve, Keys};
use crate::info::Info;
use crate::joint::Joint;
use crate::key::{FullKey, SimpleKey};
use crate::layout::Layout;
use crate::path::{CurvePath, PoseChannel};
use crate::recording::Recording;
use crate::time_range::TimeRange;
use crate::vector::share_times;

/// The greatest difference of a length from 1 that counts as rounding. Recorders that compute in
/// single precision stay within 1e-5, and MRTK's key reduction drops only complete keys.
pub(crate) const LENGTH_TOLERANCE: f64 = 0.01;

/// The findings in rotations.
#[derive(Default)]
pub(super) struct RotationFindings {
    lost: FindingBuilder,
    copies_z: FindingBuilder,
    flips: FindingBuilder,
    lengths: FindingBuilder,
    zeros: FindingBuilder,
}

impl RotationFindings {
    /// Adds a rotation whose w was lost. `code` is the kind of damage, D1 or D2. Its first key was saved, and playback
    /// is wrong from there to the end of the recording.
    pub(super) fn add_lost(
        &mut self,
        path: PosePath,
        code: Code,
        rotation: &[FloatCurve<'_>; 4],
        info: &Info,
    ) {
        let first = rotation[0].keys.point(0).map_or(f32::NAN, |(time, _)| time);
        let range = TimeRange {
            start: first,
            end: info.time_range.map_or(first, |range| range.end),
        };
        let w = path.curve(PoseChannel::RotationW);
        if code == Code::RotationWLost {
            self.lost.add_range(&[w], range);
        } else {
            self.copies_z.add_range(&[w], range);
        }
    }

    /// Adds the findings in the keys of a rotation: sign flips, and lengths other than 1. A rotation whose curves have
    /// different key times is skipped.
    pub(super) fn add(&mut self, path: PosePath, rotation: &[FloatCurve<'_>; 4], info: &Info) {
        if !share_times(rotation) || is_healthy(rotation) {
            return;
        }
        let curves = path.rotation();
        // The simulated hands of Unity's editor store four zeros for the entry None.
        let may_be_zero = matches!(path, PosePath::Joint(_, Joint::None));
        let mut before: Option<(f32, [f32; 4])> = None;
        for index in 0..rotation[0].keys.len() {
            let points = rotation
                .each_ref()
                .map(|curve| curve.keys.point(index).unwrap_or_default());
            let time = points[0].0;
            let now = points.map(|point| point.1);
            // Products of single-precision numbers are exact in double precision.
            let dot = |other: [f32; 4]| -> f64 {
                let products = now
                    .iter()
                    .zip(other)
                    .map(|(&a, b)| f64::from(a) * f64::from(b));
                products.sum()
            };
            if let Some((start, before)) = before
                && dot(before) < 0.0
            {
                self.flips
                    .add_range(&curves, TimeRange { start, end: time });
            }
            if dot(now) == 0.0 {
                if !may_be_zero {
                    self.zeros.add_to(&curves, time);
                }
            } else if !is_unit(dot(now).sqrt()) && is_shown(info, curves[0], time) {
                self.lengths.add_to(&curves, time);
            }
            before = Some((time, now));
        }
    }

    /// Appends the findings in rotations that come later in the file.
    pub(super) fn append(&mut self, later: RotationFindings) {
        self.lost.append(later.lost);
        self.copies_z.append(later.copies_z);
        self.flips.append(later.flips);
        self.lengths.append(later.lengths);
        self.zeros.append(later.zeros);
    }

    /// Returns the findings: one for each code that occurred.
    pub(super) fn finish(self) -> impl Iterator<Item = Finding> {
        let rotations = ["rotation", "rotations"];
        let keys = ["key", "keys"];
        [
            self.lost.finish(Code::RotationWLost, rotations),
            self.copies_z.finish(Code::RotationWCopiesZ, rotations),
            self.flips
                .finish(Code::SignFlip, ["pair of keys", "pairs of keys"]),
            self.lengths.finish(Code::RotationNotUnit, keys),
            self.zeros.finish(Code::RotationZero, keys),
        ]
        .into_iter()
        .flatten()
    }
}

/// Returns the w curves that were lost when the recording was saved, each with D1 or D2. Their signatures are in
/// docs/format.md, section 6.
///
/// A rotation that does not change can correctly have one key in w. So the signature counts only if at least one
/// rotation of the recording plays back wrong. The other rotations with the signature were saved in the same way.
pub(crate) fn damaged_w(recording: &Recording<'_>) -> Vec<(CurvePath, Code)> {
    // Only MRTK 2.6.0 to 2.7.2 lose w, and they write this layout (docs/format.md, section 6).
    if recording.layout != Layout::Mrtk1_1 {
        return Vec::new();
    }
    let mut damaged = Vec::new();
    let mut plays_wrong = false;
    for (path, pose) in poses(recording) {
        let path = path.curve(PoseChannel::RotationW);
        let [x, y, z, w] = &pose.rotation;
        if let Some(code) = w_damage(&pose.rotation) {
            damaged.push((path, code));
            plays_wrong |= (0..x.keys.len()).any(|index| {
                // Playback holds the last key of w.
                let held = w.keys.point(index.min(w.keys.len() - 1));
                let xyz = [x, y, z].map(|curve| curve.keys.point(index));
                let off = (length_of(xyz, held) - 1.0).abs();
                off.is_nan() || off > SAVED_TOLERANCE
            });
        }
    }
    damaged.retain(|_| plays_wrong);
    damaged
}

/// The greatest difference of a complete key's length from 1. It is small, so that a lost w is
/// found even where its values are near 0.
const SAVED_TOLERANCE: f64 = 1e-4;

/// Returns the code, D1 or D2, that `damaged` has for the w curve at a path; `None` if this w was not lost.
pub(super) fn damage_of(path: CurvePath, damaged: &[(CurvePath, Code)]) -> Option<Code> {
    let found = damaged.iter().find(|(other, _)| *other == path);
    found.map(|(_, code)| *code)
}

/// Returns D1 or D2 if the keys of a rotation have the signature of this damage; `None` otherwise.
fn w_damage(rotation: &[FloatCurve<'_>; 4]) -> Option<Code> {
    let [x, y, z, w] = rotation;
    let keys = x.keys.len();
    // A lost w has one or two keys. With one key in x, y and z too, nothing is missing.
    if keys < 2 || w.keys.len() > 2 || !share_times(&rotation[..3]) {
        return None;
    }
    match w.keys.len() {
        1 => Some(Code::RotationWLost),
        2 => {
            let bits = |point: Option<(f32, f32)>| point.map(|(t, v)| (t.to_bits(), v.to_bits()));
            let copies_z = bits(w.keys.point(1)) == bits(z.keys.point(keys - 1));
            // If x, y and z have two keys too, the counts do not show the damage, but the length does.
            let was_unit = || {
                let length = |index| {
                    let point = |curve: &FloatCurve<'_>| curve.keys.point(index);
                    length_of([x, y, z].map(point), point(w))
                };
                is_unit(length(0)) && !is_unit(length(1))
            };
            (copies_z && (keys > 2 || was_unit())).then_some(Code::RotationWCopiesZ)
        }
        _ => None,
    }
}

/// Returns the length of a quaternion, whose components are given as points (time, value); NaN if a component is
/// missing.
fn length_of(xyz: [Option<(f32, f32)>; 3], w: Option<(f32, f32)>) -> f64 {
    let [x, y, z] = xyz;
    let squares = [x, y, z, w].map(|point| {
        let value = point.map_or(f64::NAN, |(_, value)| f64::from(value));
        value * value
    });
    squares.iter().sum::<f64>().sqrt()
}

/// Returns `true` if the pose of a curve is shown at a time in seconds. A joint is shown only while its hand is
/// tracked, and a pose of a device only while it is known and the device is active. Between such ranges, curves are interpolated
/// linearly, and a rotation key that a trim added there is shorter than 1.
pub(crate) fn is_shown(info: &Info, path: CurvePath, time: f32) -> bool {
    let shown = match path {
        CurvePath::Joint(side, ..) => &info.hand(side).tracked[..],
        CurvePath::DevicePose(device, pose, _) => info.shown(device, pose),
        _ => return true,
    };
    let instant = TimeRange {
        start: time,
        end: time,
    };
    instant.is_in(shown)
}

fn is_unit(length: f64) -> bool {
    (length - 1.0).abs() <= LENGTH_TOLERANCE
}

/// Returns `true` if every key is a unit quaternion in the hemisphere of the key before. Nearly all rotations pass, and
/// this test is much faster than a search for the findings.
fn is_healthy(rotation: &[FloatCurve<'_>; 4]) -> bool {
    fn are_healthy<K>([x, y, z, w]: [&[K]; 4], value: impl Fn(&K) -> f32) -> bool {
        /// Squared lengths between these bounds are within [`LENGTH_TOLERANCE`]. The bounds and the
        /// least dot product allow for the rounding of single precision.
        const SQUARED_LENGTHS: std::ops::Range<f32> = 0.981..1.019;
        const LEAST_DOT: f32 = 1e-5;
        let count = x.len();
        let (Some(x), Some(y), Some(z), Some(w)) = (
            x.get(..count),
            y.get(..count),
            z.get(..count),
            w.get(..count),
        ) else {
            return false;
        };
        // The components of a block fit into registers and the first-level cache. Inside a block there is no early
        // exit, so that the compiler vectorises both loops.
        const BLOCK: usize = 128;
        let mut parts = [[0.0_f32; BLOCK + 1]; 4];
        let mut start = 0;
        while start < count {
            let end = count.min(start + BLOCK);
            for (part, keys) in parts.iter_mut().zip([x, y, z, w]) {
                // The last key of the block before, or the first key twice.
                part[0] = value(&keys[start.saturating_sub(1)]);
                for (part, key) in part[1..].iter_mut().zip(&keys[start..end]) {
                    *part = value(key);
                }
            }
            let [x, y, z, w] = &parts;
            let mut odd = 0;
            for key in 1..=end - start {
                let dot =
                    |a: usize, b: usize| x[a] * x[b] + y[a] * y[b] + z[a] * z[b] + w[a] * w[b];
                let squares = dot(key, key);
                // A NaN compares as false, and so counts as odd.
                odd |= (u32::from(squares > SQUARED_LENGTHS.start)
                    & u32::from(squares < SQUARED_LENGTHS.end)
                    & u32::from(dot(key - 1, key) > LEAST_DOT))
                    ^ 1;
            }
            if odd != 0 {
                return false;
            }
            start = end;
        }
        true
    }
    let keys = rotation.each_ref().map(|curve| &curve.keys);
    match keys {
        [Keys::Full(x), Keys::Full(y), Keys::Full(z), Keys::Full(w)] => {
            are_healthy([x, y, z, w], FullKey::value)
        }
        [
            Keys::Simple(x),
            Keys::Simple(y),
            Keys::Simple(z),
            Keys::Simple(w),
        ] => are_healthy([x, y, z, w], SimpleKey::value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::doctor;
    use crate::frame::Pose;

    fn turning(keys: usize) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for index in 0..keys {
            let (sin, cos) = (index as f32 * 0.3).sin_cos();
            recording.head_mut().push(
                index as f32,
                &Pose {
                    position: [0.0; 3],
                    rotation: [0.0, sin, 0.0, cos],
                },
            );
        }
        recording
    }

    /// Returns the findings of this module.
    fn findings(recording: &Recording<'_>) -> Vec<Finding> {
        let mut findings = doctor::findings(recording);
        findings.retain(|finding| {
            use Code::{RotationNotUnit, RotationWCopiesZ, RotationWLost, RotationZero, SignFlip};
            let ours = [
                RotationNotUnit,
                RotationWCopiesZ,
                RotationWLost,
                RotationZero,
                SignFlip,
            ];
            ours.contains(&finding.code)
        });
        findings
    }

    fn codes(recording: &Recording<'_>) -> Vec<Code> {
        let codes = findings(recording).into_iter().map(|finding| finding.code);
        codes.collect()
    }

    #[test]
    fn a_healthy_rotation_has_no_finding() {
        assert_eq!(codes(&turning(5)), []);
    }

    #[test]
    fn a_w_curve_with_one_key_is_lost() {
        let mut recording = turning(5);
        recording.head_mut().rotation[3] = FloatCurve::linear([(0.0, 1.0)]);
        assert_eq!(codes(&recording), [Code::RotationWLost]);
    }

    #[test]
    fn one_key_in_w_is_intact_if_the_rotation_does_not_change() {
        let mut recording = turning(1);
        for time in [1.0, 2.0] {
            for curve in &mut recording.head_mut().rotation[..3] {
                curve.keys.push_linear(time, 0.0);
            }
        }
        assert_eq!(damaged_w(&recording), []);
        // A file that the faulty releases did not write does not have this damage either.
        let mut recording = turning(5);
        recording.head_mut().rotation[3] = FloatCurve::linear([(0.0, 1.0)]);
        recording.layout = Layout::Documented1_1;
        assert_eq!(damaged_w(&recording), []);
    }

    #[test]
    fn a_second_w_key_that_copies_z_is_false_even_with_two_keys_everywhere() {
        for keys in [2, 5] {
            let mut recording = turning(keys);
            let last = (keys - 1) as f32;
            recording.head_mut().rotation[3] = FloatCurve::linear([(0.0, 1.0), (last, 0.0)]);
            assert_eq!(codes(&recording), [Code::RotationWCopiesZ], "{keys} keys");
        }
    }

    #[test]
    fn a_sign_change_between_neighbours_is_counted_once() {
        let mut recording = turning(3);
        recording.head_mut().push(
            3.0,
            &Pose {
                position: [0.0; 3],
                rotation: [0.0, -0.9_f32.sin(), 0.0, -0.9_f32.cos()],
            },
        );
        let findings = findings(&recording);
        assert_eq!(findings[0].code, Code::SignFlip);
        assert_eq!(findings[0].count, 1);
        let range = TimeRange {
            start: 2.0,
            end: 3.0,
        };
        assert_eq!(findings[0].ranges, [range]);
    }

    #[test]
    fn a_rotation_of_zeros_is_found_except_in_the_entry_none() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let zero = Pose {
            position: [0.0; 3],
            rotation: [0.0, -0.0, 0.0, 0.0],
        };
        let left = &mut recording.hands_mut().left;
        left.joints[Joint::None].push(0.0, &zero);
        assert_eq!(codes(&recording), []);
        recording.hands_mut().left.joints[Joint::Palm].push(0.0, &zero);
        assert_eq!(codes(&recording), [Code::RotationZero]);
        let long = Pose {
            rotation: [0.0, 0.0, 0.0, 2.0],
            ..zero
        };
        recording.hands_mut().left.joints[Joint::Wrist].push(0.0, &long);
        assert_eq!(
            codes(&recording),
            [Code::RotationZero],
            "it is not to be seen"
        );
        recording.hands_mut().left.tracked = BooleanCurve::new([(0.0, true), (1.0, false)]);
        assert_eq!(
            codes(&recording),
            [Code::RotationNotUnit, Code::RotationZero]
        );
    }
}
