//! Findings, and the builder that collects them over many curves.

use std::fmt;

use super::code::{Code, Severity};
use super::remedy::Remedy;
use crate::path::{CurvePath, Stream};
use crate::read::ParseError;
use crate::recording::Recording;
use crate::time_range::TimeRange;

/// A kind of damage or unusual content, with every place at which the recording has it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    pub code: Code,
    /// Number of occurrences: keys, curves or markers, as [`detail`](Self::detail) says.
    pub count: u64,
    /// The affected curves in file order; empty if the finding concerns complete streams or the file.
    pub curves: Vec<CurvePath>,
    /// The affected streams in file order; empty if the finding concerns the file.
    pub streams: Vec<Stream>,
    /// The exact times of the finding, in order and without overlaps. For a sign flip, a range goes from the key before
    /// the flip to the flipped key. For other findings in keys, it is the time of the key. Empty if the finding has no
    /// time.
    pub ranges: Vec<TimeRange>,
    /// The details, as text.
    pub detail: String,
}

impl Finding {
    /// Returns the codes of findings with spaces between them, such as `D1 D4`. The doctor groups findings by code, and
    /// each code counts once.
    pub fn codes<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> String {
        Code::list(findings.into_iter().map(|finding| finding.code))
    }

    /// Returns a finding that concerns the file and has no time.
    pub(super) fn new(code: Code, count: u64, detail: String) -> Finding {
        Finding {
            code,
            count,
            curves: Vec::new(),
            streams: Vec::new(),
            ranges: Vec::new(),
            detail,
        }
    }

    /// Sets the affected streams and the times.
    pub(super) fn in_streams(
        mut self,
        streams: impl IntoIterator<Item = Stream>,
        ranges: Vec<TimeRange>,
    ) -> Finding {
        self.streams = streams.into_iter().collect();
        self.ranges = TimeRange::union(ranges);
        self
    }

    /// Returns the time range from the first to the last occurrence; `None` if the finding has no
    /// time. [`ranges`](Self::ranges) has the exact times.
    pub fn range(&self) -> Option<TimeRange> {
        Some(TimeRange {
            start: self.ranges.first()?.start,
            end: self.ranges.last()?.end,
        })
    }

    /// Returns `true` if the finding concerns this curve: it lists the curve, or no curves but the stream of the curve,
    /// or it concerns the complete file.
    pub fn affects(&self, path: CurvePath) -> bool {
        if !self.curves.is_empty() {
            self.curves.contains(&path)
        } else {
            self.streams.is_empty() || self.streams.contains(&path.stream())
        }
    }

    /// Returns `true` if the finding concerns a curve of `recording` for which `is_used` returns `true`.
    pub fn concerns(&self, recording: &Recording<'_>, is_used: impl Fn(CurvePath) -> bool) -> bool {
        let mut curves = recording.curves();
        curves.any(|(path, _)| is_used(path) && self.affects(path))
    }

    /// Returns a parse error as a finding; `None` if the error has [no code](Code::of_error).
    pub fn from_error(error: &ParseError) -> Option<Finding> {
        let code = Code::of_error(error.kind())?;
        let mut finding = Finding::new(code, 1, error.to_string());
        if let Some(path) = error.path() {
            finding.curves.push(path);
            finding.streams.push(path.stream());
        }
        Some(finding)
    }

    /// Returns the title of the code and the details, separated by a colon.
    pub fn message(&self) -> String {
        format!("{}: {}", self.code.title(), self.detail)
    }

    /// Returns the severity of its code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.message())
    }
}

/// A finding with the explanation of its code, for interfaces that show both.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExplainedFinding {
    /// The finding.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub finding: Finding,
    /// `true` if it changes evaluated values: [`Code::changes_values`].
    #[cfg_attr(feature = "serde", serde(rename = "changesValues"))]
    pub changes_values: bool,
    /// The cause: [`Code::cause`].
    pub cause: &'static str,
    /// The effect on playback: [`Code::meaning`].
    pub meaning: &'static str,
    /// The action that helps: [`Code::remedy`].
    pub remedy: Remedy,
    /// The advice: [`Code::advice`].
    pub advice: &'static str,
}

