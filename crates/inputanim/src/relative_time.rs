//! Times and time ranges as people write them: `1.5`, `500ms`, `1:30`, `+1.5..-0.5`.

use std::fmt;
use std::str::FromStr;

use crate::recording::Recording;
use crate::time_range::{TimeRange, TimeRangeError};

/// A time of a recording: absolute, or relative to an end of the recording.
///
/// As text: `1.5` or `1.5s`, `500ms`, `1:30` (minutes) and `0:01:30.5` (hours) are absolute times, `+1.5` is 1.5 s
/// after the start, `-1.5` is 1.5 s before the end, and `@-1.5` is the absolute time -1.5 s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimePoint {
    /// A time in seconds.
    At(f32),
    /// Seconds after the start of the recording.
    AfterStart(f32),
    /// Seconds before the end of the recording.
    BeforeEnd(f32),
}

/// A time range of a recording. Its bounds may be relative to the ends of the recording, or open.
///
/// As text: `A..B`, with a [`TimePoint`] or nothing on each side.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, TimeRange, RelativeTimeRange};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.0, &Pose::IDENTITY);
/// recording.head_mut().push(9.0, &Pose::IDENTITY);
/// let range: RelativeTimeRange = "+1.5..-500ms".parse()?;
/// let limited = range.within(&recording)?;
/// assert_eq!(limited.range, TimeRange { start: 1.5, end: 8.5 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelativeTimeRange {
    /// The start; `None` if it is open.
    pub start: Option<TimePoint>,
    /// The end; `None` if it is open.
    pub end: Option<TimePoint>,
}

/// The part of a [`RelativeTimeRange`] that is inside a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LimitedTime {
    /// The time range. An open bound is infinite.
    pub range: TimeRange,
    /// The part of the time range that is inside the recording, if a finite bound exceeds the recording; else `None`.
    pub exceeds: Option<TimeRange>,
}

/// A string that is not a time, or not a time range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidTime(String);

impl TimePoint {
    /// Returns the time in seconds, for a recording with the [played range](Recording::played_range) `played`.
    pub fn within(self, played: TimeRange) -> f32 {
        match self {
            TimePoint::At(time) => time,
            TimePoint::AfterStart(seconds) => played.start + seconds,
            TimePoint::BeforeEnd(seconds) => played.end - seconds,
        }
    }
}

impl FromStr for TimePoint {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<TimePoint, InvalidTime> {
        let text = text.trim();
        let time = match text.as_bytes().first() {
            Some(b'+') => seconds(&text[1..]).map(TimePoint::AfterStart),
            Some(b'-') => seconds(&text[1..]).map(TimePoint::BeforeEnd),
            // `-1.5` already counts from the end, so a time below 0 needs a prefix.
            Some(b'@') => signed_seconds(&text[1..]).map(TimePoint::At),
            _ => seconds(text).map(TimePoint::At),
        };
        time.ok_or_else(|| {
            InvalidTime(format!(
                "expected a time such as 1.5, 500ms or 1:30, found \"{text}\""
            ))
        })
    }
}

impl From<TimeRange> for RelativeTimeRange {
    /// Returns a range with absolute bounds. An infinite start or end becomes open.
    fn from(range: TimeRange) -> RelativeTimeRange {
        let bound = |time: f32, open: f32| (time != open).then_some(TimePoint::At(time));
        RelativeTimeRange {
            start: bound(range.start, f32::NEG_INFINITY),
            end: bound(range.end, f32::INFINITY),
        }
    }
}

