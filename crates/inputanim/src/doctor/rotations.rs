//! Rotations: the lost w curve (D1, D2), opposite hemispheres (D4), lengths other than 1 (L16) and
//! of 0 (L18).

use super::code::Code;
use super::finding::{Finding, Tally};
use crate::curve::{FloatCurve, Keys};
use crate::joint::{Joint, Side};
use crate::key::{FullKey, SimpleKey};
use crate::layout::Layout;
use crate::path::{CurvePath, PoseChannel};
use crate::pose::PoseCurves;
use crate::recording::Recording;
use crate::span::Span;
use crate::summary::Summary;
use crate::vector::share_times;

/// A length this far from 1 is not rounding: 32-bit recorders stay within 1e-5, and the
/// toolkit's reduction keeps whole keys.
pub(crate) const LENGTH_TOLERANCE: f64 = 0.01;

pub(super) fn examine(
    recording: &Recording<'_>,
    summary: &Summary,
    damaged: &[(CurvePath, Code)],
) -> Vec<Finding> {
    let (mut lost, mut false_key) = <(Tally, Tally)>::default();
    let mut keys = KeyTallies::default();
    for (path, pose) in poses(recording) {
        match damage_of(path, damaged) {
            Some(Code::RotationWLost) => lost.add(path, f32::NAN),
            Some(_) => false_key.add(path, f32::NAN),
            None => keys.add(path, &pose.rotation, summary),
        }
    }
    [
        lost.finish(Code::RotationWLost, ["rotation", "rotations"]),
        false_key.finish(Code::RotationWFalse, ["rotation", "rotations"]),
        keys.flips
            .finish(Code::HemisphereFlip, ["pair of keys", "pairs of keys"]),
        keys.lengths.finish(Code::RotationNotUnit, ["key", "keys"]),
        keys.zeros.finish(Code::RotationZero, ["key", "keys"]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Every pose with the path of its w curve.
fn poses<'r, 'a>(
    recording: &'r Recording<'a>,
) -> impl Iterator<Item = (CurvePath, &'r PoseCurves<'a>)> {
    let w = PoseChannel::RotationW;
    let camera = recording
        .camera
        .iter()
        .map(move |pose| (CurvePath::Camera(w), pose));
    let joints = recording.hands.iter().flat_map(move |hands| {
        Side::BOTH.into_iter().flat_map(move |side| {
            let joints = hands.hand(side).joints.iter();
            joints.map(move |(joint, pose)| (CurvePath::Joint(side, joint, w), pose))
        })
    });
    camera.chain(joints)
}

/// The four curves of the rotation that a w curve belongs to.
fn components(w: CurvePath) -> [CurvePath; 4] {
    use PoseChannel::{RotationW, RotationX, RotationY, RotationZ};
    [RotationX, RotationY, RotationZ, RotationW].map(|channel| match w {
        CurvePath::Joint(side, joint, _) => CurvePath::Joint(side, joint, channel),
        _ => CurvePath::Camera(channel),
    })
}

/// The w curves that were lost in saving, and how: D1 or D2, by their signatures in
/// docs/format.md, section 6.
///
/// A rotation that does not change may rightly have one key in w. So there must be one in the
/// recording that plays wrong; then the others with the signature were saved in the same way.
pub(crate) fn damaged_w(recording: &Recording<'_>) -> Vec<(CurvePath, Code)> {
    if recording.layout != Layout::Mrtk1_1 {
        return Vec::new();
    }
    let mut damaged = Vec::new();
    let mut plays_wrong = false;
    for (path, pose) in poses(recording) {
        let [x, y, z, w] = &pose.rotation;
        if let Some(code) = w_damage(&pose.rotation) {
            damaged.push((path, code));
            plays_wrong |= (0..x.keys.len()).any(|index| {
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

/// A whole key is nearer to length 1 than this, so that a w that was not saved shows even where it
/// keeps near 0.
const SAVED_TOLERANCE: f64 = 1e-4;

/// What happened to the w curve at a path.
pub(super) fn damage_of(path: CurvePath, damaged: &[(CurvePath, Code)]) -> Option<Code> {
    let found = damaged.iter().find(|(other, _)| *other == path);
    found.map(|(_, code)| *code)
}

/// The signature in the four curves of one rotation.
fn w_damage(rotation: &[FloatCurve<'_>; 4]) -> Option<Code> {
    let [x, y, z, w] = rotation;
    let keys = x.keys.len();
    if keys < 2 || w.keys.len() > 2 || !share_times(&rotation[..3]) {
        return None;
    }
    match w.keys.len() {
        1 => Some(Code::RotationWLost),
        2 => {
            let bits = |point: Option<(f32, f32)>| point.map(|(t, v)| (t.to_bits(), v.to_bits()));
            let copies_z = bits(w.keys.point(1)) == bits(z.keys.point(keys - 1));
            // With two keys everywhere the counts say nothing: then the length must.
            let was_unit = || {
                let length = |index| {
                    let point = |curve: &FloatCurve<'_>| curve.keys.point(index);
                    length_of([x, y, z].map(point), point(w))
                };
                is_unit(length(0)) && !is_unit(length(1))
            };
            (copies_z && (keys > 2 || was_unit())).then_some(Code::RotationWFalse)
        }
        _ => None,
    }
}

/// The length of the quaternion of three points and one; NaN where one is missing.
fn length_of(xyz: [Option<(f32, f32)>; 3], w: Option<(f32, f32)>) -> f64 {
    let [x, y, z] = xyz;
    let squares = [x, y, z, w].map(|point| {
        let value = point.map_or(f64::NAN, |(_, value)| f64::from(value));
        value * value
    });
    squares.iter().sum::<f64>().sqrt()
}

/// Whether a pose is to be seen at a time: a joint only while its hand is tracked. Between, curves
/// run straight from rotation to rotation, and a key that a cut put there is shorter than 1.
pub(crate) fn is_shown(summary: &Summary, path: CurvePath, time: f32) -> bool {
    let CurvePath::Joint(side, ..) = path else {
        return true;
    };
    let instant = Span {
        start: time,
        end: time,
    };
    instant.is_in(&summary.hand(side).tracked)
}

fn is_unit(length: f64) -> bool {
    (length - 1.0).abs() <= LENGTH_TOLERANCE
}

/// Whether every key is a rotation on the side of the one before: nearly always, and seen in a
/// fraction of the time in which others are looked at.
fn is_healthy(rotation: &[FloatCurve<'_>; 4]) -> bool {
    fn are_healthy<K>(keys: [&[K]; 4], value: impl Fn(&K) -> f32) -> bool {
        // Squares of lengths that are within the tolerance.
        const SQUARES: f64 = 2.0 * LENGTH_TOLERANCE - LENGTH_TOLERANCE * LENGTH_TOLERANCE;
        let [x, y, z, w] = keys;
        let mut before: Option<[f64; 4]> = None;
        let keys = x.iter().zip(y).zip(z).zip(w);
        keys.fold(true, |healthy, (((x, y), z), w)| {
            let now = [x, y, z, w].map(|key| f64::from(value(key)));
            let dot = |other: [f64; 4]| -> f64 { now.iter().zip(other).map(|(a, b)| a * b).sum() };
            let is_unit = (dot(now) - 1.0).abs() < SQUARES;
            let is_near = dot(before.replace(now).unwrap_or(now)) >= 0.0;
            healthy & is_unit & is_near
        })
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

#[derive(Default)]
struct KeyTallies {
    flips: Tally,
    lengths: Tally,
    zeros: Tally,
}

impl KeyTallies {
    /// Looks at the keys of a rotation whose four curves share their times.
    fn add(&mut self, path: CurvePath, rotation: &[FloatCurve<'_>; 4], summary: &Summary) {
        if !share_times(rotation) || is_healthy(rotation) {
            return;
        }
        // The editor's hands give the entry None a position and no rotation.
        let may_be_zero = matches!(path, CurvePath::Joint(_, Joint::None, _));
        let mut before: Option<[f32; 4]> = None;
        for index in 0..rotation[0].keys.len() {
            let points = rotation
                .each_ref()
                .map(|curve| curve.keys.point(index).unwrap_or_default());
            let time = points[0].0;
            let now = points.map(|point| point.1);
            let dot = |other: [f32; 4]| -> f64 {
                let products = now
                    .iter()
                    .zip(other)
                    .map(|(&a, b)| f64::from(a) * f64::from(b));
                products.sum()
            };
            if before.is_some_and(|before| dot(before) < 0.0) {
                self.flips.add_to(&components(path), time);
            }
            if dot(now) == 0.0 {
                if !may_be_zero {
                    self.zeros.add_to(&components(path), time);
                }
            } else if !is_unit(dot(now).sqrt()) && is_shown(summary, path, time) {
                self.lengths.add_to(&components(path), time);
            }
            before = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::frame::Pose;

    fn turning(keys: usize) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        for index in 0..keys {
            let (sin, cos) = (index as f32 * 0.3).sin_cos();
            take.camera_mut().push(
                index as f32,
                &Pose {
                    position: [0.0; 3],
                    rotation: [0.0, sin, 0.0, cos],
                },
            );
        }
        take
    }

    fn codes(take: &Recording<'_>) -> Vec<Code> {
        let findings = examine(take, &Summary::of(take), &damaged_w(take));
        findings.iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_healthy_rotation_has_no_finding() {
        assert_eq!(codes(&turning(5)), []);
    }

    #[test]
    fn a_w_curve_with_one_key_is_lost() {
        let mut take = turning(5);
        take.camera_mut().rotation[3] = FloatCurve::linear([(0.0, 1.0)]);
        assert_eq!(codes(&take), [Code::RotationWLost]);
    }

    #[test]
    fn one_key_in_w_is_no_damage_where_the_rotation_does_not_change() {
        let mut take = turning(1);
        for time in [1.0, 2.0] {
            for curve in &mut take.camera_mut().rotation[..3] {
                curve.keys.push_linear(time, 0.0);
            }
        }
        assert_eq!(damaged_w(&take), []);
        // Nor is it this damage in a file that the faulty releases did not write.
        let mut take = turning(5);
        take.camera_mut().rotation[3] = FloatCurve::linear([(0.0, 1.0)]);
        take.layout = Layout::Documented1_1;
        assert_eq!(damaged_w(&take), []);
    }

    #[test]
    fn a_second_w_key_that_copies_z_is_false_even_with_two_keys_everywhere() {
        for keys in [2, 5] {
            let mut take = turning(keys);
            let last = (keys - 1) as f32;
            take.camera_mut().rotation[3] = FloatCurve::linear([(0.0, 1.0), (last, 0.0)]);
            assert_eq!(codes(&take), [Code::RotationWFalse], "{keys} keys");
        }
    }

    #[test]
    fn a_sign_change_between_neighbours_is_counted_once() {
        let mut take = turning(3);
        take.camera_mut().push(
            3.0,
            &Pose {
                position: [0.0; 3],
                rotation: [0.0, -0.9_f32.sin(), 0.0, -0.9_f32.cos()],
            },
        );
        let findings = examine(&take, &Summary::of(&take), &[]);
        assert_eq!(findings[0].code, Code::HemisphereFlip);
        assert_eq!(findings[0].count, 1);
        assert_eq!(findings[0].span.map(|span| span.start), Some(3.0));
    }

    #[test]
    fn a_rotation_of_zeros_is_no_rotation_but_of_the_entry_none() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let zero = Pose {
            position: [0.0; 3],
            rotation: [0.0, -0.0, 0.0, 0.0],
        };
        let left = &mut take.hands_mut().left;
        left.joints[Joint::None].push(0.0, &zero);
        assert_eq!(codes(&take), []);
        take.hands_mut().left.joints[Joint::Palm].push(0.0, &zero);
        assert_eq!(codes(&take), [Code::RotationZero]);
        let long = Pose {
            rotation: [0.0, 0.0, 0.0, 2.0],
            ..zero
        };
        take.hands_mut().left.joints[Joint::Wrist].push(0.0, &long);
        assert_eq!(codes(&take), [Code::RotationZero], "it is not to be seen");
        take.hands_mut().left.tracked = BooleanCurve::new([(0.0, true), (1.0, false)]);
        assert_eq!(codes(&take), [Code::RotationNotUnit, Code::RotationZero]);
    }
}
