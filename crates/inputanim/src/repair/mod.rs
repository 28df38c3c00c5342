//! Repairs damage, and values that keep a recording from being played.
//!
//! Method: a lost w ([`Code::RotationWLost`], [`Code::RotationWCopiesZ`]) is computed again as
//! ±√(1 − x² − y² − z²), and the signs of all keys are selected together; sign flips
//! ([`Code::SignFlip`]), lengths, key order, states and flags are normalised; keys without a finite
//! time or value are removed. Curves without a finding stay as they are, byte for byte, and a
//! second repair changes nothing. Data that is not in the file cannot be restored:
//! [`RepairReport::lost`] lists it.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording, doctor::Code};
//! let mut recording = Recording::new(Layout::Mrtk1_1);
//! recording.head_mut().push(0.0, &Pose::IDENTITY);
//! recording.head_mut().push(1.0, &Pose { rotation: [0.0, 0.0, 0.0, -1.0], ..Pose::IDENTITY });
//!
//! let report = recording.repair();
//! assert_eq!(report.repaired[0].code, Code::SignFlip);
//! assert!(report.remaining.is_empty());
//! assert_eq!(recording.head.unwrap().rotation[3].keys.point(1), Some((1.0, 1.0)));
//! ```
//!
//! [`Code::RotationWLost`]: crate::doctor::Code::RotationWLost
//! [`Code::RotationWCopiesZ`]: crate::doctor::Code::RotationWCopiesZ
//! [`Code::SignFlip`]: crate::doctor::Code::SignFlip

mod anatomy;
mod groups;
mod hand;
mod head;
mod keys;
mod lost_rotation;
mod lost_w;
mod report;
mod rotation;
mod shared;
mod signs;

pub use groups::{RepairGroup, UncertainTime, joined};
pub use report::{CurveRepair, RepairReport};

use crate::doctor;
use crate::recording::Recording;

impl Recording<'_> {
    /// Repairs damage, and keys that prevent playback. Returns what was changed, and the findings that remain; see
    /// [`repair`](crate::repair).
    ///
    /// The time is proportional to the number of keys. Where w is lost, the repair needs about
    /// 500 bytes of memory per key of one finger.
    ///
    /// ```
    /// use inputanim::{Layout, Pose, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// // The second rotation has the opposite sign.
    /// for (time, w) in [(0.0, 1.0), (1.0, -1.0)] {
    ///     let rotation = [0.0, 0.0, 0.0, w];
    ///     recording.head_mut().push(time, &Pose { rotation, ..Pose::IDENTITY });
    /// }
    /// let report = recording.repair();
    /// assert!(report.is_changed());
    /// ```
    pub fn repair(&mut self) -> RepairReport {
        let mut repaired = Vec::new();
        // The order matters. A lost w is rebuilt from keys with finite values in order of time. The
        // values of w itself are tested after that. Lengths and signs are normalised last, when all
        // rotations are complete.
        keys::repair(self, &mut repaired);
        lost_w::repair(self, &mut repaired);
        keys::repair_values(self, &mut repaired);
        rotation::repair(self, &mut repaired);
        RepairReport {
            repaired,
            remaining: doctor::findings(self),
        }
    }
}
