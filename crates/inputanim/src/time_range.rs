//! Ranges of time.

/// A range of time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct TimeRange {
    /// Start in seconds.
    pub start: f32,
    /// End in seconds.
    pub end: f32,
}

impl TimeRange {
    /// Returns the length in seconds.
    pub fn length(self) -> f32 {
        self.end - self.start
    }

    /// Returns whether a time is in the range; both ends are included.
    pub fn contains(self, time: f32) -> bool {
        self.start <= time && time <= self.end
    }

    /// Returns whether one of the sorted `ranges` contains all of this one.
    pub(crate) fn is_in(self, ranges: &[TimeRange]) -> bool {
        let after = ranges.partition_point(|range| range.start <= self.start);
        let range = after.checked_sub(1).and_then(|index| ranges.get(index));
        range.is_some_and(|range| self.end <= range.end)
    }

    /// Maximum sampling rate in Hz. Times in single precision cannot resolve it after a few seconds.
    pub const MAX_RATE: f64 = 1e6;

    /// Returns the times at `rate` Hz from the start on. They include the end if it is one of them.
    /// Returns no times when a bound is not finite, or when the rate is not above 0 and at most
    /// [`TimeRange::MAX_RATE`].
    ///
    /// Each time is computed from its index and rounded once, so that errors do not accumulate.
    ///
    /// ```
    /// use inputanim::TimeRange;
    /// let range = TimeRange { start: 0.5, end: 1.0 };
    /// let times: Vec<f32> = range.times_at(4.0).collect();
    /// assert_eq!(times, [0.5, 0.75, 1.0]);
    /// ```
    pub fn times_at(self, rate: f64) -> impl Iterator<Item = f32> {
        self.times_from(rate, 0)
    }

    /// Returns the times of [`times_at`](Self::times_at) from the time with the index `first` on. Earlier times
    /// are not computed.
    ///
    /// ```
    /// use inputanim::TimeRange;
    /// let range = TimeRange { start: 0.5, end: 1.0 };
    /// let times: Vec<f32> = range.times_from(4.0, 1).collect();
    /// assert_eq!(times, [0.75, 1.0]);
    /// ```
    pub fn times_from(self, rate: f64, first: u64) -> impl Iterator<Item = f32> {
        let is_rate = rate > 0.0 && rate <= TimeRange::MAX_RATE;
        let is_valid = self.start.is_finite() && self.end.is_finite() && is_rate;
        let start = f64::from(self.start);
        // Far from 0, many steps round to one time. Half a step allows for rounding at the end.
        let length = f64::from(self.end) - start + 0.5 / rate;
        (first..)
            .map(move |step| step as f64 / rate)
            .take_while(move |&offset| is_valid && offset <= length)
            .map(move |offset| (start + offset) as f32)
            // The number of steps is not computed, because its rounding could lose the end.
            .take_while(move |&time| time <= self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_included_when_the_rate_meets_it() {
        let count = |start, end, rate| TimeRange { start, end }.times_at(rate).count();
        assert_eq!(count(0.0, 9.0, 60.0), 541);
        assert_eq!(count(0.0, 3.7, 60.0), 223);
        assert_eq!(count(0.0, 3.699, 60.0), 222);
        assert_eq!(count(1.0, 1.0, 60.0), 1);
        assert_eq!(count(1.0, 0.5, 60.0), 0);
        assert_eq!(count(1e30, 1e30, 60.0), 1);
    }

    #[test]
    fn later_times_are_those_after_the_earlier_ones() {
        let range = TimeRange {
            start: 0.1,
            end: 50.0,
        };
        let all: Vec<f32> = range.times_at(90.0).collect();
        for first in [0, 1, 77, all.len() - 1, all.len(), all.len() + 5] {
            let found: Vec<f32> = range.times_from(90.0, first as u64).collect();
            assert_eq!(found[..], all[first.min(all.len())..], "{first}");
        }
    }

    #[test]
    fn an_infinite_range_or_an_invalid_rate_has_no_times() {
        let count = |start, end, rate| TimeRange { start, end }.times_at(rate).count();
        assert_eq!(count(0.0, f32::INFINITY, 60.0), 0);
        assert_eq!(count(f32::NAN, 1.0, 60.0), 0);
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(count(0.0, 1.0, rate), 0);
        }
    }
}
