//! The curves of one vector or quaternion: their new key times and values.

use crate::curve::{Curve, FloatCurve};
use crate::evaluate::Wrap;
use crate::path::CurvePath;
use crate::sampler::{UnplayableCurve, normalised, normalised_direction};
use crate::time_range::TimeRange;
use crate::time_union::TimeUnion;
use crate::vector::{VectorKind, VectorPath};

use super::super::cut::{is_linear, played_at};
use super::plan::Plan;

/// The curves of a vector, for evaluation.
pub(super) struct Vector<'r, 'a> {
    path: VectorPath,
    curves: &'r [FloatCurve<'a>],
    /// The times at which any of them has a key, in order, without duplicates.
    keys: Vec<f32>,
    /// The time range of the recording, if a curve loops within it.
    wraps: Option<TimeRange>,
}

impl<'r, 'a> Vector<'r, 'a> {
    /// Creates the vector. All key times must be finite. `played` is the time range of the recording.
    pub(super) fn new(
        path: VectorPath,
        curves: &'r [FloatCurve<'a>],
        played: TimeRange,
    ) -> Vector<'r, 'a> {
        let wraps = curves.iter().any(|curve| wraps_within(curve, played));
        Vector {
            path,
            curves,
            keys: TimeUnion::of(curves.iter().map(Curve::Float)),
            wraps: wraps.then_some(played),
        }
    }

    /// Returns `true` if all keys are at one time, or if there are no keys.
    pub(super) fn is_still(&self) -> bool {
        self.keys.len() < 2
    }

    /// Returns `true` if a curve loops within the time range of the recording, so that its copies must become keys.
    pub(super) fn wraps(&self) -> bool {
        self.wraps.is_some()
    }

    /// Returns the plan of the new key times: `rate` keys per second within `ranges`, and the present keys outside
    /// them.
    pub(super) fn plan(&self, ranges: &[TimeRange], rate: f64) -> Plan {
        let is_outside = |time: &f32| {
            let instant = TimeRange {
                start: *time,
                end: *time,
            };
            !instant.is_in(ranges)
        };
        Plan {
            rate,
            kept: self.keys.iter().copied().filter(is_outside).collect(),
            ranges: self.sampled_ranges(ranges),
        }
    }

    /// Returns the time ranges that get keys at the rate: for each of `ranges`, the range from the first to the last
    /// key in it. At a bound where the segment between the keys before and after it is not plain (see
    /// [`are_plain`](Self::are_plain)), it extends to the bound. If a curve loops, the result is the part of `ranges`
    /// within the recording.
    fn sampled_ranges(&self, ranges: &[TimeRange]) -> Vec<TimeRange> {
        if let Some(played) = self.wraps {
            let within = |range: &TimeRange| TimeRange {
                start: range.start.max(played.start),
                end: range.end.min(played.end),
            };
            let reaches = ranges.iter().map(within);
            return reaches.filter(|reach| reach.start <= reach.end).collect();
        }
        let edges: Vec<_> = ranges
            .iter()
            .map(|range| [self.across_start(*range), self.across_end(*range)])
            .collect();
        let lines: Vec<TimeRange> = edges.iter().flatten().flatten().copied().collect();
        let mut is_plain = self.are_plain(&lines).into_iter();
        let mut is_bent =
            |edge: &Option<TimeRange>| edge.is_some() && is_plain.next() == Some(false);
        let reach = |(range, edges): (&TimeRange, &[Option<TimeRange>; 2])| {
            let ends = edges.each_ref().map(&mut is_bent);
            let inside = self.ends_within(*range);
            let bound =
                |is_bent: bool, end: f32, key: Option<f32>| if is_bent { Some(end) } else { key };
            Some(TimeRange {
                start: bound(ends[0], range.start, inside.map(|keys| keys.start))?,
                end: bound(ends[1], range.end, inside.map(|keys| keys.end))?,
            })
        };
        ranges.iter().zip(&edges).filter_map(reach).collect()
    }

    /// Returns the time range between the keys before and after the start of a range; `None` if a key is at the start,
    /// or if there is no key on one side.
    fn across_start(&self, range: TimeRange) -> Option<TimeRange> {
        let next = self.keys.partition_point(|&time| time < range.start);
        self.line_to(next).filter(|line| line.end > range.start)
    }

    /// Returns the time range between the keys before and after the end of a range; `None` if a key is at the end, or
    /// if there is no key on one side.
    fn across_end(&self, range: TimeRange) -> Option<TimeRange> {
        let next = self.keys.partition_point(|&time| time <= range.end);
        self.line_to(next).filter(|line| line.start < range.end)
    }

    fn line_to(&self, key: usize) -> Option<TimeRange> {
        Some(TimeRange {
            start: *self.keys.get(key.checked_sub(1)?)?,
            end: *self.keys.get(key)?,
        })
    }

    /// Returns `true` for each line between two neighbouring keys whose two ends determine the values on it: it is
    /// linear, and for a rotation both ends have length 1 and are in one hemisphere.
    fn are_plain(&self, lines: &[TimeRange]) -> Vec<bool> {
        let mut are_plain = vec![true; lines.len()];
        for curve in self.curves {
            for (is_plain, straight) in are_plain.iter_mut().zip(is_linear(curve, lines)) {
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
                // The length is so close to 1 that the angle between the two is exact except for
                // rounding.
                let has_length_1 = |key: usize| (product(key, key) - 1.0).abs() < 1e-5;
                *is_plain &= has_length_1(a) && has_length_1(b) && product(a, b) >= 0.0;
            }
        }
        are_plain
    }

    /// Returns the first and the last key time within a range; `None` without keys in it.
    fn ends_within(&self, range: TimeRange) -> Option<TimeRange> {
        let before = self.keys.partition_point(|&time| time < range.start);
        let until = self.keys.partition_point(|&time| time <= range.end);
        let inside = self.keys.get(before..until)?;
        Some(TimeRange {
            start: *inside.first()?,
            end: *inside.last()?,
        })
    }

    /// Returns the values of each curve at times in seconds; 0 without keys. Directions get length 1, and
    /// rotations too, each in the hemisphere of the previous one. Returns an error if a curve that loops cannot be evaluated.
    pub(super) fn values(&self, times: &[f32]) -> Result<Vec<Vec<f32>>, UnplayableCurve> {
        let mut columns = if self.wraps() {
            self.wrapped_columns(times)?
        } else {
            self.columns(times)
        };
        match self.path.kind() {
            VectorKind::Rotation => normalise_and_align(&mut columns),
            VectorKind::Direction => normalise_directions(&mut columns),
            VectorKind::Position | VectorKind::Number => {}
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

/// Returns `true` if the time range `played` reaches beyond an end of a curve that does not hold its value there.
fn wraps_within(curve: &FloatCurve<'_>, played: TimeRange) -> bool {
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

/// Gives directions length 1. `columns` are the lists of x, y and z. Directions of length 0 and with numbers that are not
/// finite stay as they are.
fn normalise_directions(columns: &mut [Vec<f32>]) {
    let [x, y, z] = columns else { return };
    for ((x, y), z) in x.iter_mut().zip(y).zip(z) {
        let direction = [*x, *y, *z];
        if direction.iter().all(|part| part.is_finite()) {
            [*x, *y, *z] = normalised_direction(direction);
        }
    }
}

/// Gives quaternions length 1, and the sign that is nearer to the previous one. `columns` are the lists of x, y, z and
/// w. Quaternions of length 0 and with numbers that are not finite stay as they are.
fn normalise_and_align(columns: &mut [Vec<f32>]) {
    let [x, y, z, w] = columns else { return };
    // The product with zeros is not negative, so the first rotation keeps its sign.
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
