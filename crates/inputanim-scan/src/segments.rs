//! The parts of recordings for which measures are computed, or whose events are listed.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use inputanim::marker_names::counts;
use inputanim::names::normal;
use inputanim::relative_time::signed_seconds;
use inputanim::{Limits, Marker, TimeRange};
use inputanim_analysis::{Analysis, Event, EventKind, Segment, UnknownEventKind};
use inputanim_convert::packs::path_in_pack;

use crate::epochs::{Epoch, EpochEnd};
use crate::notice::Notice;
use crate::trials::{TrialTable, TrialTableError};

/// The parts of recordings for which measures are computed, or whose rows are listed.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Segments {
    /// The complete recording.
    #[default]
    Recording,
    /// From each marker that matches a pattern to the next one that does, and from the last one to the end.
    EachMarker {
        /// The pattern; `*` stands for any characters, `?` for one.
        pattern: String,
    },
    /// From each marker that matches a pattern to the next one that matches another.
    BetweenMarkers {
        /// The pattern of the first marker; `*` stands for any characters, `?` for one.
        start: String,
        /// The pattern of the last marker.
        stop: String,
    },
    /// Around each event of a kind, such as from 0.5 s before its start to 1 s after it, or from its start to its end.
    /// An event whose segment would end before it starts has no segment.
    Events {
        /// The kind.
        kind: EventKind,
        /// The start of the segment. The point to which it is relative is time 0 of the segment.
        from: EventTime,
        /// The end of the segment.
        to: EventTime,
    },
    /// The rows of a trial table. Files that it does not name have no rows, and are not opened.
    Trials(Arc<TrialTable>),
}

/// A time relative to an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventTime {
    /// Seconds after the start of the event, its onset.
    AfterStart(f64),
    /// Seconds after the end of the event.
    AfterEnd(f64),
}

impl EventTime {
    /// Parses a number of seconds after the start, or `start` or `end` with a number of seconds after it, such as
    /// `-0.5`, `500ms`, `start-0.5` or `end+1`. Returns `None` for other strings.
    fn parse(text: &str) -> Option<EventTime> {
        let text = text.trim();
        let seconds = |text: &str| match text.trim() {
            "" => Some(0.0),
            // A time needs a sign after a name.
            text if text.starts_with(['+', '-']) => double(text),
            _ => None,
        };
        if let Some(rest) = text.strip_prefix("start") {
            seconds(rest).map(EventTime::AfterStart)
        } else if let Some(rest) = text.strip_prefix("end") {
            seconds(rest).map(EventTime::AfterEnd)
        } else {
            double(text).map(EventTime::AfterStart)
        }
    }

    /// Returns the point to which the time is relative, and the seconds after it.
    fn of(self, event: &Event) -> (f64, f64) {
        match self {
            EventTime::AfterStart(seconds) => (event.start, seconds),
            EventTime::AfterEnd(seconds) => (event.start + event.duration, seconds),
        }
    }
}

/// Parses a time as [`signed_seconds`] does, in double precision: rows at a rate include an end that is a step of the
/// rate, such as 0.7 at 90 Hz.
fn double(text: &str) -> Option<f64> {
    let rounded = signed_seconds(text)?;
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1000.0),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let number: Option<f64> = number.trim_end().parse().ok();
    Some(number.map_or(f64::from(rounded), |number| number / unit))
}

/// A string that describes no [`Segments`], or a trial table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentsError {
    /// The string is neither a form of segments nor the name of a table.
    #[error("{0}{tail}", tail = trial_table(.0))]
    Unknown(UnknownSegments),
    /// The table cannot be read.
    #[error("{path}: {error}")]
    Trials {
        /// The path of the table.
        path: String,
        /// The cause.
        error: TrialTableError,
    },
}

fn trial_table(error: &UnknownSegments) -> &'static str {
    match error {
        UnknownSegments::Form(_) => ", or a trial table with the extension .csv or .tsv",
        _ => "",
    }
}

/// A string that describes no [`Segments`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownSegments {
    /// The string has no known form.
    #[error(
        "unknown segments \"{0}\"; expected recording, markers, markers=NAME, START:STOP or KIND@A..B"
    )]
    Form(String),
    /// The kind of events is unknown.
    #[error(transparent)]
    Kind(#[from] UnknownEventKind),
    /// The segments around events would end before they start.
    #[error("the range \"{found}\" after {kind}@ ends before it starts")]
    Reversed {
        /// The kind of events.
        kind: EventKind,
        /// The text after the `@`.
        found: String,
    },
    /// The times around events are not a range.
    #[error(
        "expected a range of seconds such as -0.5..1 or start..end after {kind}@, found \"{found}\""
    )]
    Range {
        /// The kind of events.
        kind: EventKind,
        /// The text after the `@`.
        found: String,
    },
}

