//! Reasons why a measure has no value.

use std::fmt;

/// A value, or the reason why it cannot be computed.
pub type Measured = Result<f64, Missing>;

/// A reason why a measure has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Missing {
    /// The stream or joint has no keys.
    NotRecorded,
    /// The hand is not tracked in the time range.
    NotTracked,
    /// The values of the stream are damaged; the doctor reports how.
    Damaged,
    /// The time range has no valid sample.
    NoSamples,
    /// The time range has no event of this kind.
    NoEvents,
    /// The time range has too few samples or events.
    TooFew,
    /// The measure is not defined for these values: they do not vary, or a length is 0.
    Undefined,
}

impl Missing {
    /// Returns the reason in a few words, such as `not tracked`.
    pub const fn text(self) -> &'static str {
        match self {
            Missing::NotRecorded => "not recorded",
            Missing::NotTracked => "not tracked",
            Missing::Damaged => "damaged",
            Missing::NoSamples => "no valid samples",
            Missing::NoEvents => "no events",
            Missing::TooFew => "too few samples or events",
            Missing::Undefined => "not defined for these values",
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Missing {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text())
    }
}

/// Returns a number of events or samples as the value of a measure.
pub(crate) fn count(number: usize) -> Measured {
    Ok(number as f64)
}

/// Returns `part / total` for two times, at most 1, or `reason` if `total` is not above 0.
pub(crate) fn share(part: f64, total: f64, reason: Missing) -> Measured {
    // Both times are sums with different rounding, so the ratio can exceed 1.
    ratio(part, total, reason).map(|share| share.min(1.0))
}

/// Returns `part / total`, or `reason` if `total` is not above 0.
pub(crate) fn ratio(part: f64, total: f64, reason: Missing) -> Measured {
    if total > 0.0 {
        Ok(part / total)
    } else {
        Err(reason)
    }
}
