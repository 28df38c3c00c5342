//! Markers as WebVTT (<https://www.w3.org/TR/webvtt1/>), the chapters and subtitles of video players.
//!
//! ```text
//! WEBVTT
//!
//! 00:00:00.350 --> 00:00:00.970
//! reach
//! ```
//!
//! A marker becomes a cue. The cue lasts from the time of the marker to the time of the next marker or the end of the
//! recording, and at least a millisecond. Cues are in order of time. The name is the text of the cue. Line breaks that
//! are not allowed in a cue become character references.
//!
//! Each cue becomes a marker at its start. The end, identifier and settings of a cue are ignored, and so are
//! comments, styles and regions. Players ignore cues that they cannot read; [`read`] refuses them, so that no
//! marker is lost silently.

use std::io::Write;

use inputanim::{Limits, Marker, Recording};

use crate::shared::limits::check_limit;
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, NoteKind, Report};

/// Text that is not WebVTT. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WebVttError {
    /// The file does not begin with its signature.
    #[error("line 1: expected WEBVTT, found {found:?}")]
    Signature {
        /// The start of the first line.
        found: String,
    },
    /// The text is not UTF-8.
    #[error("line {line}: invalid UTF-8")]
    Encoding {
        /// The line.
        line: usize,
    },
    /// The times of a cue are malformed.
    #[error("line {line}: expected two times as in 00:01.000 --> 00:02.500, found {found:?}")]
    Times {
        /// The line.
        line: usize,
        /// The start of the line.
        found: String,
    },
}

impl crate::shared::error::OfFormat for WebVttError {}

/// Writes the markers of a recording as the cues of a WebVTT file, in order of time, and reports losses.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// Fails when `output` fails.
///
/// ```
/// use inputanim::{Layout, Marker, Recording};
/// use inputanim_convert::webvtt;
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.markers = vec![Marker::new(0.5, "reach"), Marker::new(2.0, "a < b")];
/// let mut text = Vec::new();
/// assert!(webvtt::write(&recording, &mut text)?.losses.is_empty());
/// assert_eq!(text, b"WEBVTT
///
/// 00:00:00.500 --> 00:00:02.000
/// reach
///
/// 00:00:02.000 --> 00:00:02.001
/// a &lt; b
/// ");
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn write(recording: &Recording<'_>, mut output: impl Write) -> Result<Report, Error> {
    let markers = recording.markers.iter();
    let mut cues: Vec<(u64, &Marker<'_>)> = markers
        .filter_map(|marker| Some((milliseconds(marker.time)?, marker)))
        .collect();
    // The sort is stable: markers at one time keep their order.
    cues.sort_by_key(|&(start, _)| start);
    let last = milliseconds(recording.duration()).unwrap_or_default();
    writeln!(output, "WEBVTT")?;
    for (index, &(start, marker)) in cues.iter().enumerate() {
        let rest = &cues[index..];
        let later = rest.get(rest.partition_point(|&(time, _)| time <= start));
        // Players ignore a cue that does not end after its start.
        let end = later.map_or(last, |&(time, _)| time).max(start + 1);
        writeln!(output, "\n{} --> {}", timestamp(start), timestamp(end))?;
        // A cue without text has no line for it.
        if !marker.name.is_empty() {
            writeln!(output, "{}", escape(&marker.name))?;
        }
    }
    let mut report = Report::default();
    let dropped = recording.markers.len() - cues.len();
    let message = format!("{} without a time from 0 on", counted(dropped, "marker"));
    report.lose(LossKind::Markers, dropped, message);
    let nul = cues.iter().filter(|(_, marker)| marker.name.contains('\0'));
    let nul = nul.count();
    let message = format!("NUL characters in {}", counted(nul, "name"));
    report.lose(LossKind::Text, nul, message);
    let is_rounded =
        |&&(start, marker): &&(u64, &Marker<'_>)| seconds(start).to_bits() != marker.time.to_bits();
    let rounded = cues.iter().filter(is_rounded).count();
    if rounded > 0 {
        let times = counted(rounded, "time");
        report.note(
            NoteKind::Precision,
            format!("{times} rounded to milliseconds"),
        );
    }
    Ok(report)
}

/// Escapes the name of a marker as the text of a cue. Line breaks that would make an empty line are escaped too,
/// because an empty line ends a cue.
fn escape(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    let mut before = '\n';
    while let Some(char) = chars.next() {
        // A line break at the start or end of the name, or next to another line break, would make an empty line.
        let is_between_text = before != '\n' && chars.peek().is_some_and(|&next| next != '\n');
        match char {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '\0' => text.push('\u{fffd}'),
            '\r' => text.push_str("&#13;"),
            '\n' if !is_between_text => text.push_str("&#10;"),
            other => text.push(other),
        }
        before = char;
    }
    text
}

/// Reads a marker from the start time and the text of each cue of a WebVTT file, in the order of the cues, and reports
/// losses. [`Limits::max_bytes`] bounds the size of the file.
///
/// # Errors
/// Fails when the text is not WebVTT or exceeds the limits, or the times of a cue are malformed.
///
/// ```
/// use inputanim::{Limits, Marker};
/// use inputanim_convert::webvtt;
/// let text = b"WEBVTT\n\n1\n00:01.500 --> 00:02.000\n<b>reach</b> &amp; grab\n";
/// let (markers, report) = webvtt::read(text, &Limits::default())?;
/// assert_eq!(markers, [Marker::new(1.5, "reach & grab")]);
/// assert_eq!(report.losses[0].to_string(), "tags in 1 cue");
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn read(text: &[u8], limits: &Limits) -> Result<(Vec<Marker<'static>>, Report), Error> {
    check_limit(text.len() as u64, limits.max_bytes, "bytes")?;
    let text = str::from_utf8(text).map_err(|error| {
        // Lines can be counted only in the valid part of the text.
        let valid = String::from_utf8_lossy(&text[..error.valid_up_to()]);
        let line = unify_line_ends(&valid).split('\n').count();
        WebVttError::Encoding { line }
    })?;
    let text = unify_line_ends(text.strip_prefix('\u{feff}').unwrap_or(text));
    let excerpt = |line: &str| line.chars().take(60).collect::<String>();
    let mut lines = text.split('\n').zip(1..).peekable();
    let first = lines.next().map_or("", |(line, _)| line);
    let after = first.strip_prefix("WEBVTT");
    if !after.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])) {
        let found = excerpt(first);
        return Err(WebVttError::Signature { found }.into());
    }

    let (mut markers, mut with_tags) = (Vec::new(), 0);
    let continues = |line: &str| !line.is_empty() && !line.contains("-->");
    // Each iteration reads a block of lines. The first block is the rest of the header.
    loop {
        // The lines before the times are an identifier, or the text of a block without times.
        while lines.next_if(|&(line, _)| continues(line)).is_some() {}
        let Some((times, line)) = lines.next() else {
            break;
        };
        // A block without times is a header, comment, style or region.
        if times.is_empty() || times.starts_with("NOTE") {
            continue;
        }
        let start = parse_times(times).ok_or_else(|| {
            let found = excerpt(times);
            WebVttError::Times { line, found }
        })?;
        check_limit(markers.len() as u64 + 1, limits.max_markers, "markers")?;
        let next = || lines.next_if(|&(line, _)| continues(line));
        let text: Vec<&str> = std::iter::from_fn(next).map(|(line, _)| line).collect();
        let text = text.join("\n");
        let plain = remove_tags(&text);
        with_tags += usize::from(plain.len() < text.len());
        let name = html_escape::decode_html_entities(&plain).into_owned();
        markers.push(Marker::new(seconds(start), name));
    }
    let mut report = Report::default();
    let message = format!("tags in {}", counted(with_tags, "cue"));
    report.lose(LossKind::Text, with_tags, message);
    Ok((markers, report))
}

