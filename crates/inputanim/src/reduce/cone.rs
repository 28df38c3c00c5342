//! The cone of lines that start at a sample and stay within the bound.

use super::line::Sample;
use super::metric::Metric;

/// The lines from one sample, the apex, that pass near enough to the samples after it: three
/// intervals of speeds, one per coordinate, which every further sample narrows.
///
/// A line outside the cone violates the bound at some sample. A line inside it may be valid and
/// needs a check.
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

    /// Returns the line from the apex, the first sample of the cone, to a later sample.
    #[inline]
    pub(super) fn aim(&self, sample: Sample<N>) -> Aim {
        Aim {
            position: M::coordinates(&self.chart, sample.value),
            per_second: 1.0 / (sample.time - self.time),
        }
    }

    /// Returns `true` if a line is in the cone. Every other line violates the bound at a sample with which the cone was
    /// narrowed.
    #[inline]
    pub(super) fn holds(&self, aim: Aim) -> bool {
        (0..3).all(|axis| {
            // Multiplied by the reciprocal, since one division serves three axes.
            let speed = aim.position[axis] * aim.per_second;
            self.slowest[axis] <= speed && speed <= self.fastest[axis]
        })
    }

    /// Removes from the cone the lines that violate the bound at the sample to which `aim` leads. Returns `false` if no
    /// line is left.
    #[inline]
    pub(super) fn narrow(&mut self, metric: &M, aim: Aim) -> bool {
        let reach = metric.reach(&self.chart, aim.position);
        let mut is_open = true;
        let limits = self.slowest.iter_mut().zip(&mut self.fastest);
        for (position, (slowest, fastest)) in aim.position.into_iter().zip(limits) {
            let from = (position - reach) * aim.per_second;
            let to = (position + reach) * aim.per_second;
            // `f32::max` and `f32::min` are slower here, because they handle NaN.
            *slowest = if from > *slowest { from } else { *slowest };
            *fastest = if to < *fastest { to } else { *fastest };
            is_open &= *slowest <= *fastest;
        }
        is_open
    }
}

/// A later sample in the coordinates of the apex.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    position: [f32; 3],
    per_second: f32,
}