impl RelativeTimeRange {
    /// Limits the range to the [covered range](Recording::covered_range) of a recording, as [`TimeRange::limited_to`]
    /// does; open bounds stay open. Relative bounds count from the ends of the [played range](Recording::played_range).
    ///
    /// # Errors
    /// Returns an error if a bound is not a number, if the end is before the start, or if no time of the range is in
    /// the recording.
    pub fn within(self, recording: &Recording<'_>) -> Result<LimitedTime, TimeRangeError> {
        let played = recording.played_range();
        let bound = |bound: Option<TimePoint>| bound.map(|bound| bound.within(played));
        let range = TimeRange::between(bound(self.start), bound(self.end))?;
        // Markers may lie outside the time that is played.
        let covered = recording.covered_range();
        let limited = range.limited_to(covered)?;
        let exceeds =
            |time: f32, limit: f32| time.is_finite() && (time - limit).abs() > TimeRange::ROUNDING;
        let is_exceeding = exceeds(range.start, limited.start) || exceeds(range.end, limited.end);
        let open = |time: f32, limit: f32| if time.is_finite() { limit } else { time };
        Ok(LimitedTime {
            range: TimeRange {
                start: open(range.start, limited.start),
                end: open(range.end, limited.end),
            },
            exceeds: is_exceeding.then_some(limited),
        })
    }
}

impl FromStr for RelativeTimeRange {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<RelativeTimeRange, InvalidTime> {
        let Some((start, end)) = text.split_once("..") else {
            let message = "expected a range such as 1.5..2, 1.5.., ..2 or +1.5..-0.5";
            return Err(InvalidTime(message.to_owned()));
        };
        // Both forms include the end, so `..=`, the inclusive form of Rust, is accepted too.
        let end = end.strip_prefix('=').unwrap_or(end);
        let bound = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some),
        };
        let (start, end) = (bound(start)?, bound(end)?);
        // The order of bounds of different kinds depends on the recording.
        let is_reversed = match (start, end) {
            (Some(TimePoint::At(start)), Some(TimePoint::At(end)))
            | (Some(TimePoint::AfterStart(start)), Some(TimePoint::AfterStart(end)))
            | (Some(TimePoint::BeforeEnd(end)), Some(TimePoint::BeforeEnd(start))) => start > end,
            _ => false,
        };
        if is_reversed {
            return Err(InvalidTime("the range ends before it starts".to_owned()));
        }
        Ok(RelativeTimeRange { start, end })
    }
}

impl fmt::Display for TimePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimePoint::At(time) if *time < 0.0 => write!(f, "@{time}"),
            TimePoint::At(time) => write!(f, "{time}"),
            TimePoint::AfterStart(seconds) => write!(f, "+{seconds}"),
            TimePoint::BeforeEnd(seconds) => write!(f, "-{seconds}"),
        }
    }
}

impl fmt::Display for RelativeTimeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(start) = self.start {
            write!(f, "{start}")?;
        }
        f.write_str("..")?;
        self.end.map_or(Ok(()), |end| write!(f, "{end}"))
    }
}

/// Parses a time with or without a sign, such as `-1.5` or `+500ms`, and returns it in seconds. Returns `None` unless
/// [`seconds`] accepts the text after the sign.
pub fn signed_seconds(text: &str) -> Option<f32> {
    match text.as_bytes().first() {
        Some(b'-') => seconds(&text[1..]).map(|seconds| -seconds),
        Some(b'+') => seconds(&text[1..]),
        _ => seconds(text),
    }
}

