//! One vector or quaternion: when it is to have keys, and what it plays then.

use crate::curve::{Curve, FloatCurve};
use crate::evaluate::Wrap;
use crate::path::CurvePath;
use crate::sampler::{UnplayableCurve, normalised};
use crate::span::Span;
use crate::summary::Union;
use crate::vector::{VectorKind, VectorPath};

use super::super::cut::{is_straight, played_at};
use super::plan::Plan;

/// The curves of a vector as they play.
pub(super) struct Vector<'r, 'a> {
    path: VectorPath,
    curves: &'r [FloatCurve<'a>],
    /// At which any of them has a key: in order, each once.
    keys: Vec<f32>,
    /// All that is played, if a curve is played outside of its keys and does not hold its end there.
    wraps: Option<Span>,
}

impl<'r, 'a> Vector<'r, 'a> {
    /// All key times must be finite.
    pub(super) fn new(
        path: VectorPath,
        curves: &'r [FloatCurve<'a>],
        played: Span,
    ) -> Vector<'r, 'a> {
        let mut union = Union::default();
        for curve in curves {
            union.add(&Curve::Float(curve));
        }
        let wraps = curves.iter().any(|curve| wraps_within(curve, played));
        Vector {
            path,
            curves,
            keys: union.finish(),
            wraps: wraps.then_some(played),
        }
    }

    /// Whether all keys are at one time.
    pub(super) fn is_still(&self) -> bool {
        self.keys.len() < 2
    }

    /// Whether curves must be written out, and then hold their ends.
    pub(super) fn wraps(&self) -> bool {
        self.wraps.is_some()
    }

    /// When the curves are to have keys, of which those at the rate are only in the times of `when`.
    pub(super) fn plan(&self, when: &[Span], rate: f64) -> Plan {
        let is_outside = |time: &f32| {
            let instant = Span {
                start: *time,
                end: *time,
            };
            !instant.is_in(when)
        };
        Plan {
            rate,
            kept: self.keys.iter().copied().filter(is_outside).collect(),
            reaches: self.reaches(when),
        }
    }

    /// Within which times keys come at the rate: in each time of `when` from the first key to the
    /// last. Where what crosses an end of that time is more than a straight line between two keys,
    /// up to that very end.
    fn reaches(&self, when: &[Span]) -> Vec<Span> {
        if let Some(played) = self.wraps {
            let within = |span: &Span| Span {
                start: span.start.max(played.start),
                end: span.end.min(played.end),
            };
            let reaches = when.iter().map(within);
            return reaches.filter(|reach| reach.start <= reach.end).collect();
        }
        let edges: Vec<_> = when
            .iter()
            .map(|span| [self.across_start(*span), self.across_end(*span)])
            .collect();
        let lines: Vec<Span> = edges.iter().flatten().flatten().copied().collect();
        let mut is_plain = self.are_plain(&lines).into_iter();
        let mut is_bent = |edge: &Option<Span>| edge.is_some() && is_plain.next() == Some(false);
        let reach = |(span, edges): (&Span, &[Option<Span>; 2])| {
            let ends = edges.each_ref().map(&mut is_bent);
            let inside = self.ends_within(*span);
            let bound = |is_bent: bool, end: f32, key: Option<f32>| match is_bent {
                true => Some(end),
                false => key,
            };
            Some(Span {
                start: bound(ends[0], span.start, inside.map(|keys| keys.start))?,
                end: bound(ends[1], span.end, inside.map(|keys| keys.end))?,
            })
        };
        when.iter().zip(&edges).filter_map(reach).collect()
    }

    /// From the key before the start of a time to the next one, if none is at the start itself.
    fn across_start(&self, span: Span) -> Option<Span> {
        let next = self.keys.partition_point(|&time| time < span.start);
        self.line_to(next).filter(|line| line.end > span.start)
    }

    /// The same of its end.
    fn across_end(&self, span: Span) -> Option<Span> {
        let next = self.keys.partition_point(|&time| time <= span.end);
        self.line_to(next).filter(|line| line.start < span.end)
    }

    fn line_to(&self, key: usize) -> Option<Span> {
        Some(Span {
            start: *self.keys.get(key.checked_sub(1)?)?,
            end: *self.keys.get(key)?,
        })
    }

    /// Of each line, whether its two ends alone say what plays on it: it is straight, and of a
    /// rotation both have length 1 and one side.
    fn are_plain(&self, lines: &[Span]) -> Vec<bool> {
        let mut are_plain = vec![true; lines.len()];
        for curve in self.curves {
            for (is_plain, straight) in are_plain.iter_mut().zip(is_straight(curve, lines)) {
                *is_plain &= straight;
            }
        }
        if self.path.kind() == VectorKind::Rotation {
            let times: Vec<f32> = lines
                .iter()
                .copied()
                .flat_map(|line| [line.start, line.end])
                .collect();
            let columns = self.columns(&times);
            let at = |key: usize| columns.iter().map(move |column| column[key]);
            let product = |a: usize, b: usize| product(at(a), at(b));
            for (line, is_plain) in are_plain.iter_mut().enumerate() {
                let (a, b) = (2 * line, 2 * line + 1);
                // So near to it that between the two an angle is off by rounding alone.
                let has_length_1 = |key: usize| (product(key, key) - 1.0).abs() < 1e-5;
                *is_plain &= has_length_1(a) && has_length_1(b) && product(a, b) >= 0.0;
            }
        }
        are_plain
    }

    /// The first and the last key within a span.
    fn ends_within(&self, span: Span) -> Option<Span> {
        let before = self.keys.partition_point(|&time| time < span.start);
        let until = self.keys.partition_point(|&time| time <= span.end);
        let inside = self.keys.get(before..until)?;
        Some(Span {
            start: *inside.first()?,
            end: *inside.last()?,
        })
    }

    /// What each curve plays at some times; 0 where it has no keys.
    pub(super) fn values(&self, times: &[f32]) -> Result<Vec<Vec<f32>>, UnplayableCurve> {
        let mut columns = match self.wraps() {
            true => self.wrapped_columns(times)?,
            false => self.columns(times),
        };
        if self.path.kind() == VectorKind::Rotation {
            turn_to_one_side(&mut columns);
        }
        Ok(columns)
    }

    fn columns(&self, times: &[f32]) -> Vec<Vec<f32>> {
        let column = |curve| played_at(curve, times);
        self.curves.iter().map(column).collect()
    }

    fn wrapped_columns(&self, times: &[f32]) -> Result<Vec<Vec<f32>>, UnplayableCurve> {
        let column = |(path, curve): (CurvePath, &FloatCurve<'_>)| match curve.evaluator() {
            Ok(evaluator) => Ok(times.iter().map(|&time| evaluator.at(time)).collect()),
            Err(source) => Err(UnplayableCurve {
                curve: path,
                source,
            }),
        };
        self.path.curves().zip(self.curves).map(column).collect()
    }
}

