//! A curve as points in order of time, joined by straight lines or as its tangents say.

use crate::curve::{FloatCurve, Keys};
use crate::evaluate::FloatEvaluator;
use crate::key::FullKey;
use crate::span::Span;

/// Time and value.
pub(super) type Point = (f32, f32);

fn finite_points(curve: &FloatCurve<'_>) -> impl Iterator<Item = Point> {
    let is_finite = |(time, value): &Point| time.is_finite() && value.is_finite();
    curve.keys.points().filter(is_finite)
}

fn is_in_order(points: impl Iterator<Item = Point>) -> bool {
    points.is_sorted_by(|a, b| a.0 <= b.0)
}

/// Tells of neighbouring points that lie apart in time, in order. Where the keys are in order, as
/// they nearly always are, nothing is copied.
pub(super) fn each_segment(curve: &FloatCurve<'_>, tell: impl FnMut(Point, Point)) {
    match is_in_order(finite_points(curve)) {
        true => walk(finite_points(curve), tell),
        false => walk(Line::of(curve).points.into_iter(), tell),
    }
}

fn walk(mut points: impl Iterator<Item = Point>, mut tell: impl FnMut(Point, Point)) {
    let Some(mut before) = points.next() else {
        return;
    };
    for point in points {
        if before.0 < point.0 {
            tell(before, point);
        }
        before = point;
    }
}

/// The finite points of one curve in order of time, walked forward.
pub(super) struct Line<'c> {
    points: Vec<Point>,
    /// The first point after the last time that was asked for.
    next: usize,
    /// What runs between the points where that is no straight line.
    curve: Option<FloatEvaluator<'c>>,
}

impl<'c> Line<'c> {
    pub(super) fn of(curve: &'c FloatCurve<'_>) -> Line<'c> {
        let mut points: Vec<Point> = finite_points(curve).collect();
        if !is_in_order(points.iter().copied()) {
            // A stable sort: equal times keep their order, as in playing.
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let is_line = match &curve.keys {
            Keys::Full(keys) => keys.iter().all(FullKey::is_linear),
            Keys::Simple(_) => true,
        };
        Line {
            points,
            next: 0,
            curve: (!is_line).then(|| curve.evaluator().ok()).flatten(),
        }
    }

    /// The value at a time not before the last one that was asked for: of a key, or between two keys
    /// that are both within `span`, or on a level line between any two. `None` where there is neither,
    /// so that nothing would be known but by guessing.
    pub(super) fn at(&mut self, time: f32, span: Span) -> Option<f64> {
        while self
            .points
            .get(self.next)
            .is_some_and(|point| point.0 <= time)
        {
            self.next += 1;
        }
        let left = *self.points.get(self.next.checked_sub(1)?)?;
        if left.0 == time {
            return Some(left.1.into());
        }
        let right = *self.points.get(self.next)?;
        let is_level = left.1 == right.1 && self.curve.is_none();
        let is_known = is_level || (left.0 >= span.start && right.0 <= span.end);
        is_known.then(|| {
            if let Some(curve) = &self.curve {
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
    fn a_line_is_known_at_keys_and_between_keys_of_one_span() {
        let curve = FloatCurve::linear([(2.0, 4.0), (0.0, 0.0), (f32::NAN, 9.0), (3.0, 4.0)]);
        let (start, end) = (0.0, 2.0);
        let known = |time| Line::of(&curve).at(time, Span { start, end });
        assert_eq!(known(-1.0), None);
        assert_eq!(known(0.5), Some(1.0));
        assert_eq!(known(2.0), Some(4.0));
        assert_eq!(known(2.5), Some(4.0));
        assert_eq!(known(3.5), None);
        let within = Span { start: 0.5, end };
        assert_eq!(Line::of(&curve).at(1.0, within), None);
    }
}