/// Parses a time without a sign, and returns it in seconds: `1.5`, `1.5s`, `500ms`, `1:30`, `00:01:30.5`. Returns
/// `None` for other strings.
pub fn seconds(text: &str) -> Option<f32> {
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        // A sign, `inf` and `nan` would parse as numbers.
        return None;
    }
    let seconds = if let Some(number) = text.strip_suffix("ms") {
        (number.trim_end().parse::<f64>().ok()? / 1000.0) as f32
    } else if let Some((larger, number)) = text.rsplit_once(':') {
        let number: f64 = number
            .parse()
            .ok()
            .filter(|number| (0.0..60.0).contains(number))?;
        let minutes: u32 = match larger.split_once(':') {
            None => larger.parse().ok()?,
            Some((hours, minutes)) => {
                let minutes: u32 = minutes.parse().ok().filter(|minutes| *minutes < 60)?;
                hours
                    .parse::<u32>()
                    .ok()?
                    .checked_mul(60)?
                    .checked_add(minutes)?
            }
        };
        (f64::from(minutes) * 60.0 + number) as f32
    } else {
        // Parsed in single precision, so that the number is rounded once.
        text.strip_suffix('s')
            .unwrap_or(text)
            .trim_end()
            .parse()
            .ok()?
    };
    (seconds >= 0.0 && seconds.is_finite()).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Marker, Pose};

    fn range(start: f32, end: f32) -> TimeRange {
        TimeRange { start, end }
    }

    fn recording(first: f32, last: f32) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(first, &Pose::IDENTITY);
        recording.head_mut().push(last, &Pose::IDENTITY);
        recording
    }

    #[test]
    fn a_time_may_have_units_and_colons() {
        for (text, expected) in [
            ("1.5", 1.5),
            ("1.5s", 1.5),
            (".5 s", 0.5),
            ("500ms", 0.5),
            ("0.1", 0.1),
            ("100ms", 0.1),
            ("1:30", 90.0),
            ("90:00", 5400.0),
            ("00:01:30.5", 90.5),
            ("1e3", 1000.0),
        ] {
            assert_eq!(text.parse(), Ok(TimePoint::At(expected)), "{text}");
            assert_eq!(signed_seconds(&format!("-{text}")), Some(-expected));
        }
        for wrong in [
            "", "s", "ms", "1:", ":30", "1:60", "1:60:00", "1:2:3:4", "1:-2", "inf", "NaN", "1e39",
            "1m", "--1", "+-1", "1.5.2", "+", "1:30s", "∞", "-∞",
        ] {
            assert!(wrong.parse::<TimePoint>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_range_may_be_open_and_relative_to_the_ends_of_the_recording() {
        let parse = |text: &str| {
            let range: RelativeTimeRange = text.parse().unwrap();
            assert_eq!(range.to_string().parse(), Ok(range));
            range
                .within(&recording(-1.0, 9.0))
                .ok()
                .map(|limited| limited.range)
        };
        assert_eq!(parse("1.5..2"), Some(range(1.5, 2.0)));
        assert_eq!(parse("+1.5..-500ms"), Some(range(0.5, 8.5)));
        assert_eq!(parse("@-0.5.."), Some(range(-0.5, f32::INFINITY)));
        assert_eq!(parse("-3..=-1"), Some(range(6.0, 8.0)));
        assert_eq!(parse("..0:02"), Some(range(f32::NEG_INFINITY, 2.0)));
        assert_eq!(parse(".."), Some(range(f32::NEG_INFINITY, f32::INFINITY)));
        assert_eq!(parse("-1..2"), None);
        for wrong in [
            "1.5", "a..2", "1..NaN", "+..2", "--1..2", "2..1", "-1..-2", "+2..+1",
        ] {
            assert!(wrong.parse::<RelativeTimeRange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_range_outside_the_recording_is_refused() {
        let mut recording = recording(1.0, 9.0);
        recording.markers.push(Marker::new(12.0, "late"));
        let is_refused = |text: &str| {
            let range: RelativeTimeRange = text.parse().unwrap();
            range.within(&recording).is_err()
        };
        assert!(is_refused("13..") && is_refused("..@-1") && is_refused("20..30"));
        // Playback starts at 0, and a marker is later than the last key.
        assert!(!is_refused("..0") && !is_refused("11..20") && !is_refused("-20..-1"));
        // Tables print times in milliseconds.
        assert!(!is_refused("12.0005..") && is_refused("12.002.."));
    }

    #[test]
    fn bounds_outside_the_recording_are_limited_to_it() {
        let used = |text: &str| {
            let range: RelativeTimeRange = text.parse().unwrap();
            let limited = range.within(&recording(0.0, 11.0)).unwrap();
            (limited.range, limited.exceeds)
        };
        let (all, open) = (range(0.0, 11.0), f32::INFINITY);
        assert_eq!(used("1..2"), (range(1.0, 2.0), None));
        assert_eq!(used("-20..5"), (range(0.0, 5.0), Some(range(0.0, 5.0))));
        assert_eq!(used("10..25"), (range(10.0, 11.0), Some(range(10.0, 11.0))));
        assert_eq!(used("-20.."), (range(0.0, open), Some(all)));
        assert_eq!(used("..25"), (range(-open, 11.0), Some(all)));
        assert_eq!(used("11.0005.."), (range(11.0, open), None));
    }
}
