//! The report of a repair: changes, and findings that remain.

use crate::doctor::{Code, Finding, Severity};
use crate::path::CurvePath;
use crate::time_range::TimeRange;

/// The result of [`Recording::repair`](crate::Recording::repair).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct RepairReport {
    /// The repairs in the order in which they were made: one entry per code and curve.
    pub repaired: Vec<CurveRepair>,
    /// The findings of the repaired recording.
    pub remaining: Vec<Finding>,
}

impl RepairReport {
    /// Returns the damage that remains because it cannot be repaired.
    pub fn lost(&self) -> impl Iterator<Item = &Finding> {
        let findings = self.remaining.iter();
        findings.filter(|finding| finding.severity() == Severity::Damage)
    }

    /// Returns `true` if the repair changed the recording.
    pub fn is_changed(&self) -> bool {
        !self.repaired.is_empty()
    }
}

/// The repair of one kind of finding in one curve.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct CurveRepair {
    /// The kind of finding.
    pub code: Code,
    /// The curve; `None` for flags and markers. For a rotation whose w was rebuilt, the curve of w.
    pub curve: Option<CurvePath>,
    /// Number of keys (or flags, or markers) that were changed, added or removed.
    pub keys: usize,
    /// Number of rebuilt keys whose sign is uncertain. The other sign would turn the joint or the head by more than 2
    /// degrees. In addition, either the other sign has a probability of more than 1 in 20, or the key fits the model of
    /// the repair badly and the other sign does not fit much worse.
    pub uncertain_keys: usize,
    /// Time ranges of the uncertain keys: each from the first to the last key of a run of them.
    pub uncertain: Vec<TimeRange>,
}

impl CurveRepair {
    pub(super) fn new(code: Code, curve: Option<CurvePath>, keys: usize) -> CurveRepair {
        CurveRepair {
            code,
            curve,
            keys,
            uncertain_keys: 0,
            uncertain: Vec::new(),
        }
    }
}
