//! Samples of a vector, and the straight lines between them.

use crate::evaluate::{fraction, lerp};

use super::metric::Metric;

/// A vector of N components at one time. All its numbers are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample<const N: usize> {
    /// In seconds.
    pub(super) time: f32,
    pub(super) value: [f32; N],
}

/// The straight line from one sample to a later one.
#[derive(Clone, Copy)]
pub(super) struct Line<const N: usize> {
    start: Sample<N>,
    end: Sample<N>,
}

impl<const N: usize> Line<N> {
    pub(super) fn between(start: Sample<N>, end: Sample<N>) -> Line<N> {
        Line { start, end }
    }

    /// What plays at a time where only its two ends are keys: exactly what the evaluator of curves
    /// gives for the toolkit's keys.
    #[inline]
    pub(super) fn at(&self, time: f32) -> [f32; N] {
        let x = fraction(self.start.time, self.end.time, time);
        std::array::from_fn(|axis| lerp(self.start.value[axis], self.end.value[axis], x))
    }
}

/// Whether the straight line between two samples is near all those between them. `witness` is a
/// sample that stood in the way of another line: most often it does again.
#[inline]
pub(super) fn is_line<const N: usize>(
    samples: &[Sample<N>],
    metric: &impl Metric<N>,
    [from, to]: [usize; 2],
    witness: &mut usize,
) -> bool {
    let line = Line::between(samples[from], samples[to]);
    let is_far = |sample: &Sample<N>| !metric.is_near(line.at(sample.time), sample.value);
    if from < *witness && *witness < to && is_far(&samples[*witness]) {
        return false;
    }
    match samples[from + 1..to].iter().position(is_far) {
        Some(at) => {
            *witness = from + 1 + at;
            false
        }
        None => true,
    }
}
