//! The error of an edit.

use super::AlignCandidate;
use crate::names::{DataWithoutProfile, DataWithoutTracking, UnknownElement};
use crate::path::CurvePath;
use crate::reduce::ReduceError;
use crate::sampler::UnplayableCurve;
use crate::time_range::TimeRangeError;
use crate::trigger_names::TriggerNamesError;

/// An error: the w component of a rotation was not saved ([`EditError::LostW`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{curve} was not saved: its rotation must be repaired first")]
#[non_exhaustive]
pub struct LostW {
    /// The first such w curve.
    pub curve: CurvePath,
}

impl From<LostW> for EditError {
    fn from(LostW { curve }: LostW) -> EditError {
        EditError::LostW { curve }
    }
}

/// An error of an edit. The recording is unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// An argument, or a number that follows from it, is out of range.
    #[error("invalid {what}: {value} (must be {expected})")]
    InvalidNumber {
        /// The name of the number, such as `speed`.
        what: &'static str,
        /// The number.
        value: f64,
        /// The valid numbers, such as `above 0 and finite`.
        expected: &'static str,
    },
    /// Keys of different times would get the same time, because the distance between
    /// single-precision numbers grows with their size.
    #[error("{curve}: keys with different times would get the same time, {time} s")]
    TimesCollapse {
        /// The first such curve.
        curve: CurvePath,
        /// The common time of the two keys, in seconds.
        time: f32,
    },
    /// The w component of a rotation was not saved.
    ///
    /// Such a rotation is meaningless until it is [repaired](crate::repair). A change would remove
    /// the pattern by which the damage is recognised.
    #[error("{}", LostW { curve: *curve })]
    LostW {
        /// The first such w curve.
        curve: CurvePath,
    },
    /// New values exceed the range of single precision.
    #[error("{curve}: its new values exceed single precision")]
    Overflow {
        /// The first such curve.
        curve: CurvePath,
    },
    /// A rotation mixes the components of a [velocity](crate::velocity), and one is not recorded.
    #[error("{curve} is not recorded: a velocity without all of its components cannot be rotated")]
    MissingVelocity {
        /// The missing component.
        curve: CurvePath,
    },
    /// The time of a key is infinite or not a number.
    #[error("{curve}: the time of key {index} is not finite")]
    TimeNotFinite {
        /// The curve.
        curve: CurvePath,
        /// The index of the key in file order, from 0.
        index: usize,
    },
    /// The edit would create too many keys: for the copies of loops, or for components that do not share their times.
    #[error("{curve}: the edit needs more than {limit} new keys, for loops or mixed components")]
    TooManyNewKeys {
        /// The curve at which the limit was reached.
        curve: CurvePath,
        /// The limit.
        limit: usize,
    },
    /// The rate would create a larger recording than the limits allow.
    #[error("a rate of {rate} Hz exceeds the limit of {limit} {unit}")]
    RateTooHigh {
        /// The rate, in Hz.
        rate: f64,
        /// The limit.
        limit: u64,
        /// The unit of the limit: `keys` or `bytes`.
        unit: &'static str,
    },
    /// A curve has tangents, but the edit needs linear interpolation.
    #[error("{curve} has tangents; linear interpolation is required")]
    HasTangents {
        /// The first such curve.
        curve: CurvePath,
    },
    /// The components of a vector or rotation have keys at different times.
    #[error("{curve}: its key times differ from those of the other components")]
    KeyTimesDiffer {
        /// The first such curve.
        curve: CurvePath,
    },
    /// None or several options are given of which exactly one is needed.
    #[error("expected either {0}")]
    NotExactlyOne(&'static str),
    /// The result would be larger than the limits allow.
    #[error("the result would have about {bytes} bytes; the limit is {limit} bytes")]
    TooLarge {
        /// The size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The number of parts or copies is out of range.
    #[error(
        "invalid number of {what}: {number} (must be from 1 to {})",
        super::MAX_PARTS
    )]
    InvalidCount {
        /// The counted items: `parts` or `copies`.
        what: &'static str,
        /// The number.
        number: u64,
    },
    /// A quaternion is not a rotation.
    #[error("invalid quaternion: its length is {length:.3}, expected 1")]
    InvalidRotation {
        /// Its length.
        length: f64,
    },
    /// The pose of an anchor cannot be inverted.
    #[error("invalid anchor: its rotation must not be 0, and its scale must be above 0")]
    InvalidAnchor,
    /// The head is needed, and it is not recorded.
    #[error("the head is not recorded")]
    NoHead,
    /// A name selects states, but the edit changes poses.
    #[error("cannot smooth {name}: it is a state, not a pose")]
    NotAPose {
        /// The name.
        name: String,
    },
    /// A marker does not exist.
    #[error("unknown marker {index}: the recording has {count} markers")]
    UnknownMarker {
        /// The index.
        index: usize,
        /// The number of markers.
        count: usize,
    },
    /// No marker has the same name in both lists.
    #[error(
        "no marker has the same name on both clocks; the recording has {}, and the other clock has {}",
        quoted(.recording), quoted(.other)
    )]
    NoCommonMarkers {
        /// The first names in the recording.
        recording: Vec<String>,
        /// The first names on the other clock.
        other: Vec<String>,
    },
    /// Several alignments explain the markers, as for equal markers at regular intervals.
    #[error(
        "the alignment is ambiguous: t = 0 can be at {:.3} s of the other clock ({}), or at {:.3} s ({})",
        .candidates[0].offset, matches(.candidates[0].matches),
        .candidates[1].offset, matches(.candidates[1].matches)
    )]
    AmbiguousAlignment {
        /// The best alignment and another one.
        candidates: [AlignCandidate; 2],
    },
    /// Most markers contradict each alignment.
    #[error(
        "the intervals between the markers differ on both clocks: at most {matches} of {markers} markers agree within {tolerance} s"
    )]
    InconsistentMarkers {
        /// The number of markers that agree with the best alignment.
        matches: usize,
        /// The number of markers that could agree with it.
        markers: usize,
        /// The largest distance of two equal markers, in seconds.
        tolerance: f64,
    },
    /// The lists hardly overlap, so that the markers may agree by chance.
    #[error(
        "the markers hardly overlap on both clocks: at most {matches} of {markers} markers of the shorter list have a partner"
    )]
    FewCommonMarkers {
        /// The number of markers with a partner in the best alignment.
        matches: usize,
        /// The number of markers of the shorter list that are compared.
        markers: usize,
    },
    /// Both lists have too many markers of equal names.
    #[error(
        "too many markers with the same names on both clocks: {recording} in the recording, {other} on the other clock"
    )]
    TooManyCommonMarkers {
        /// The number of markers of the recording that are compared.
        recording: usize,
        /// The number of markers of the other clock that are compared.
        other: usize,
    },
    /// No pair of markers has an offset in the accepted range.
    #[error("no common marker puts t = 0 between {least} s and {most} s of the other clock")]
    NoOffset {
        /// The smallest accepted offset, in seconds.
        least: f64,
        /// The largest accepted offset, in seconds.
        most: f64,
    },
    /// The clocks drift by more than the options accept.
    #[error("the clocks drift by {drift:.0} ppm; at most {limit} ppm are accepted")]
    DriftTooLarge {
        /// The drift in parts per million.
        drift: f64,
        /// The largest accepted drift in parts per million.
        limit: f64,
    },
    /// The times on the other clock are too large for single precision.
    #[error(
        "{curve}: keys with different times would get the same time, {time} s; a zero near {zero} s of the other clock \
         keeps them apart"
    )]
    ZeroTooFar {
        /// The first such curve.
        curve: CurvePath,
        /// The common time of the two keys, in seconds.
        time: f32,
        /// A zero that keeps the times small, in seconds.
        zero: f64,
    },
    /// A time range is invalid, or is outside the recording.
    #[error(transparent)]
    TimeRange(#[from] TimeRangeError),
    /// A stream or a joint does not exist.
    #[error(transparent)]
    UnknownElement(#[from] UnknownElement),
    /// The choice removes the tracking of a hand alone.
    #[error(transparent)]
    DataWithoutTracking(#[from] DataWithoutTracking),
    /// The choice removes the profile of a device alone.
    #[error(transparent)]
    DataWithoutProfile(#[from] DataWithoutProfile),
    /// Names of triggers contradict each other.
    #[error(transparent)]
    TriggerNames(#[from] TriggerNamesError),
    /// A reduction is not possible.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// A curve cannot be evaluated.
    #[error(transparent)]
    Unplayable(#[from] UnplayableCurve),
}

/// Lists names for an error; `no markers` without names.
fn quoted(names: &[String]) -> String {
    if names.is_empty() {
        return "no markers".to_owned();
    }
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

/// Formats `1 match` or `3 matches`.
fn matches(count: usize) -> String {
    if count == 1 {
        "1 match".to_owned()
    } else {
        format!("{count} matches")
    }
}

impl EditError {
    /// Returns the curve that caused the error; `None` if no single curve did.
    pub fn curve(&self) -> Option<CurvePath> {
        use EditError as E;
        match self {
            E::TimesCollapse { curve, .. }
            | E::ZeroTooFar { curve, .. }
            | E::LostW { curve }
            | E::Overflow { curve }
            | E::MissingVelocity { curve }
            | E::TimeNotFinite { curve, .. }
            | E::TooManyNewKeys { curve, .. }
            | E::HasTangents { curve }
            | E::KeyTimesDiffer { curve } => Some(*curve),
            E::Reduce(ReduceError::LostW { curve }) => Some(*curve),
            E::Unplayable(error) => Some(error.curve),
            _ => None,
        }
    }

    /// Returns `true` if an argument caused the error, and not the recording. Returns `false` if both are possible, as
    /// for an invalid number.
    pub fn is_of_argument(&self) -> bool {
        use EditError as E;
        matches!(
            self,
            E::NotExactlyOne(_)
                | E::TooLarge { .. }
                | E::InvalidCount { .. }
                | E::InvalidRotation { .. }
                | E::InvalidAnchor
                | E::NotAPose { .. }
                | E::UnknownMarker { .. }
                | E::Reduce(ReduceError::PartitionWithoutMrtk)
                | E::TimeRange(_)
                | E::UnknownElement(_)
                | E::DataWithoutTracking(_)
                | E::DataWithoutProfile(_)
                | E::TriggerNames(_)
        )
    }
}
