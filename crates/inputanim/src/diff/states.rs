//! Time ranges in which a state differs between two recordings.

use crate::element::Element;
use crate::path::Stream;
use crate::time_range::TimeRange;

use super::deviation::{Worst, seconds};

/// The time ranges in which a state is on in only one of two recordings, or known in only one of them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct StateDifference {
    /// The state.
    pub stream: Stream,
    /// The number of time ranges.
    pub count: u64,
    /// The total length, in seconds.
    pub seconds: f32,
    /// The longest time ranges, at most [`MAX_LISTED`](super::MAX_LISTED), in order of time.
    pub longest: Vec<TimeRange>,
}

/// The time ranges in which the profile or an input of a device differs between two recordings.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct InputDifference {
    /// The profile or the input.
    pub element: Element,
    /// The largest difference of numbers; 1 for a profile, or an input that is on or off.
    pub largest: f64,
    /// The first time of the largest difference, in seconds.
    pub at: f32,
    /// The number of time ranges in which it is out of tolerance.
    pub count: u64,
    /// Their total length, in seconds.
    pub seconds: f32,
    /// The longest of them, at most [`MAX_LISTED`](super::MAX_LISTED), in order of time.
    pub longest: Vec<TimeRange>,
}

impl InputDifference {
    /// Returns `true` if no time range in which the input is out of tolerance is longer than `timing` seconds. With 0 any range
    /// counts.
    pub fn is_within(&self, timing: f32) -> bool {
        is_within(self.count, &self.longest, timing)
    }
}

/// A builder of an [`InputDifference`].
pub(super) struct InputDifferenceBuilder {
    element: Element,
    ranges: StateDifferenceBuilder,
    largest: f64,
    at: f32,
}

impl InputDifferenceBuilder {
    pub(super) fn new(element: Element) -> InputDifferenceBuilder {
        InputDifferenceBuilder {
            element,
            ranges: StateDifferenceBuilder::new(element.stream()),
            largest: 0.0,
            at: 0.0,
        }
    }

    /// Adds the difference at a time in seconds, which is not NaN.
    pub(super) fn add(&mut self, time: f32, difference: f64, tolerance: f64) {
        if difference > self.largest {
            (self.largest, self.at) = (difference, time);
        }
        self.ranges
            .add(time, Some(difference > tolerance), Some(false));
    }

    /// Returns the difference; `None` if there is none. `end` is the end of the comparison in seconds.
    pub(super) fn finish(self, end: f32) -> Option<InputDifference> {
        let ranges = self.ranges.finish(end);
        (self.largest > 0.0).then(|| InputDifference {
            element: self.element,
            largest: self.largest,
            at: self.at,
            count: ranges.as_ref().map_or(0, |ranges| ranges.count),
            seconds: ranges.as_ref().map_or(0.0, |ranges| ranges.seconds),
            longest: ranges.map_or_else(Vec::new, |ranges| ranges.longest),
        })
    }
}

/// Returns `true` if none of `count` time ranges, of which `longest` has the longest, is longer than a tolerance in seconds.
fn is_within(count: u64, longest: &[TimeRange], tolerance: f32) -> bool {
    // The list has only the longest time ranges. That is enough, because it includes the longest of all.
    let longest = longest.iter().map(|&range| seconds(range));
    count == 0 || tolerance > 0.0 && longest.fold(0.0, f64::max) <= tolerance.into()
}

impl StateDifference {
    /// Returns `true` if no time range in which the state differs is longer than `tolerance` seconds. With a tolerance
    /// of 0 any range counts.
    pub fn is_within(&self, tolerance: f32) -> bool {
        is_within(self.count, &self.longest, tolerance)
    }
}

/// A builder of a [`StateDifference`].
#[derive(Debug)]
pub(super) struct StateDifferenceBuilder {
    found: StateDifference,
    seconds: f64,
    open: Option<f32>,
    longest: Worst<TimeRange>,
}

impl StateDifferenceBuilder {
    pub(super) fn new(stream: Stream) -> StateDifferenceBuilder {
        StateDifferenceBuilder {
            found: StateDifference {
                stream,
                count: 0,
                seconds: 0.0,
                longest: Vec::new(),
            },
            seconds: 0.0,
            open: None,
            longest: Worst::default(),
        }
    }

    /// Adds the state of both recordings at a time; `None` where it is unknown.
    pub(super) fn add(&mut self, time: f32, a: Option<bool>, b: Option<bool>) {
        if a != b {
            self.open.get_or_insert(time);
        } else {
            self.close(time);
        }
    }

    /// Ends the current time range in which the state differs, if there is one, at `end` seconds. A state holds until
    /// the instant at which it changes.
    fn close(&mut self, end: f32) {
        if let Some(start) = self.open.take() {
            let range = TimeRange { start, end };
            self.found.count += 1;
            self.seconds += seconds(range);
            self.longest.push(seconds(range), range);
        }
    }

    /// Returns the difference of the state; `None` if it never differs. `end` is the end of the comparison in seconds.
    pub(super) fn finish(mut self, end: f32) -> Option<StateDifference> {
        self.close(end);
        self.found.seconds = self.seconds as f32;
        self.found.longest = self.longest.finish(|range| range.start);
        (self.found.count > 0).then_some(self.found)
    }
}
