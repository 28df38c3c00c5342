//! What can be found in a recording.

use std::fmt;

use super::code::{Code, Severity};
use crate::path::CurvePath;
use crate::span::Span;

/// One kind of thing that was found, wherever it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is.
    pub code: Code,
    /// How often: keys, curves or markers, as [`detail`](Self::detail) says.
    pub count: u64,
    /// The curves it is in, in file order; empty when it is about no curve.
    pub curves: Vec<CurvePath>,
    /// From the first to the last time at which it is; `None` when it has no time.
    pub span: Option<Span>,
    /// The particulars, for people.
    pub detail: String,
}

impl Finding {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.code.title(), self.detail)
    }
}

/// Collects one kind of finding over many curves, or over many vectors and rotations.
#[derive(Default)]
pub(super) struct Tally {
    count: u64,
    places: usize,
    curves: Vec<CurvePath>,
    span: Option<Span>,
}

impl Tally {
    /// Something in one curve.
    pub(super) fn add(&mut self, path: CurvePath, time: f32) {
        self.add_to(&[path], time);
    }

    /// Something in all curves of a vector or rotation at once.
    pub(super) fn add_to(&mut self, curves: &[CurvePath], time: f32) {
        let (start, end) = (time, time);
        self.add_span(curves, Span { start, end });
    }

    /// Something that lasts.
    pub(super) fn add_span(&mut self, curves: &[CurvePath], lasting: Span) {
        self.count += 1;
        if !self.curves.ends_with(curves) {
            self.places += 1;
            self.curves.extend(curves);
        }
        if lasting.start.is_finite() && lasting.end.is_finite() {
            let span = self.span.get_or_insert(lasting);
            span.start = span.start.min(lasting.start);
            span.end = span.end.max(lasting.end);
        }
    }

    /// The finding, if there was anything; `[one, many]` is what was counted.
    pub(super) fn finish(self, code: Code, [one, many]: [&str; 2]) -> Option<Finding> {
        let mut first = self.curves.first()?.to_string();
        let (count, places) = (self.count, self.places);
        let kind = if self.curves.len() > places {
            first.truncate(first.rfind('.').unwrap_or(first.len()));
            "places"
        } else {
            "curves"
        };
        let things = if count == 1 { one } else { many };
        let place = match places {
            1 => format!("in {first}"),
            _ if count == places as u64 => format!("the first {first}"),
            _ => format!("in {places} {kind}, the first {first}"),
        };
        let when = match self.span {
            Some(Span { start, end }) if start < end => {
                format!(", from {start:.3} s to {end:.3} s")
            }
            Some(Span { start, .. }) => format!(", at {start:.3} s"),
            None => String::new(),
        };
        Some(Finding {
            code,
            count,
            detail: format!("{count} {things}, {place}{when}"),
            span: self.span,
            curves: self.curves,
        })
    }
}
