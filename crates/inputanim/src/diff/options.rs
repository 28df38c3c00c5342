//! Options of a comparison.

use crate::element::Element;
use crate::time_range::TimeRange;

/// The largest differences between two recordings that count as the same.
///
/// An infinite value ignores the quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Tolerance {
    /// The tolerance for positions and for the origin of the gaze, in metres.
    pub metres: f64,
    /// The tolerance for rotations and for the direction of the gaze, in degrees.
    pub degrees: f64,
    /// The tolerance for changes of states and for markers, in seconds.
    pub seconds: f32,
    /// The tolerance for the duration, in seconds.
    pub duration: f32,
}

impl Tolerance {
    /// No difference is tolerated.
    pub const EXACT: Tolerance = Tolerance {
        metres: 0.0,
        degrees: 0.0,
        seconds: 0.0,
        duration: 0.0,
    };
}

impl Default for Tolerance {
    /// Returns 1 mm and 0.2°, which are the default thresholds of MRTK's recorder for joints
    /// (docs/format.md, section 5.4), and 1 ms.
    fn default() -> Self {
        Tolerance {
            metres: 0.001,
            degrees: 0.2,
            // Less than a frame, and more than the rounding of times in the first two hours.
            seconds: 0.001,
            duration: 0.001,
        }
    }
}

/// Options for [`compare`](super::compare).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The largest differences that count as the same.
    pub tolerance: Tolerance,
    /// The time range to compare, including the markers in it. The durations are not compared then.
    ///
    /// An infinite end stands for the end of the recordings; `None` compares everything.
    pub range: Option<TimeRange>,
    /// The number of instants to compare between two neighbouring key times.
    pub between_keys: u16,
    /// The elements that are not compared.
    pub ignored: Vec<Element>,
    /// `true` to compare the markers.
    pub markers: bool,
}

impl Default for DiffOptions {
    /// Returns options that compare everything within the default tolerance, with one instant
    /// halfway between neighbouring key times.
    fn default() -> Self {
        DiffOptions {
            tolerance: Tolerance::default(),
            range: None,
            between_keys: 1,
            ignored: Vec::new(),
            markers: true,
        }
    }
}
