//! Repairs keys of rotations: of length 0 (L18), of a length other than 1 (L16), and of opposite signs
//! (D4).

use glam::DQuat;

use crate::curve::FloatCurve;
use crate::doctor::{Code, LENGTH_TOLERANCE, is_shown};
use crate::info::Info;
use crate::joint::Joint;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::vector::{VectorKind, VectorPath, share_times};

use super::report::CurveRepair;

pub(super) fn repair(recording: &mut Recording<'_>, repaired: &mut Vec<CurveRepair>) {
    let info = Info::without_instants(recording);
    for (path, curves) in recording.vectors_mut() {
        if path.kind() == VectorKind::Rotation && share_times(curves) {
            repair_rotation(path, curves, &info, repaired);
        }
    }
}

fn repair_rotation(
    path: VectorPath,
    curves: &mut [FloatCurve<'_>],
    info: &Info,
    repaired: &mut Vec<CurveRepair>,
) {
    let mut add = |code, keys| {
        if keys > 0 {
            let curves = path.curves().map(Some);
            repaired
                .extend(curves.map(|curve: Option<CurvePath>| CurveRepair::new(code, curve, keys)));
        }
    };
    // The simulated hands of Unity's editor give the entry None a position and no rotation.
    let is_entry_none = matches!(path, VectorPath::Joint(_, Joint::None, _));
    let keys = curves[0].keys.len();
    let empty: Vec<bool> = (0..keys).map(|key| length(curves, key) == 0.0).collect();
    let count = empty.iter().filter(|&&empty| empty).count();
    // Zeros are removed before the others are scaled, because they have no direction to scale.
    if count > 0 && !is_entry_none {
        for curve in curves.iter_mut() {
            curve.keys.retain(|key| !empty[key]);
        }
        add(Code::RotationZero, count);
    }
    let mut scaled = 0;
    for key in 0..curves[0].keys.len() {
        let length = length(curves, key);
        let is_off = (length - 1.0).abs() > LENGTH_TOLERANCE && length > 0.0 && length.is_finite();
        let time = curves[0].keys.point(key).map_or(0.0, |(time, _)| time);
        if is_off && path.curves().all(|path| is_shown(info, path, time)) {
            scale(curves, key, 1.0 / length);
            scaled += 1;
        }
    }
    add(Code::RotationNotUnit, scaled);
    // Signs come last, because removed keys change which keys are neighbours.
    add(Code::SignFlip, align(curves));
}

/// Negates keys of a rotation so that each is in the hemisphere of the key before, and returns the number of negated
/// keys.
pub(super) fn align(curves: &mut [FloatCurve<'_>]) -> usize {
    let mut negated = 0;
    let mut before: Option<DQuat> = None;
    for key in 0..curves[0].keys.len() {
        let mut now = quaternion(curves, key);
        if before.is_some_and(|before| before.dot(now) < 0.0) {
            scale(curves, key, -1.0);
            now = -now;
            negated += 1;
        }
        before = Some(now);
    }
    negated
}

/// Returns the quaternion of the key with an index, without normalising it. `curves` are x, y, z and w; a component
/// without this key is 0.
pub(super) fn quaternion(curves: &[FloatCurve<'_>], key: usize) -> DQuat {
    let value = |curve: &FloatCurve<'_>| curve.keys.point(key).map_or(0.0, |(_, v)| f64::from(v));
    let mut values = curves.iter().map(value);
    DQuat::from_array(std::array::from_fn(|_| values.next().unwrap_or(0.0)))
}

fn length(curves: &[FloatCurve<'_>], key: usize) -> f64 {
    quaternion(curves, key).length()
}

fn scale(curves: &mut [FloatCurve<'_>], key: usize, factor: f64) {
    for curve in curves {
        curve.keys.scale(key, factor);
    }
}
