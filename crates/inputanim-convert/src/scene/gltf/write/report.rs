//! Counts of the changes that glTF makes necessary.

use inputanim::{Curve, Recording, WrapMode};

use crate::shared::report::counted;
use crate::shared::{LossKind, NoteKind, Report};

/// The clock of a file, and counts of the changes that the writer made.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Samples per second of curves in a form that glTF does not have.
    pub(super) rate: f64,
    /// The seconds that are added to all times, because glTF animations begin at 0.
    pub(super) shifted: f32,
    /// Keys without a finite time and value.
    pub(super) dropped: usize,
    /// Vectors and rotations that were sampled.
    pub(super) sampled: usize,
    /// Sign flips: segments that pass near zero in MRTK, and take the shorter arc in glTF.
    pub(super) sign_flips: usize,
    /// Keys of rotations that were not of length 1.
    pub(super) lengths: usize,
}

impl Tally {
    /// Adds the counted changes to a report, and a note if wrap modes of the recording are dropped. Dropped keys are a
    /// loss; all other changes are notes.
    pub(super) fn report(&self, recording: &Recording<'_>, report: &mut Report) {
        let holds = |mode| [WrapMode::ONCE, WrapMode::CLAMP_FOREVER].contains(&mode);
        let repeats = |curve: &Curve<'_, '_>| {
            let (pre, post) = curve.wrap();
            curve.len() > 1 && !(holds(pre) && holds(post))
        };
        let curves = recording.curves().map(|(_, curve)| curve);
        let repeating = curves.filter(repeats).count();
        let keys = counted(self.dropped, "key");
        let message = format!("{keys} without a finite time and value");
        report.lose(LossKind::NotFinite, self.dropped, message);
        // No recording keeps wrap modes and weights in glTF, so these are notes and not losses.
        if repeating > 0 {
            let curves = counted(repeating, "curve");
            let message = format!("wrap modes of {curves}: first and last values held instead");
            report.note(NoteKind::WrapModes, message);
        }
        if self.sampled > 0 {
            let (vectors, rate) = (counted(self.sampled, "vector"), self.rate);
            let message =
                format!("weights and tangents of {vectors}: sampled at {rate} Hz instead");
            report.note(NoteKind::Tangents, message);
        }
        if self.shifted > 0.0 {
            let message = format!(
                "glTF animations begin at 0: all times shifted by {} s",
                self.shifted
            );
            report.note(NoteKind::TimeShift, message);
        }
        if self.sign_flips > 0 {
            let message = format!(
                "{} of rotations: shorter arc used instead",
                counted(self.sign_flips, "sign flip")
            );
            report.note(NoteKind::SignFlips, message);
        }
        if self.lengths > 0 {
            let message = format!("rotations of {} normalized", counted(self.lengths, "key"));
            report.note(NoteKind::Normalized, message);
        }
    }
}
