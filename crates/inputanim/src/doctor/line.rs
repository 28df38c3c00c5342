//! A curve as points in order of time, joined by straight lines.

use crate::curve::FloatCurve;
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
///
/// Tangents are passed over: at a key nothing depends on them, and no known recorder writes any.
pub(super) struct Line {
    points: Vec<Point>,
    /// The first point after the last time that was asked for.
    next: usize,
}

impl Line {
    pub(super) fn of(curve: &FloatCurve<'_>) -> Line {
        let mut points: Vec<Point> = finite_points(curve).collect();
        if !is_in_order(points.iter().copied()) {
            // A stable sort: equal times keep their order, as in playing.
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        Line { points, next: 0 }
    }

    /// The value at a time not before the last one that was asked for: of a key, or of a line
    /// between two keys that are both within `span` or are equal. `None` where there is neither,
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
        let is_known = left.1 == right.1 || (left.0 >= span.start && right.0 <= span.end);
        is_known.then(|| {
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
