//! Actions that help against errors, as data. Each interface names its own command or function for an action.

use crate::edit::{EditError, MAX_KEYS};
use crate::loss::LayoutLoss;
use crate::read::{ParseError, TooManySamples};
use crate::reduce::ReduceError;
use crate::sampler::UnplayableCurve;
use crate::write::WriteError;

/// An action that helps against an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorRemedy {
    /// Repairing the recording first, because the change would hide the damage.
    RepairFirst,
    /// Repairing the recording, which removes keys that cannot be evaluated.
    Repair,
    /// Recovering the intact parts of the file.
    Recover,
    /// Resampling the recording, which replaces tangents by linear keys.
    Resample,
    /// Examining whether keys were lost, or excluding the pose.
    CheckKeys,
    /// Sampling at a lower rate, or lifting the limits.
    LowerRate,
    /// Sampling fewer joints, at a lower rate or in a shorter time range, or lifting the limits.
    SampleLess,
    /// Cutting the recording to a shorter time range first, or sampling at a lower rate. Lifting the limits does not help.
    Shorten,
    /// The same, or lifting the limits.
    ShortenOrLift,
    /// Making fewer copies or joining fewer recordings, or lifting the limits.
    MakeLess,
    /// Lifting the limits, if the file is trusted.
    LiftLimits,
    /// Permitting the loss, or choosing another layout.
    AllowLoss,
    /// Excluding the gaze, or permitting the loss.
    ExcludeGaze,
    /// Converting to a layout with full keys.
    FullKeys,
    /// Naming an element that exists.
    NameElement,
    /// Naming a pose instead of a state.
    NamePose,
    /// Changes that need no head, such as mirroring across the world.
    WithoutHead,
}

impl ErrorRemedy {
    /// Returns the name of the action for programs: `repair-first`, for example.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorRemedy::RepairFirst => "repair-first",
            ErrorRemedy::Repair => "repair",
            ErrorRemedy::Recover => "recover",
            ErrorRemedy::Resample => "resample",
            ErrorRemedy::CheckKeys => "check-keys",
            ErrorRemedy::LowerRate => "lower-rate",
            ErrorRemedy::SampleLess => "sample-less",
            ErrorRemedy::Shorten => "shorten",
            ErrorRemedy::ShortenOrLift => "shorten-or-lift",
            ErrorRemedy::MakeLess => "make-less",
            ErrorRemedy::LiftLimits => "lift-limits",
            ErrorRemedy::AllowLoss => "allow-loss",
            ErrorRemedy::ExcludeGaze => "exclude-gaze",
            ErrorRemedy::FullKeys => "full-keys",
            ErrorRemedy::NameElement => "name-element",
            ErrorRemedy::NamePose => "name-pose",
            ErrorRemedy::WithoutHead => "without-head",
        }
    }
}

impl EditError {
    /// Returns the action that helps against this error; `None` if none is known.
    ///
    /// ```
    /// use inputanim::ErrorRemedy;
    /// use inputanim::edit::EditError;
    /// assert_eq!(EditError::NoHead.remedy(), Some(ErrorRemedy::WithoutHead));
    /// ```
    pub fn remedy(&self) -> Option<ErrorRemedy> {
        match self {
            EditError::LostW { .. } => Some(ErrorRemedy::RepairFirst),
            EditError::TimeNotFinite { .. } => Some(ErrorRemedy::Repair),
            EditError::HasTangents { .. } => Some(ErrorRemedy::Resample),
            EditError::KeyTimesDiffer { .. } => Some(ErrorRemedy::CheckKeys),
            EditError::RateTooHigh {
                limit: MAX_KEYS, ..
            } => Some(ErrorRemedy::Shorten),
            EditError::RateTooHigh { .. } => Some(ErrorRemedy::LowerRate),
            EditError::TooLarge { .. } => Some(ErrorRemedy::MakeLess),
            EditError::NoHead => Some(ErrorRemedy::WithoutHead),
            EditError::UnknownElement(_) => Some(ErrorRemedy::NameElement),
            EditError::NotAPose { .. } => Some(ErrorRemedy::NamePose),
            EditError::Reduce(error) => error.remedy(),
            EditError::Unplayable(error) => Some(error.remedy()),
            _ => None,
        }
    }
}

impl ReduceError {
    /// Returns the action that helps against this error; `None` if none is known.
    pub fn remedy(&self) -> Option<ErrorRemedy> {
        match self {
            ReduceError::LostW { .. } => Some(ErrorRemedy::RepairFirst),
            ReduceError::SimpleKeys { .. } => Some(ErrorRemedy::FullKeys),
            _ => None,
        }
    }
}

impl UnplayableCurve {
    /// Returns the action that helps against this error: repairing the recording.
    pub fn remedy(&self) -> ErrorRemedy {
        ErrorRemedy::Repair
    }
}

impl TooManySamples {
    /// Returns the action that helps against this error: sampling less or lifting the limits. Repairing helps if the time of a
    /// key is infinite. Limits that are [lifted](crate::Limits::NONE) cannot be lifted again.
    pub fn remedy(&self) -> ErrorRemedy {
        if self.times.is_infinite() {
            ErrorRemedy::Repair
        } else if self.limit == u64::MAX {
            ErrorRemedy::Shorten
        } else {
            ErrorRemedy::SampleLess
        }
    }
}

impl WriteError {
    /// Returns the action that helps against this error; `None` if none is known.
    pub fn remedy(&self) -> Option<ErrorRemedy> {
        let is_gaze = |loss: &LayoutLoss| matches!(loss, LayoutLoss::Gaze { .. });
        match self {
            WriteError::Lossy { losses, .. } if losses.iter().all(is_gaze) => {
                Some(ErrorRemedy::ExcludeGaze)
            }
            WriteError::Lossy { .. } => Some(ErrorRemedy::AllowLoss),
            _ => None,
        }
    }
}

impl ParseError {
    /// Returns the action that helps against this error; `None` if none is known.
    pub fn remedy(&self) -> Option<ErrorRemedy> {
        if self.kind().is_limit() {
            return Some(ErrorRemedy::LiftLimits);
        }
        self.is_recoverable().then_some(ErrorRemedy::Recover)
    }
}
