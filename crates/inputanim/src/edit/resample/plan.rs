//! The times at which the curves of a vector get keys.

use crate::order;
use crate::time_range::TimeRange;

/// The times at which the curves of a vector get keys.
pub(super) struct Plan {
    pub(super) rate: f64,
    /// The times of keys that stay.
    pub(super) kept: Vec<f32>,
    /// The ranges with keys at the rate and at both ends.
    pub(super) ranges: Vec<TimeRange>,
}

impl Plan {
    /// Returns an upper bound for the number of [`times`](Self::times).
    pub(super) fn max_keys(&self) -> f64 {
        let length = |range: &TimeRange| f64::from(range.end) - f64::from(range.start);
        let steps = self
            .ranges
            .iter()
            // A range contains at most one multiple more than this product, and gets keys at both
            // ends.
            .map(|range| length(range) * self.rate + 3.0);
        steps.sum::<f64>() + self.kept.len() as f64
    }

    /// Returns the key times in seconds, in order and without duplicates.
    pub(super) fn times(mut self) -> Vec<f32> {
        for range in self.ranges {
            self.kept.extend([range.start, range.end]);
            self.kept.extend(steps_within(range, self.rate));
        }
        order::sort_times(&mut self.kept);
        self.kept.dedup();
        self.kept
    }
}

/// Returns the multiples of `1 / rate` seconds within a time range, without its ends.
fn steps_within(range: TimeRange, rate: f64) -> impl Iterator<Item = f32> {
    // Times are computed from integers, so that a second run at the same rate gets the same bits.
    let first = (f64::from(range.start) * rate).floor() as i64;
    let steps = (range.start < range.end)
        .then_some(first..)
        .into_iter()
        .flatten();
    let times = steps.map(move |step| (step as f64 / rate) as f32);
    let times = times.skip_while(move |&time| time <= range.start);
    times.take_while(move |&time| time < range.end)
}
