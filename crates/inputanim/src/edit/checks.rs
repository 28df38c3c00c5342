//! Checks and facts that several edits share.

use crate::curve::Curve;
use crate::doctor;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::time_range::TimeRange;

use super::error::{EditError, LostW};

/// Returns an error if `is_valid` is `false`. For the message, `what` is the name of the number, and `expected`
/// describes the valid numbers.
pub(super) fn require(
    is_valid: bool,
    what: &'static str,
    value: impl Into<f64>,
    expected: &'static str,
) -> Result<(), EditError> {
    if is_valid {
        return Ok(());
    }
    Err(EditError::InvalidNumber {
        what,
        value: value.into(),
        expected,
    })
}

/// Returns an error if a number is not above 0 and finite. `what` is its name in the message.
pub(super) fn require_positive(what: &'static str, value: f64) -> Result<(), EditError> {
    let is_valid = value > 0.0 && value.is_finite();
    require(is_valid, what, value, "above 0 and finite")
}

/// Returns an error if a time range ends before it starts, or if one of its bounds is NaN.
pub(super) fn require_range(range: TimeRange) -> Result<(), EditError> {
    // Written so that NaN fails. The length of a range between equal infinities is NaN, but such a
    // range is valid.
    let is_valid = range.start <= range.end;
    require(
        is_valid,
        "length of the time range",
        range.length(),
        "0 or more",
    )
}

/// Checks that the w component of every rotation was saved.
///
/// The damage is recognised by its keys and by the layout of the recording. Call this before a change
/// to another layout, which would hide the damage.
///
/// # Errors
/// Returns [`EditError::LostW`] with the first such curve.
pub fn refuse_lost_w(recording: &Recording<'_>) -> Result<(), EditError> {
    Ok(check_w(recording)?)
}

/// Checks that the w component of every rotation was saved, as [`refuse_lost_w`] does. Its error is smaller: the code that writes
/// the messages of all [edit errors](EditError) is a tenth of a small WebAssembly module.
///
/// # Errors
/// Returns the first such curve.
pub fn check_w(recording: &Recording<'_>) -> Result<(), LostW> {
    match doctor::damaged_w(recording).first() {
        Some((curve, _)) => Err(LostW { curve: *curve }),
        None => Ok(()),
    }
}

/// Returns an error if the time of a key of the curve is not finite. `path` is the name of the curve in the message.
pub(super) fn require_finite_times(
    path: CurvePath,
    curve: &Curve<'_, '_>,
) -> Result<(), EditError> {
    match curve.points().position(|(time, _)| !time.is_finite()) {
        Some(index) => Err(EditError::TimeNotFinite { curve: path, index }),
        None => Ok(()),
    }
}

/// The largest number of parts that a recording is divided into or repeated to.
pub const MAX_PARTS: u32 = 10_000;

/// Returns an error if a number of parts or copies is not from 1 to [`MAX_PARTS`]. `what` is `parts` or `copies`.
pub(super) fn check_parts(what: &'static str, number: u64) -> Result<(), EditError> {
    if (1..=u64::from(MAX_PARTS)).contains(&number) {
        return Ok(());
    }
    Err(EditError::InvalidCount { what, number })
}
