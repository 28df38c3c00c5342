//! Samples of a vector, and whether a straight line between two of them says what lies between.

use crate::evaluate::{fraction, lerp};

use super::metric::Metric;

/// The samples of a vector of N components, in order of time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Samples<const N: usize> {
    /// Growing times in seconds.
    pub(super) times: Vec<f32>,
    /// Each component's values, as many as there are times; all are finite.
    pub(super) values: [Vec<f32>; N],
}

/// So many samples are looked at side by side.
const LANES: usize = 8;

impl<const N: usize> Samples<N> {
    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    #[inline]
    pub(super) fn at(&self, index: usize) -> [f32; N] {
        std::array::from_fn(|axis| self.values[axis][index])
    }

    /// What plays at the time of a sample where only two others around it are keys: exactly what
    /// the evaluator of curves gives for the toolkit's keys.
    #[inline]
    pub(super) fn played(&self, line: [usize; 2], index: usize) -> [f32; N] {
        self.on_line(line, self.times[index])
    }

    /// What plays at a time between two samples on the straight line from one to the other.
    #[inline]
    pub(super) fn on_line(&self, [from, to]: [usize; 2], time: f32) -> [f32; N] {
        let x = fraction(self.times[from], self.times[to], time);
        std::array::from_fn(|axis| lerp(self.values[axis][from], self.values[axis][to], x))
    }

    /// Whether the straight line between two samples is near all those between them. `witness` is
    /// a sample that stood in the way of another line: most often it does again.
    pub(super) fn is_line(
        &self,
        metric: &impl Metric<N>,
        [from, to]: [usize; 2],
        witness: &mut usize,
    ) -> bool {
        let is_near = |index| metric.is_near(self.played([from, to], index), self.at(index));
        if from < *witness && *witness < to && !is_near(*witness) {
            return false;
        }
        let mut index = from + 1;
        while index < to {
            let end = (index + LANES).min(to);
            // Without a way out in between, so that the samples are taken side by side.
            let mut are_near = true;
            for index in index..end {
                are_near &= is_near(index);
            }
            if !are_near {
                *witness = (index..end).find(|&index| !is_near(index)).unwrap_or(index);
                return false;
            }
            index = end;
        }
        true
    }
}
