//! A segment with weighted tangents: a cubic Bezier curve over time (docs/evaluation.md,
//! section 4).
//!
//! Method: time is a cubic polynomial of the curve's parameter u. Newton's method finds the u of a
//! time in double precision, between the turning points of the polynomial; a step that would leave
//! the bracket becomes a bisection.
//!
//! Guarantee: a true root, to more digits than single precision has. If the curve reaches a time
//! more than once, the greatest u in 0 to 1 counts, as in Unity. The number of steps is bounded for
//! all weights.

use crate::key::FullKey;

/// Weight of a side that is not weighted: with it a Bezier segment is a Hermite segment.
pub(super) const DEFAULT_WEIGHT: f64 = 1.0 / 3.0;

/// Relative size of the last step. The error of the value is at most a few times this size, a hundredth of the
/// resolution of single precision. With quadratic convergence, the relative error is the square of the step.
const TOLERANCE: f64 = 1e-10;

/// Maximum number of steps. Bisection alone needs half as many.
const MAX_STEPS: u32 = 80;

/// Returns the value of the Bezier segment between two keys at `time` in seconds. A weight is `None` for a side that is
/// not weighted. Returns NaN if a weight is not finite.
pub(super) fn between(
    left: &FullKey,
    out_weight: Option<f32>,
    right: &FullKey,
    in_weight: Option<f32>,
    time: f32,
) -> f32 {
    let start = f64::from(left.time());
    let length = f64::from(right.time()) - start;
    let out_weight = out_weight.map_or(DEFAULT_WEIGHT, f64::from);
    let in_weight = in_weight.map_or(DEFAULT_WEIGHT, f64::from);
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

/// Returns the greatest u in 0 to 1 at which the cubic Bezier polynomial with the control points 0, `out_weight`, 1 −
/// `in_weight` and 1 has the value `x` (0 to 1). Returns `None` if a number is not finite.
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
    // With both weights in 0 to 1, time never decreases along the curve. Then there is only one
    // root and no need for turning points.
    let is_monotonic = |weight| (0.0..=1.0).contains(&weight);
    if is_monotonic(out_weight) && is_monotonic(in_weight) {
        return Some(cubic.root_between(0.0, 1.0));
    }
    // The search goes from the right over the intervals between turning points. The cubic is not negative at 1, so the
    // first turning point at which it is not positive closes the bracket.
    let mut high = 1.0;
    for low in cubic.turning_points().into_iter().flatten() {
        if cubic.at(low) <= 0.0 {
            return Some(cubic.root_between(low, high));
        }
        high = low;
    }
    Some(cubic.root_between(0.0, high))
}

/// The polynomial a u³ + b u² + c u + d.
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

    /// Returns the values of u between 0 and 1 at which the slope of the polynomial is zero, the greater first; `None`
    /// for entries that are not needed.
    fn turning_points(&self) -> [Option<f64>; 2] {
        let (a, half_b, c) = (3.0 * self.a, self.b, self.c);
        let discriminant = half_b * half_b - a * c;
        if discriminant <= 0.0 || discriminant.is_nan() {
            return [None, None];
        }
        // Avoids cancellation: computes the root of greater magnitude, then the other from their
        // product.
        let sum = -half_b - discriminant.sqrt().copysign(half_b);
        let roots = [sum / a, c / sum].map(|root| (root > 0.0 && root < 1.0).then_some(root));
        match roots {
            [Some(p), Some(q)] if p < q => [Some(q), Some(p)],
            [p, q] => [p, q],
        }
    }

    /// Returns a root of the polynomial between `low`, where its value is at most 0, and `high`, where its value is at
    /// least 0.
    fn root_between(&self, mut low: f64, mut high: f64) -> f64 {
        if self.at(high) <= 0.0 {
            return high;
        }
        // The start: with weights of 1/3, u equals x.
        let mut u = (-self.d).clamp(low, high);
        for _ in 0..MAX_STEPS {
            let value = self.at(u);
            if value < 0.0 {
                low = u;
            } else {
                high = u;
            }
            let newton = u - value / self.slope(u);
            // The comparison also rejects NaN and infinity, which follow from a slope of 0.
            let next = if newton >= low && newton <= high {
                newton
            } else {
                low + (high - low) * 0.5
            };
            let step = (next - u).abs();
            u = next;
            if step <= TOLERANCE * u {
                break;
            }
        }
        u
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns x at u by the definition of a Bezier curve.
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
                    // The rounding error of the cubic's terms in double precision.
                    let bound = 4e-15 * (1.0 + out_weight + in_weight);
                    assert!(error <= bound, "{out_weight} {in_weight} {x}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn the_greatest_of_three_parameters_for_a_time_counts() {
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
    fn the_search_ends_for_any_weights() {
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
