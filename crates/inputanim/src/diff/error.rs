//! The error of a comparison.

use crate::sampler::UnplayableCurve;

/// A recording that cannot be evaluated, and so cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {} recording cannot be evaluated", if *index == 0 { "first" } else { "second" })]
#[non_exhaustive]
pub struct UnplayableRecording {
    /// The position of the recording in the call: 0 or 1.
    pub index: usize,
    /// The curve that cannot be evaluated.
    pub source: UnplayableCurve,
}