/// Replaces CR LF and CR by LF, and NUL, which WebVTT does not allow, by U+FFFD.
fn unify_line_ends(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.replace('\r', "\n").replace('\0', "\u{fffd}")
}

/// Removes everything from each `<` to the next `>`. A `<` without a `>` is text.
fn remove_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        let Some((_, after)) = tag.split_once('>') else {
            break;
        };
        plain.push_str(before);
        rest = after;
    }
    plain + rest
}

/// Converts seconds to the nearest millisecond. Returns `None` if the time is negative, not finite, or too large for a
/// timestamp.
fn milliseconds(seconds: f32) -> Option<u64> {
    let milliseconds = (f64::from(seconds) * 1000.0).round();
    // The bound keeps sums of milliseconds within 64 bits.
    (0.0..9e18)
        .contains(&milliseconds)
        .then_some(milliseconds as u64)
}

fn seconds(milliseconds: u64) -> f32 {
    (milliseconds as f64 / 1000.0) as f32
}

/// Formats milliseconds as a timestamp of WebVTT, such as `00:01:02.500`.
fn timestamp(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{rest:03}")
}

/// Parses a line such as `00:01.000 --> 00:02.500 align:start`, and returns the start in milliseconds. Returns `None`
/// if the start or the end is malformed.
fn parse_times(line: &str) -> Option<u64> {
    let (start, rest) = line.split_once("-->")?;
    // The end is not used, but a malformed one is refused.
    parse_timestamp(rest.split_ascii_whitespace().next()?)?;
    parse_timestamp(start.trim_ascii())
}

