//! Fewer keys yet, with tangents: cubic curves between samples.
//!
//! Method: from each key on the longest cubic is sought (by doubling its length, then halving the
//! step) that is near enough to every sample, and halfway between any two of them to the straight
//! line that was there. Its ends are samples; the tangents at its ends are those of least squares.
//! A key has one tangent towards each side, so that every cubic is found by itself; where the
//! samples turn sharply the curve may too.
//!
//! Cost: for each sample the logarithm of the length of its cubic.

use crate::evaluate::{Cubic, lerp};
use crate::key::FullKey;

use super::line::{Line, Sample};
use super::metric::Metric;

/// A sample that stays, with its tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Key<const N: usize> {
    pub(super) sample: usize,
    in_tangents: [f32; N],
    out_tangents: [f32; N],
}

impl<const N: usize> Key<N> {
    /// The key of one component.
    pub(super) fn of(&self, samples: &[Sample<N>], axis: usize) -> FullKey {
        FullKey::hermite(
            samples[self.sample].time,
            samples[self.sample].value[axis],
            self.in_tangents[axis],
            self.out_tangents[axis],
        )
    }
}

/// The samples to keep, first and last among them.
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
        let arc = longest(samples, metric, from, last);
        if let Some(left) = keys.last_mut() {
            left.out_tangents = arc.tangents.map(|[out, _]| out);
        }
        keys.push(Key {
            in_tangents: arc.tangents.map(|[_, into]| into),
            ..key(arc.to)
        });
        from = arc.to;
    }
    keys
}

/// A cubic between two samples.
struct Arc<const N: usize> {
    from: usize,
    to: usize,
    /// Of each component, out of the first sample and into the second.
    tangents: [[f32; 2]; N],
}

fn longest<const N: usize>(
    samples: &[Sample<N>],
    metric: &impl Metric<N>,
    from: usize,
    last: usize,
) -> Arc<N> {
    // Between neighbours there is nothing to be near to.
    let mut best = Arc::fit(samples, from, from + 1);
    let mut too_far = last + 1;
    let mut step = 1;
    while best.to + 1 < too_far {
        let to = match too_far > last {
            true => (best.to + step).min(last),
            false => best.to + (too_far - best.to) / 2,
        };
        let arc = Arc::fit(samples, from, to);
        match arc.is_near(samples, metric) {
            true => best = arc,
            false => too_far = to,
        }
        step *= 2;
    }
    best
}

impl<const N: usize> Arc<N> {
    /// The cubic that is nearest to the samples between two, by least squares.
    fn fit(samples: &[Sample<N>], from: usize, to: usize) -> Arc<N> {
        let time = |index: usize| f64::from(samples[index].time);
        let value = |axis: usize, index: usize| f64::from(samples[index].value[axis]);
        let start = time(from);
        let length = time(to) - start;
        // What two tangents add to the straight line: a multiple of each of two polynomials.
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
        // A single sample between leaves one of the two open: the smallest tangents then.
        let little = 1e-6 * (aa + bb) + f64::MIN_POSITIVE;
        let (aa, bb) = (aa + little, bb + little);
        let inverse = 1.0 / (aa * bb - ab * ab);
        let tangents = std::array::from_fn(|axis| {
            let rise = value(axis, to) - value(axis, from);
            let out = (a_rest[axis] * bb - b_rest[axis] * ab) * inverse;
            let into = (b_rest[axis] * aa - a_rest[axis] * ab) * inverse;
            // Without any sample between, both are 0 times infinity.
            [out, into].map(|part| {
                let part = if to == from + 1 { 0.0 } else { part };
                ((rise + part) / length) as f32
            })
        });
        Arc { from, to, tangents }
    }

    /// Whether it is within the bound.
    fn is_near(&self, samples: &[Sample<N>], metric: &impl Metric<N>) -> bool {
        let (start, end) = (samples[self.from], samples[self.to]);
        let cubics: [Cubic; N] = std::array::from_fn(|axis| {
            let point = |sample: Sample<N>| (sample.time, sample.value[axis]);
            Cubic::between(point(start), point(end), self.tangents[axis])
        });
        let played = |time: f32| cubics.map(|cubic| cubic.at(time));
        let between = &samples[self.from + 1..self.to];
        let mut pairs = samples[self.from..=self.to].windows(2);
        between
            .iter()
            .all(|sample| metric.is_near(played(sample.time), sample.value))
            && pairs.all(|pair| {
                let time = lerp(pair[0].time, pair[1].time, 0.5);
                let halfway = Line::between(pair[0], pair[1]).at(time);
                metric.is_near(played(time), halfway)
            })
    }
}
