//! Linear maps of vectors and quaternions: each new component is a weighted sum of the old ones.
//!
//! Linear maps commute with interpolation by components. Keys can therefore be mapped one by one if
//! the components have the same times and shapes, as in all curves that recorders write. Otherwise
//! the sums are not curves of the same kind. They are approximated by linear interpolation: at all
//! key times of the components, and at further times until the error is at most [`TOLERANCE`].

use crate::curve::{FloatCurve, KeyKind, Keys};
use crate::evaluate::{TimeNotANumber, Wrap};
use crate::key::FullKey;
use crate::order;
use crate::path::CurvePath;
use crate::sampler::UnplayableCurve;
use crate::time_range::TimeRange;
use crate::vector::share_times;

use super::budget::KeyBudget;
use super::error::EditError;

/// A linear map with an offset: the matrix, row by row, and the offset of each component.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinearMap<const N: usize> {
    pub(super) rows: [[f64; N]; N],
    pub(super) offset: [f64; N],
}

/// The tolerance of the approximation, in metres or as a part of a quaternion.
const TOLERANCE: f64 = 1e-5;
/// The largest depth to which a segment is halved.
const MAX_HALVINGS: u32 = 10;

impl<const N: usize> LinearMap<N> {
    /// Creates the map that applies the linear function `of` and then adds an offset.
    pub(super) fn new(of: impl Fn([f64; N]) -> [f64; N], offset: [f64; N]) -> LinearMap<N> {
        // The columns of the matrix are the images of the unit vectors.
        let images: [[f64; N]; N] = std::array::from_fn(|axis| {
            of(std::array::from_fn(|index| {
                f64::from(u8::from(index == axis))
            }))
        });
        LinearMap {
            rows: std::array::from_fn(|row| {
                std::array::from_fn(|column| round_integers(images[column][row]))
            }),
            offset,
        }
    }

    /// Maps the curves of a vector, which have the names `paths`, in place. A vector without keys stays empty. `played` is the time range of the
    /// recording, in which the copies of a loop become keys. Returns an error if the time of a key is NaN, or if too
    /// many new keys are needed.
    pub(super) fn apply(
        &self,
        paths: impl Iterator<Item = CurvePath>,
        curves: &mut [FloatCurve<'_>],
        played: TimeRange,
        budget: &mut KeyBudget,
    ) -> Result<(), EditError> {
        let Ok(curves) = <&mut [FloatCurve<'_>; N]>::try_from(curves) else {
            return Ok(());
        };
        if curves.iter().all(|curve| curve.keys.is_empty()) {
            return Ok(());
        }
        if let Some(single) = self.each_from_one(curves) {
            let old = curves.each_ref().map(|curve| curve.clone().into_owned());
            for (index, (curve, (from, factor))) in curves.iter_mut().zip(single).enumerate() {
                let is_same = from == index && factor == 1.0 && self.offset[index] == 0.0;
                if !is_same {
                    *curve = FloatCurve {
                        keys: old[from].keys.mapped(factor, self.offset[index]),
                        ..old[from].clone()
                    };
                }
            }
            return Ok(());
        }
        *curves = if has_one_shape(curves) {
            self.key_by_key(curves)
        } else {
            self.approximate(paths.collect(), curves, played, budget)?
        };
        Ok(())
    }

    /// Returns, for each new component, the index of the only old component that it depends on and its factor. `None`
    /// if components mix, or if the old component has no keys but an offset requires some.
    fn each_from_one(&self, curves: &[FloatCurve<'_>; N]) -> Option<[(usize, f64); N]> {
        let mut single = [(0, 0.0); N];
        for (row, single) in self.rows.iter().zip(&mut single) {
            let mut parts = row
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, factor)| *factor != 0.0);
            *single = parts.next().filter(|_| parts.next().is_none())?;
        }
        // A component without keys is 0. With an offset it needs a key.
        let is_held = |((from, _), offset): (&(usize, f64), &f64)| {
            *offset == 0.0 || !curves[*from].keys.is_empty()
        };
        single
            .iter()
            .zip(&self.offset)
            .all(is_held)
            .then_some(single)
    }

