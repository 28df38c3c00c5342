//! Repairs keys that cannot be evaluated, and states and flags that are neither on nor off.

use crate::curve::{BooleanCurve, CurveMut, FloatCurve, Keys};
use crate::doctor::{Code, damaged_w};
use crate::key::{BooleanKey, FullKey, SimpleKey};
use crate::order;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::vector::share_times;

use super::report::CurveRepair;

/// Sets flags to 0 or 1 (L8), sorts markers and keys (L15, L5), sets states to 0 or 1 (L7), and removes keys without a
/// finite time (L3) or value (L4). Appends what was changed to `repaired`.
pub(super) fn repair(recording: &mut Recording<'_>, repaired: &mut Vec<CurveRepair>) {
    let odd = recording
        .flag_bytes()
        .iter()
        .filter(|&&byte| byte > 1)
        .count();
    if odd > 0 {
        recording.keep_flag_bytes([1; 3]);
        repaired.push(CurveRepair::new(Code::FlagByte, None, odd));
    }
    let markers = &mut recording.markers;
    let moved = count_out_of_order(markers.iter().map(|marker| marker.time));
    if moved > 0 {
        order::sort_by_time(markers, |marker| marker.time);
        repaired.push(CurveRepair::new(Code::MarkersUnsorted, None, moved));
    }
    for (path, curve) in recording.curves_mut() {
        if let CurveMut::Boolean(curve) = curve {
            repair_states(path, curve, repaired);
        }
    }
    // The only key of a lost w is the signature of the damage, so it must stay until w is rebuilt.
    let lost: Vec<CurvePath> = damaged_w(recording)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    for (vector, curves) in recording.vectors_mut() {
        let paths: Vec<CurvePath> = vector.curves().collect();
        let is_lost = |path: &CurvePath| lost.contains(path);
        remove_keys(
            &paths,
            curves,
            Code::TimeNotFinite,
            |(time, _)| !time.is_finite(),
            repaired,
        );
        // The values of a lost w do not count, because w is rebuilt.
        let known = paths.iter().position(is_lost).unwrap_or(paths.len());
        remove_keys(
            &paths[..known],
            &mut curves[..known],
            Code::ValueNotFinite,
            |(_, value)| !value.is_finite(),
            repaired,
        );
        for (path, curve) in paths.iter().zip(curves) {
            let moved = count_out_of_order(curve.keys.points().map(|(time, _)| time));
            if moved > 0 {
                sort(&mut curve.keys);
                repaired.push(CurveRepair::new(Code::TimesUnsorted, Some(*path), moved));
            }
        }
    }
}

/// Removes all keys whose value is not finite, after the lost w curves were rebuilt. Appends what was changed to
/// `repaired`.
pub(super) fn repair_values(recording: &mut Recording<'_>, repaired: &mut Vec<CurveRepair>) {
    for (vector, curves) in recording.vectors_mut() {
        let paths: Vec<CurvePath> = vector.curves().collect();
        let is_bad = |(_, value): (f32, f32)| !value.is_finite();
        remove_keys(&paths, curves, Code::ValueNotFinite, is_bad, repaired);
    }
}

/// Returns the number of times that are less than an earlier entry.
fn count_out_of_order(times: impl Iterator<Item = f32>) -> usize {
    let mut latest = f32::NEG_INFINITY;
    times
        .filter(|&time| {
            let is_back = time < latest;
            latest = latest.max(time);
            is_back
        })
        .count()
}

/// Sorts keys by time, as Unity does on loading: equal times keep their order.
fn sort(keys: &mut Keys<'_>) {
    match keys {
        Keys::Full(keys) => order::sort_for_playback(keys.to_mut(), FullKey::time),
        Keys::Simple(keys) => order::sort_for_playback(keys.to_mut(), SimpleKey::time),
    }
}

