//! What is wrong or unusual in a recording that is well formed.
//!
//! Each rule looks for one signature and says how often, where and when. Nothing is changed.
//! Cost: every key is read a few times. [`Code::meaning`] says what a finding means to those who
//! play the recording, and [`Code::remedy`] whether it can be repaired.
//!
//! ```
//! use inputanim::{Layout, Recording, doctor};
//! let mut take = Recording::new(Layout::Mrtk1_1);
//! take.gaze_mut();
//! let findings = doctor::examine(&take);
//! assert_eq!(findings[0].code.id(), "L10");
//! assert_eq!(findings[0].detail, "gaze");
//! ```

mod bones;
mod code;
mod ends;
mod explain;
mod finding;
mod keys;
mod line;
mod rotations;
mod sampling;
mod streams;
mod untracked;

pub use code::{Code, Severity, UnknownCode};
pub(crate) use ends::frozen;
pub use explain::Remedy;
pub use finding::Finding;
pub(crate) use rotations::{LENGTH_TOLERANCE, damaged_w, is_shown};

use crate::read::Recovery;
use crate::recording::Recording;
use crate::summary::Summary;

/// Everything that is found in a recording, what matters most first.
pub fn examine(recording: &Recording<'_>) -> Vec<Finding> {
    examine_with(recording, &Summary::of(recording))
}

/// What is found in what is left of a damaged file: not that streams are empty, curves missing
/// or ends early, which only says that they are [missing](Recovery::missing).
pub fn examine_recovery(recovery: &Recovery<'_>, summary: &Summary) -> Vec<Finding> {
    let mut findings = examine_with(&recovery.recording, summary);
    if !recovery.missing.is_empty() {
        findings.retain(|finding| {
            !matches!(
                finding.code,
                Code::StreamEmpty | Code::KeyCountsDiffer | Code::JointsMissing | Code::TailLost
            )
        });
    }
    findings
}

/// As [`examine`], for a recording whose summary is already at hand.
pub fn examine_with(recording: &Recording<'_>, summary: &Summary) -> Vec<Finding> {
    let damaged = rotations::damaged_w(recording);
    let mut findings = rotations::examine(recording, summary, &damaged);
    findings.extend(ends::examine(recording, summary));
    findings.extend(keys::examine(recording, &damaged));
    findings.extend(streams::examine(recording, summary));
    findings.extend(untracked::examine(recording, summary));
    findings.extend(bones::examine(recording, summary));
    findings.extend(sampling::examine(recording, summary));
    findings.sort_by_key(order);
    findings
}

/// What makes a recording play other numbers than were recorded, or none: of
/// [`examine_with`] the findings of [`Severity::Damage`], values that are not finite, gaze of zeros and
/// hands without joints. For those who hand on what plays; several times as fast, since what is only
/// unusual is not looked for.
pub fn examine_playback(recording: &Recording<'_>, summary: &Summary) -> Vec<Finding> {
    let damaged = rotations::damaged_w(recording);
    let mut findings = rotations::examine(recording, summary, &damaged);
    findings.extend(ends::examine(recording, summary));
    findings.extend(keys::values(recording));
    findings.extend(streams::examine(recording, summary));
    findings.retain(|finding| {
        let empty = [Code::ValueNotFinite, Code::GazeZero, Code::JointsMissing];
        finding.severity() == Severity::Damage || empty.contains(&finding.code)
    });
    findings.sort_by_key(order);
    findings
}

/// What matters most comes first.
fn order(finding: &Finding) -> impl Ord + use<> {
    (std::cmp::Reverse(finding.severity()), finding.code)
}