    /// Returns the factor of each component if each new component depends only on the old one with the same index, without an
    /// offset; `None` otherwise.
    pub(super) fn diagonal(&self) -> Option<[f64; N]> {
        let is_diagonal = (0..N).all(|row| {
            let mut others = (0..N).filter(|&column| column != row);
            self.offset[row] == 0.0 && others.all(|column| self.rows[row][column] == 0.0)
        });
        is_diagonal.then(|| std::array::from_fn(|index| self.rows[index][index]))
    }

    fn map(&self, old: [f64; N]) -> [f64; N] {
        std::array::from_fn(|index| {
            let row = self.rows[index].iter().zip(old);
            row.map(|(factor, value)| factor * value).sum::<f64>() + self.offset[index]
        })
    }

    /// Returns the curves, mapped key by key. They must differ only in values and tangents.
    fn key_by_key(&self, curves: &[FloatCurve<'_>; N]) -> [FloatCurve<'static>; N] {
        let mut new: [FloatCurve<'static>; N] = std::array::from_fn(|_| FloatCurve {
            pre_wrap: curves[0].pre_wrap,
            post_wrap: curves[0].post_wrap,
            keys: Keys::empty(curves[0].keys.kind()),
        });
        // Tangents are slopes, which an offset does not change.
        let without_offset = LinearMap {
            offset: [0.0; N],
            ..*self
        };
        for key in 0..curves[0].keys.len() {
            let part = |of: &dyn Fn(&FullKey) -> f32| {
                curves.each_ref().map(|curve| match &curve.keys {
                    Keys::Full(keys) => keys.get(key).map_or(0.0, |key| of(key).into()),
                    Keys::Simple(keys) => keys.get(key).map_or(0.0, |key| key.value().into()),
                })
            };
            let values = self.map(part(&FullKey::value)).map(|value| value as f32);
            match &curves[0].keys {
                Keys::Simple(keys) => {
                    let time = keys[key].time();
                    for (curve, value) in new.iter_mut().zip(values) {
                        curve.keys.push_linear(time, value);
                    }
                }
                Keys::Full(keys) => {
                    let like = keys[key];
                    let into = without_offset.map(part(&FullKey::in_tangent));
                    let out = without_offset.map(part(&FullKey::out_tangent));
                    let tangents = into.into_iter().zip(out);
                    for ((curve, value), (into, out)) in new.iter_mut().zip(values).zip(tangents) {
                        curve.keys.push_full(FullKey::weighted(
                            like.time(),
                            value,
                            [into as f32, out as f32],
                            [like.in_weight(), like.out_weight()],
                            like.weighted_mode(),
                        ));
                    }
                }
            }
        }
        new
    }

