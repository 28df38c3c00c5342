//! The toolkit's way, for comparison: lines divided at the sample that is farthest away (the
//! algorithm of Ramer, Douglas and Peucker), within partitions.
//!
//! Method: the ends of partitions are keys; as long as some sample is too far from the line
//! between two keys, the farthest one becomes a key too.
//!
//! The toolkit's recorder skips a lone sample between two keys unchecked and leaves out the last
//! partition (D8 and D3 of docs/format.md, section 6); here neither happens.
//!
//! Cost: for each sample the depth of the division; the square of a partition at worst.

use super::line::{Line, Sample};
use super::metric::Metric;

/// The samples to keep, first and last among them.
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
                if !metric.is_near(played, sample.value) {
                    let deviation = M::deviation(played, sample.value);
                    if farthest.is_none_or(|(_, most)| deviation > most) {
                        farthest = Some((index, deviation));
                    }
                }
            }
            match farthest {
                // The earlier line is taken first, so that keys come in order.
                Some((middle, _)) => lines.extend([[middle, to], [from, middle]]),
                None => keys.push(to),
            }
        }
    }
    keys
}

/// The ends of partitions of so many samples; 0 is one partition.
fn partitions(samples: usize, size: usize) -> Vec<usize> {
    let Some(last) = samples.checked_sub(1) else {
        return Vec::new();
    };
    let size = if size == 0 { last.max(1) } else { size };
    let mut ends: Vec<usize> = (0..last).step_by(size).collect();
    ends.push(last);
    ends
}
