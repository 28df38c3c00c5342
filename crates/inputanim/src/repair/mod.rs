//! Gives back what the toolkit broke, and mends what keeps a recording from being played.
//!
//! Method: what can be computed again is ([`Code::RotationWLost`], [`Code::RotationWFalse`]: w is
//! the square root that x, y and z leave for it, and its sign is chosen for all keys at once);
//! what says the same in a better way is written so ([`Code::HemisphereFlip`], lengths, order,
//! states, flags); and keys that say nothing are taken out. What is gone stays gone, and is
//! reported. Curves without a finding stay as they are, byte for byte, and repairing twice changes
//! nothing more.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording, doctor, repair};
//! let mut take = Recording::new(Layout::Mrtk1_1);
//! take.camera_mut().push(0.0, &Pose::IDENTITY);
//! take.camera_mut().push(1.0, &Pose { rotation: [0.0, 0.0, 0.0, -1.0], ..Pose::IDENTITY });
//!
//! let report = repair::repair(&mut take);
//! assert_eq!(report.mended[0].code, doctor::Code::HemisphereFlip);
//! assert!(report.remaining.is_empty());
//! assert_eq!(take.camera.unwrap().rotation[3].keys.point(1), Some((1.0, 1.0)));
//! ```

mod anatomy;
mod camera;
mod halved;
mod hand;
mod keys;
mod lost_w;
mod rotation;
mod shared;
mod signs;

pub use shared::shared_end;

use crate::doctor::{self, Code, Finding, Severity};
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::span::Span;

/// What a repair did, and what it could not do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// What was mended: for each code and each curve one entry, in the order in which it was done.
    pub mended: Vec<Mended>,
    /// What the doctor still finds.
    pub remaining: Vec<Finding>,
}

impl Report {
    /// What stays lost: damage that cannot be mended.
    pub fn lost(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.remaining.iter();
        findings.filter(|finding| finding.severity() == Severity::Damage)
    }

    /// Whether anything was changed.
    pub fn is_changed(&self) -> bool {
        !self.mended.is_empty()
    }
}

/// One kind of thing that was mended in one curve.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mended {
    /// What had been found.
    pub code: Code,
    /// The curve; `None` for flags and markers. Of a rotation whose w was rebuilt, that of w.
    pub curve: Option<CurvePath>,
    /// How many keys (or flags, or markers) were changed, added or taken out.
    pub keys: usize,
    /// Of those, the ones whose sign could as well be the other with a chance of more than 1 in
    /// 20, and for which that would matter by more than 2 degrees.
    pub doubtful_keys: usize,
    /// When those are: from the first to the last of each run.
    pub doubtful: Vec<Span>,
}

impl Mended {
    fn new(code: Code, curve: Option<CurvePath>, keys: usize) -> Mended {
        Mended {
            code,
            curve,
            keys,
            doubtful_keys: 0,
            doubtful: Vec::new(),
        }
    }
}

/// Repairs all that can be, and reports what was done and what is left.
///
/// It takes time in proportion to the keys, and where w is lost some 500 bytes of memory for each
/// key of one finger.
pub fn repair(recording: &mut Recording<'_>) -> Report {
    let mut mended = Vec::new();
    keys::mend(recording, &mut mended);
    lost_w::mend(recording, &mut mended);
    keys::mend_values(recording, &mut mended);
    rotation::mend(recording, &mut mended);
    Report {
        mended,
        remaining: doctor::examine(recording),
    }
}
