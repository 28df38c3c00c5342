//! The times of the keys of several curves.

use std::ops::Range;

use crate::curve::Curve;
use crate::order;
use crate::path::CurvePath;
use crate::recording::Recording;

/// The union of the finite key times of several curves.
#[derive(Default)]
pub(crate) struct TimeUnion {
    times: Vec<f32>,
    /// The times of the curves that were added last.
    last: Vec<Range<usize>>,
    /// The number of times after they were sorted last.
    sorted: usize,
}

impl TimeUnion {
    /// Returns the finite key times of some curves in seconds, in order, without duplicates.
    pub(crate) fn of<'c, 'a: 'c>(curves: impl IntoIterator<Item = Curve<'c, 'a>>) -> Vec<f32> {
        let mut union = TimeUnion::default();
        curves.into_iter().for_each(|curve| union.add(&curve));
        union.finish()
    }

    /// Adds the finite key times of a curve.
    pub(crate) fn add(&mut self, curve: &Curve<'_, '_>) {
        /// The number of earlier curves that a curve is compared with. Recorders write all position curves of a joint
        /// at the same times, and its rotation curves at other times. A comparison is fast.
        const CANDIDATES: usize = 3;
        /// The number of times from which on they are sorted before the end.
        const MANY: usize = 1 << 20;
        let mut last = self.last.iter();
        let is_known = |times: &Range<usize>| curve.times_are(&self.times[times.clone()]);
        if curve.is_empty() || last.any(is_known) {
            return;
        }
        let start = self.times.len();
        let times = curve.points().map(|(time, _)| time);
        self.times.extend(times.filter(|time| time.is_finite()));
        // This limits the memory if every curve has a list of times of its own, but most of the times are equal.
        if self.times.len() > 2 * self.sorted + MANY {
            self.sort();
            return;
        }
        if self.last.len() == CANDIDATES {
            self.last.remove(0);
        }
        self.last.push(start..self.times.len());
    }

    /// Adds times in seconds, which must be finite.
    pub(crate) fn extend(&mut self, times: impl IntoIterator<Item = f32>) {
        self.times.extend(times);
    }

    /// Returns the times that were added until now, in any order, perhaps with duplicates.
    pub(crate) fn times(&self) -> &[f32] {
        &self.times
    }

    /// Returns all added times in order, without duplicates.
    pub(crate) fn finish(mut self) -> Vec<f32> {
        self.sort();
        self.times
    }

    fn sort(&mut self) {
        // The sort puts −0 before 0, so equal times are neighbours for `dedup`.
        order::sort_times(&mut self.times);
        self.times.dedup();
        self.sorted = self.times.len();
        self.last.clear();
    }
}

impl Recording<'_> {
    /// Returns the finite key times of the curves that `keep` selects, in seconds, in order, without duplicates.
    ///
    /// ```
    /// use inputanim::{Layout, Pose, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(0.5, &Pose::IDENTITY);
    /// recording.hands_mut().left.tracked.push(0.25, true);
    /// assert_eq!(recording.key_times(|_| true), [0.25, 0.5]);
    /// ```
    pub fn key_times(&self, keep: impl Fn(CurvePath) -> bool) -> Vec<f32> {
        let curves = self.curves().filter(|(path, _)| keep(*path));
        TimeUnion::of(curves.map(|(_, curve)| curve))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::FloatCurve;

    fn curve(times: impl IntoIterator<Item = f32>) -> FloatCurve<'static> {
        let mut curve = FloatCurve::default();
        times
            .into_iter()
            .for_each(|time| curve.keys.push_linear(time, 0.0));
        curve
    }

    #[test]
    fn times_are_in_order_finite_and_distinct() {
        let curves = [
            curve([1.0, 0.0, f32::NAN]),
            curve([2.0, 0.0]),
            curve([]),
            curve([2.0, 0.0]),
            curve([-0.0, f32::INFINITY]),
        ];
        assert_eq!(
            TimeUnion::of(curves.iter().map(Curve::Float)),
            [0.0, 1.0, 2.0]
        );
    }

    #[test]
    fn many_curves_with_times_of_their_own_need_little_memory() {
        let mut union = TimeUnion::default();
        for number in 0..200 {
            // The last time differs, so no curve has the times of another one.
            let times = (0..10_000).chain([10_000 + number]);
            union.add(&Curve::Float(&curve(times.map(|time| time as f32))));
            assert!(union.times.capacity() < 1 << 22);
        }
        assert_eq!(union.finish().len(), 10_200);
    }
}
