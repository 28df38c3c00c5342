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
use inputanim_analysis::{Analysis, EventKind, Segment, UnknownEventKind};

use crate::trials::{TrialTable, TrialTableError};

/// The parts of recordings for which measures are computed, or whose events are listed.
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
    /// Around the onset of each event of a kind.
    Around {
        /// The kind.
        kind: EventKind,
        /// Seconds before the onset.
        before: f64,
        /// Seconds after the onset.
        after: f64,
    },
    /// The rows of a trial table. Files that it does not name have no rows, and are not opened.
    Trials(Arc<TrialTable>),
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
    /// The times around events are not a range.
    #[error("expected a range of seconds such as -0.5..1 after {kind}@, found \"{found}\"")]
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
    /// times relative to the onset of events, such as `pinch@-0.5..1` or `pinch@-500ms..1s`. Case, hyphens and
    /// underscores of kinds do not matter.
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

/// Parses the two parts of a string such as `pinch@-0.5..1`: the kind of events before the `@`, and the range of
/// seconds after it.
fn around(kind: &str, range: &str) -> Result<Segments, UnknownSegments> {
    let kind: EventKind = kind.parse()?;
    let bounds = range.split_once("..").and_then(|(start, end)| {
        let [start, end] = [start, end].map(|bound| signed_seconds(bound.trim()));
        Some((start?, end?)).filter(|(start, end)| start <= end)
    });
    match bounds {
        Some((start, end)) => Ok(Segments::Around {
            kind,
            before: f64::from(-start),
            after: end.into(),
        }),
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
        if extension != "csv" && extension != "tsv" && !path.is_file() {
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
            Segments::Around { .. } => {
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
        let Segments::Around {
            kind,
            before,
            after,
        } = self
        else {
            return Ok(Vec::new());
        };
        let events = analysis.events();
        let events = events.iter().filter(|event| event.kind == *kind);
        let segments = events.flat_map(|event| {
            let name = event.name.as_deref().unwrap_or(kind.name()).to_owned();
            let side = event.side.map_or("", |side| side.name());
            let mut segments = Segment::around([(name, event.start)], *before, *after, range);
            for segment in &mut segments {
                segment.columns = vec![("side".to_owned(), side.to_owned())];
            }
            segments
        });
        Ok(segments.collect())
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
            Segments::Trials(_) | Segments::Around { .. } => return None,
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
        let expected = Segments::Around {
            kind: EventKind::GeometricPinch,
            before: 0.5,
            after: 1.0,
        };
        for text in ["geometric-pinch@-0.5..1s", "Geometric_Pinch@-500ms..1"] {
            assert_eq!(parse(text).unwrap(), expected);
        }
        assert!(matches!(parse("a*:b"), Ok(Segments::BetweenMarkers { .. })));
        let error = |text| parse(text).unwrap_err().to_string();
        assert_eq!(
            error("marker"),
            "unknown segments \"marker\"; expected recording, markers, markers=NAME, START:STOP or KIND@A..B, or a trial table with \
             the extension .csv or .tsv"
        );
        assert!(error("pinh@0..1").contains("\"pinh\"; did you mean \"pinch\"?"));
        assert!(error("pinch@1..0").contains("after pinch@, found \"1..0\""));
        assert!(error("nosuch.csv").contains("nosuch.csv"));
    }
}
