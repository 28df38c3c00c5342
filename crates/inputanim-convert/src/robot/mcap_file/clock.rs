//! Converts times of a recording to times of an MCAP file.

use std::time::Duration;

/// An instant of an MCAP file, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) u64);

/// The time between 1970 and the zero of a recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    zero: Duration,
}

impl Clock {
    pub(crate) fn new(zero: Duration) -> Clock {
        Clock { zero }
    }

    /// Converts a time of the recording in seconds to an instant of the file. Returns `None` if the time is not finite,
    /// is before 1970, or is after 2106, where the seconds of Foxglove's timestamps end.
    pub(crate) fn at(self, seconds: f32) -> Option<Moment> {
        // The sum is signed, because markers may be before the zero.
        let zero = i128::try_from(self.zero.as_nanos()).ok()?;
        // The cast saturates and does not wrap, so a huge time fails the check below.
        let since = seconds
            .is_finite()
            .then(|| (f64::from(seconds) * 1e9).round() as i128)?;
        let time = u64::try_from(zero.checked_add(since)?).ok()?;
        let is_within = Duration::from_nanos(time).as_secs() <= u64::from(u32::MAX);
        is_within.then_some(Moment(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_nanoseconds_since_the_zero() {
        let clock = Clock::new(Duration::from_secs(100));
        assert_eq!(clock.at(0.0), Some(Moment(100_000_000_000)));
        assert_eq!(clock.at(1.5), Some(Moment(101_500_000_000)));
        assert_eq!(clock.at(-100.0), Some(Moment(0)));
    }

    #[test]
    fn times_that_no_timestamp_can_represent_are_none() {
        let clock = Clock::new(Duration::from_secs(100));
        for seconds in [-101.0, f32::NAN, f32::INFINITY, 3e38, 4.3e9] {
            assert_eq!(clock.at(seconds), None, "{seconds}");
        }
        assert_eq!(Clock::new(Duration::MAX).at(1.0), None);
    }
}