fn repair_states(path: CurvePath, curve: &mut BooleanCurve<'_>, repaired: &mut Vec<CurveRepair>) {
    let mut add = |code, keys| {
        if keys > 0 {
            repaired.push(CurveRepair::new(code, Some(path), keys));
        }
    };
    let without_time = curve
        .keys
        .iter()
        .filter(|key| !key.time().is_finite())
        .count();
    if without_time > 0 {
        curve.keys.to_mut().retain(|key| key.time().is_finite());
    }
    add(Code::TimeNotFinite, without_time);
    let moved = count_out_of_order(curve.keys.iter().map(BooleanKey::time));
    if moved > 0 {
        order::sort_for_playback(curve.keys.to_mut(), BooleanKey::time);
    }
    add(Code::TimesUnsorted, moved);
    let is_odd = |key: &BooleanKey| ![0.0, 1.0].contains(&key.value());
    let odd = curve.keys.iter().filter(|key| is_odd(key)).count();
    if odd > 0 {
        for key in curve.keys.to_mut() {
            if is_odd(key) {
                *key = BooleanKey::new(key.time(), key.is_on());
            }
        }
    }
    add(Code::BooleanValue, odd);
}

/// Removes the keys of a vector that `is_bad` selects by time and value, and appends the repairs with `code` to
/// `repaired`. If the components share their times, a key is removed from all components, so that they still share
/// them. If w was lost, only x, y and z share their times.
fn remove_keys(
    paths: &[CurvePath],
    curves: &mut [FloatCurve<'_>],
    code: Code,
    is_bad: impl Fn((f32, f32)) -> bool,
    repaired: &mut Vec<CurveRepair>,
) {
    let has_bad = |curve: &FloatCurve<'_>| curve.keys.points().any(&is_bad);
    if !curves.iter().any(has_bad) {
        return;
    }
    let bad = |curve: &FloatCurve<'_>| -> Vec<bool> { curve.keys.points().map(&is_bad).collect() };
    let mut all: Vec<Vec<bool>> = curves.iter().map(bad).collect();
    let sharing = |&count: &usize| share_times(&curves[..count]);
    // Without common times, the keys of the components do not belong together, so each component loses only its own
    // keys.
    if let Some(sharing) = [curves.len(), 3].into_iter().find(sharing) {
        let all = &mut all[..sharing];
        let any = |key: usize| all.iter().any(|bad| bad[key]);
        let shared: Vec<bool> = (0..curves[0].keys.len()).map(any).collect();
        all.fill(shared);
    }
    for ((path, curve), bad) in paths.iter().zip(curves).zip(all) {
        let count = bad.iter().filter(|&&bad| bad).count();
        if count > 0 {
            curve.keys.retain(|key| !bad[key]);
            repaired.push(CurveRepair::new(code, Some(*path), count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::layout::Layout;

    #[test]
    fn a_lost_w_is_rebuilt_if_its_only_key_is_nan() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for step in 0..5 {
            let (sin, cos) = (step as f32 * 0.3).sin_cos();
            let pose = Pose {
                rotation: [0.0, sin, 0.0, cos],
                ..Pose::IDENTITY
            };
            recording.head_mut().push(step as f32, &pose);
        }
        recording.head_mut().rotation[3] = FloatCurve::linear([(0.0, f32::NAN)]);
        let report = recording.repair();
        assert_eq!(report.repaired[0].code, Code::RotationWLost);
        assert!(report.remaining.is_empty(), "{:?}", report.remaining);
        assert_eq!(recording.head.unwrap().rotation[3].keys.len(), 5);
    }

    #[test]
    fn a_lost_w_is_rebuilt_beside_a_key_that_is_nan() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for step in 0..5 {
            let (sin, cos) = (step as f32 * 0.3).sin_cos();
            let rotation = [0.0, sin, 0.0, cos];
            let pose = Pose {
                rotation,
                ..Pose::IDENTITY
            };
            recording.head_mut().push(step as f32, &pose);
        }
        let [x, .., w] = &mut recording.head_mut().rotation;
        *w = FloatCurve::linear(w.keys.point(0));
        let value = |step: i32| if step == 2 { f32::NAN } else { 0.0 };
        *x = FloatCurve::linear((0..5).map(|step| (step as f32, value(step))));
        let report = recording.repair();
        let codes: Vec<Code> = report
            .repaired
            .iter()
            .map(|repaired| repaired.code)
            .collect();
        let value = Code::ValueNotFinite;
        assert_eq!(codes, [value, value, value, Code::RotationWLost]);
        let [.., w] = &recording.head.as_ref().unwrap().rotation;
        let times: Vec<f32> = w.keys.points().map(|(time, _)| time).collect();
        assert_eq!(times, [0.0, 1.0, 3.0, 4.0]);
    }
}
