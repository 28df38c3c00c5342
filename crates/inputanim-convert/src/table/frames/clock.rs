//! The times of rows: seconds, dates with times, and times of day.

use super::values::number;
use crate::shared::{Note, NoteKind};
use crate::table::table_error::{Place, TableError};

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;
/// Nanoseconds in a day.
const DAY: i64 = 86_400 * SECOND;

/// A time that is not a number of seconds, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// Since 1970. `has_zone` is `true` for UTC, and `false` for a clock whose zone is not stated.
    Date { nanoseconds: i64, has_zone: bool },
    /// Since midnight.
    OfDay(i64),
}

/// Converts the times of a stream. Numbers stay unchanged or are counted from the first one. Dates and times of day are always
/// counted from the first one.
#[derive(Debug)]
pub(crate) struct TableClock {
    from_zero: bool,
    origin: Option<f64>,
    /// The first date or time of day, and its text.
    first: Option<(Stamp, String)>,
    /// The last time of day, in nanoseconds since the midnight before the first one.
    last_of_day: i64,
}

impl TableClock {
    pub(crate) fn new(from_zero: bool) -> TableClock {
        TableClock {
            from_zero,
            origin: None,
            first: None,
            last_of_day: 0,
        }
    }

    /// Returns the difference of a time to the first time that was passed to this clock if the clock counts from zero,
    /// otherwise the time itself. The difference is taken in double precision: times of a clock that runs for days are
    /// equal as 32-bit floats.
    pub(crate) fn relative(&mut self, time: f64) -> f64 {
        // A time that is not a finite number is refused, and must not become the origin of the others.
        if self.from_zero && time.is_finite() {
            time - *self.origin.get_or_insert(time)
        } else {
            time
        }
    }

    /// Parses a time in units of `factor` seconds, or a date or time of day, and returns it in seconds. If the clock counts from
    /// zero, subtracts the first time that this clock has parsed. Returns `None` for NaN.
    ///
    /// # Errors
    /// When the text is not a time, or the time is not finite as a 32-bit float.
    pub(crate) fn parse(
        &mut self,
        place: Place,
        column: &str,
        text: &str,
        factor: f64,
    ) -> Result<Option<f32>, TableError> {
        // Nearly all times are numbers, and no number has a colon.
        if factor == 1.0
            && text.contains(':')
            && let Some(stamp) = stamp(text)
        {
            return self.stamp(place, column, stamp, text).map(Some);
        }
        if !self.from_zero {
            return number(place, column, text, factor);
        }
        let time = match text.parse::<f64>() {
            Ok(time) if time.is_nan() => return Ok(None),
            Ok(time) => (self.relative(time) * factor) as f32,
            // NaN stands for an error from here on; a NaN in the text has returned above.
            Err(_) => f32::NAN,
        };
        if time.is_finite() {
            Ok(Some(time))
        } else {
            Err(TableError::value(
                place,
                column,
                "a number of seconds",
                text,
            ))
        }
    }

    /// Returns the seconds between the first date or time of day and this one. A time of day that is more than half a day
    /// before the last one is on the next day. `text` is the time as the table has it.
    ///
    /// # Errors
    /// When the first time of the table is of another kind.
    pub(crate) fn stamp(
        &mut self,
        place: Place,
        column: &str,
        stamp: Stamp,
        text: &str,
    ) -> Result<f32, TableError> {
        let first = match &self.first {
            Some((first, _)) => *first,
            None => {
                self.first = Some((stamp, text.to_owned()));
                if let Stamp::OfDay(time) = stamp {
                    self.last_of_day = time;
                }
                stamp
            }
        };
        let nanoseconds = match (first, stamp) {
            (
                Stamp::Date {
                    nanoseconds: first,
                    has_zone,
                },
                Stamp::Date {
                    nanoseconds,
                    has_zone: other,
                },
            ) if has_zone == other => nanoseconds.checked_sub(first),
            (Stamp::OfDay(first), Stamp::OfDay(time)) => {
                let day = self.last_of_day.div_euclid(DAY) * DAY;
                let mut time = day.saturating_add(time);
                if self.last_of_day.saturating_sub(time) > DAY / 2 {
                    time = time.saturating_add(DAY);
                } else if time.saturating_sub(self.last_of_day) > DAY / 2 && day > 0 {
                    time -= DAY;
                }
                self.last_of_day = self.last_of_day.max(time);
                time.checked_sub(first)
            }
            _ => None,
        };
        let expected = match first {
            Stamp::Date { has_zone: true, .. } => {
                "a date and a time with a zone, as in the first row"
            }
            Stamp::Date { .. } => "a date and a time without a zone, as in the first row",
            Stamp::OfDay(_) => "a time of day, as in the first row",
        };
        let nanoseconds =
            nanoseconds.ok_or_else(|| TableError::value(place, column, expected, text))?;
        Ok((nanoseconds as f64 / SECOND as f64) as f32)
    }

    /// Returns a note on the dates or times of day that were read, if there are any.
    pub(crate) fn note(&self) -> Option<Note> {
        let (first, text) = self.first.as_ref()?;
        let kind = match first {
            Stamp::Date { has_zone: true, .. } => "dates and times",
            Stamp::Date { .. } => "dates and times of one zone, which the table does not state",
            Stamp::OfDay(_) => "times of day",
        };
        let text = crate::table::table_error::excerpt(text);
        let message = format!("the times are {kind}; 0 s is {text}");
        Some(Note::new(NoteKind::Clock, message))
    }
}

