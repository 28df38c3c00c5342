//! The longest straight line, then the next.
//!
//! Method: from each key on, a [`Cone`] keeps the speeds of all lines that still come near enough
//! to every sample since; a sample within it is tried as the next key, and when the cone is empty
//! the last one that did is taken. (The swing filter of time series and the one-pass
//! simplification of trajectories work so; they are content with what the cone lets through, while
//! here every line is checked against the samples themselves.)
//!
//! Cost: constant for each sample but for the checks. Of lines over more than [`EVERY`] samples
//! only some are tried, ever fewer the longer they are, and where none is found for as long as
//! the last one was, the search ends; so n samples cost n log n at worst.

use super::cone::Cone;
use super::line::{Sample, is_line};
use super::metric::Metric;

/// Lines over more samples than this are tried at distances that grow with their length.
const EVERY: usize = 32;

/// The samples to keep, first and last among them.
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

/// The farthest sample to which there is a straight line from a key.
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
    // What was not tried between the best line and the next one.
    let untried = best + 1..(best + 1 + (best - key) / EVERY).min(last);
    untried
        .rev()
        .find(|&end| is_line(samples, metric, [key, end], &mut witness))
        .unwrap_or(best)
}
