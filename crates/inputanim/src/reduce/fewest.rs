//! The fewest keys: the shortest way through all straight lines that are near enough.
//!
//! Method: dynamic programming from the first sample to the last; a line is a step from one sample
//! to a later one, at most [`WINDOW`] samples on. The lines that one pass finds are steps too,
//! however long, so that the result never has more keys.
//!
//! Cost: the samples, times how far a [`Cone`] stays open, at most the window; only lines that
//! would shorten the way are checked.

use super::cone::Cone;
use super::line::{Sample, is_line};
use super::metric::Metric;
use super::one_pass;

/// Lines over at most so many samples are looked for: four seconds at 60 a second.
const WINDOW: usize = 240;

/// The samples to keep, first and last among them.
pub(super) fn keys<const N: usize, M: Metric<N>>(samples: &[Sample<N>], metric: &M) -> Vec<usize> {
    let count = samples.len();
    let mut long: Vec<Option<usize>> = vec![None; count];
    for line in one_pass::keys(samples, metric).windows(2) {
        long[line[0]] = Some(line[1]);
    }
    // How many lines lead to a sample, and from where the last of them comes.
    let mut way: Vec<(u32, usize)> = vec![(u32::MAX, 0); count];
    if let Some(first) = way.first_mut() {
        first.0 = 0;
    }
    for start in 0..count {
        let steps = way[start].0.saturating_add(1);
        if let Some(end) = long[start].filter(|&end| steps < way[end].0) {
            way[end] = (steps, start);
        }
        let mut cone = Cone::<N, M>::from(samples[start]);
        let mut witness = start;
        for end in start + 1..count.min(start + WINDOW + 1) {
            let aim = cone.aim(samples[end]);
            if steps < way[end].0
                && cone.holds(aim)
                && is_line(samples, metric, [start, end], &mut witness)
            {
                way[end] = (steps, start);
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
        key = (index > 0).then(|| way[index].1);
    }
    keys.reverse();
    keys
}
