//! What the toolkit's recorder does to a take.

use glam::{DQuat, DVec3};
use inputanim::{FloatCurve, PoseCurves, Recording};

use super::score::angle;

/// Which of the faulty releases' two ways to lose w.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// D1: only the first key is saved.
    OneKey,
    /// D2: and then a copy of z's last.
    TwoKeys,
}

/// Takes w away from every rotation with more than one key.
pub(crate) fn lose_w(recording: &mut Recording<'_>, form: Form) {
    for pose in poses_mut(recording) {
        let [.., z, w] = &mut pose.rotation;
        let (Some(first), Some(_)) = (w.keys.point(0), w.keys.point(1)) else {
            continue;
        };
        let last = z.keys.points().last();
        let copied = last.filter(|_| form == Form::TwoKeys);
        *w = FloatCurve::linear([first].into_iter().chain(copied));
    }
}

/// The recorder's default thresholds for joints, in metres and radians (docs/format.md, section
/// 5.4).
const METRES: f64 = 0.001;
const RADIANS: f64 = 0.2 * std::f64::consts::PI / 180.0;

/// Leaves out keys of poses as long as straight lines between the others come as near as the
/// recorder's thresholds ask: positions and rotations of each joint have then their own times.
///
/// Unlike the recorder's (D8), it keeps its promise.
pub(crate) fn thin(recording: &mut Recording<'_>) {
    for pose in poses_mut(recording) {
        let [x, y, z] = pose.position.each_ref().map(values);
        let place = |key: usize| DVec3::new(x[key], y[key], z[key]);
        let times = times(&pose.position[0]);
        let kept = kept(times.len(), |from, to, between| {
            let share = share(&times, from, to, between);
            place(from).lerp(place(to), share).distance(place(between)) <= METRES
        });
        keep(&mut pose.position, &kept);

        let [x, y, z, w] = pose.rotation.each_ref().map(values);
        let turn = |key: usize| DQuat::from_xyzw(x[key], y[key], z[key], w[key]);
        let times = self::times(&pose.rotation[0]);
        let kept = self::kept(times.len(), |from, to, between| {
            let share = share(&times, from, to, between);
            let straight = turn(from) * (1.0 - share) + turn(to) * share;
            angle(straight.normalize(), turn(between)) <= RADIANS
        });
        keep(&mut pose.rotation, &kept);
    }
}

/// Which of so many keys stay: each as far from the one before as `is_near` allows, which is asked
/// whether the straight line from one to another comes near a key between them.
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

fn share(times: &[f64], from: usize, to: usize, between: usize) -> f64 {
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
    recording.camera.iter_mut().chain(joints)
}
