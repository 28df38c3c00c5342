//! Changes to a recording: each keeps what it does not touch byte for byte, and one that cannot
//! be done leaves the recording as it was.

mod cut;
mod fill;
pub mod markers;
mod select;
mod smooth;
mod time;
mod tracking;
mod trim;

pub use fill::{Filled, Filling, Gap, GapFill, fill};
pub use select::{Piece, select};
pub use smooth::{Smoothing, smooth};
pub use time::{retime, retime_to, shift};
pub use trim::{split, trim};

use crate::path::CurvePath;
use crate::sampler::UnplayableCurve;

/// An edit that cannot be done; the recording is then as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// A number that the edit cannot work with.
    #[error("{what} is {value}: it must be {expected}")]
    Number {
        /// What the number is, such as `the speed`.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it must be, such as `above 0`.
        expected: &'static str,
    },
    /// Keys that have times of their own would fall together, since single-precision times lie
    /// further apart the greater they are.
    #[error("{curve}: keys of different times would fall together at {time} s")]
    TimesCollapse {
        /// The first such curve.
        curve: CurvePath,
        /// The time at which two of its keys would lie, in seconds.
        time: f32,
    },
    /// A key at no time, or at an infinite one.
    #[error("the time of key {index} of {curve} is not finite")]
    TimeNotFinite {
        /// The curve.
        curve: CurvePath,
        /// The key, counted from 0 in file order.
        index: usize,
    },
    /// A curve that loops so often that writing it out would take too much memory.
    #[error("{curve} repeats so often that it would take more than 16 Mi keys to write it out")]
    TooManyKeys {
        /// The curve.
        curve: CurvePath,
    },
    /// A curve with tangents, where only straight lines between keys can be worked with.
    #[error("{curve} has tangents: only keys that are joined by straight lines can be changed so")]
    HasTangents {
        /// The first such curve.
        curve: CurvePath,
    },
    /// A curve of a vector or rotation whose keys are not at the times of the others'.
    #[error("{curve} has its keys at other times than the other curves of its vector or rotation")]
    TimesDiffer {
        /// The first such curve.
        curve: CurvePath,
    },
    /// A curve without a value to go on with.
    #[error(transparent)]
    Unplayable(#[from] UnplayableCurve),
}
