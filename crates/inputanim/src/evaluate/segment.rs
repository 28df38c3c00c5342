//! The value between two neighbouring keys (docs/evaluation.md, sections 3 and 4).

use crate::key::{BooleanKey, FullKey, SimpleKey, WeightedMode};

use super::bezier;

/// A key of any form.
pub(crate) trait Keyframe: Copy + PartialEq {
    fn time(&self) -> f32;
    fn value(&self) -> f32;
    /// Returns the value of the segment between two neighbouring keys at a time, which is at or after the left key and
    /// before the right key.
    fn between(left: &Self, right: &Self, time: f32) -> f32;
}

impl Keyframe for SimpleKey {
    fn time(&self) -> f32 {
        SimpleKey::time(self)
    }

    fn value(&self) -> f32 {
        SimpleKey::value(self)
    }

    fn between(left: &Self, right: &Self, time: f32) -> f32 {
        let x = fraction(left.time(), right.time(), time);
        lerp(left.value(), right.value(), x)
    }
}

impl Keyframe for BooleanKey {
    fn time(&self) -> f32 {
        BooleanKey::time(self)
    }

    fn value(&self) -> f32 {
        BooleanKey::value(self)
    }

    fn between(left: &Self, _: &Self, _: f32) -> f32 {
        left.value()
    }
}

/// Weight with which MRTK makes a segment hold its left value.
pub(super) const HOLDING_WEIGHT: f32 = 1e6;

impl Keyframe for FullKey {
    fn time(&self) -> f32 {
        FullKey::time(self)
    }

    fn value(&self) -> f32 {
        FullKey::value(self)
    }

    fn between(left: &Self, right: &Self, time: f32) -> f32 {
        // An infinite tangent makes a step before weights are considered (docs/evaluation.md,
        // section 1).
        if left.out_tangent() == f32::INFINITY || right.in_tangent() == f32::INFINITY {
            return left.value();
        }
        let out_weight = weight(left, WeightedMode::OUT, left.out_weight());
        let in_weight = weight(right, WeightedMode::IN, right.in_weight());
        match (out_weight, in_weight) {
            (None, None) => hermite(left, right, time),
            // Keys of MRTK 1.0. With these weights, the Bezier curve is exactly this line.
            (Some(0.0), Some(0.0)) => {
                let x = fraction(left.time(), right.time(), time);
                lerp(left.value(), right.value(), x)
            }
            (Some(HOLDING_WEIGHT), Some(0.0))
                if left.out_tangent() == 0.0 && right.in_tangent() == 0.0 =>
            {
                left.value()
            }
            (out_weight, in_weight) => bezier::between(left, out_weight, right, in_weight, time),
        }
    }
}

/// Returns `weight`, the weight of one side of a key; `None` if the key is not weighted on this side.
pub(super) fn weight(key: &FullKey, side: WeightedMode, weight: f32) -> Option<f32> {
    (key.weighted_mode().0 & side.0 != 0).then_some(weight)
}

/// Returns the position of `time` in the interval from `start` to `end`: 0 at `start`, 1 at `end`.
#[inline]
pub(crate) fn fraction(start: f32, end: f32, time: f32) -> f32 {
    (time - start) / (end - start)
}

/// Interpolates linearly from `a` at `x` = 0 to `b` at `x` = 1. At 0 it returns `a` itself: the sum would lose the sign
/// of −0, and a difference that overflows would give NaN.
#[inline]
pub(crate) fn lerp(a: f32, b: f32, x: f32) -> f32 {
    if x == 0.0 { a } else { a + (b - a) * x }
}

/// A segment with unweighted tangents, in Unity's order of operations. Other forms of the same
/// polynomial round differently.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cubic {
    start: f32,
    value: f32,
    tangent: f32,
    quadratic: f32,
    cubic: f32,
}

impl Cubic {
    /// Returns the segment between two keys, which are given as (time, value). The tangents are its slopes at the left
    /// and at the right key, per second.
    #[inline]
    pub(crate) fn between(
        (start, value): (f32, f32),
        (end, end_value): (f32, f32),
        [out_tangent, in_tangent]: [f32; 2],
    ) -> Cubic {
        let length = end - start;
        let inverse = 1.0 / length;
        let square = inverse * inverse;
        let leaving = out_tangent * length;
        let arriving = in_tangent * length;
        let rise = end_value - value;
        Cubic {
            start,
            value,
            tangent: out_tangent,
            quadratic: (rise + rise + rise - leaving - leaving - arriving) * square,
            cubic: (leaving + arriving - rise - rise) * square * inverse,
        }
    }

