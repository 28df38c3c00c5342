//! Keys that no program can play as they are, and states and flags that are neither on nor off.

use crate::curve::{BooleanCurve, CurveMut, FloatCurve, Keys};
use crate::doctor::{Code, damaged_w};
use crate::key::BooleanKey;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::vector::share_times;

use super::Mended;

/// Flags become 0 or 1 (L8), markers and keys come in order (L15, L5), states become 0 or 1 (L7),
/// and keys without a time (L3) or a number (L4) are taken out.
pub(super) fn mend(recording: &mut Recording<'_>, mended: &mut Vec<Mended>) {
    let odd = recording
        .flag_bytes()
        .iter()
        .filter(|&&byte| byte > 1)
        .count();
    if odd > 0 {
        recording.keep_flag_bytes([1; 3]);
        mended.push(Mended::new(Code::FlagByte, None, odd));
    }
    let markers = &mut recording.markers;
    let moved = out_of_order(markers.iter().map(|marker| marker.time));
    if moved > 0 {
        markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        mended.push(Mended::new(Code::MarkersUnsorted, None, moved));
    }
    for (path, curve) in recording.curves_mut() {
        if let CurveMut::Boolean(curve) = curve {
            mend_states(path, curve, mended);
        }
    }
    // The only key of a lost w tells that it is lost; it comes back with the others.
    let lost: Vec<CurvePath> = damaged_w(recording)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    for (vector, curves) in recording.vectors_mut() {
        let paths: Vec<CurvePath> = vector.curves().collect();
        let is_lost = |path: &CurvePath| lost.contains(path);
        take_out(
            &paths,
            curves,
            Code::TimeNotFinite,
            |(time, _)| !time.is_finite(),
            mended,
        );
        let known = paths.iter().position(is_lost).unwrap_or(paths.len());
        take_out(
            &paths[..known],
            &mut curves[..known],
            Code::ValueNotFinite,
            |(_, value)| !value.is_finite(),
            mended,
        );
        for (path, curve) in paths.iter().zip(curves) {
            let moved = out_of_order(curve.keys.points().map(|(time, _)| time));
            if moved > 0 {
                sort(&mut curve.keys);
                mended.push(Mended::new(Code::TimesUnsorted, Some(*path), moved));
            }
        }
    }
}

/// Keys without a number in what is left, once lost curves are back.
pub(super) fn mend_values(recording: &mut Recording<'_>, mended: &mut Vec<Mended>) {
    for (vector, curves) in recording.vectors_mut() {
        let paths: Vec<CurvePath> = vector.curves().collect();
        let is_bad = |(_, value): (f32, f32)| !value.is_finite();
        take_out(&paths, curves, Code::ValueNotFinite, is_bad, mended);
    }
}

/// How many come before the one that stands before them.
fn out_of_order(times: impl Iterator<Item = f32>) -> usize {
    let mut latest = f32::NEG_INFINITY;
    times
        .filter(|&time| {
            let is_back = time < latest;
            latest = latest.max(time);
            is_back
        })
        .count()
}

/// As Unity does on loading: equal times keep their order.
fn sort(keys: &mut Keys<'_>) {
    match keys {
        Keys::Full(keys) => keys.to_mut().sort_by(|a, b| in_time(a.time(), b.time())),
        Keys::Simple(keys) => keys.to_mut().sort_by(|a, b| in_time(a.time(), b.time())),
    }
}

/// −0 is equal to 0.
fn in_time(a: f32, b: f32) -> std::cmp::Ordering {
    a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
}

fn mend_states(path: CurvePath, curve: &mut BooleanCurve<'_>, mended: &mut Vec<Mended>) {
    let mut add = |code, keys| {
        if keys > 0 {
            mended.push(Mended::new(code, Some(path), keys));
        }
    };
    let timeless = curve
        .keys
        .iter()
        .filter(|key| !key.time().is_finite())
        .count();
    if timeless > 0 {
        curve.keys.to_mut().retain(|key| key.time().is_finite());
    }
    add(Code::TimeNotFinite, timeless);
    let moved = out_of_order(curve.keys.iter().map(BooleanKey::time));
    if moved > 0 {
        curve
            .keys
            .to_mut()
            .sort_by(|a, b| in_time(a.time(), b.time()));
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

/// Takes out keys of a vector: all components of a key, where they share their times, so that
/// they still do. Where w was lost, x, y and z share theirs without it.
fn take_out(
    paths: &[CurvePath],
    curves: &mut [FloatCurve<'_>],
    code: Code,
    is_bad: impl Fn((f32, f32)) -> bool,
    mended: &mut Vec<Mended>,
) {
    let has_bad = |curve: &FloatCurve<'_>| curve.keys.points().any(&is_bad);
    if !curves.iter().any(has_bad) {
        return;
    }
    let bad = |curve: &FloatCurve<'_>| -> Vec<bool> { curve.keys.points().map(&is_bad).collect() };
    let mut all: Vec<Vec<bool>> = curves.iter().map(bad).collect();
    let sharing = |&count: &usize| share_times(&curves[..count]);
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
            mended.push(Mended::new(code, Some(*path), count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::layout::Layout;
    use crate::repair::repair;

    #[test]
    fn a_lost_w_comes_back_though_its_only_key_is_no_number() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        for step in 0..5 {
            let (sin, cos) = (step as f32 * 0.3).sin_cos();
            let pose = Pose {
                rotation: [0.0, sin, 0.0, cos],
                ..Pose::IDENTITY
            };
            take.camera_mut().push(step as f32, &pose);
        }
        take.camera_mut().rotation[3] = FloatCurve::linear([(0.0, f32::NAN)]);
        let report = repair(&mut take);
        assert_eq!(report.mended[0].code, Code::RotationWLost);
        assert!(report.remaining.is_empty(), "{:?}", report.remaining);
        assert_eq!(take.camera.unwrap().rotation[3].keys.len(), 5);
    }

    #[test]
    fn a_key_without_a_number_does_not_keep_w_from_coming_back() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        for step in 0..5 {
            let (sin, cos) = (step as f32 * 0.3).sin_cos();
            let rotation = [0.0, sin, 0.0, cos];
            let pose = Pose {
                rotation,
                ..Pose::IDENTITY
            };
            take.camera_mut().push(step as f32, &pose);
        }
        let [x, .., w] = &mut take.camera_mut().rotation;
        *w = FloatCurve::linear(w.keys.point(0));
        let value = |step: i32| if step == 2 { f32::NAN } else { 0.0 };
        *x = FloatCurve::linear((0..5).map(|step| (step as f32, value(step))));
        let report = repair(&mut take);
        let codes: Vec<Code> = report.mended.iter().map(|mended| mended.code).collect();
        let value = Code::ValueNotFinite;
        assert_eq!(codes, [value, value, value, Code::RotationWLost]);
        let [.., w] = &take.camera.as_ref().unwrap().rotation;
        let times: Vec<f32> = w.keys.points().map(|(time, _)| time).collect();
        assert_eq!(times, [0.0, 1.0, 3.0, 4.0]);
    }
}
