//! The kinds of action that help against a finding.

use std::fmt;

/// The action that helps against a finding.
///
/// A program can match it to offer the operation that performs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// No action: none is needed, or the data is lost.
    Nothing,
    /// [`Recording::repair`](crate::Recording::repair) removes the finding.
    Repair,
    /// The data is lost; trimming to
    /// [`Info::shared_end`](crate::info::Info::shared_end) removes the part without it.
    Trim,
    /// [`Recording::recover`](crate::Recording::recover) reads the intact part of the file.
    Recover,
    /// Writing the recording in another layout.
    ChangeLayout,
    /// Dropping the stream.
    DropStream,
    /// Sampling the recording at common times or at a steady rate.
    Sample,
    /// Shifting all times.
    Shift,
    /// Moving or removing the markers.
    EditMarkers,
    /// Filling the gaps in which the hand is not tracked.
    FillGaps,
    /// Making zeros unknown: [`forget_zeros`](crate::edit::forget_zeros).
    ForgetZeros,
    /// Scaling or moving everything.
    Transform,
    /// Looking at the recording at the times of the finding.
    Inspect,
}

impl Remedy {
    /// Returns the name, such as `repair` or `change-layout`.
    pub const fn name(self) -> &'static str {
        match self {
            Remedy::Nothing => "nothing",
            Remedy::Repair => "repair",
            Remedy::Trim => "trim",
            Remedy::Recover => "recover",
            Remedy::ChangeLayout => "change-layout",
            Remedy::DropStream => "drop-stream",
            Remedy::Sample => "sample",
            Remedy::Shift => "shift",
            Remedy::EditMarkers => "edit-markers",
            Remedy::FillGaps => "fill-gaps",
            Remedy::ForgetZeros => "forget-zeros",
            Remedy::Transform => "transform",
            Remedy::Inspect => "inspect",
        }
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
