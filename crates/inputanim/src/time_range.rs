//! Ranges of time.

use std::fmt;

use crate::order;

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
    /// Returns the time range that starts and ends at `time`.
    pub(crate) fn instant(time: f32) -> TimeRange {
        TimeRange {
            start: time,
            end: time,
        }
    }

    /// Returns the length in seconds.
    pub fn length(self) -> f32 {
        self.end - self.start
    }

    /// Returns the sum of the lengths of time ranges in seconds.
    pub fn total_length(ranges: &[TimeRange]) -> f32 {
        // `sum` of no values is -0, which would be printed with its sign.
        ranges.iter().fold(0.0, |sum, range| sum + range.length())
    }

    /// Returns `true` if a time is in the range; both ends are included.
    pub fn contains(self, time: f32) -> bool {
        self.start <= time && time <= self.end
    }

    /// Returns the time range between two bounds in seconds; a bound that is `None` is infinite.
    ///
    /// # Errors
    /// Returns an error if a bound is not a number, or if the end is before the start.
    pub fn between(start: Option<f32>, end: Option<f32>) -> Result<TimeRange, TimeRangeError> {
        let range = TimeRange {
            start: start.unwrap_or(f32::NEG_INFINITY),
            end: end.unwrap_or(f32::INFINITY),
        };
        range.check()?;
        Ok(range)
    }

    /// Returns the part of the time range of a recording between two bounds in seconds; a bound that is `None` is open.
    ///
    /// # Errors
    /// Returns an error in the cases of [`between`](Self::between) and of [`limited_to`](Self::limited_to).
    pub fn within(
        start: Option<f32>,
        end: Option<f32>,
        recording: TimeRange,
    ) -> Result<TimeRange, TimeRangeError> {
        TimeRange::between(start, end)?.limited_to(recording)
    }

    /// Bounds this close to a recording, in seconds, count as inside: tables print times in milliseconds.
    pub const ROUNDING: f32 = 0.001;

    /// Returns the part of this range that is in the time range of a recording. If this range is outside it by at most
    /// [`ROUNDING`](Self::ROUNDING), the result is the nearest time of the recording.
    ///
    /// ```
    /// use inputanim::TimeRange;
    /// let recording = TimeRange { start: 0.0, end: 5.0 };
    /// let range = TimeRange::between(Some(3.0), None)?.limited_to(recording)?;
    /// assert_eq!(range, TimeRange { start: 3.0, end: 5.0 });
    /// let error = TimeRange::between(Some(6.0), None)?.limited_to(recording).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "the time range from 6 s on is outside the recording (0 s to 5 s)"
    /// );
    /// # Ok::<(), inputanim::TimeRangeError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a bound is not a number, if the end is before the start, or if no time is in both
    /// ranges.
    pub fn limited_to(self, recording: TimeRange) -> Result<TimeRange, TimeRangeError> {
        self.check()?;
        let (first, last) = (
            recording.start - TimeRange::ROUNDING,
            recording.end + TimeRange::ROUNDING,
        );
        if self.start > last || self.end < first {
            return Err(TimeRangeError::Outside {
                range: self,
                recording,
            });
        }
        // `clamp` would panic for the times of a damaged recording.
        let limited = |time: f32| time.max(recording.start).min(recording.end);
        Ok(TimeRange {
            start: limited(self.start),
            end: limited(self.end),
        })
    }

    /// Returns this range with its infinite bounds replaced by the bounds of `other`. The result never ends before it
    /// starts.
    ///
    /// ```
    /// use inputanim::TimeRange;
    /// let recording = TimeRange { start: 0.0, end: 9.0 };
    /// let open = TimeRange::between(Some(-1.0), None)?;
    /// assert_eq!(open.closed_by(recording), TimeRange { start: -1.0, end: 9.0 });
    /// # Ok::<(), inputanim::TimeRangeError>(())
    /// ```
    #[must_use]
    pub fn closed_by(self, other: TimeRange) -> TimeRange {
        let TimeRange { start, end } = self;
        TimeRange {
            start: if start.is_finite() {
                start
            } else {
                other.start.min(end)
            },
            end: if end.is_finite() {
                end
            } else {
                other.end.max(start)
            },
        }
    }

    /// Returns the union of time ranges: in order, without overlaps. Ranges that touch become one, and
    /// ranges that end before they start are dropped.
    ///
    /// ```
    /// use inputanim::TimeRange;
    /// let range = |start, end| TimeRange { start, end };
    /// let union = TimeRange::union(vec![range(3.0, 4.0), range(0.0, 1.0), range(0.5, 2.0)]);
    /// assert_eq!(union, [range(0.0, 2.0), range(3.0, 4.0)]);
    /// ```
    pub fn union(mut ranges: Vec<TimeRange>) -> Vec<TimeRange> {
        ranges.retain(|range| range.start <= range.end);
        order::sort_by_time(&mut ranges, |range| range.start);
        ranges.dedup_by(|later, earlier| {
            let overlaps = later.start <= earlier.end;
            if overlaps {
                earlier.end = earlier.end.max(later.end);
            }
            overlaps
        });
        ranges
    }

    /// Returns the shortest time range that contains both.
    ///
    /// ```
    /// use inputanim::TimeRange;
    /// let range = |start, end| TimeRange { start, end };
    /// assert_eq!(range(0.0, 1.0).hull(range(3.0, 4.0)), range(0.0, 4.0));
    /// ```
    pub fn hull(self, other: TimeRange) -> TimeRange {
        TimeRange {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Returns the part that two time ranges have in common; `None` if they do not overlap.
    pub fn intersection(self, other: TimeRange) -> Option<TimeRange> {
        let common = TimeRange {
            start: self.start.max(other.start),
            end: self.end.min(other.end),
        };
        (common.start <= common.end).then_some(common)
    }

    fn check(self) -> Result<(), TimeRangeError> {
        if self.start.is_nan() || self.end.is_nan() {
            return Err(TimeRangeError::NotANumber(self));
        }
        if self.start > self.end {
            return Err(TimeRangeError::Reversed(self));
        }
        Ok(())
    }

    /// Returns `true` if one of the sorted `ranges` contains all of this one.
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

/// A time range that is not valid, or that is outside a recording.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TimeRangeError {
    /// A bound is not a number.
    #[error("invalid time range: {} s to {} s; expected numbers, found NaN", .0.start, .0.end)]
    NotANumber(TimeRange),
    /// The end is before the start.
    #[error("the time range {} ends before it starts", Bounds(*.0))]
    Reversed(TimeRange),
    /// No time of the range is in the recording.
    #[error(
        "the time range {} is outside the recording ({} s to {} s)",
        Bounds(*.range), .recording.start, .recording.end
    )]
    Outside {
        /// The range.
        range: TimeRange,
        /// The time range of the recording.
        recording: TimeRange,
    },
}

