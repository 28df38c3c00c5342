//! Time ranges in which a state differs between two recordings.

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

impl StateDifference {
    /// Returns `true` if no time range in which the state differs is longer than `tolerance` seconds. With a tolerance
    /// of 0 any range counts.
    pub fn is_within(&self, tolerance: f32) -> bool {
        // The list has only the longest time ranges. That is enough, because it includes the
        // longest of all.
        let longest = self.longest.iter().map(|&range| seconds(range));
        self.count == 0 || tolerance > 0.0 && longest.fold(0.0, f64::max) <= tolerance.into()
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
