//! A segment with weighted tangents: a cubic Bezier curve over time (docs/evaluation.md,
//! section 4).
//!
//! Method: the curve's time is a cubic in its parameter u; the u at which it is the time asked
//! for is searched in double precision between the turning points of that cubic, by Newton's
//! method with bisection where it would leave the bracket. Guarantee: a true root, to more digits
//! than a single-precision value shows. Where a time is reached more than once, the greatest such
//! u in 0 to 1 counts, as in the engine. The number of steps is bounded, whatever the weights.

use crate::key::FullKey;

/// What a side without a weight has.
pub(super) const PLAIN_WEIGHT: f64 = 1.0 / 3.0;

/// A step that is this small a part of the parameter is the last one. The value's error is a few
/// times as large, and a hundredth of what single precision shows; where Newton's method
/// converges as it should, it is the square of that.
const ENOUGH: f64 = 1e-10;

/// Bisection alone comes to that in half as many.
const MOST_STEPS: u32 = 80;

/// The value at `time`; a weight that is `None` is that of a plain side.
pub(super) fn between(
    left: &FullKey,
    out_weight: Option<f32>,
    right: &FullKey,
    in_weight: Option<f32>,
    time: f32,
) -> f32 {
    let start = f64::from(left.time());
    let length = f64::from(right.time()) - start;
    let out_weight = out_weight.map_or(PLAIN_WEIGHT, f64::from);
    let in_weight = in_weight.map_or(PLAIN_WEIGHT, f64::from);
    let x = (f64::from(time) - start) / length;
    let Some(u) = parameter(out_weight, in_weight, x) else {
        return f32::NAN;
    };
    let from = f64::from(left.value());
    let to = f64::from(right.value());
    let after_from = from + out_weight * f64::from(left.out_tangent()) * length;
    let before_to = to - in_weight * f64::from(right.in_tangent()) * length;
    let v = 1.0 - u;
    let near = v * v * (v * from + 3.0 * u * after_from);
    let far = u * u * (3.0 * v * before_to + u * to);
    (near + far) as f32
}

/// The greatest u in 0 to 1 at which the cubic with control points 0, `out_weight`,
/// 1 − `in_weight`, 1 is `x`, which lies in 0 to 1. `None` where the weights are not finite.
pub(super) fn parameter(out_weight: f64, in_weight: f64, x: f64) -> Option<f64> {
    let cubic = Cubic {
        a: 3.0 * (out_weight + in_weight) - 2.0,
        b: 3.0 * (1.0 - in_weight) - 6.0 * out_weight,
        c: 3.0 * out_weight,
        d: -x,
    };
    if !(cubic.a.is_finite() && cubic.b.is_finite() && cubic.c.is_finite() && x.is_finite()) {
        return None;
    }
    let is_plain = |weight| (0.0..=1.0).contains(&weight);
    if is_plain(out_weight) && is_plain(in_weight) {
        // Then time only rises.
        return Some(cubic.root_between(0.0, 1.0));
    }
    // From the right, over pieces on which the cubic only rises or only falls: it is not below
    // zero at 1, so the first place where it is not above zero closes the bracket.
    let mut high = 1.0;
    for low in cubic.turning_points().into_iter().flatten() {
        if cubic.at(low) <= 0.0 {
            return Some(cubic.root_between(low, high));
        }
        high = low;
    }
    Some(cubic.root_between(0.0, high))
}

/// a u³ + b u² + c u + d
struct Cubic {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
}

impl Cubic {
    fn at(&self, u: f64) -> f64 {
        ((self.a * u + self.b) * u + self.c) * u + self.d
    }

    fn slope(&self, u: f64) -> f64 {
        (3.0 * self.a * u + 2.0 * self.b) * u + self.c
    }

    /// Where the slope is zero between 0 and 1, the greater first.
    fn turning_points(&self) -> [Option<f64>; 2] {
        let (a, half_b, c) = (3.0 * self.a, self.b, self.c);
        let discriminant = half_b * half_b - a * c;
        if discriminant <= 0.0 || discriminant.is_nan() {
            return [None, None];
        }
        // Without cancellation: the root of the greater size first, the other from the product.
        let sum = -half_b - discriminant.sqrt().copysign(half_b);
        let roots = [sum / a, c / sum].map(|root| (root > 0.0 && root < 1.0).then_some(root));
        match roots {
            [Some(p), Some(q)] if p < q => [Some(q), Some(p)],
            [p, q] => [p, q],
        }
    }

    /// The root between `low`, where the cubic is not above zero, and `high`, where it is not
    /// below.
    fn root_between(&self, mut low: f64, mut high: f64) -> f64 {
        if self.at(high) <= 0.0 {
            return high;
        }
        // Where the weights are a third each, u is x.
        let mut u = (-self.d).clamp(low, high);
        for _ in 0..MOST_STEPS {
            let value = self.at(u);
            if value < 0.0 {
                low = u;
            } else {
                high = u;
            }
            let newton = u - value / self.slope(u);
            let next = match newton >= low && newton <= high {
                true => newton,
                false => low + (high - low) * 0.5,
            };
            let step = (next - u).abs();
            u = next;
            if step <= ENOUGH * u {
                break;
            }
        }
        u
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x at u by the definition of a Bezier curve.
    fn x_at(out_weight: f64, in_weight: f64, u: f64) -> f64 {
        let v = 1.0 - u;
        3.0 * u * v * v * out_weight + 3.0 * u * u * v * (1.0 - in_weight) + u * u * u
    }

    const WEIGHTS: [f64; 10] = [0.0, 1e-6, 0.1, 1.0 / 3.0, 0.5, 0.9, 1.0, 1.75, 2.0, 1e6];

    #[test]
    fn the_parameter_is_a_root_for_all_weights() {
        for out_weight in WEIGHTS {
            for in_weight in WEIGHTS {
                for step in 0..=1000 {
                    let x = f64::from(step) / 1000.0;
                    let u = parameter(out_weight, in_weight, x).unwrap();
                    assert!((0.0..=1.0).contains(&u));
                    let error = (x_at(out_weight, in_weight, u) - x).abs();
                    // A double's rounding of the cubic's terms.
                    let bound = 4e-15 * (1.0 + out_weight + in_weight);
                    assert!(error <= bound, "{out_weight} {in_weight} {x}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn where_a_time_is_reached_three_times_the_last_counts() {
        // The greatest of all u at which x is reached, found by walking back from 1.
        for (out_weight, in_weight) in [(2.0, 1.75), (2.0, 2.0), (3.0, 1.0), (1.0, 3.0)] {
            for step in 1..100 {
                let x = f64::from(step) / 100.0;
                let u = parameter(out_weight, in_weight, x).unwrap();
                let steps = 100_000;
                let above = (0..steps)
                    .map(|step| u + 1e-9 + (1.0 - u - 1e-9) * f64::from(step) / f64::from(steps))
                    .all(|later| x_at(out_weight, in_weight, later) >= x);
                assert!(above, "{out_weight} {in_weight} {x}: {u}");
            }
        }
    }

    #[test]
    fn any_weights_come_to_an_end() {
        let odd = [0.0, -1.0, 1e38, -1e38, f64::NAN, f64::INFINITY, 1e-40];
        for out_weight in odd {
            for in_weight in odd {
                for x in [0.0, 0.3, 1.0, f64::NAN] {
                    parameter(out_weight, in_weight, x);
                }
            }
        }
    }
}