/// The bounds of a time range for a message, without infinite bounds.
struct Bounds(TimeRange);

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TimeRange { start, end } = self.0;
        match (start.is_finite(), end.is_finite()) {
            (true, false) => write!(f, "from {start} s on"),
            (false, true) => write!(f, "until {end} s"),
            _ => write!(f, "{start} s to {end} s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_limited_to_the_recording() {
        let recording = TimeRange {
            start: -1.0,
            end: 5.0,
        };
        let limited =
            |start, end| TimeRange::between(start, end).and_then(|it| it.limited_to(recording));
        let range = |start, end| Ok(TimeRange { start, end });
        assert_eq!(limited(None, None), range(-1.0, 5.0));
        assert_eq!(limited(Some(-9.0), Some(2.0)), range(-1.0, 2.0));
        assert_eq!(limited(Some(5.0), Some(60.0)), range(5.0, 5.0));
        assert_eq!(limited(Some(2.0), Some(2.0)), range(2.0, 2.0));
    }

    #[test]
    fn invalid_ranges_and_those_outside_the_recording_are_refused() {
        let recording = TimeRange {
            start: 0.0,
            end: 5.0,
        };
        let message = |start, end| {
            let limited = TimeRange { start, end }.limited_to(recording);
            limited.unwrap_err().to_string()
        };
        assert_eq!(
            message(f32::NAN, 1.0),
            "invalid time range: NaN s to 1 s; expected numbers, found NaN"
        );
        assert_eq!(
            message(4.0, 1.0),
            "the time range 4 s to 1 s ends before it starts"
        );
        let is_outside = |message: String, bounds: &str| {
            let expected = format!("the time range {bounds} is outside the recording (0 s to 5 s)");
            assert_eq!(message, expected);
        };
        is_outside(message(50.0, 60.0), "50 s to 60 s");
        is_outside(message(6.0, f32::INFINITY), "from 6 s on");
        is_outside(message(f32::NEG_INFINITY, -1.0), "until -1 s");
        assert!(TimeRange::between(Some(4.0), Some(1.0)).is_err());
        assert!(TimeRange::between(None, Some(f32::NAN)).is_err());
    }

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
