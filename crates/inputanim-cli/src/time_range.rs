//! Times, time ranges and durations on the command line. All verbs share this syntax.

use std::str::FromStr;

use inputanim::{Recording, TimeRange};

use crate::diagnostics::warn_of_file;
use crate::input::FileName;
use crate::outcome::Refusal;
use crate::suggestion;
use crate::text::seconds;

/// The syntax of times, for the help of verbs that take some.
pub(crate) const TIMES: &str = "\
Times: 1.5 or 1.5s, 500ms, 1:30 (minutes), 0:01:30.5 (hours). +1.5 is 1.5 s after the start of the \
recording (t = 0, or its first key if that is earlier), -1.5 is 1.5 s before its end, @-1.5 is the time -1.5 s. A range A..B includes both ends, \
and each end is optional.";

/// A time of a recording: `1.5`, `+1.5`, `-1.5` or `@-1.5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TimeArg {
    /// `1.5`, or `@-1.5` for a time below 0.
    At(f32),
    /// `+1.5`
    AfterStart(f32),
    /// `-1.5`
    BeforeEnd(f32),
}

impl TimeArg {
    /// Returns the time in seconds, for a recording that is played in a time range.
    pub(crate) fn within(self, played: TimeRange) -> f32 {
        match self {
            TimeArg::At(time) => time,
            TimeArg::AfterStart(seconds) => played.start + seconds,
            TimeArg::BeforeEnd(seconds) => played.end - seconds,
        }
    }
}

impl FromStr for TimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeArg, String> {
        let text = text.trim();
        let time = match text.as_bytes().first() {
            Some(b'+') => parse_seconds(&text[1..]).map(TimeArg::AfterStart),
            Some(b'-') => parse_seconds(&text[1..]).map(TimeArg::BeforeEnd),
            // `-1.5` already counts from the end, so a time below 0 needs a prefix.
            Some(b'@') => signed(&text[1..]).map(TimeArg::At),
            _ => parse_seconds(text).map(TimeArg::At),
        };
        time.ok_or_else(|| format!("expected a time such as 1.5, 500ms or 1:30, found `{text}`"))
    }
}

/// A time range of a recording, `A..B`; either end may be open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeRangeArg {
    start: Option<TimeArg>,
    end: Option<TimeArg>,
}

/// Bounds this close to an end of the recording are not outside: tables print times in milliseconds.
const ROUNDING: f32 = 0.001;

impl TimeRangeArg {
    /// Returns the range in seconds; an open end is infinite. Ends outside the recording are limited to
    /// it, with a warning.
    ///
    /// # Errors
    /// Refuses a range that ends before it starts, or that is outside the recording.
    pub(crate) fn within(self, recording: &Recording<'_>, name: &str) -> anyhow::Result<TimeRange> {
        let played = recording.played_range();
        // Markers may lie outside the time that is played.
        let covered = recording.covered_range();
        let range = self.resolve(played)?;
        if range.start > covered.end + ROUNDING || range.end < covered.start - ROUNDING {
            let (start, end) = (seconds(covered.start), seconds(covered.end));
            let message = format!(
                "the time range {} is outside the recording ({start} s to {end} s)",
                display(range)
            );
            let hint =
                suggestion::filled("`inputanim info IN` shows its length", Some(name.as_ref()));
            return Err(Refusal::failure(message, hint).context(FileName::new(name.as_ref())));
        }
        let is_beyond = |time: f32| {
            time.is_finite() && !(covered.start - ROUNDING..=covered.end + ROUNDING).contains(&time)
        };
        let limited = |time: f32| {
            if time.is_finite() {
                // `clamp` would panic for the times of a damaged recording.
                time.max(covered.start).min(covered.end)
            } else {
                time
            }
        };
        let used = TimeRange {
            start: limited(range.start),
            end: limited(range.end),
        };
        if is_beyond(range.start) || is_beyond(range.end) {
            let TimeRange { start, end } = closed(used, covered);
            let (start, end) = (seconds(start), seconds(end));
            warn_of_file(
                name,
                "the time range exceeds the recording",
                format_args!("used {start} s to {end} s"),
            );
        }
        Ok(used)
    }

    /// Returns the range in seconds, for a recording that is played in a time range.
    fn resolve(self, played: TimeRange) -> anyhow::Result<TimeRange> {
        let bound =
            |bound: Option<TimeArg>, open: f32| bound.map_or(open, |bound| bound.within(played));
        let range = TimeRange {
            start: bound(self.start, f32::NEG_INFINITY),
            end: bound(self.end, f32::INFINITY),
        };
        if range.start <= range.end {
            return Ok(range);
        }
        let message = format!("the time range {} ends before it starts", display(range));
        // Bounds of one kind are checked when they are parsed, so these depend on the recording.
        let TimeRange { start, end } = played;
        let hint = format!("the recording is from {start} s to {end} s");
        Err(Refusal::usage(message, hint))
    }
}

impl FromStr for TimeRangeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeRangeArg, String> {
        let (start, end) = text
            .split_once("..")
            .ok_or("expected a range such as 1.5..2, 1.5.., ..2 or +1.5..-0.5")?;
        // Both forms include the end, so `..=`, the inclusive form of Rust, is accepted too.
        let end = end.strip_prefix('=').unwrap_or(end);
        let bound = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some),
        };
        let range = TimeRangeArg {
            start: bound(start)?,
            end: bound(end)?,
        };
        // The order of bounds of different kinds depends on the recording.
        let is_reversed = match (range.start, range.end) {
            (Some(TimeArg::At(start)), Some(TimeArg::At(end)))
            | (Some(TimeArg::AfterStart(start)), Some(TimeArg::AfterStart(end)))
            | (Some(TimeArg::BeforeEnd(end)), Some(TimeArg::BeforeEnd(start))) => start > end,
            _ => false,
        };
        if is_reversed {
            return Err("the range ends before it starts".to_owned());
        }
        Ok(range)
    }
}

