//! From curves to samples, and from the samples that stay to curves.

use crate::curve::{FloatCurve, Keys};
use crate::vector::share_times;

use super::Why;
use super::line::Samples;
use super::tangents;

/// The samples of a vector's curves: its keys. Where components have keys at times of their own,
/// all of them have a sample at each time of any.
///
/// # Errors
/// When the curves are no straight lines through finite points in growing order of time.
pub(super) fn of<const N: usize>(curves: &[FloatCurve<'_>; N]) -> Result<Samples<N>, Why> {
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
        true => Samples {
            times: curves[0].keys.points().map(|(time, _)| time).collect(),
            values: curves
                .each_ref()
                .map(|curve| curve.keys.points().map(|(_, value)| value).collect()),
        },
        false => at_all_times(curves),
    })
}

fn at_all_times<const N: usize>(curves: &[FloatCurve<'_>; N]) -> Samples<N> {
    let all = curves.iter().flat_map(|curve| curve.keys.points());
    let mut times: Vec<f32> = all.map(|(time, _)| time).collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    let values = curves.each_ref().map(|curve| {
        let played = curve.evaluator().ok();
        let value = |&time: &f32| played.as_ref().map_or(0.0, |curve| curve.at(time));
        times.iter().map(value).collect()
    });
    Samples { times, values }
}

/// Negates rotations so that each lies in the hemisphere of the one before; whether any was.
pub(super) fn align(samples: &mut Samples<4>) -> bool {
    let mut any = false;
    for index in 1..samples.len() {
        let (before, now) = (samples.at(index - 1), samples.at(index));
        let products = before.into_iter().zip(now);
        let dot: f64 = products.map(|(a, b)| f64::from(a) * f64::from(b)).sum();
        if dot < 0.0 {
            any = true;
            for values in &mut samples.values {
                values[index] = -values[index];
            }
        }
    }
    any
}

/// Gives curves the keys of cubics.
pub(super) fn keep_tangents<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &Samples<N>,
    kept: &[tangents::Key<N>],
) {
    for (axis, curve) in curves.iter_mut().enumerate() {
        curve.keys = Keys::Full(kept.iter().map(|key| key.of(samples, axis)).collect());
    }
}

/// Gives curves only the keys that stay. The keys themselves stay as they are, bit for bit,
/// unless the samples were `changed`, or are not the keys that were there.
pub(super) fn keep<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &Samples<N>,
    kept: &[usize],
    changed: bool,
) {
    let is_of_keys = !changed && share_times(curves);
    if is_of_keys && kept.len() == samples.len() {
        return;
    }
    for (curve, values) in curves.iter_mut().zip(&samples.values) {
        curve.keys = match &curve.keys {
            Keys::Full(keys) if is_of_keys => Keys::Full(kept.iter().map(|&at| keys[at]).collect()),
            Keys::Simple(keys) if is_of_keys => {
                Keys::Simple(kept.iter().map(|&at| keys[at]).collect())
            }
            keys => {
                let mut new = Keys::empty(keys.kind());
                for &at in kept {
                    new.push_linear(samples.times[at], values[at]);
                }
                new
            }
        };
    }
}
