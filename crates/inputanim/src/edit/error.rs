//! The error of an edit.

use crate::names::{DataWithoutTracking, UnknownElement};
use crate::path::CurvePath;
use crate::reduce::ReduceError;
use crate::sampler::UnplayableCurve;
use crate::time_range::TimeRangeError;

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
    #[error("{curve} was not saved: its rotation must be repaired first")]
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
    /// A time range is invalid, or is outside the recording.
    #[error(transparent)]
    TimeRange(#[from] TimeRangeError),
    /// A stream or a joint does not exist.
    #[error(transparent)]
    UnknownElement(#[from] UnknownElement),
    /// The choice removes the tracking of a hand alone.
    #[error(transparent)]
    DataWithoutTracking(#[from] DataWithoutTracking),
    /// A reduction is not possible.
    #[error(transparent)]
    Reduce(#[from] ReduceError),
    /// A curve cannot be evaluated.
    #[error(transparent)]
    Unplayable(#[from] UnplayableCurve),
}

impl EditError {
    /// Returns the curve that caused the error; `None` if no single curve did.
    pub fn curve(&self) -> Option<CurvePath> {
        use EditError as E;
        match self {
            E::TimesCollapse { curve, .. }
            | E::LostW { curve }
            | E::Overflow { curve }
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
        )
    }
}