impl From<Finding> for ExplainedFinding {
    fn from(finding: Finding) -> ExplainedFinding {
        let code = finding.code;
        ExplainedFinding {
            changes_values: code.changes_values(),
            cause: code.cause(),
            meaning: code.meaning(),
            remedy: code.remedy(),
            advice: code.advice(),
            finding,
        }
    }
}

/// Collects the occurrences of one code in curves, or in vectors and rotations.
#[derive(Clone, Default)]
pub(super) struct FindingBuilder {
    count: u64,
    places: usize,
    curves: Vec<CurvePath>,
    ranges: Vec<TimeRange>,
    /// The number of ranges after the last merge.
    merged: usize,
}

impl FindingBuilder {
    /// Adds an occurrence in one curve at a time in seconds. NaN stands for an occurrence without a time.
    pub(super) fn add(&mut self, path: CurvePath, time: f32) {
        self.add_to(&[path], time);
    }

    /// Adds one occurrence that concerns all `curves` of a vector or rotation, at a time in seconds. NaN stands for an
    /// occurrence without a time.
    pub(super) fn add_to(&mut self, curves: &[CurvePath], time: f32) {
        let (start, end) = (time, time);
        self.add_range(curves, TimeRange { start, end });
    }

    /// Adds one occurrence that concerns all `curves` and lasts for a time range. A bound that is not finite stands for
    /// an occurrence without a time.
    pub(super) fn add_range(&mut self, curves: &[CurvePath], range: TimeRange) {
        self.count += 1;
        // Occurrences are added curve by curve, so a curve that is listed already is at the end.
        if !self.curves.ends_with(curves) {
            self.places += 1;
            self.curves.extend(curves);
        }
        self.add_time(range);
    }

    /// Appends the occurrences in curves that come later in the file.
    pub(super) fn append(&mut self, later: FindingBuilder) {
        self.count += later.count;
        self.places += later.places;
        self.curves.extend(later.curves);
        for range in later.ranges {
            self.add_time(range);
        }
    }

    fn add_time(&mut self, range: TimeRange) {
        if !(range.start.is_finite() && range.end.is_finite()) {
            return;
        }
        self.ranges.push(range);
        // The curves of a hand have the same occurrences. Merging now and then keeps the list short.
        if self.ranges.len() > 2 * self.merged + 64 {
            self.ranges = TimeRange::union(std::mem::take(&mut self.ranges));
            self.merged = self.ranges.len();
        }
    }

    /// Returns the finding of all occurrences; `None` without occurrences. `[one, many]` are the words for one
    /// occurrence and for several, such as `key` and `keys`.
    pub(super) fn finish(self, code: Code, [one, many]: [&str; 2]) -> Option<Finding> {
        let mut first = self.curves.first()?.to_string();
        let (count, places) = (self.count, self.places);
        // If a place has several curves, the name of the vector is enough: the component is cut
        // off.
        let kind = if self.curves.len() > places {
            first.truncate(first.rfind('.').unwrap_or(first.len()));
            "places"
        } else {
            "curves"
        };
        let things = if count == 1 { one } else { many };
        let place = match places {
            1 => format!("in {first}"),
            _ if count == places as u64 => format!("the first in {first}"),
            _ => format!("in {places} {kind}, the first {first}"),
        };
        let mut finding = Finding::new(code, count, String::new());
        finding.ranges = TimeRange::union(self.ranges);
        let when = match finding.range() {
            Some(TimeRange { start, end }) if start < end => {
                format!(", from {start:.3} s to {end:.3} s")
            }
            Some(TimeRange { start, .. }) => format!(", at {start:.3} s"),
            None => String::new(),
        };
        finding.detail = format!("{count} {things}, {place}{when}");
        finding.streams = self.curves.iter().map(|path| path.stream()).collect();
        finding.streams.dedup();
        finding.curves = self.curves;
        Some(finding)
    }
}