/// Parses a timestamp such as `00:02.500` or `01:00:02.500`, and returns it in milliseconds. Hours are optional, and
/// have any number of digits. Returns `None` for other texts.
fn parse_timestamp(text: &str) -> Option<u64> {
    let (text, rest) = text.rsplit_once('.')?;
    let mut milliseconds = part(rest, 3, 1000)?;
    let mut parts = text.rsplit(':');
    for unit in [1000, 60_000] {
        milliseconds += part(parts.next()?, 2, 60)? * unit;
    }
    let Some(hours) = parts.next() else {
        return Some(milliseconds);
    };
    let hours = part(hours, hours.len(), u64::MAX)?.checked_mul(3_600_000)?;
    let milliseconds = hours.checked_add(milliseconds)?;
    parts.next().is_none().then_some(milliseconds)
}

/// Parses a text of exactly `digits` digits. Returns `None` for other texts, and for numbers that are not below
/// `bound`.
fn part(text: &str, digits: usize, bound: u64) -> Option<u64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok()).flatten();
    number.filter(|&number| number < bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{Layout, Pose};

    #[test]
    fn every_timestamp_parses_back() {
        for milliseconds in [0, 999, 59_999, 3_600_000, 123_456_789_012, 9e18 as u64] {
            assert_eq!(
                parse_timestamp(&timestamp(milliseconds)),
                Some(milliseconds)
            );
        }
        assert_eq!(timestamp(3_723_004), "01:02:03.004");
        assert_eq!(milliseconds(0.35).map(seconds), Some(0.35));
        assert_eq!(milliseconds(-0.0004), Some(0));
        for time in [-0.001, f32::NAN, f32::INFINITY, f32::MAX] {
            assert_eq!(milliseconds(time), None, "{time}");
        }
    }

    #[test]
    fn times_are_parsed_as_players_do() {
        assert_eq!(parse_times("00:01.000 --> 00:02.500"), Some(1000));
        let line = " 100:00:01.000\t-->01:00:02.500\tline:0 align:start";
        assert_eq!(parse_times(line), Some(360_001_000));
        for line in [
            "00:01,000 --> 00:02,000",
            "0:01.000 --> 0:02.000",
            "00:01.00 --> 00:02.00",
            "00:60.000 --> 00:61.000",
            "+0:01.000 --> 00:02.000",
            "00:01.000 -->",
            "99999999999999999999:00:00.000 --> 00:00.000",
            "9999999999999999:00:00.000 --> 00:00.000",
        ] {
            assert_eq!(parse_times(line), None, "{line}");
        }
    }

    fn written(markers: &[(f32, &'static str)]) -> (String, Vec<String>) {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(5.0, &Pose::IDENTITY);
        let markers = markers.iter().map(|&(time, name)| Marker::new(time, name));
        recording.markers = markers.collect();
        let mut text = Vec::new();
        let report = write(&recording, &mut text).unwrap();
        let losses = report.losses.iter().map(ToString::to_string);
        let notes = report.notes.iter().map(ToString::to_string);
        (
            String::from_utf8(text).unwrap(),
            losses.chain(notes).collect(),
        )
    }

    fn times(text: &str) -> Vec<&str> {
        text.lines().filter(|line| line.contains("-->")).collect()
    }

    #[test]
    fn a_cue_ends_at_the_next_later_one_or_at_the_end() {
        let (text, losses) = written(&[(1.0, "a"), (1.0, "b"), (2.0, "c"), (5.0, "d")]);
        assert!(losses.is_empty());
        assert_eq!(
            times(&text),
            [
                "00:00:01.000 --> 00:00:02.000",
                "00:00:01.000 --> 00:00:02.000",
                "00:00:02.000 --> 00:00:05.000",
                "00:00:05.000 --> 00:00:05.001",
            ]
        );
        assert_eq!(written(&[]).0, "WEBVTT\n");
    }

    #[test]
    fn names_with_any_line_breaks_stay_within_their_cue() {
        assert_eq!(escape("a\nb"), "a\nb");
        assert_eq!(escape("\na\n\nb\n"), "&#10;a&#10;&#10;b&#10;");
        assert_eq!(escape("a\r\nb"), "a&#13;\nb");
        assert_eq!(escape("<b> --> & 🖐"), "&lt;b&gt; --&gt; &amp; 🖐");
        assert_eq!(written(&[(1.0, "")]).0.lines().count(), 3);
    }

    #[test]
    fn losses_and_roundings_are_reported() {
        let markers = [
            (2.0, "a\0"),
            (1.0004, "b"),
            (-0.5, "c"),
            (f32::NAN, "d"),
            (1.0, "e"),
        ];
        let (text, messages) = written(&markers);
        assert_eq!(times(&text).len(), 3);
        assert_eq!(
            messages,
            [
                "2 markers without a time from 0 on",
                "NUL characters in 1 name",
                "1 time rounded to milliseconds",
            ]
        );
    }
}
