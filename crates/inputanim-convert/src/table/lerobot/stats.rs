//! Statistics of episodes and of the dataset.

/// The quantiles in percent.
pub(super) const PERCENTS: [u64; 5] = [1, 10, 50, 90, 99];

/// The statistics of a feature: one number for each part of its vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FeatureStats {
    pub(super) count: u64,
    pub(super) min: Vec<f64>,
    pub(super) max: Vec<f64>,
    pub(super) mean: Vec<f64>,
    /// The standard deviations of the population.
    pub(super) std: Vec<f64>,
    /// For each of the [`PERCENTS`], the quantile of each part.
    pub(super) quantiles: [Vec<f64>; PERCENTS.len()],
}

impl FeatureStats {
    fn with_capacity(parts: usize, count: u64) -> FeatureStats {
        let list = || Vec::with_capacity(parts);
        FeatureStats {
            count,
            min: list(),
            max: list(),
            mean: list(),
            std: list(),
            quantiles: std::array::from_fn(|_| list()),
        }
    }

    /// Computes the statistics of a feature from one column of values for each part of its vector. The columns have one
    /// length and are not empty, and their values are finite.
    pub(super) fn of_columns<'c>(
        columns: impl ExactSizeIterator<Item = &'c [f32]>,
    ) -> FeatureStats {
        let mut stats = FeatureStats::with_capacity(columns.len(), 0);
        let mut sorted = Vec::new();
        for column in columns {
            stats.count = column.len() as u64;
            sorted.clear();
            sorted.extend_from_slice(column);
            // Both zeros are equal numbers, so that their order does not matter.
            sorted.sort_unstable_by(f32::total_cmp);
            let sorted = |index: usize| sorted.get(index).copied().map_or(0.0, f64::from);
            stats.min.push(sorted(0));
            stats.max.push(sorted(column.len().saturating_sub(1)));
            let (mean, std) = moments(column);
            stats.mean.push(mean);
            stats.std.push(std);
            for (percent, values) in PERCENTS.into_iter().zip(&mut stats.quantiles) {
                values.push(sorted(rank(percent, stats.count) as usize));
            }
        }
        stats
    }

    /// Returns the statistics of the numbers that `value` returns for `count` consecutive indices from `first` on. The
    /// numbers must be equally spaced.
    pub(super) fn of_steps(first: u64, count: u64, value: impl Fn(u64) -> f64) -> FeatureStats {
        let last = first + count.saturating_sub(1);
        let step = if count > 1 {
            value(first + 1) - value(first)
        } else {
            0.0
        };
        let squares = (count as f64).powi(2) - 1.0;
        let number = |index: u64| vec![value(first + index)];
        FeatureStats {
            count,
            min: number(0),
            max: number(count.saturating_sub(1)),
            mean: vec![(value(first) + value(last)) / 2.0],
            // The variance of n steps of length 1 is (n² − 1) / 12.
            std: vec![step * (squares.max(0.0) / 12.0).sqrt()],
            quantiles: PERCENTS.map(|percent| number(rank(percent, count))),
        }
    }

    /// Returns the statistics of a number that is the same in all of `count` frames.
    pub(super) fn of_constant(number: u64, count: u64) -> FeatureStats {
        let number = || vec![number as f64];
        FeatureStats {
            count,
            min: number(),
            max: number(),
            mean: number(),
            std: vec![0.0],
            quantiles: std::array::from_fn(|_| number()),
        }
    }

    /// Combines the counts, bounds, means and deviations with those of another episode. The quantiles stay: those of all frames
    /// do not follow from those of episodes.
    pub(super) fn add(&mut self, other: &FeatureStats) {
        if self.count == 0 {
            self.clone_from(other);
            return;
        }
        let count = self.count + other.count;
        // The weight of the other episode, which moves each mean towards the other mean.
        let weight = other.count as f64 / count as f64;
        for (to, from) in self.min.iter_mut().zip(&other.min) {
            *to = to.min(*from);
        }
        for (to, from) in self.max.iter_mut().zip(&other.max) {
            *to = to.max(*from);
        }
        for (part, (mean, std)) in self.mean.iter_mut().zip(&mut self.std).enumerate() {
            let (Some(other_mean), Some(other_std)) = (other.mean.get(part), other.std.get(part))
            else {
                continue;
            };
            let delta = other_mean - *mean;
            let within = (1.0 - weight) * *std * *std + weight * other_std * other_std;
            *std = (within + weight * (1.0 - weight) * delta * delta).sqrt();
            *mean += weight * delta;
        }
        self.count = count;
    }
}

/// Returns the index of the quantile at `percent` in `count` sorted values: the first index at which at least this
/// percentage of the values is less than or equal to the value.
pub(super) fn rank(percent: u64, count: u64) -> u64 {
    // More than 2⁵⁷ values do not exist.
    (percent * count).div_ceil(100).saturating_sub(1)
}

/// Returns the mean and the standard deviation (of the population) of the values of a column.
fn moments(column: &[f32]) -> (f64, f64) {
    let count = column.len().max(1) as f64;
    let values = column.iter().map(|&value| f64::from(value));
    let mean = values.clone().sum::<f64>() / count;
    // Two passes: the mean of squares minus the square of the mean loses the digits of small deviations.
    let squares: f64 = values.map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / count).sqrt())
}