/// A recording without the segments that its markers should make.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoSegments {
    /// The pattern of the markers, or the patterns of the first and the last marker. Empty for the segments between all
    /// markers.
    pub patterns: Vec<String>,
    /// The names of the markers of the recording, each once.
    pub markers: Vec<String>,
}

impl fmt::Display for NoSegments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.patterns[..] {
            [name] => write!(
                f,
                "no marker that matches {name:?} between the first and the last key"
            ),
            [start, stop] => write!(
                f,
                "no marker that matches {start:?} is followed by one that matches {stop:?}"
            ),
            _ => f.write_str("no markers between the first and the last key"),
        }
    }
}

impl std::error::Error for NoSegments {}

impl FromStr for Segments {
    type Err = UnknownSegments;

    /// Parses a form of segments: `recording`, `markers`, `markers=NAME` or `START:STOP` with patterns of markers, or `KIND@A..B` with
    /// times relative to events: seconds after the start such as `pinch@-0.5..1` or `pinch@-500ms..1s`, or
    /// `movement@start..end`, `fixation@start-0.2..end+0.2`. Case, hyphens and underscores of kinds do not matter.
    fn from_str(text: &str) -> Result<Segments, UnknownSegments> {
        match normal(text).as_str() {
            "recording" => return Ok(Segments::Recording),
            "markers" => {
                return Ok(Segments::EachMarker {
                    pattern: "*".into(),
                });
            }
            _ => {}
        }
        // A pattern may contain the signs of the other forms.
        if let Some(pattern) = text.strip_prefix("markers=") {
            let pattern = pattern.to_owned();
            return Ok(Segments::EachMarker { pattern });
        }
        if let Some((kind, range)) = text.split_once('@') {
            return around(kind, range);
        }
        if let Some((start, stop)) = text.split_once(':') {
            return Ok(Segments::BetweenMarkers {
                start: start.to_owned(),
                stop: stop.to_owned(),
            });
        }
        Err(UnknownSegments::Form(text.to_owned()))
    }
}

/// Returns `true` if a segment between these times of an event ends before it starts, whatever the duration of the event is.
fn is_reversed(from: EventTime, to: EventTime) -> bool {
    match (from, to) {
        (EventTime::AfterStart(from), EventTime::AfterStart(to))
        | (EventTime::AfterEnd(from), EventTime::AfterEnd(to)) => from > to,
        // A duration is at least 0.
        (EventTime::AfterEnd(from), EventTime::AfterStart(to)) => from >= to,
        // The order of the start and the end of an event depends on the event.
        (EventTime::AfterStart(_), EventTime::AfterEnd(_)) => false,
    }
}

/// Parses the two parts of a string such as `pinch@-0.5..1`: the kind of events before the `@`, and the range of times
/// after it.
fn around(kind: &str, range: &str) -> Result<Segments, UnknownSegments> {
    let kind: EventKind = kind.parse()?;
    let bounds = range
        .split_once("..")
        .and_then(|(from, to)| Some((EventTime::parse(from)?, EventTime::parse(to)?)));
    match bounds {
        Some((from, to)) if is_reversed(from, to) => Err(UnknownSegments::Reversed {
            kind,
            found: range.to_owned(),
        }),
        Some((from, to)) => Ok(Segments::Events { kind, from, to }),
        None => Err(UnknownSegments::Range {
            kind,
            found: range.to_owned(),
        }),
    }
}

impl Segments {
    /// Parses a string as [`from_str`](str::parse) does, or reads a trial table if the string is the path of a file, or
    /// ends with `.csv` or `.tsv`.
    ///
    /// # Errors
    /// When the string has no known form, or the table cannot be read.
    pub fn from_text(text: impl AsRef<OsStr>, limits: &Limits) -> Result<Segments, SegmentsError> {
        let path = Path::new(text.as_ref());
        let text = path.to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        // The name of a file may contain a colon.
        if extension != "csv"
            && extension != "tsv"
            && !path.is_file()
            && path_in_pack(path).is_none()
        {
            return text.parse::<Segments>().map_err(SegmentsError::Unknown);
        }
        let table = TrialTable::open(path, limits).map_err(|error| SegmentsError::Trials {
            path: text.clone().into_owned(),
            error,
        });
        Ok(Segments::Trials(Arc::new(table?)))
    }

