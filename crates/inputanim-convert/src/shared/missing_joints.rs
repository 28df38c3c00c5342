//! Hands that a format drops, because it has all joints of a hand or none.

use inputanim::{Joint, Side};

use super::report::counted;
use super::{LossKind, Report};

/// The frames in which a hand is dropped.
#[derive(Clone, Copy, Default)]
pub(crate) struct MissingJoints {
    frames: usize,
    first: Option<Joint>,
}

impl MissingJoints {
    /// Counts a frame, in which a joint is unknown.
    pub(crate) fn count(&mut self, joint: Option<Joint>) {
        self.frames += 1;
        self.first = self.first.or(joint);
    }

    /// Adds the frames of a hand to a report.
    pub(crate) fn report(self, side: Side, report: &mut Report) {
        if let Some(joint) = self.first {
            let message = format!(
                "{side} hand: dropped in {}, because joints such as {joint} are unknown",
                counted(self.frames, "frame")
            );
            report.lose(LossKind::Joints, self.frames, message);
        }
    }
}
