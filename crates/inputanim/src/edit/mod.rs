//! Changes to a recording: each keeps what it does not touch byte for byte, and one that cannot
//! be done leaves the recording as it was.

mod align;
mod concat;
mod cut;
mod cuts;
mod fill;
mod linear;
pub mod markers;
mod mirror;
mod place;
mod resample;
mod select;
mod smooth;
mod time;
mod tracking;
mod trim;

pub use align::align_keys;
pub use concat::{Join, concat};
pub use cuts::{equal_times, gap_times};
pub use fill::{Filled, Filling, Gap, GapFill, fill};
pub use mirror::{Plane, mirror};
pub use place::{Placement, place};
pub use resample::{resample, resample_with};
pub use select::{Piece, select};
pub use smooth::{Smoothing, smooth};
pub use time::{retime, retime_to, shift};
pub use trim::{split, trim};

use crate::doctor;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::sampler::UnplayableCurve;
use crate::span::Span;

/// Refuses a recording with rotations whose w is lost, before its signature is.
fn refuse_lost_w(recording: &Recording<'_>) -> Result<(), EditError> {
    match doctor::damaged_w(recording).first() {
        Some((curve, _)) => Err(EditError::LostW { curve: *curve }),
        None => Ok(()),
    }
}

/// How many keys may still be made that nobody recorded: copies of a loop, points of a line.
struct Room(usize);

impl Room {
    /// At most 120 MB of keys.
    const NEW: Room = Room(1 << 22);

    /// Takes room for keys of a curve.
    fn take(&mut self, keys: f64, curve: CurvePath) -> Result<(), EditError> {
        match keys <= self.0 as f64 {
            true => {
                self.0 -= keys as usize;
                Ok(())
            }
            false => Err(EditError::TooManyKeys { curve }),
        }
    }
}

/// From the first key, or 0, to the last, or 0: outside of it nothing is played.
fn played(recording: &Recording<'_>) -> Span {
    let mut span = Span {
        start: 0.0,
        end: 0.0,
    };
    for (_, curve) in recording.curves() {
        for (time, _) in curve.points().filter(|(time, _)| time.is_finite()) {
            span.start = span.start.min(time);
            span.end = span.end.max(time);
        }
    }
    span
}

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
    /// A rotation whose w was not saved: what it plays means nothing until it is
    /// [repaired](crate::repair), and a change would hide that.
    #[error("{curve} was not saved, so that its rotation plays wrong")]
    LostW {
        /// The first such w curve.
        curve: CurvePath,
    },
    /// Numbers that would be too great for single precision.
    #[error("{curve}: the numbers would be too great")]
    TooGreat {
        /// The first such curve.
        curve: CurvePath,
    },
    /// A key at no time, or at an infinite one.
    #[error("the time of key {index} of {curve} is not finite")]
    TimeNotFinite {
        /// The curve.
        curve: CurvePath,
        /// The key, counted from 0 in file order.
        index: usize,
    },
    /// Curves that loop so often, or mix so badly, that writing them out would take too much
    /// memory.
    #[error(
        "{curve}: it would take more than 4 Mi new keys to write out curves that repeat, or whose keys differ"
    )]
    TooManyKeys {
        /// The curve at which they became too many.
        curve: CurvePath,
    },
    /// A rate at which there would be more keys than a recording may have.
    #[error("at {rate} Hz it would have more than {limit} {things} (the limit)")]
    RateTooHigh {
        /// The rate, in Hz.
        rate: f64,
        /// The limit.
        limit: u64,
        /// What it bounds: `keys` or `bytes`.
        things: &'static str,
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
