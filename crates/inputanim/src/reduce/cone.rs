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

    /// The line to a later sample.
    #[inline]
    pub(super) fn aim(&self, sample: Sample<N>) -> Aim {
        Aim {
            place: M::coordinates(&self.chart, sample.value),
            per_second: 1.0 / (sample.time - self.time),
        }
    }

    /// Whether a line is in it.
    #[inline]
    pub(super) fn holds(&self, aim: Aim) -> bool {
        (0..3).all(|axis| {
            let speed = aim.place[axis] * aim.per_second;
            self.slowest[axis] <= speed && speed <= self.fastest[axis]
        })
    }

    /// Leaves out the lines that are too far from a sample; whether any is left.
    #[inline]
    pub(super) fn narrow(&mut self, metric: &M, aim: Aim) -> bool {
        let reach = metric.reach(&self.chart, aim.place);
        let mut is_open = true;
        let limits = self.slowest.iter_mut().zip(&mut self.fastest);
        for (place, (slowest, fastest)) in aim.place.into_iter().zip(limits) {
            let from = (place - reach) * aim.per_second;
            let to = (place + reach) * aim.per_second;
            // Not `max` and `min`, which take longer to see to what is no number.
            *slowest = if from > *slowest { from } else { *slowest };
            *fastest = if to < *fastest { to } else { *fastest };
            is_open &= *slowest <= *fastest;
        }
        is_open
    }
}

/// A sample as it is seen from the apex.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    place: [f32; 3],
    per_second: f32,
}
