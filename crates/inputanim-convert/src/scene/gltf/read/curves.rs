//! Converts keys to curves.

use std::borrow::Cow;

use inputanim::{FloatCurve, FullKey, KeyKind, Keys as CurveKeys, SimpleKey, WeightedMode};

use crate::scene::gltf::clock::to_recording;
use crate::scene::gltf::document::Interpolation;

use super::keys::Keys;

/// The form of the curves to make.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// The kind of keys for linear and held values. Cubic curves always have full keys.
    pub(super) kind: KeyKind,
    /// The seconds by which the clock of the animation is ahead of the clock of the recording.
    pub(super) offset: f32,
}

/// Converts the keys of a vector to a curve for each of its components, on the recording's clock.
pub(super) fn curves<const N: usize>(keys: &Keys<N>, form: Form) -> [FloatCurve<'static>; N] {
    std::array::from_fn(|n| FloatCurve {
        keys: curve_keys(keys, n, form),
        ..FloatCurve::default()
    })
}

fn curve_keys<const N: usize>(keys: &Keys<N>, n: usize, form: Form) -> CurveKeys<'static> {
    let times = keys
        .times
        .iter()
        .map(|&time| to_recording(time, form.offset));
    let points = times.zip(keys.values.iter().map(|value| value[n]));
    match (keys.interpolation, form.kind) {
        (Interpolation::Cubic, _) => {
            let slopes = keys.slopes.iter().map(|slopes| slopes.map(|side| side[n]));
            let keys = points
                .zip(slopes)
                .map(|((time, value), [arriving, leaving])| {
                    FullKey::hermite(time, value, arriving, leaving)
                });
            CurveKeys::Full(keys.collect())
        }
        (Interpolation::Linear, KeyKind::Full) => CurveKeys::Full(
            points
                .map(|(time, value)| FullKey::linear(time, value))
                .collect(),
        ),
        (Interpolation::Linear, KeyKind::Simple) => CurveKeys::Simple(
            points
                .map(|(time, value)| SimpleKey::new(time, value))
                .collect(),
        ),
        (Interpolation::Step, KeyKind::Full) => CurveKeys::Full(
            points
                .map(|(time, value)| {
                    // An infinite tangent makes a segment hold its value (docs/evaluation.md).
                    let hold = [f32::INFINITY; 2];
                    FullKey::weighted(time, value, hold, [0.0; 2], WeightedMode::NONE)
                })
                .collect(),
        ),
        (Interpolation::Step, KeyKind::Simple) => CurveKeys::Simple(steps(points)),
    }
}

/// Converts points of a time and a value, which holds until the next point, to the keys of a linear curve. Where the
/// value changes, two keys have the same time.
fn steps(points: impl Iterator<Item = (f32, f32)>) -> Cow<'static, [SimpleKey]> {
    let mut keys: Vec<SimpleKey> = Vec::new();
    for (time, value) in points {
        if let Some(held) = keys.last().map(SimpleKey::value)
            // Bits are compared, so that a change from 0 to −0 is kept.
            && held.to_bits() != value.to_bits()
        {
            keys.push(SimpleKey::new(time, held));
        }
        keys.push(SimpleKey::new(time, value));
    }
    keys.into()
}
