//! The errors of an analysis.

use inputanim::{ErrorRemedy, UnplayableCurve};

use crate::filter::SavitzkyGolay;

/// A recording that cannot be analysed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A curve cannot be evaluated.
    #[error(transparent)]
    Unplayable(#[from] UnplayableCurve),
    /// The sampling rate is not a positive number of at most [`MAX_RATE`](inputanim::TimeRange::MAX_RATE).
    #[error("invalid sampling rate: {0} Hz (must be above 0 and at most 1,000,000)")]
    Rate(f64),
    /// The order of the polynomial of the filter is out of range.
    #[error("invalid order of the polynomial: {0}; expected a number from 3 to 8")]
    Order(usize),
    /// The window of the filter is out of range.
    #[error(
        "invalid window of the filter: {window} s, which is {} samples at {rate} Hz; expected more than 0 and at most {} samples",
        (window * rate) as f32, SavitzkyGolay::MAX_WINDOW
    )]
    Window {
        /// Window in seconds.
        window: f64,
        /// Sampling rate in Hz.
        rate: f64,
    },
    /// The recording has more samples than the parameters allow.
    #[error("{seconds:?} s at {rate} Hz are too many samples{}", most(*.max))]
    TooLong {
        /// Duration of the recording; infinite if the time of a key is infinite.
        seconds: f32,
        /// Sampling rate in Hz.
        rate: f64,
        /// Maximum number of samples.
        max: u64,
    },
    /// A target is not valid.
    #[error(transparent)]
    Target(#[from] InvalidTarget),
}

/// Returns the end of a message, which states the maximum number of samples unless the limits are lifted.
fn most(max: u64) -> String {
    if max == u64::MAX {
        String::new()
    } else {
        format!("; at most {max} are analysed")
    }
}

impl AnalysisError {
    /// Returns the action that helps against this error; `None` if none is known. A time range does not help against
    /// [`TooLong`](Self::TooLong), because the complete recording is analysed.
    ///
    /// ```
    /// use inputanim::ErrorRemedy;
    /// use inputanim_analysis::AnalysisError;
    /// let error = AnalysisError::TooLong { seconds: f32::INFINITY, rate: 60.0, max: 1_000 };
    /// assert_eq!(error.remedy(), Some(ErrorRemedy::Repair));
    /// ```
    pub fn remedy(&self) -> Option<ErrorRemedy> {
        match self {
            AnalysisError::Unplayable(error) => Some(error.remedy()),
            AnalysisError::TooLong { seconds, .. } if !seconds.is_finite() => {
                Some(ErrorRemedy::Repair)
            }
            AnalysisError::TooLong { max: u64::MAX, .. } => Some(ErrorRemedy::Shorten),
            AnalysisError::TooLong { .. } => Some(ErrorRemedy::ShortenOrLift),
            _ => None,
        }
    }
}

/// A target that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("target {number} ({name:?}), {member}: expected {expected}, found \"{found}\"")]
#[non_exhaustive]
pub struct InvalidTarget {
    /// Number of the target in the list, from 1.
    pub number: usize,
    /// Name of the target.
    pub name: String,
    /// Name of the member that is not valid, such as `radius`.
    pub member: &'static str,
    /// The valid values.
    pub expected: &'static str,
    /// The value.
    pub found: String,
}