    /// Returns the names and meanings of the columns of text that describe a segment. The first is its name.
    pub(crate) fn columns(&self) -> Vec<(Cow<'static, str>, &'static str)> {
        let name = (Cow::Borrowed("segment"), "Name of the segment.");
        match self {
            Segments::Recording => vec![],
            Segments::EachMarker { .. } | Segments::BetweenMarkers { .. } => vec![name],
            Segments::Events { .. } => {
                vec![
                    name,
                    ("side".into(), "Hand of the event: `left` or `right`."),
                ]
            }
            Segments::Trials(table) => {
                let columns = table.columns().iter();
                let columns =
                    columns.map(|name| (name.clone().into(), "Column of the trial table."));
                std::iter::once(name).chain(columns).collect()
            }
        }
    }

    /// Returns the segments of a recording in order of time; none if it has no events of the kind. The segments of a
    /// trial table depend on the name of the recording, so this function returns none for them: see
    /// [`TrialTable::segments`].
    ///
    /// # Errors
    /// When the recording lacks the markers.
    pub fn of(&self, analysis: &Analysis) -> Result<Vec<Segment>, NoSegments> {
        let range = analysis.range;
        if let Some(segments) = self.of_markers(&analysis.markers, range) {
            return segments;
        }
        let Segments::Events { from, to, .. } = self else {
            return Ok(Vec::new());
        };
        let segments = self.events(analysis).into_iter().filter_map(|event| {
            let time = |bound: EventTime| {
                let (point, seconds) = bound.of(&event);
                (point + seconds) as f32
            };
            let range = TimeRange {
                start: time(*from).max(range.start),
                end: time(*to).min(range.end),
            };
            (range.start <= range.end).then(|| segment(&event, range))
        });
        Ok(segments.collect())
    }

    /// Returns the segments around events, in order of time. They may be outside of the recording. Times of events are
    /// rounded to single precision, as tables have them.
    pub(crate) fn epochs(&self, analysis: &Analysis) -> Vec<Epoch> {
        let &Segments::Events { from, to, .. } = self else {
            return Vec::new();
        };
        let epochs = self.events(analysis).into_iter().filter_map(|event| {
            let (zero, first) = from.of(&event);
            let (point, seconds) = to.of(&event);
            let is_fixed = matches!(
                (from, to),
                (EventTime::AfterStart(_), EventTime::AfterStart(_))
                    | (EventTime::AfterEnd(_), EventTime::AfterEnd(_))
            );
            let last = if is_fixed {
                EpochEnd::After(seconds)
            } else {
                EpochEnd::At((f64::from(point as f32) + seconds) as f32)
            };
            let zero = zero as f32;
            let range = TimeRange {
                start: zero,
                end: zero,
            };
            let epoch = Epoch {
                first,
                last,
                ..Epoch::of(&segment(&event, range))
            };
            let TimeRange { start, end } = epoch.range();
            (start <= end).then_some(epoch)
        });
        epochs.collect()
    }

    /// Returns `true` if all segments would end before they start.
    pub(crate) fn are_reversed(&self) -> bool {
        matches!(self, Segments::Events { from, to, .. } if is_reversed(*from, *to))
    }

    /// Returns a notice if a recording has no segments around events. `found` is the number of its segments.
    pub(crate) fn notice(&self, analysis: &Analysis, found: usize) -> Option<Notice> {
        match self {
            Segments::Events { kind, .. } if found == 0 => Some(Notice::NoSegments {
                kind: *kind,
                events: self.events(analysis).len(),
            }),
            _ => None,
        }
    }

    /// Returns a segment around an event at 0 s, if the segments around all events are equally long; `None` for others.
    pub(crate) fn window(&self) -> Option<Epoch> {
        let &Segments::Events { from, to, .. } = self else {
            return None;
        };
        let (first, last) = match (from, to) {
            (EventTime::AfterStart(first), EventTime::AfterStart(last))
            | (EventTime::AfterEnd(first), EventTime::AfterEnd(last)) => (first, last),
            _ => return None,
        };
        Some(Epoch {
            texts: Vec::new(),
            zero: 0.0,
            first,
            last: EpochEnd::After(last),
        })
    }

