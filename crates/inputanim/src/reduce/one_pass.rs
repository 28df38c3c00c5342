//! The longest valid line from each key, in one pass over the samples.
//!
//! Method: a [`Cone`] at the last key keeps the speeds of all lines that stay within the bound.
//! Each sample inside the cone is checked as the next key. When the cone is empty, the last valid
//! sample becomes the key.
//!
//! Source: the swing filter for time series, and one-pass simplification of trajectories. These
//! accept every line in the cone; here each line is checked against the samples.
//!
//! Cost: n log n for n samples at worst. Of the lines over more than [`EVERY`] samples, only some
//! are checked, at growing distances. The search stops when no line was valid over a distance as
//! long as the last valid line.

use super::cone::Cone;
use super::line::{Sample, is_line};
use super::metric::Metric;

/// The length in samples from which lines are checked at growing distances.
const EVERY: usize = 32;

/// Returns the indexes of the samples to keep, including the first and the last. The lines between them are within the
/// bound of `metric` at every sample.
pub(super) fn keys<const N: usize, M: Metric<N>>(samples: &[Sample<N>], metric: &M) -> Vec<usize> {
    let Some(last) = samples.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut keys = vec![0];
    let mut key = 0;
    while key < last {
        key = next(samples, metric, key, last);
        keys.push(key);
    }
    keys
}

/// Returns the index of the farthest sample found that a valid line from the sample `key` reaches. `last` is the index
/// of the last sample.
fn next<const N: usize, M: Metric<N>>(
    samples: &[Sample<N>],
    metric: &M,
    key: usize,
    last: usize,
) -> usize {
    let mut cone = Cone::<N, M>::from(samples[key]);
    let mut best = key + 1;
    let mut witness = key;
    let mut due = key + 2;
    for end in key + 1..=last {
        let aim = cone.aim(samples[end]);
        if end == due || end == last {
            if cone.holds(aim) && is_line(samples, metric, [key, end], &mut witness) {
                best = end;
            }
            due = end + 1 + (end - key) / EVERY;
        }
        let gives_up = end - best > best - key + EVERY;
        if gives_up || !cone.narrow(metric, aim) {
            break;
        }
    }
    // The samples after the best line that were not checked.
    let untried = best + 1..(best + 1 + (best - key) / EVERY).min(last);
    untried
        // The farthest sample comes first, because the search is for the longest valid line.
        .rev()
        .find(|&end| is_line(samples, metric, [key, end], &mut witness))
        .unwrap_or(best)
}
