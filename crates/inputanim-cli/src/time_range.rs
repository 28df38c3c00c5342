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

/// A time as it is typed where it may be counted from the ends of a take.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Instant {
    /// `1.5`, or `@-1.5` for one below 0.
    At(f32),
    /// `+1.5`
    AfterStart(f32),
    /// `-1.5`
    BeforeEnd(f32),
}

impl Instant {
    fn within(self, take: Span) -> f32 {
        match self {
            Instant::At(time) => time,
            Instant::AfterStart(seconds) => take.start + seconds,
            Instant::BeforeEnd(seconds) => take.end - seconds,
        }
    }
}

impl FromStr for Instant {
    type Err = String;

    fn from_str(text: &str) -> Result<Instant, String> {
        let (instant, digits): (fn(f32) -> Instant, &str) = match text.as_bytes().first() {
            Some(b'+') => (Instant::AfterStart, &text[1..]),
            Some(b'-') => (Instant::BeforeEnd, &text[1..]),
            Some(b'@') => (Instant::At, &text[1..]),
            _ => (Instant::At, text),
        };
        // `+` and `-` already say where to; a second sign would be a slip.
        let is_absolute = !text.starts_with(['+', '-']);
        match digits.parse::<f32>() {
            Ok(time) if time.is_finite() && (is_absolute || time >= 0.0) => Ok(instant(time)),
            _ => Err(format!("`{text}` is no number of seconds")),
        }
    }
}

/// A part of a take; an open end is that of the take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PartOfTake {
    start: Option<Instant>,
    end: Option<Instant>,
}

impl PartOfTake {
    /// From when to when; infinite where it is open.
    pub(crate) fn within(self, take: Span) -> Span {
        let bound = |instant: Option<Instant>, open: f32| instant.map_or(open, |i| i.within(take));
        Span {
            start: bound(self.start, f32::NEG_INFINITY),
            end: bound(self.end, f32::INFINITY),
        }
    }
}

impl FromStr for PartOfTake {
    type Err = String;

    fn from_str(text: &str) -> Result<PartOfTake, String> {
        let (start, end) = text
            .split_once("..")
            .ok_or("expected a range such as 1.5..2, 1.5.., ..2 or +1.5..-0.5")?;
        let bound = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some),
        };
        Ok(PartOfTake {
            start: bound(start)?,
            end: bound(end.strip_prefix('=').unwrap_or(end))?,
        })
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

    #[test]
    fn a_part_may_be_counted_from_the_ends_of_the_take() {
        let take = Span {
            start: -1.0,
            end: 9.0,
        };
        let part = |text: &str| text.parse::<PartOfTake>().map(|part| part.within(take));
        let span = |start, end| Ok(Span { start, end });
        assert_eq!(part("1.5..2"), span(1.5, 2.0));
        assert_eq!(part("+1.5..-0.5"), span(0.5, 8.5));
        assert_eq!(part("@-0.5.."), span(-0.5, f32::INFINITY));
        assert_eq!(part("-3..=-1"), span(6.0, 8.0));
        for bad in ["1.5", "a..2", "1..NaN", "+..2", "--1..2"] {
            assert!(part(bad).is_err(), "{bad}");
        }
    }
}