    fn approximate(
        &self,
        paths: Vec<CurvePath>,
        curves: &[FloatCurve<'_>; N],
        played: TimeRange,
        budget: &mut KeyBudget,
    ) -> Result<[FloatCurve<'static>; N], EditError> {
        let mut old = Vec::with_capacity(N);
        for (path, curve) in paths.iter().zip(curves) {
            let refused = |source: TimeNotANumber| UnplayableCurve {
                curve: *path,
                source,
            };
            old.push(curve.evaluator().map_err(refused)?);
        }
        let at = |time: f32| self.map(std::array::from_fn(|index| old[index].at(time).into()));
        let full = curves
            .iter()
            .any(|curve| curve.keys.kind() == KeyKind::Full);
        let kind = if full { KeyKind::Full } else { KeyKind::Simple };
        let mut new: [FloatCurve<'static>; N] = std::array::from_fn(|_| FloatCurve {
            keys: Keys::empty(kind),
            ..FloatCurve::default()
        });
        let times = key_times(&paths, curves, played, budget)?;
        let mut push = |time: f32, values: [f64; N]| {
            for (curve, value) in new.iter_mut().zip(values) {
                curve.keys.push_linear(time, value as f32);
            }
            budget.take(N as f64, paths[0])
        };
        // If a curve starts with several keys at one time, the first one determines the value
        // before that time.
        if let Some(&first) = times.first()
            && distance(at(first.next_down()), at(first)) > TOLERANCE
        {
            push(first, at(first.next_down()))?;
        }
        for (index, &time) in times.iter().enumerate() {
            let here = at(time);
            push(time, here)?;
            let Some(&next) = times.get(index + 1) else {
                break;
            };
            // The values are compared just after this time and just before the next one, because a
            // value may jump at both, and the start of a loop is rounded.
            let greatest = played.end.max(-played.start).max(next.abs());
            let rounding = 4.0 * f32::EPSILON * greatest;
            let (start, end) = (time + rounding, next - rounding);
            if start >= end {
                continue;
            }
            let (after, before) = (at(start), at(end));
            let is_near = |a: [f64; N], b: [f64; N]| distance(a, b) <= TOLERANCE;
            if !is_near(here, after) {
                push(start, after)?;
            }
            subdivide(&at, (start, after), (end, before), MAX_HALVINGS, &mut push)?;
            if !is_near(before, at(next)) {
                push(end, before)?;
            }
        }
        Ok(new)
    }
}

/// Returns the nearest integer for a number that differs from it only by rounding errors, as in the matrix of a quarter
/// turn, and any other number unchanged. With exact integers, such a map does not mix components.
fn round_integers(part: f64) -> f64 {
    let integer = part.round();
    if (part - integer).abs() < 1e-15 {
        integer
    } else {
        part
    }
}

/// Calls `push` with the times and values of the keys that are needed between two points of `at`, so that linear
/// interpolation is within [`TOLERANCE`]. Halves the interval at most `halvings` times.
fn subdivide<const N: usize>(
    at: &impl Fn(f32) -> [f64; N],
    (start, from): (f32, [f64; N]),
    (end, to): (f32, [f64; N]),
    halvings: u32,
    push: &mut impl FnMut(f32, [f64; N]) -> Result<(), EditError>,
) -> Result<(), EditError> {
    // Three points, because a symmetric S-shape crosses the line in its middle.
    let is_straight = [0.25, 0.5, 0.75].into_iter().all(|part: f64| {
        let time = f64::from(start) + (f64::from(end) - f64::from(start)) * part;
        // Both the line and the curve are evaluated at the rounded time.
        let time = time as f32;
        let part = (f64::from(time) - f64::from(start)) / (f64::from(end) - f64::from(start));
        let line = std::array::from_fn(|index| from[index] + (to[index] - from[index]) * part);
        distance(line, at(time)) <= TOLERANCE
    });
    let middle = (f64::midpoint(start.into(), end.into())) as f32;
    // Neighbouring single-precision numbers have no middle.
    if is_straight || halvings == 0 || middle <= start || middle >= end {
        return Ok(());
    }
    let between = at(middle);
    subdivide(at, (start, from), (middle, between), halvings - 1, push)?;
    push(middle, between)?;
    subdivide(at, (middle, between), (end, to), halvings - 1, push)
}

/// Returns the largest difference between two vectors in any component. A difference of less than a millionth of the
/// component counts as 0, because large numbers are rounded.
fn distance<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    let parts = a.into_iter().zip(b).map(|(a, b)| {
        let off = (a - b).abs();
        if off <= 1e-6 * a.abs().max(b.abs()) {
            0.0
        } else {
            off
        }
    });
    parts.fold(0.0, f64::max)
}