/// Whether a curve is played before its first or after its last key and does not hold its end there.
fn wraps_within(curve: &FloatCurve<'_>, played: Span) -> bool {
    let times = || curve.keys.points().map(|(time, _)| time);
    let first = times().fold(f32::INFINITY, f32::min);
    let last = times().fold(f32::NEG_INFINITY, f32::max);
    let Wrap { pre, post } = Wrap::of_float(curve);
    let is_seen = !pre.holds() && played.start < first || !post.holds() && played.end > last;
    first < last && is_seen
}

fn product(a: impl Iterator<Item = f32>, b: impl Iterator<Item = f32>) -> f64 {
    a.zip(b).map(|(a, b)| f64::from(a) * f64::from(b)).sum()
}

/// Gives quaternions length 1, and the sign that is nearer to the one before. What is so already,
/// but for rounding, stays as it is.
fn turn_to_one_side(columns: &mut [Vec<f32>]) {
    let [x, y, z, w] = columns else { return };
    let mut before = [0.0; 4];
    for (((x, y), z), w) in x.iter_mut().zip(y).zip(z).zip(w) {
        let mut rotation = [*x, *y, *z, *w];
        let square = product(rotation.into_iter(), rotation.into_iter());
        if !square.is_finite() || square == 0.0 {
            continue;
        }
        if (square - 1.0).abs() > 2e-6 {
            rotation = normalised(rotation);
        }
        if product(rotation.into_iter(), before.into_iter()) < 0.0 {
            rotation = rotation.map(|part| -part);
        }
        [*x, *y, *z, *w] = rotation;
        before = rotation;
    }
}