    /// Returns the events of the kind of these segments, in order of time.
    fn events(&self, analysis: &Analysis) -> Vec<Event> {
        let mut events = analysis.events();
        events.retain(|event| matches!(self, Segments::Events { kind, .. } if event.kind == *kind));
        events
    }

    /// Returns the segments that need no analysis: the complete recording, or segments between markers. `None` for the
    /// others. `markers` are sorted by time, and `range` is the time range of the recording. Fails if the recording
    /// lacks the markers.
    pub(crate) fn of_markers(
        &self,
        markers: &[Marker<'_>],
        range: TimeRange,
    ) -> Option<Result<Vec<Segment>, NoSegments>> {
        let (found, patterns) = match self {
            Segments::Recording => return Some(Ok(vec![Segment::new("", range)])),
            Segments::Trials(_) | Segments::Events { .. } => return None,
            Segments::EachMarker { pattern } => {
                let found = Segment::from_each_marker(markers, pattern, range);
                let all = pattern == "*";
                (found, Vec::from_iter((!all).then(|| pattern.clone())))
            }
            Segments::BetweenMarkers { start, stop } => {
                let found = Segment::between_markers(markers, start, stop);
                (found, vec![start.clone(), stop.clone()])
            }
        };
        if !found.is_empty() {
            return Some(Ok(found));
        }
        let names = counts(markers).into_iter();
        let markers = names.map(|found| found.name.to_owned()).collect();
        Some(Err(NoSegments { patterns, markers }))
    }
}

/// Returns the segment of an event.
fn segment(event: &Event, range: TimeRange) -> Segment {
    let name = event.name.as_deref().unwrap_or(event.kind.name());
    let side = event.side.map_or("", |side| side.name());
    let mut segment = Segment::new(name, range);
    segment.columns = vec![("side".to_owned(), side.to_owned())];
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_parsed() {
        let parse = |text| Segments::from_text(text, &Limits::default());
        for (text, expected) in [("Markers", "*"), ("markers=a:b@*", "a:b@*")] {
            let pattern = expected.to_owned();
            assert_eq!(parse(text).unwrap(), Segments::EachMarker { pattern });
        }
        let expected = Segments::Events {
            kind: EventKind::GeometricPinch,
            from: EventTime::AfterStart(-0.5),
            to: EventTime::AfterStart(1.0),
        };
        for text in ["geometric-pinch@-0.5..1s", "Geometric_Pinch@-500ms..1"] {
            assert_eq!(parse(text).unwrap(), expected);
        }
        let event = |text| match parse(text) {
            Ok(Segments::Events { from, to, .. }) => (from, to),
            other => panic!("{text}: {other:?}"),
        };
        use EventTime::{AfterEnd, AfterStart};
        let whole = (AfterStart(0.0), AfterEnd(0.0));
        assert_eq!(event("movement@start..end"), whole);
        assert_eq!(event("movement@0 .. end"), whole);
        // The numbers are those of double precision.
        let around = (AfterStart(-0.2), AfterEnd(0.7));
        assert_eq!(event("pinch@start-200ms..end+0.7"), around);
        assert!(matches!(parse("a*:b"), Ok(Segments::BetweenMarkers { .. })));
        let error = |text| parse(text).unwrap_err().to_string();
        assert_eq!(
            error("marker"),
            "unknown segments \"marker\"; expected recording, markers, markers=NAME, START:STOP or KIND@A..B, or a trial table with \
             the extension .csv or .tsv"
        );
        assert!(error("pinh@0..1").contains("\"pinh\"; did you mean \"pinch\"?"));
        for range in ["1..0", "end..end-1", "end..start", "end+1..0.5"] {
            let found = format!("pinch@{range}").parse::<Segments>();
            assert_eq!(
                found.unwrap_err().to_string(),
                format!("the range \"{range}\" after pinch@ ends before it starts")
            );
        }
        assert!(parse("pinch@end-1..start+0.5").is_ok());
        for range in ["start0.5..end", "start..stop", "1..", "@1..2"] {
            let found = format!("pinch@{range}").parse::<Segments>();
            let expected = format!("after pinch@, found \"{range}\"");
            assert!(
                found.unwrap_err().to_string().contains(&expected),
                "{range}"
            );
        }
        assert!(error("nosuch.csv").contains("nosuch.csv"));
    }
}
