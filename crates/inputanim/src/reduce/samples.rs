//! From curves to samples, and from the samples that stay to curves.

use crate::curve::{FloatCurve, Keys};
use crate::evaluate::Wrap;
use crate::vector::share_times;

use super::Why;
use super::line::Sample;
use super::tangents;

/// The samples of a vector's curves, and whether they are its keys. Where components have keys at
/// times of their own they are not: then all of them have a sample at each time of any.
///
/// # Errors
/// When the curves are no straight lines through finite points in growing order of time.
pub(super) fn of<const N: usize>(
    curves: &[FloatCurve<'_>; N],
) -> Result<(Vec<Sample<N>>, bool), Why> {
    let has_lines = |curve: &FloatCurve<'_>| match &curve.keys {
        Keys::Full(keys) => keys.iter().all(|key| key.is_linear()),
        Keys::Simple(_) => true,
    };
    if !curves.iter().all(has_lines) {
        return Err(Why::Tangents);
    }
    let grows = |curve: &FloatCurve<'_>| {
        let mut before = f32::NEG_INFINITY;
        curve
            .keys
            .points()
            .all(|(time, _)| time.is_finite() && time > std::mem::replace(&mut before, time))
    };
    if !curves.iter().all(grows) {
        return Err(Why::Times);
    }
    let is_finite =
        |curve: &FloatCurve<'_>| curve.keys.points().all(|(_, value)| value.is_finite());
    if !curves.iter().all(is_finite) {
        return Err(Why::Values);
    }
    Ok(match share_times(curves) {
        true => (at_keys(curves), true),
        // A curve that starts over would do so at another time with keys after its last one.
        false if !curves.iter().all(|curve| Wrap::of_float(curve).holds()) => {
            return Err(Why::Loops);
        }
        false => (at_all_times(curves), false),
    })
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
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    let played = curves.each_ref().map(|curve| curve.evaluator().ok());
    let at = |time: f32| Sample {
        time,
        value: played
            .each_ref()
            .map(|curve| curve.as_ref().map_or(0.0, |curve| curve.at(time))),
    };
    times.into_iter().map(at).collect()
}

/// Negates rotations so that each lies in the hemisphere of the one before; whether any was.
pub(super) fn align(samples: &mut [Sample<4>]) -> bool {
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

/// Gives curves the keys of cubics.
pub(super) fn keep_tangents<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    kept: &[tangents::Key<N>],
) {
    for (axis, curve) in curves.iter_mut().enumerate() {
        curve.keys = Keys::Full(kept.iter().map(|key| key.of(samples, axis)).collect());
    }
}

/// Gives curves only the samples that stay. Where those are the keys, they stay as they are, bit
/// for bit.
pub(super) fn keep<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    kept: &[usize],
    are_keys: bool,
) {
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
