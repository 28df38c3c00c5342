//! The smallest number of keys: the shortest path through all valid lines.
//!
//! Method: dynamic programming from the first sample to the last. A step is a valid line to one of
//! the next [`WINDOW`] samples. The lines of the one-pass method are steps too, whatever their
//! length, so that the result never has more keys.
//!
//! Cost: for each sample, the number of samples until the [`Cone`] closes, at most the window. Only
//! lines that shorten the path are checked.

use super::cone::Cone;
use super::line::{Sample, is_line};
use super::metric::Metric;
use super::one_pass;

/// The largest number of samples that a line replaces: four seconds at 60 Hz.
const WINDOW: usize = 240;

/// Returns the indexes of the samples to keep, including the first and the last. The lines between them are within the
/// bound of `metric` at every sample.
pub(super) fn keys<const N: usize, M: Metric<N>>(samples: &[Sample<N>], metric: &M) -> Vec<usize> {
    let count = samples.len();
    let mut one_pass_line: Vec<Option<usize>> = vec![None; count];
    for line in one_pass::keys(samples, metric).windows(2) {
        one_pass_line[line[0]] = Some(line[1]);
    }
    // The number of lines to each sample, and the start of the last one.
    let mut path: Vec<(u32, usize)> = vec![(u32::MAX, 0); count];
    if let Some(first) = path.first_mut() {
        first.0 = 0;
    }
    for start in 0..count {
        let steps = path[start].0.saturating_add(1);
        if let Some(end) = one_pass_line[start].filter(|&end| steps < path[end].0) {
            path[end] = (steps, start);
        }
        let mut cone = Cone::<N, M>::from(samples[start]);
        let mut witness = start;
        for end in start + 1..count.min(start + WINDOW + 1) {
            let aim = cone.aim(samples[end]);
            if steps < path[end].0
                && cone.holds(aim)
                && is_line(samples, metric, [start, end], &mut witness)
            {
                path[end] = (steps, start);
            }
            if !cone.narrow(metric, aim) {
                break;
            }
        }
    }
    let mut keys = Vec::new();
    let mut key = count.checked_sub(1);
    while let Some(index) = key {
        keys.push(index);
        // The path is stored from the end: each sample stores the start of its last line.
        key = (index > 0).then(|| path[index].1);
    }
    keys.reverse();
    keys
}
