//! Pauses of a source of frames.

use std::fmt;
use std::str::FromStr;

use crate::time_range::TimeRange;

/// The rule that decides which time without data from a source is a pause: the values are unknown there.
///
/// It applies to sources that deliver values at a rate, such as frames, tables of samples and streams of messages. Keys of
/// curves may be far apart without a pause, because a curve is known between them.
///
/// Its text is the limit in seconds, `none`, or `usual`.
///
/// ```
/// use inputanim::{Pauses, TimeRange};
/// let mut times: Vec<f32> = (0..100).map(|frame| frame as f32 / 50.0).collect();
/// times.push(5.0);
/// assert_eq!(Pauses::Usual.in_times(&times), [TimeRange { start: 1.98, end: 5.0 }]);
/// assert!(Pauses::Longer(4.0).in_times(&times).is_empty());
/// assert_eq!("none".parse(), Ok(Pauses::None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pauses {
    /// A pause is longer than 0.5 s, and longer than 10 times the median interval.
    #[default]
    Usual,
    /// A pause is longer than this time in seconds.
    Longer(f32),
    /// No time without data is a pause.
    None,
}

/// A text that is not a rule for pauses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid limit of pauses \"{0}\": expected seconds above 0, `none` or `usual`")]
pub struct InvalidPauses(String);

impl Pauses {
    /// The shortest usual pause in seconds. Devices deliver nothing for up to 0.4 s while they record.
    pub const MIN_SECONDS: f32 = 0.5;

    /// The shortest usual pause as a multiple of the median interval.
    pub const MIN_INTERVALS: f32 = 10.0;

    /// Returns `true` if a time without data, in seconds, is a pause in some source.
    pub(crate) fn can_be(self, seconds: f32) -> bool {
        match self {
            Pauses::None => false,
            Pauses::Longer(limit) => seconds > limit,
            Pauses::Usual => seconds > Pauses::MIN_SECONDS,
        }
    }

    /// Returns the pauses between the times in seconds at which a source delivered values, which increase. A pause begins
    /// and ends with such a time. The median is that of all intervals; of an even number, the larger one of the two in the
    /// middle.
    pub fn in_times(self, times: &[f32]) -> Vec<TimeRange> {
        let intervals = || times.windows(2).map(|pair| pair[1] - pair[0]);
        // Most sources have no pause, and need no median.
        if !intervals().any(|interval| self.can_be(interval)) {
            return Vec::new();
        }
        let limit = match self {
            Pauses::None => f32::INFINITY,
            Pauses::Longer(seconds) => seconds,
            Pauses::Usual => {
                let mut sorted: Vec<f32> = intervals().collect();
                let middle = sorted.len() / 2;
                let (_, median, _) = sorted.select_nth_unstable_by(middle, f32::total_cmp);
                (Pauses::MIN_INTERVALS * *median).max(Pauses::MIN_SECONDS)
            }
        };
        let pairs = times.windows(2);
        pairs
            .filter(|pair| pair[1] - pair[0] > limit)
            .map(|pair| TimeRange {
                start: pair[0],
                end: pair[1],
            })
            .collect()
    }
}

impl fmt::Display for Pauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pauses::Usual => f.write_str("usual"),
            Pauses::Longer(seconds) => write!(f, "{seconds}"),
            Pauses::None => f.write_str("none"),
        }
    }
}

impl FromStr for Pauses {
    type Err = InvalidPauses;

    fn from_str(text: &str) -> Result<Pauses, InvalidPauses> {
        match text {
            "usual" => Ok(Pauses::Usual),
            "none" => Ok(Pauses::None),
            _ => match text.parse() {
                Ok(seconds) if seconds > 0.0 && f32::is_finite(seconds) => {
                    Ok(Pauses::Longer(seconds))
                }
                _ => Err(InvalidPauses(text.to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(pauses: Pauses, times: &[f32]) -> Vec<(f32, f32)> {
        let pauses = pauses.in_times(times).into_iter();
        pauses.map(|pause| (pause.start, pause.end)).collect()
    }

    #[test]
    fn a_usual_pause_is_longer_than_half_a_second_and_ten_intervals() {
        let fast = [0.0, 0.1, 0.2, 0.7, 0.8, 1.4, 1.5];
        assert_eq!(bounds(Pauses::Usual, &fast), []);
        let faster = [0.0, 0.01, 0.02, 0.03, 0.5, 1.01, 1.02, 1.03];
        assert_eq!(bounds(Pauses::Usual, &faster), [(0.5, 1.01)]);
        assert_eq!(
            bounds(Pauses::Longer(0.4), &faster),
            [(0.03, 0.5), (0.5, 1.01)]
        );
        assert_eq!(bounds(Pauses::None, &faster), []);
        for few in [&[][..], &[1.0], &[1.0, 9.0], &[1.0, 2.0, 9.0]] {
            assert_eq!(bounds(Pauses::Usual, few), []);
        }
    }

    #[test]
    fn texts_are_read_as_they_are_printed() {
        for pauses in [Pauses::Usual, Pauses::Longer(0.25), Pauses::None] {
            assert_eq!(pauses.to_string().parse(), Ok(pauses));
        }
        for text in ["0", "-1", "NaN", "inf", "never", ""] {
            assert!(text.parse::<Pauses>().is_err(), "{text}");
        }
    }
}
