//! Division of a segment: a new key between two others that does not change the curve.

use crate::key::{FullKey, WeightedMode};

use super::bezier::{DEFAULT_WEIGHT, parameter};
use super::segment::{HOLDING_WEIGHT, Keyframe, weight};

/// The two halves of a segment: a tangent for each of their ends, and a weight if that end has
/// one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SplitSegment {
    /// Value of the new key.
    pub(crate) value: f32,
    /// Out tangent and weight of the left key.
    pub(crate) leaving: (f32, Option<f32>),
    /// In tangent and weight of the new key.
    pub(crate) arriving_between: (f32, Option<f32>),
    /// Out tangent and weight of the new key.
    pub(crate) leaving_between: (f32, Option<f32>),
    /// In tangent and weight of the right key.
    pub(crate) arriving: (f32, Option<f32>),
}

impl SplitSegment {
    /// Returns `true` if the segment between two neighbouring keys has the value of the left key up to the right key.
    pub(crate) fn holds(left: &FullKey, right: &FullKey) -> bool {
        left.out_tangent() == f32::INFINITY
            || right.in_tangent() == f32::INFINITY
            || is_hold_of_mrtk(left, right)
    }

    /// Divides the segment between two keys at a time between them. Returns the value of a new key at this time, and
    /// the tangents and weights with which the curve does not change.
    pub(crate) fn at(left: &FullKey, right: &FullKey, time: f32) -> SplitSegment {
        let out_weight = weight(left, WeightedMode::OUT, left.out_weight());
        let in_weight = weight(right, WeightedMode::IN, right.in_weight());
        let value = FullKey::between(left, right, time);
        let sides = [
            (left.out_tangent(), out_weight),
            (right.in_tangent(), in_weight),
        ];
        let [leaving, arriving] = sides;
        let with = |arriving_between, leaving_between| SplitSegment {
            value,
            leaving,
            arriving_between,
            leaving_between,
            arriving,
        };
        if is_hold_of_mrtk(left, right) {
            // Both halves have the keys with which MRTK holds a value.
            return with(arriving, leaving);
        }
        if SplitSegment::holds(left, right) {
            return with((f32::INFINITY, None), (f32::INFINITY, None));
        }
        match (out_weight, in_weight) {
            (None, None) => {
                let slope = (slope(left, right, time), None);
                with(slope, slope)
            }
            (Some(0.0), Some(0.0)) => with((0.0, Some(0.0)), (0.0, Some(0.0))),
            _ => split_bezier(left, out_weight, right, in_weight, time).map_or_else(
                // Weights that are NaN or infinite make the segment NaN on both sides of the cut.
                || with((f32::NAN, None), (f32::NAN, None)),
                |halves| SplitSegment { value, ..halves },
            ),
        }
    }
}

fn is_hold_of_mrtk(left: &FullKey, right: &FullKey) -> bool {
    let out_weight = weight(left, WeightedMode::OUT, left.out_weight());
    let in_weight = weight(right, WeightedMode::IN, right.in_weight());
    (out_weight, in_weight) == (Some(HOLDING_WEIGHT), Some(0.0))
        && left.out_tangent() == 0.0
        && right.in_tangent() == 0.0
}

/// Divides a Bezier segment at `time` with de Casteljau's algorithm. A weight is `None` for a side that is not
/// weighted. Returns `None` if a weight is not finite. The value of the new key is NaN in the result; the caller sets
/// it.
fn split_bezier(
    left: &FullKey,
    out_weight: Option<f32>,
    right: &FullKey,
    in_weight: Option<f32>,
    time: f32,
) -> Option<SplitSegment> {
    let length = f64::from(right.time()) - f64::from(left.time());
    let out_weight = out_weight.map_or(DEFAULT_WEIGHT, f64::from);
    let in_weight = in_weight.map_or(DEFAULT_WEIGHT, f64::from);
    let before = f64::from(time) - f64::from(left.time());
    let after = length - before;
    let u = parameter(out_weight, in_weight, before / length)?;
    let mix = |[ax, ay]: [f64; 2], [bx, by]: [f64; 2]| [ax + (bx - ax) * u, ay + (by - ay) * u];
    // Times and values relative to the left key.
    let rise = f64::from(right.value()) - f64::from(left.value());
    let (leaving, arriving) = (left.out_tangent(), right.in_tangent());
    let reach = [out_weight * length, in_weight * length];
    let p1 = [reach[0], f64::from(leaving) * reach[0]];
    let p2 = [length - reach[1], rise - f64::from(arriving) * reach[1]];
    let (q0, q1, q2) = (mix([0.0; 2], p1), mix(p1, p2), mix(p2, [length, rise]));
    let (r0, r1) = (mix(q0, q1), mix(q1, q2));
    let cut = mix(r0, r1);
    // A vertical handle has no slope. It is tilted by less than single precision resolves.
    let side = |[x, y]: [f64; 2], length: f64| {
        let least = 1e-7 * length;
        let x = if x.abs() < least { least } else { x };
        ((y / x) as f32, Some((x / length) as f32))
    };
    Some(SplitSegment {
        value: f32::NAN,
        leaving: (leaving, Some((q0[0] / before) as f32)),
        arriving_between: side([cut[0] - r0[0], cut[1] - r0[1]], before),
        leaving_between: side([r1[0] - cut[0], r1[1] - cut[1]], after),
        arriving: (arriving, Some(((length - q2[0]) / after) as f32)),
    })
}

/// Returns the slope, per second, of a segment with unweighted tangents at a time between its keys.
fn slope(left: &FullKey, right: &FullKey, time: f32) -> f32 {
    let length = f64::from(right.time()) - f64::from(left.time());
    let x = (f64::from(time) - f64::from(left.time())) / length;
    let rise = (f64::from(right.value()) - f64::from(left.value())) / length;
    let (leaving, arriving) = (f64::from(left.out_tangent()), f64::from(right.in_tangent()));
    let slope = leaving * (1.0 - x) * (1.0 - 3.0 * x)
        + arriving * x * (3.0 * x - 2.0)
        + rise * 6.0 * x * (1.0 - x);
    slope as f32
}