/// Returns a range with its open ends closed by those of another range.
pub(crate) fn closed(range: TimeRange, outer: TimeRange) -> TimeRange {
    let TimeRange { start, end } = range;
    TimeRange {
        start: if start.is_finite() {
            start
        } else {
            outer.start.min(end)
        },
        end: if end.is_finite() {
            end
        } else {
            outer.end.max(start)
        },
    }
}

fn display(TimeRange { start, end }: TimeRange) -> String {
    match (start.is_finite(), end.is_finite()) {
        (true, true) => format!("{start} s to {end} s"),
        (true, false) => format!("from {start} s on"),
        (false, true) => format!("until {end} s"),
        (false, false) => "without bounds".to_owned(),
    }
}

/// Parses a duration above 0, in seconds.
pub(crate) fn duration(text: &str) -> Result<f32, String> {
    let duration = parse_seconds(text.trim()).filter(|&seconds| seconds > 0.0);
    duration.ok_or_else(|| "expected a duration above 0 such as 1.5, 500ms or 1:30".to_owned())
}

/// Parses a duration of 0 or more, in seconds.
pub(crate) fn duration_or_zero(text: &str) -> Result<f32, String> {
    parse_seconds(text.trim())
        .ok_or_else(|| "expected a duration such as 1.5, 500ms or 1:30, 0 or more".to_owned())
}

/// Parses a duration of 0 or more, in seconds; `inf` is any duration.
pub(crate) fn duration_or_any(text: &str) -> Result<f32, String> {
    match text.trim() {
        "inf" => Ok(f32::INFINITY),
        text => parse_seconds(text).ok_or_else(|| {
            "expected a duration such as 1ms or 0.5, 0 or more, or `inf`".to_owned()
        }),
    }
}

/// Parses a duration that may be negative, in seconds.
pub(crate) fn signed_duration(text: &str) -> Result<f32, String> {
    signed(text.trim()).ok_or_else(|| "expected a duration such as 1.5, -500ms or 1:30".to_owned())
}

fn signed(text: &str) -> Option<f32> {
    match text.as_bytes().first() {
        Some(b'-') => parse_seconds(&text[1..]).map(|seconds| -seconds),
        Some(b'+') => parse_seconds(&text[1..]),
        _ => parse_seconds(text),
    }
}

/// Parses an amount of time without a sign: `1.5`, `1.5s`, `500ms`, `1:30`, `00:01:30.5`.
fn parse_seconds(text: &str) -> Option<f32> {
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
    use inputanim::{Layout, Marker, Pose};

    fn range(start: f32, end: f32) -> TimeRange {
        TimeRange { start, end }
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
            assert_eq!(text.parse(), Ok(TimeArg::At(expected)), "{text}");
            assert_eq!(duration(text), Ok(expected), "{text}");
            assert_eq!(
                signed_duration(&format!("-{text}")),
                Ok(-expected),
                "{text}"
            );
        }
        for wrong in [
            "", "s", "ms", "1:", ":30", "1:60", "1:60:00", "1:2:3:4", "1:-2", "inf", "NaN", "1e39",
            "1m", "--1", "+-1", "1.5.2", "+", "1:30s", "∞", "-∞",
        ] {
            assert!(wrong.parse::<TimeArg>().is_err(), "{wrong}");
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(duration("0").is_err() && duration_or_zero("0").is_ok());
        assert!(duration("-1").is_err() && duration_or_zero("-1").is_err());
    }

    #[test]
    fn a_range_may_be_open_and_relative_to_the_ends_of_the_recording() {
        let parse = |text: &str| {
            let parsed: TimeRangeArg = text.parse().unwrap();
            parsed.resolve(range(-1.0, 9.0)).ok()
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
            assert!(wrong.parse::<TimeRangeArg>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_range_outside_the_recording_is_refused() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(1.0, &Pose::IDENTITY);
        recording.head_mut().push(9.0, &Pose::IDENTITY);
        recording.markers.push(Marker::new(12.0, "late"));
        let is_refused = |text: &str| {
            let parsed: TimeRangeArg = text.parse().unwrap();
            parsed.within(&recording, "take.bin").is_err()
        };
        assert!(is_refused("13..") && is_refused("..@-1") && is_refused("20..30"));
        // Playback starts at 0, and a marker is later than the last key.
        assert!(!is_refused("..0") && !is_refused("11..20") && !is_refused("-20..-1"));
    }

    #[test]
    fn ends_outside_the_recording_are_limited_to_it() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.head_mut().push(11.0, &Pose::IDENTITY);
        let used = |text: &str| {
            let parsed: TimeRangeArg = text.parse().unwrap();
            parsed.within(&recording, "take.bin").unwrap()
        };
        assert_eq!(used("-20..5"), range(0.0, 5.0));
        assert_eq!(used("@-3..2"), range(0.0, 2.0));
        assert_eq!(used("10..25"), range(10.0, 11.0));
        assert_eq!(used("-20.."), range(0.0, f32::INFINITY));
        assert_eq!(used("..25"), range(f32::NEG_INFINITY, 11.0));
    }

    #[test]
    fn open_ends_are_closed_by_the_recording() {
        let open = range(f32::NEG_INFINITY, f32::INFINITY);
        assert_eq!(closed(open, range(0.0, 9.0)), range(0.0, 9.0));
        assert_eq!(
            closed(range(-1.0, 20.0), range(0.0, 9.0)),
            range(-1.0, 20.0)
        );
    }
}
