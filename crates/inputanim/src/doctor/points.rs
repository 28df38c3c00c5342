//! A curve as points in order of time.

use crate::curve::{Curve, FloatCurve, Keys};
use crate::evaluate::FloatEvaluator;
use crate::key::FullKey;
use crate::order;
use crate::time_range::TimeRange;

/// Time and value.
pub(super) type Point = (f32, f32);

/// Returns the keys of a curve whose time and value are finite, in order of time. Equal times keep their order.
fn sorted_points(curve: &FloatCurve<'_>) -> Vec<Point> {
    let is_finite = |(time, value): &Point| time.is_finite() && value.is_finite();
    let mut points: Vec<Point> = curve.keys.points().filter(is_finite).collect();
    // Equal times keep their order, as in playback.
    order::sort_by_time(&mut points, |point| point.0);
    points
}

/// Calls `visit` with each pair of neighbouring finite points of a curve that have different times, in order of time.
pub(super) fn each_segment(curve: &FloatCurve<'_>, mut visit: impl FnMut(Point, Point)) {
    for pair in sorted_points(curve).windows(2) {
        if pair[0].0 < pair[1].0 {
            visit(pair[0], pair[1]);
        }
    }
}

/// A curve that is evaluated at increasing times.
pub(super) struct ForwardEvaluator<'c> {
    keys: &'c Keys<'c>,
    /// The finite points in order of time, if the keys are not orderly.
    sorted: Option<Vec<Point>>,
    /// The index of the first point after the time of the last call.
    next: usize,
    /// The evaluator, if the segments are not linear.
    evaluator: Option<FloatEvaluator<'c>>,
}

impl<'c> ForwardEvaluator<'c> {
    pub(super) fn of(curve: &'c FloatCurve<'_>) -> ForwardEvaluator<'c> {
        let is_linear = match &curve.keys {
            Keys::Full(keys) => keys.iter().all(FullKey::is_linear),
            Keys::Simple(_) => true,
        };
        let is_orderly = Curve::Float(curve).is_orderly();
        ForwardEvaluator {
            keys: &curve.keys,
            sorted: (!is_orderly).then(|| sorted_points(curve)),
            next: 0,
            // A curve with a key at NaN has no evaluator. Its finite points are joined linearly
            // then, and L3 reports the key.
            evaluator: (!is_linear).then(|| curve.evaluator().ok()).flatten(),
        }
    }

    fn point(&self, index: usize) -> Option<Point> {
        match &self.sorted {
            Some(points) => points.get(index).copied(),
            None => self.keys.point(index),
        }
    }

    /// Returns the value of the curve at a time in seconds; `None` if it is not known. The time must not be before the
    /// time of the last call. The value is known at a key, and between two keys that are both within `range` or have
    /// the same value.
    pub(super) fn at(&mut self, time: f32, range: TimeRange) -> Option<f64> {
        while self.point(self.next).is_some_and(|point| point.0 <= time) {
            self.next += 1;
        }
        let left = self.point(self.next.checked_sub(1)?)?;
        // At a key the value is known, whatever the neighbouring keys are.
        if left.0 == time {
            return Some(left.1.into());
        }
        let right = self.point(self.next)?;
        // A linear segment between equal values has this value everywhere, also across a gap.
        let is_level = left.1 == right.1 && self.evaluator.is_none();
        let is_known = is_level || (left.0 >= range.start && right.0 <= range.end);
        is_known.then(|| {
            if let Some(curve) = &self.evaluator {
                return curve.at(time).into();
            }
            let [t0, v0, t1, v1] = [left.0, left.1, right.0, right.1].map(f64::from);
            v0 + (v1 - v0) * (f64::from(time) - t0) / (t1 - t0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_at_keys_and_between_keys_of_one_range() {
        let curve = FloatCurve::linear([(2.0, 4.0), (0.0, 0.0), (f32::NAN, 9.0), (3.0, 4.0)]);
        let (start, end) = (0.0, 2.0);
        let known = |time| ForwardEvaluator::of(&curve).at(time, TimeRange { start, end });
        assert_eq!(known(-1.0), None);
        assert_eq!(known(0.5), Some(1.0));
        assert_eq!(known(2.0), Some(4.0));
        assert_eq!(known(2.5), Some(4.0));
        assert_eq!(known(3.5), None);
        let within = TimeRange { start: 0.5, end };
        assert_eq!(ForwardEvaluator::of(&curve).at(1.0, within), None);
    }
}
