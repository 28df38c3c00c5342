//! Where a straight line from a sample may go.

use super::line::Sample;
use super::metric::Metric;

/// The straight lines from one sample, the apex, that pass near enough to the samples after it, as
/// a box of speeds: three intervals that every further sample narrows.
///
/// A line outside of the box is too far from some sample; one inside it may be.
pub(super) struct Cone<const N: usize, M: Metric<N>> {
    chart: M::Chart,
    time: f32,
    slowest: [f32; 3],
    fastest: [f32; 3],
}

impl<const N: usize, M: Metric<N>> Cone<N, M> {
    pub(super) fn from(apex: Sample<N>) -> Cone<N, M> {
        Cone {
            chart: M::chart(apex.value),
            time: apex.time,
            slowest: [f32::NEG_INFINITY; 3],
            fastest: [f32::INFINITY; 3],
        }
    }

    /// Leaves out the lines that are too far from a sample; whether any is left.
    #[inline]
    pub(super) fn narrow(&mut self, metric: &M, sample: Sample<N>) -> bool {
        let place = M::coordinates(&self.chart, sample.value);
        let reach = metric.reach(place);
        let per_second = 1.0 / (sample.time - self.time);
        let mut is_open = true;
        let limits = self.slowest.iter_mut().zip(&mut self.fastest);
        for (place, (slowest, fastest)) in place.into_iter().zip(limits) {
            *slowest = slowest.max((place - reach) * per_second);
            *fastest = fastest.min((place + reach) * per_second);
            is_open &= *slowest <= *fastest;
        }
        is_open
    }

    /// Whether the line to a sample is in it.
    #[inline]
    pub(super) fn holds(&self, sample: Sample<N>) -> bool {
        let place = M::coordinates(&self.chart, sample.value);
        let per_second = 1.0 / (sample.time - self.time);
        (0..3).all(|axis| {
            let speed = place[axis] * per_second;
            self.slowest[axis] <= speed && speed <= self.fastest[axis]
        })
    }
}