/// Returns the finite times at which a component has a key, in order and without duplicates. If a component loops, the
/// key times of its copies and the ends of `played` are included. Returns an error if there are more copies than the
/// budget allows.
fn key_times(
    paths: &[CurvePath],
    curves: &[FloatCurve<'_>],
    played: TimeRange,
    budget: &mut KeyBudget,
) -> Result<Vec<f32>, EditError> {
    let mut times: Vec<f32> = Vec::new();
    let mut wraps = false;
    for curve in curves {
        times.extend(curve.keys.points().map(|(time, _)| time));
        wraps |= curve.keys.len() > 1 && !Wrap::of_float(curve).holds();
    }
    times.retain(|time| time.is_finite());
    if wraps {
        times.extend([played.start, played.end]);
        for (path, curve) in paths.iter().zip(curves) {
            add_loop_times(*path, curve, played, &mut times, budget)?;
        }
    }
    order::sort_times(&mut times);
    times.dedup();
    Ok(times)
}

/// Adds to `times` the key times of every copy of a loop within `played`, forwards and backwards. Returns an error if
/// there are more than the budget allows.
fn add_loop_times(
    path: CurvePath,
    curve: &FloatCurve<'_>,
    played: TimeRange,
    times: &mut Vec<f32>,
    budget: &mut KeyBudget,
) -> Result<(), EditError> {
    let keys: Vec<f32> = curve.keys.points().map(|(time, _)| time).collect();
    let first = keys.iter().copied().fold(f32::INFINITY, f32::min);
    let last = keys.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let length = f64::from(last) - f64::from(first);
    if length <= 0.0 || !length.is_finite() {
        return Ok(());
    }
    let copy_of = |time: f32| ((f64::from(time) - f64::from(first)) / length).floor();
    let (from, to) = (copy_of(played.start), copy_of(played.end));
    budget.take((to - from + 1.0) * keys.len() as f64, path)?;
    for copy in from as i64..=to as i64 {
        let start = f64::from(first) + copy as f64 * length;
        let is_played = |time: &f32| *time >= played.start && *time <= played.end;
        // A loop may run forwards or backwards. The times of both are added.
        let forth = keys
            .iter()
            .map(|&key| (start + f64::from(key) - f64::from(first)) as f32);
        let back = keys
            .iter()
            .map(|&key| (start + f64::from(last) - f64::from(key)) as f32);
        times.extend(forth.chain(back).filter(is_played));
    }
    Ok(())
}

/// Returns `true` if the curves have the same key times, weights and wrap modes, and finite tangents. Then a sum of
/// them has this shape too.
fn has_one_shape(curves: &[FloatCurve<'_>]) -> bool {
    let Some((first, rest)) = curves.split_first() else {
        return true;
    };
    let same_wrap = |curve: &FloatCurve<'_>| Wrap::of_float(curve) == Wrap::of_float(first);
    let same_shape = |curve: &FloatCurve<'_>| match (&first.keys, &curve.keys) {
        (Keys::Simple(_), Keys::Simple(_)) => true,
        (Keys::Full(first), Keys::Full(keys)) => {
            let shape = |key: &FullKey| {
                let weights = [key.in_weight(), key.out_weight()].map(f32::to_bits);
                (weights, key.weighted_mode())
            };
            keys.iter().map(shape).eq(first.iter().map(shape))
        }
        _ => false,
    };
    // Excludes infinite tangents, and weights as large as the 1e6 with which MRTK holds a value.
    let is_smooth = |curve: &FloatCurve<'_>| match &curve.keys {
        Keys::Simple(_) => true,
        Keys::Full(keys) => keys.iter().all(|key| {
            key.in_tangent().is_finite()
                && key.out_tangent().is_finite()
                && key.in_weight().abs() < 1e5
                && key.out_weight().abs() < 1e5
        }),
    };
    share_times(curves)
        && rest.iter().all(same_wrap)
        && rest.iter().all(same_shape)
        && curves.iter().all(is_smooth)
}
