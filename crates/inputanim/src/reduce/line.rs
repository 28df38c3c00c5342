//! Samples of a vector, and lines between them.

use crate::evaluate::{fraction, lerp};

use super::metric::Metric;

/// The value of a vector with N components at one time. All numbers are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample<const N: usize> {
    /// The time in seconds.
    pub(super) time: f32,
    pub(super) value: [f32; N],
}

/// The line from one sample to a later one.
#[derive(Clone, Copy)]
pub(super) struct Line<const N: usize> {
    start: Sample<N>,
    end: Sample<N>,
}

impl<const N: usize> Line<N> {
    pub(super) fn between(start: Sample<N>, end: Sample<N>) -> Line<N> {
        Line { start, end }
    }

    /// Returns the value of the line at a time, computed exactly as the evaluator of curves does for linear keys. The
    /// bound therefore holds for the evaluated values, including their rounding.
    #[inline]
    pub(super) fn at(&self, time: f32) -> [f32; N] {
        let x = fraction(self.start.time, self.end.time, time);
        std::array::from_fn(|axis| lerp(self.start.value[axis], self.end.value[axis], x))
    }
}

/// Returns `true` if the line between the samples with the indexes `from` and `to` stays within the bound at all
/// samples between them.
///
/// `witness` is the index of the sample that invalidated the previous line. It is tried first, because it often
/// invalidates the next line too. The call sets it if another sample invalidates this line.
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
