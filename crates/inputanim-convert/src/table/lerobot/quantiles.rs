//! Quantiles of all frames of a dataset, in bounded memory.

use super::stats::{PERCENTS, rank};

/// The most different values that are kept for all parts of all features together. An entry needs 16 bytes, and as much again
/// while lists are merged.
const ENTRIES: usize = 8 << 20;

/// The fewest different values that are kept for one part.
const FEWEST: usize = 4096;

/// The values of one part of a vector in all frames so far: how often each value occurs.
///
/// Up to a number of different values, the quantiles are exact. Beyond it, values are counted in bins whose width is a power of
/// two: the smallest width for which the bins that are not empty are few enough. A quantile is the middle of its bin then.
#[derive(Clone, Debug)]
pub(super) struct ValueCounts {
    /// The most different values, or bins.
    limit: usize,
    /// The width of a bin; 0 while each value is kept.
    width: f64,
    /// The values, or the lower ends of the bins, in order, with their counts.
    counted: Vec<(f64, u64)>,
    /// Values that are not counted yet.
    waiting: Vec<(f64, u64)>,
}

impl ValueCounts {
    /// Creates an empty list of counts. `parts` is the number of parts that share the memory.
    pub(super) fn new(parts: usize) -> ValueCounts {
        ValueCounts::with_limit((ENTRIES / parts.max(1)).max(FEWEST))
    }

    fn with_limit(limit: usize) -> ValueCounts {
        ValueCounts {
            limit,
            width: 0.0,
            counted: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Adds a finite value that occurs `count` times.
    pub(super) fn push(&mut self, value: f64, count: u64) {
        // Both zeros are equal numbers.
        self.waiting.push((value + 0.0, count));
        // Lists of similar lengths are merged, so that each value is moved rarely.
        if self.waiting.len() >= (self.counted.len() / 2).max(1024) {
            self.merge();
        }
    }

    fn merge(&mut self) {
        let width = self.width;
        for (value, _) in &mut self.waiting {
            *value = bin(*value, width);
        }
        self.waiting.extend_from_slice(&self.counted);
        self.counted = merged(std::mem::take(&mut self.waiting));
        while self.counted.len() > self.limit {
            self.width = if self.width == 0.0 {
                self.first_width()
            } else {
                self.width * 2.0
            };
            let mut bins = std::mem::take(&mut self.counted);
            for (value, _) in &mut bins {
                *value = bin(*value, self.width);
            }
            self.counted = merged(bins);
        }
    }

    /// Returns a power of two that is at most the least distance of two values. The range of the values would not do: an outlier
    /// would make the bins of all others wide.
    fn first_width(&self) -> f64 {
        let neighbours = self.counted.windows(2);
        let distances = neighbours.map(|pair| pair[1].0 - pair[0].0);
        let least = distances.fold(f64::INFINITY, f64::min);
        least.log2().floor().exp2()
    }

    /// Returns the quantiles at the [`PERCENTS`]: the smallest value that at least this percentage of the values does not exceed;
    /// 0 if there are no values.
    pub(super) fn quantiles(&mut self) -> [f64; PERCENTS.len()] {
        self.merge();
        let total: u64 = self.counted.iter().map(|(_, count)| count).sum();
        PERCENTS.map(|percent| {
            let rank = rank(percent, total);
            let mut before = 0;
            let found = self.counted.iter().find(|(_, count)| {
                before += count;
                before > rank
            });
            found.map_or(0.0, |(value, _)| value + self.width / 2.0)
        })
    }
}

/// Returns the lower end of the bin of a value.
fn bin(value: f64, width: f64) -> f64 {
    if width == 0.0 {
        return value;
    }
    let lower = (value / width).floor() * width;
    // A width far below the distance of two neighbouring numbers does not change the value.
    if lower.is_finite() { lower } else { value }
}

/// Sorts values, and adds the counts of equal ones.
fn merged(mut values: Vec<(f64, u64)>) -> Vec<(f64, u64)> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|next, kept| {
        let is_equal = next.0 == kept.0;
        if is_equal {
            kept.1 += next.1;
        }
        is_equal
    });
    values
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[f64], limit: usize) -> (Vec<f64>, f64) {
        let mut counts = ValueCounts::with_limit(limit);
        for &value in values {
            counts.push(value, 1);
        }
        (counts.quantiles().to_vec(), counts.width)
    }

    fn exact(values: &[f64]) -> Vec<f64> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |percent| sorted[rank(percent, values.len() as u64) as usize];
        PERCENTS.into_iter().map(at).collect()
    }

    #[test]
    fn many_values_have_quantiles_within_half_a_bin_also_beside_an_outlier() {
        // A spread of golden sections covers 0 to 1 evenly.
        let mut values: Vec<f64> = (0..200_000)
            .map(|n| (f64::from(n) * 0.618_033_988_75).fract())
            .collect();
        let (found, width) = of(&values, 1000);
        assert!(width > 0.0 && width <= 1.0 / 500.0, "{width}");
        for (found, exact) in found.iter().zip(exact(&values)) {
            assert!((found - exact).abs() <= width / 2.0, "{found} {exact}");
        }
        // An outlier costs a bin, before the other values as well as after them.
        for place in [0, values.len()] {
            values.splice(place..place, [1e6, -1e30, 1e300]);
            let (found, width) = of(&values, 1000);
            assert!(width <= 1.0 / 500.0, "{width}");
            for (found, exact) in found.iter().zip(exact(&values)) {
                assert!((found - exact).abs() <= width / 2.0, "{found} {exact}");
            }
        }
    }

    #[test]
    fn values_with_counts_are_values_that_repeat() {
        let mut counts = ValueCounts::with_limit(10);
        counts.push(3.0, 98);
        counts.push(-0.0, 1);
        counts.push(0.0, 1);
        assert_eq!(counts.counted.len() + counts.waiting.len(), 3);
        assert_eq!(counts.quantiles(), [0.0, 3.0, 3.0, 3.0, 3.0]);
        assert_eq!(ValueCounts::new(1).quantiles(), [0.0; 5]);
    }

    proptest! {
        #[test]
        fn few_values_have_exact_quantiles(values in prop::collection::vec(-1e3..1e3_f32, 1..4000)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let (found, width) = of(&values, 4096);
            prop_assert_eq!(width, 0.0);
            prop_assert_eq!(found, exact(&values));
        }

        #[test]
        fn the_bins_do_not_depend_on_the_magnitude(values in prop::collection::vec(any::<f32>(), 300..2000)) {
            let values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).map(f64::from).collect();
            prop_assume!(!values.is_empty());
            let (found, width) = of(&values, 256);
            for (found, exact) in found.iter().zip(exact(&values)) {
                prop_assert!((found - exact).abs() <= width / 2.0 + exact.abs() * 1e-15);
            }
        }
    }
}