/// Parses a date and a time, such as `2024-02-19 20:28:37.156` or `2024-02-19T20:28:37Z`, or a time of day, such as
/// `20:28:37.156`. Returns `None` for other texts.
pub(crate) fn stamp(text: &str) -> Option<Stamp> {
    let text = text.trim();
    let is_separator = |letter: char| letter == 'T' || letter == 't' || letter == ' ';
    let Some((date, time)) = text.split_once(is_separator) else {
        let (time, rest) = of_day(text)?;
        return rest.is_empty().then_some(Stamp::OfDay(time));
    };
    let sign = if date.contains('/') { '/' } else { '-' };
    let mut parts = date.splitn(3, sign);
    // Of dates such as 02/03/2024, the order is not known.
    let year = parts.next().filter(|year| year.len() == 4)?;
    let (year, month, day) = (
        digits(year)?,
        digits(parts.next()?)?,
        digits(parts.next()?)?,
    );
    let days = days_since_1970(year, month, day)?;
    let (time, zone) = of_day(time.trim_start())?;
    let offset = offset(zone.trim())?;
    let nanoseconds = days.checked_mul(DAY)?.checked_add(time)?;
    Some(Stamp::Date {
        nanoseconds: nanoseconds.checked_sub(offset.unwrap_or_default())?,
        has_zone: offset.is_some(),
    })
}

/// Parses a number of one or more digits.
fn digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Returns the nanoseconds since midnight of a time such as `9:05:07.25` at the start of a text, and the rest of the text.
fn of_day(text: &str) -> Option<(i64, &str)> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == ':';
    let (clock, rest) = text.split_at(text.find(|letter| !is_part(letter)).unwrap_or(text.len()));
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?)?, digits(parts.next()?)?);
    let second = parts.next().map_or(Some(0), digits)?;
    // A leap second is the 61st second of a minute.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut nanoseconds = ((hour * 60 + minute) * 60 + second) * SECOND;
    // Some languages have a decimal comma.
    let Some(fraction) = rest.strip_prefix(['.', ',']) else {
        return Some((nanoseconds, rest));
    };
    let end = fraction.find(|letter: char| !letter.is_ascii_digit());
    let (fraction, rest) = fraction.split_at(end.unwrap_or(fraction.len()));
    let mut unit = SECOND;
    for digit in fraction.bytes() {
        unit /= 10;
        nanoseconds += i64::from(digit - b'0') * unit;
    }
    Some((nanoseconds, rest))
}

/// Returns the nanoseconds by which a zone such as `Z`, `+01:00` or `-0500` is before UTC; `Some(None)` for an empty text.
fn offset(zone: &str) -> Option<Option<i64>> {
    if zone.is_empty() {
        return Some(None);
    }
    if ["Z", "z", "UTC", "GMT"].contains(&zone) {
        return Some(Some(0));
    }
    let (sign, time) = match (zone.strip_prefix('+'), zone.strip_prefix('-')) {
        (Some(time), _) => (1, time),
        (_, Some(time)) => (-1, time),
        _ => return None,
    };
    let time = time.replace(':', "");
    let (hours, minutes) = match time.len() {
        2 => (digits(&time)?, 0),
        4 => (digits(time.get(..2)?)?, digits(time.get(2..)?)?),
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then_some(Some(sign * (hours * 60 + minutes) * 60 * SECOND))
}

/// Returns the days between 1970-01-01 and a date; `None` if there is no such date.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    // Years begin in March here, so that the leap day is the last day of a year. Four centuries have 146,097 days.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + year * 365 + year / 4 - year / 100 + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(seconds: i64, nanoseconds: i64, has_zone: bool) -> Option<Stamp> {
        let nanoseconds = seconds * SECOND + nanoseconds;
        Some(Stamp::Date {
            nanoseconds,
            has_zone,
        })
    }

    #[test]
    fn dates_and_times_of_day_are_known() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", date(0, 0, true)),
            ("2000-02-29 00:00:00", date(951_782_400, 0, false)),
            (
                "2024/02/29 23:59:59.25 UTC",
                date(1_709_251_199, 250_000_000, true),
            ),
            (
                "2024-03-01T00:59:59,5+01:00",
                date(1_709_251_199, 500_000_000, true),
            ),
            ("2024-02-29T18:59:59-0500", date(1_709_251_199, 0, true)),
            ("2024-02-29 23:59", date(1_709_251_140, 0, false)),
            ("10:28:41.033333", Some(Stamp::OfDay(37_721_033_333_000))),
            ("9:05", Some(Stamp::OfDay(32_700 * SECOND))),
        ] {
            assert_eq!(stamp(text), expected, "{text}");
        }
        for text in [
            "",
            ":",
            "1.5",
            "25:00:00",
            "10:61",
            "1:2:3:4",
            "2023-02-29 00:00:00",
            "02/03/2024 00:00:00",
            "2024-01-01",
            "2024-01-01 10",
            "2024-01-01 10:00 CET",
            "99999-01-01 00:00",
            "2024-13-01 00:00",
            "2024-01-00 00:00",
            "10:00+01:00",
        ] {
            assert_eq!(stamp(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_of_day_may_be_on_the_next_day() {
        let mut clock = TableClock::new(false);
        let mut parse = |text: &str| clock.parse(Place::Line(1), "t", text, 1.0);
        assert_eq!(parse("23:59:59.5").unwrap(), Some(0.0));
        assert_eq!(parse("23:59:59.4").unwrap(), Some(-0.1));
        assert_eq!(parse("00:00:00.5").unwrap(), Some(1.0));
        assert_eq!(parse("00:00:01").unwrap(), Some(1.5));
        assert!(parse("2024-01-01 00:00:00").is_err());
        assert!(parse("x").is_err());
        let note = clock.note().unwrap().to_string();
        assert_eq!(note, "the times are times of day; 0 s is \"23:59:59.5\"");
    }
}