    /// Returns the value of the segment at a time in seconds.
    #[inline]
    pub(crate) fn at(self, time: f32) -> f32 {
        let u = time - self.start;
        u * (u * (u * self.cubic + self.quadratic) + self.tangent) + self.value
    }
}

fn hermite(left: &FullKey, right: &FullKey, time: f32) -> f32 {
    let point = |key: &FullKey| (key.time(), key.value());
    let tangents = [left.out_tangent(), right.in_tangent()];
    Cubic::between(point(left), point(right), tangents).at(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(time: f32, value: f32, tangent: f32, weights: [f32; 2], mode: WeightedMode) -> FullKey {
        FullKey::weighted(time, value, [tangent; 2], weights, mode)
    }

    #[test]
    fn keys_of_mrtk_make_linear_segments() {
        let (a, b) = (FullKey::linear(1.0, 5.0), FullKey::linear(2.0, 7.0));
        let (c, d) = (SimpleKey::new(1.0, 5.0), SimpleKey::new(2.0, 7.0));
        for time in [1.0, 1.1, 1.5, 1.99] {
            let value = FullKey::between(&a, &b, time);
            assert_eq!(value, SimpleKey::between(&c, &d, time));
            assert_eq!(value, 5.0 + 2.0 * (time - 1.0));
        }
    }

    #[test]
    fn a_linear_segment_begins_with_the_bits_of_its_key() {
        for (a, b) in [(-0.0, 1.0), (f32::MAX, f32::MIN), (1e-45, f32::INFINITY)] {
            let line = SimpleKey::between(&SimpleKey::new(1.0, a), &SimpleKey::new(2.0, b), 1.0);
            assert_eq!(line.to_bits(), a.to_bits());
        }
    }

    #[test]
    fn boolean_keys_of_mrtk_hold_their_value() {
        let weights = [0.0, HOLDING_WEIGHT];
        let a = key(0.0, 1.0, 0.0, weights, WeightedMode::BOTH);
        let b = key(1.0, 0.0, 0.0, weights, WeightedMode::BOTH);
        for time in [0.0, 0.5, 1.0_f32.next_down()] {
            assert_eq!(FullKey::between(&a, &b, time), 1.0);
        }
    }

    #[test]
    fn an_infinite_tangent_holds_the_left_value_weighted_or_not() {
        for mode in [WeightedMode::NONE, WeightedMode::BOTH] {
            let plain = key(0.0, 1.0, 0.0, [0.5; 2], mode);
            let stepped = key(1.0, 2.0, f32::INFINITY, [0.5; 2], mode);
            let after = key(2.0, 3.0, 0.0, [0.5; 2], mode);
            assert_eq!(FullKey::between(&plain, &stepped, 0.5), 1.0);
            assert_eq!(FullKey::between(&stepped, &after, 1.5), 2.0);
        }
    }

    #[test]
    fn one_weighted_side_makes_the_segment_weighted_with_a_third_on_the_other() {
        // With 1/3 on both sides, the Bezier segment equals the unweighted segment.
        let third = 1.0 / 3.0;
        for (a, b) in [
            (WeightedMode::OUT, WeightedMode::NONE),
            (WeightedMode::NONE, WeightedMode::IN),
        ] {
            let left = key(0.0, 1.0, 2.0, [9.0, third], a);
            let right = key(2.0, 3.0, -1.0, [third, 9.0], b);
            for time in [0.25, 1.0, 1.75] {
                let weighted = FullKey::between(&left, &right, time);
                let plain = hermite(&left, &right, time);
                assert!((weighted - plain).abs() < 1e-6, "{weighted} {plain}");
            }
        }
    }

    #[test]
    fn the_weights_of_the_other_sides_do_not_matter() {
        let left = key(0.0, 1.0, 2.0, [9.0, 9.0], WeightedMode::IN);
        let right = key(2.0, 3.0, -1.0, [9.0, 9.0], WeightedMode::OUT);
        assert_eq!(
            FullKey::between(&left, &right, 0.5),
            hermite(&left, &right, 0.5)
        );
    }
}
