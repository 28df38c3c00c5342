//! Conversion between curves and samples.

use crate::curve::{FloatCurve, Keys};
use crate::evaluate::Wrap;
use crate::order;
use crate::vector::share_times;

use super::error::SkipReason;
use super::line::Sample;
use super::tangents;

/// Returns the samples of the `N` curves of a vector, and `true` if all curves have the same key times. Then each key
/// is a sample. Otherwise, the curves are sampled at every key time of any of them.
///
/// # Errors
/// Returns the reason if the keys are not interpolated linearly, a key is not finite or the times do not increase, or
/// curves with different key times do not hold their values at both ends.
pub(super) fn of<const N: usize>(
    curves: &[FloatCurve<'_>; N],
) -> Result<(Vec<Sample<N>>, bool), SkipReason> {
    let is_linear = |curve: &FloatCurve<'_>| match &curve.keys {
        Keys::Full(keys) => keys.iter().all(|key| key.is_linear()),
        Keys::Simple(_) => true,
    };
    if !curves.iter().all(is_linear) {
        return Err(SkipReason::Tangents);
    }
    let is_increasing = |curve: &FloatCurve<'_>| {
        let mut before = f32::NEG_INFINITY;
        curve
            .keys
            .points()
            .all(|(time, _)| time.is_finite() && time > std::mem::replace(&mut before, time))
    };
    if !curves.iter().all(is_increasing) {
        return Err(SkipReason::Times);
    }
    let is_finite =
        |curve: &FloatCurve<'_>| curve.keys.points().all(|(_, value)| value.is_finite());
    if !curves.iter().all(is_finite) {
        return Err(SkipReason::Values);
    }
    if share_times(curves) {
        return Ok((at_keys(curves), true));
    }
    // A loop with keys after its last one would have another length.
    if !curves.iter().all(|curve| Wrap::of_float(curve).holds()) {
        return Err(SkipReason::Loops);
    }
    Ok((at_all_times(curves), false))
}

fn at_keys<const N: usize>(curves: &[FloatCurve<'_>; N]) -> Vec<Sample<N>> {
    let times = curves[0].keys.points().map(|(time, _)| time);
    let at = |time| Sample {
        time,
        value: [0.0; N],
    };
    let mut samples: Vec<Sample<N>> = times.map(at).collect();
    for (axis, curve) in curves.iter().enumerate() {
        for (sample, (_, value)) in samples.iter_mut().zip(curve.keys.points()) {
            sample.value[axis] = value;
        }
    }
    samples
}

fn at_all_times<const N: usize>(curves: &[FloatCurve<'_>; N]) -> Vec<Sample<N>> {
    let all = curves.iter().flat_map(|curve| curve.keys.points());
    let mut times: Vec<f32> = all.map(|(time, _)| time).collect();
    order::sort_times(&mut times);
    times.dedup();
    let evaluators = curves.each_ref().map(|curve| curve.evaluator().ok());
    let at = |time: f32| Sample {
        time,
        value: evaluators
            .each_ref()
            .map(|curve| curve.as_ref().map_or(0.0, |curve| curve.at(time))),
    };
    times.into_iter().map(at).collect()
}

/// Negates rotations so that each is in the hemisphere of the previous one. Returns `true` if any
/// was negated.
pub(super) fn remove_sign_flips(samples: &mut [Sample<4>]) -> bool {
    let mut any = false;
    for index in 1..samples.len() {
        let before = samples[index - 1].value;
        let now = &mut samples[index].value;
        let products = before.iter().zip(now.iter());
        let dot: f64 = products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        if dot < 0.0 {
            any = true;
            *now = now.map(|part| -part);
        }
    }
    any
}

/// Replaces the keys of the curves of a vector by the kept samples with their tangents.
pub(super) fn keep_tangents<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    kept: &[tangents::Key<N>],
) {
    for (axis, curve) in curves.iter_mut().enumerate() {
        curve.keys = Keys::Full(kept.iter().map(|key| key.of(samples, axis)).collect());
    }
}

/// Replaces the keys of the curves of a vector by the samples with the indexes `kept`. `are_keys` is `true` if each
/// sample is a key, at the same index in every curve. Then the kept keys stay as they are, bit for bit.
pub(super) fn keep<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    kept: &[usize],
    are_keys: bool,
) {
    // The curves stay byte for byte, and borrowed keys are not copied.
    if are_keys && kept.len() == samples.len() {
        return;
    }
    for (axis, curve) in curves.iter_mut().enumerate() {
        curve.keys = match &curve.keys {
            Keys::Full(keys) if are_keys => Keys::Full(kept.iter().map(|&at| keys[at]).collect()),
            Keys::Simple(keys) if are_keys => {
                Keys::Simple(kept.iter().map(|&at| keys[at]).collect())
            }
            keys => {
                let mut new = Keys::empty(keys.kind());
                for &at in kept {
                    new.push_linear(samples[at].time, samples[at].value[axis]);
                }
                new
            }
        };
    }
}
