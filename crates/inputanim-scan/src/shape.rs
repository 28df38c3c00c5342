//! The meaning of rows, and the treatment of files without rows.

use std::fmt;
use std::str::FromStr;

/// The meaning of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// An instant, with a column for each number and state.
    #[default]
    Wide,
    /// A joint, the head or the gaze at an instant.
    Tidy,
    /// A key of a curve, a marker, a flag or the layout. If streams or joints are selected, only keys of their curves.
    Keys,
    /// A recording: layout, duration, streams, rates and gaps.
    Info,
    /// A finding of the doctor.
    Findings,
    /// An event: a pinch, a movement, a fixation, a marker and so on.
    Events,
    /// A recording or a segment of it, with a column for each measure.
    Stats,
    /// A measure of a recording or of a segment of it, with its unit, and the reason if it has no value.
    Measures,
    /// A marker.
    Markers,
    /// A curve: kind of its keys, wrap modes, number of keys, times of the first and last key.
    Curves,
    /// A time range in which a hand is tracked or pinches.
    States,
}

impl Shape {
    /// Every shape.
    pub const ALL: &'static [Shape] = &[
        Shape::Wide,
        Shape::Tidy,
        Shape::Keys,
        Shape::Info,
        Shape::Findings,
        Shape::Events,
        Shape::Stats,
        Shape::Measures,
        Shape::Markers,
        Shape::Curves,
        Shape::States,
    ];

    /// Returns `true` if recordings are analysed for the rows.
    pub const fn is_analysed(self) -> bool {
        matches!(self, Shape::Events | Shape::Stats | Shape::Measures)
    }

    /// Returns `true` if a row is a curve or a part of one.
    pub(crate) const fn has_curves(self) -> bool {
        matches!(self, Shape::Keys | Shape::Curves | Shape::States)
    }

    /// Returns the name, such as `wide`.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Wide => "wide",
            Shape::Tidy => "tidy",
            Shape::Keys => "keys",
            Shape::Info => "info",
            Shape::Findings => "findings",
            Shape::Events => "events",
            Shape::Stats => "stats",
            Shape::Measures => "measures",
            Shape::Markers => "markers",
            Shape::Curves => "curves",
            Shape::States => "states",
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A string that names no [`Shape`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown shape \"{0}\"; expected wide, tidy, keys, info, findings, events, stats, measures, markers, curves or states"
)]
pub struct UnknownShape(String);

impl FromStr for Shape {
    type Err = UnknownShape;

    fn from_str(text: &str) -> Result<Shape, UnknownShape> {
        let mut all = Shape::ALL.iter().copied();
        let found = all.find(|shape| shape.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| UnknownShape(text.to_owned()))
    }
}

/// Behaviour for a file that cannot be read or sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnError {
    /// The scan ends with the error.
    #[default]
    Raise,
    /// The file has no rows, and [`Scan::errors`](crate::Scan::errors) lists it.
    Skip,
    /// The column `error` contains the message. The file has one row, in which all values except its path are missing;
    /// with [`Shape::Info`] and [`Shape::Findings`], the intact parts of a damaged file are described.
    Column,
}

impl OnError {
    /// Returns the name: `raise`, `skip` or `column`.
    pub const fn name(self) -> &'static str {
        match self {
            OnError::Raise => "raise",
            OnError::Skip => "skip",
            OnError::Column => "column",
        }
    }
}

/// A string that names no [`OnError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown treatment of errors \"{0}\"; expected raise, skip or column")]
pub struct UnknownOnError(String);

impl FromStr for OnError {
    type Err = UnknownOnError;

    fn from_str(text: &str) -> Result<OnError, UnknownOnError> {
        let mut all = [OnError::Raise, OnError::Skip, OnError::Column].into_iter();
        let found = all.find(|on_error| on_error.name() == text);
        found.ok_or_else(|| UnknownOnError(text.to_owned()))
    }
}
