//! Changes that MRTK's recorder makes to a recording: reduction, and damage by faulty releases.

use glam::{DQuat, DVec3};
use inputanim::{FloatCurve, PoseCurves, Recording};

use super::score::angle;

/// The two forms in which faulty releases of MRTK lose w curves (docs/format.md, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WLoss {
    /// D1: only the first key of w is saved.
    OneKey,
    /// D2: the first key of w is saved, followed by a copy of z's last key.
    TwoKeys,
}

/// Removes keys from the w curve of every rotation with more than one key, as a faulty release of MRTK does. `loss`
/// selects the keys that remain.
pub fn lose_w(recording: &mut Recording<'_>, loss: WLoss) {
    for pose in poses_mut(recording) {
        let [.., z, w] = &mut pose.rotation;
        let (Some(first), Some(_)) = (w.keys.point(0), w.keys.point(1)) else {
            continue;
        };
        let last = z.keys.points().last();
        let copied = last.filter(|_| loss == WLoss::TwoKeys);
        *w = FloatCurve::linear([first].into_iter().chain(copied));
    }
}

/// The recorder's default thresholds for joints, in metres and radians (docs/format.md, section
/// 5.4).
const METRES: f64 = 0.001;
const RADIANS: f64 = 0.2 * std::f64::consts::PI / 180.0;

/// Removes keys of poses where linear interpolation between the other keys stays within the thresholds of MRTK's
/// recorder. Positions and rotations of a joint then have different key times.
///
/// Unlike MRTK's own reduction (D8), it keeps the thresholds.
pub(super) fn thin(recording: &mut Recording<'_>) {
    for pose in poses_mut(recording) {
        let [x, y, z] = pose.position.each_ref().map(values);
        let position = |key: usize| DVec3::new(x[key], y[key], z[key]);
        let times = times(&pose.position[0]);
        let kept = kept(times.len(), |from, to, between| {
            let fraction = fraction(&times, from, to, between);
            let interpolated = position(from).lerp(position(to), fraction);
            interpolated.distance(position(between)) <= METRES
        });
        keep(&mut pose.position, &kept);

        let [x, y, z, w] = pose.rotation.each_ref().map(values);
        let rotation = |key: usize| DQuat::from_xyzw(x[key], y[key], z[key], w[key]);
        let times = self::times(&pose.rotation[0]);
        let kept = self::kept(times.len(), |from, to, between| {
            let fraction = fraction(&times, from, to, between);
            let interpolated = rotation(from) * (1.0 - fraction) + rotation(to) * fraction;
            angle(interpolated.normalize(), rotation(between)) <= RADIANS
        });
        keep(&mut pose.rotation, &kept);
    }
}

/// Drops every fourth key whose neighbours are the samples directly before and after it, without a check. MRTK does
/// this to a single sample between two kept samples (D8). A jump of one sample can then disappear from the positions
/// and remain in the rotations.
pub(super) fn drop_lone_keys(recording: &mut Recording<'_>) {
    /// Twice the time between samples, in seconds, and somewhat more.
    const NEAR: f64 = 2.5 / 60.0;
    for (number, pose) in poses_mut(recording).enumerate() {
        let kept = |curve: &FloatCurve<'_>, first: usize| -> Vec<usize> {
            let times = times(curve);
            let is_lone = |key: usize| {
                let neighbours = key.checked_sub(1).zip(times.get(key + 1));
                neighbours.is_some_and(|(last, next)| next - times[last] < NEAR)
            };
            let is_dropped = |&key: &usize| key % 4 == first && is_lone(key);
            (0..times.len()).filter(|key| !is_dropped(key)).collect()
        };
        let positions = kept(&pose.position[0], number % 4);
        keep(&mut pose.position, &positions);
        let rotations = kept(&pose.rotation[0], (number + 2) % 4);
        keep(&mut pose.rotation, &rotations);
    }
}

/// Returns the indices of the keys to keep, in one greedy pass over `count` keys. `is_near(from, to, between)` returns
/// `true` if linear interpolation from the key `from` to the key `to` passes near the key `between`.
fn kept(count: usize, is_near: impl Fn(usize, usize, usize) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..count.min(1)).collect();
    let mut from = 0;
    for to in 1..count {
        if !(from + 1..to).all(|between| is_near(from, to, between)) {
            from = to - 1;
            kept.push(from);
        }
    }
    if count > 1 {
        kept.push(count - 1);
    }
    kept
}

fn keep<const N: usize>(curves: &mut [FloatCurve<'_>; N], kept: &[usize]) {
    for curve in curves {
        let points = kept.iter().filter_map(|&key| curve.keys.point(key));
        *curve = FloatCurve::linear(points);
    }
}

fn values(curve: &FloatCurve<'_>) -> Vec<f64> {
    let values = curve.keys.points().map(|(_, value)| value.into());
    values.collect()
}

fn times(curve: &FloatCurve<'_>) -> Vec<f64> {
    curve.keys.points().map(|(time, _)| time.into()).collect()
}

fn fraction(times: &[f64], from: usize, to: usize, between: usize) -> f64 {
    (times[between] - times[from]) / (times[to] - times[from])
}

fn poses_mut<'r, 'a>(
    recording: &'r mut Recording<'a>,
) -> impl Iterator<Item = &'r mut PoseCurves<'a>> {
    let hands = recording.hands.iter_mut().flat_map(|hands| {
        let hands = [&mut hands.left, &mut hands.right];
        hands.into_iter().flat_map(|hand| hand.joints.iter_mut())
    });
    let joints = hands.map(|(_, pose)| pose);
    recording.head.iter_mut().chain(joints)
}
