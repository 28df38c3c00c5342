//! The algorithm of MRTK's recorder, for comparison: lines are divided at the farthest sample
//! (Ramer, Douglas and Peucker), within partitions.
//!
//! Method: the ends of partitions are keys. While a sample between two keys violates the bound, the
//! farthest one becomes a key.
//!
//! MRTK's recorder drops a single sample between two keys without a check, and loses the last
//! partition (D8 and D3 of docs/format.md, section 6). This implementation has neither defect.
//!
//! Cost: each sample is compared once per level of division; at worst, the square of the partition
//! size.

use super::line::{Line, Sample};
use super::metric::Metric;

/// Returns the indexes of the samples to keep, including the first and the last. The lines between them are within the
/// bound of `metric` at every sample. `partition` is the number of samples per partition; 0 makes one partition.
pub(super) fn keys<const N: usize, M: Metric<N>>(
    samples: &[Sample<N>],
    metric: &M,
    partition: usize,
) -> Vec<usize> {
    let ends = partitions(samples.len(), partition);
    let mut keys: Vec<usize> = ends.first().copied().into_iter().collect();
    let mut lines = Vec::new();
    for line in ends.windows(2) {
        lines.push([line[0], line[1]]);
        while let Some([from, to]) = lines.pop() {
            let mut farthest: Option<(usize, f64)> = None;
            let line = Line::between(samples[from], samples[to]);
            for (index, sample) in (from + 1..to).zip(&samples[from + 1..to]) {
                let played = line.at(sample.time);
                // The bound is tested first, because only samples out of bounds need the deviation.
                if !metric.is_near(played, sample.value) {
                    let deviation = M::deviation(played, sample.value);
                    if farthest.is_none_or(|(_, most)| deviation > most) {
                        farthest = Some((index, deviation));
                    }
                }
            }
            match farthest {
                // The earlier line is on top of the stack, so that keys are found in order of time.
                Some((middle, _)) => lines.extend([[middle, to], [from, middle]]),
                None => keys.push(to),
            }
        }
    }
    keys
}

/// Returns the indexes of the samples at the ends of the partitions, including the first and the last sample. `samples`
/// is the number of samples, and `size` their number per partition; 0 makes one partition.
fn partitions(samples: usize, size: usize) -> Vec<usize> {
    let Some(last) = samples.checked_sub(1) else {
        return Vec::new();
    };
    let size = if size == 0 { last.max(1) } else { size };
    let mut ends: Vec<usize> = (0..last).step_by(size).collect();
    ends.push(last);
    ends
}
