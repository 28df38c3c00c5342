//! Ranges of time as they are typed.

use std::ops::RangeInclusive;
use std::str::FromStr;

use inputanim::Span;

/// A range of seconds, both ends included; an open end is infinite.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimeRange(pub(crate) RangeInclusive<f32>);

impl TimeRange {
    /// The range with its open ends closed by those of `whole`.
    pub(crate) fn within(&self, whole: Span) -> Span {
        let (start, end) = (*self.0.start(), *self.0.end());
        Span {
            start: if start.is_finite() {
                start
            } else {
                whole.start
            },
            end: if end.is_finite() { end } else { whole.end },
        }
    }
}

impl FromStr for TimeRange {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeRange, String> {
        let (start, end) = text
            .split_once("..")
            .ok_or("expected a range such as 1.5..2, ..2 or 1.5..")?;
        let end = end.strip_prefix('=').unwrap_or(end);
        let bound = |text: &str, open: f32| match text.trim() {
            "" => Ok(open),
            text => match text.parse::<f32>() {
                Ok(time) if !time.is_nan() => Ok(time),
                _ => Err(format!("`{text}` is no number of seconds")),
            },
        };
        let range = bound(start, f32::NEG_INFINITY)?..=bound(end, f32::INFINITY)?;
        match range.start() <= range.end() {
            true => Ok(TimeRange(range)),
            false => Err("the range ends before it starts".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_be_open_and_negative() {
        let range = |text: &str| text.parse::<TimeRange>().map(|range| range.0);
        assert_eq!(range("1.5..2"), Ok(1.5..=2.0));
        assert_eq!(range("-3..-1"), Ok(-3.0..=-1.0));
        assert_eq!(range("..2"), Ok(f32::NEG_INFINITY..=2.0));
        assert_eq!(range(".."), Ok(f32::NEG_INFINITY..=f32::INFINITY));
        assert!(range("2..1").is_err());
        assert!(range("2").is_err());
        assert!(range("a..2").is_err());
        assert!(range("NaN..2").is_err());
    }

    #[test]
    fn open_ends_are_those_of_the_take() {
        let whole = Span {
            start: 0.0,
            end: 9.0,
        };
        let within = |text: &str| text.parse::<TimeRange>().unwrap().within(whole);
        assert_eq!(within(".."), whole);
        assert_eq!(
            within("2.."),
            Span {
                start: 2.0,
                end: 9.0
            }
        );
        assert_eq!(
            within("-1..20"),
            Span {
                start: -1.0,
                end: 20.0
            }
        );
    }
}
