//! Reduction to cubic curves, which need fewer keys than lines.
//!
//! Method: from each key, the longest valid cubic is searched by doubling its length and then
//! halving the step. A cubic is valid if it is within the bound at every sample, and halfway
//! between neighbouring samples against the line that joins them. Its ends are samples; its
//! tangents minimise the squared error. Each key has one tangent per side, so that every cubic is
//! fitted separately and the curve may have corners.
//!
//! Cost: for each sample, the logarithm of the length of its cubic.

use crate::evaluate::{Cubic, lerp};
use crate::key::FullKey;

use super::line::{Line, Sample};
use super::metric::Metric;

/// A sample that is kept, with its tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Key<const N: usize> {
    pub(super) sample: usize,
    in_tangents: [f32; N],
    out_tangents: [f32; N],
}

impl<const N: usize> Key<N> {
    /// Returns the key for one component of the vector. `samples` are the samples from which this one was selected.
    pub(super) fn of(&self, samples: &[Sample<N>], axis: usize) -> FullKey {
        FullKey::hermite(
            samples[self.sample].time,
            samples[self.sample].value[axis],
            self.in_tangents[axis],
            self.out_tangents[axis],
        )
    }
}

/// Returns the samples to keep with their tangents, including the first and the last sample. The cubics between them
/// are within the bound of `metric` at every sample, and halfway between neighbouring samples.
pub(super) fn keys<const N: usize>(samples: &[Sample<N>], metric: &impl Metric<N>) -> Vec<Key<N>> {
    let key = |sample| Key {
        sample,
        in_tangents: [0.0; N],
        out_tangents: [0.0; N],
    };
    let Some(last) = samples.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut keys = vec![key(0)];
    let mut from = 0;
    while from < last {
        let fit = longest(samples, metric, from, last);
        if let Some(left) = keys.last_mut() {
            left.out_tangents = fit.tangents.map(|[out, _]| out);
        }
        keys.push(Key {
            in_tangents: fit.tangents.map(|[_, into]| into),
            ..key(fit.to)
        });
        from = fit.to;
    }
    keys
}

/// A cubic between two samples.
struct CubicFit<const N: usize> {
    from: usize,
    to: usize,
    /// The tangents of each component at the start and at the end.
    tangents: [[f32; 2]; N],
}

fn longest<const N: usize>(
    samples: &[Sample<N>],
    metric: &impl Metric<N>,
    from: usize,
    last: usize,
) -> CubicFit<N> {
    // A cubic between neighbouring samples is always valid.
    let mut best = CubicFit::fit(samples, from, from + 1);
    let mut first_invalid = last + 1;
    let mut step = 1;
    while best.to + 1 < first_invalid {
        // While no invalid length is known, the step doubles. Afterwards the interval is halved.
        let to = if first_invalid > last {
            (best.to + step).min(last)
        } else {
            best.to + (first_invalid - best.to) / 2
        };
        let fit = CubicFit::fit(samples, from, to);
        if fit.is_near(samples, metric) {
            best = fit;
        } else {
            first_invalid = to;
        }
        step *= 2;
    }
    best
}

impl<const N: usize> CubicFit<N> {
    /// Returns the cubic between the samples with the indexes `from` and `to`. Its tangents minimise the squared error
    /// at the samples in between.
    fn fit(samples: &[Sample<N>], from: usize, to: usize) -> CubicFit<N> {
        let time = |index: usize| f64::from(samples[index].time);
        let value = |axis: usize, index: usize| f64::from(samples[index].value[axis]);
        let start = time(from);
        let length = time(to) - start;
        // The tangents add multiples of two polynomials to the line.
        let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
        let mut a_rest = [0.0; N];
        let mut b_rest = [0.0; N];
        for index in from + 1..to {
            let x = (time(index) - start) / length;
            let a = x * (1.0 - x) * (1.0 - x);
            let b = -x * x * (1.0 - x);
            aa += a * a;
            ab += a * b;
            bb += b * b;
            for axis in 0..N {
                let (first, last) = (value(axis, from), value(axis, to));
                let rest = value(axis, index) - (first + (last - first) * x);
                a_rest[axis] += a * rest;
                b_rest[axis] += b * rest;
            }
        }
        // A single sample in between does not determine two tangents; this selects the smallest.
        let regularisation = 1e-6 * (aa + bb) + f64::MIN_POSITIVE;
        let (aa, bb) = (aa + regularisation, bb + regularisation);
        let inverse = 1.0 / (aa * bb - ab * ab);
        let tangents = std::array::from_fn(|axis| {
            let rise = value(axis, to) - value(axis, from);
            let out = (a_rest[axis] * bb - b_rest[axis] * ab) * inverse;
            let into = (b_rest[axis] * aa - a_rest[axis] * ab) * inverse;
            // Without a sample in between, both are 0 times infinity.
            [out, into].map(|part| {
                let part = if to == from + 1 { 0.0 } else { part };
                ((rise + part) / length) as f32
            })
        });
        CubicFit { from, to, tangents }
    }

    /// Returns `true` if the cubic is within the bound of `metric` at every sample between its ends, and halfway
    /// between neighbouring samples.
    fn is_near(&self, samples: &[Sample<N>], metric: &impl Metric<N>) -> bool {
        let (start, end) = (samples[self.from], samples[self.to]);
        let cubics: [Cubic; N] = std::array::from_fn(|axis| {
            let point = |sample: Sample<N>| (sample.time, sample.value[axis]);
            Cubic::between(point(start), point(end), self.tangents[axis])
        });
        let value_at = |time: f32| cubics.map(|cubic| cubic.at(time));
        let between = &samples[self.from + 1..self.to];
        let mut pairs = samples[self.from..=self.to].windows(2);
        between
            .iter()
            .all(|sample| metric.is_near(value_at(sample.time), sample.value))
            && pairs.all(|pair| {
                let time = lerp(pair[0].time, pair[1].time, 0.5);
                let halfway = Line::between(pair[0], pair[1]).at(time);
                metric.is_near(value_at(time), halfway)
            })
    }
}
