//! Every recording that is parsed or recovered can be repaired. One run repairs everything that can be
//! repaired, a second run changes nothing, and curves without a finding stay as they are.

use std::collections::HashSet;

use inputanim::doctor::{self, Finding, Remedy};
use inputanim::{CurvePath, Recording};

/// Checks that any recording in these bytes is repaired completely in one run, and that only curves with findings
/// change. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok(recording) = Recording::parse(bytes) {
        repairs(&recording);
    }
    if let Ok(recovery) = Recording::recover(bytes) {
        repairs(&recovery.recording);
    }
}

fn repairs(recording: &Recording<'_>) {
    let found = doctor::findings(recording);
    let mut once = recording.clone();
    let report = once.repair();
    assert_eq!(report.is_changed(), once != *recording, "{report:?}");
    assert_eq!(doctor::findings(&once), report.remaining);
    let left = report
        .remaining
        .iter()
        .find(|finding| is_repairable(finding));
    assert_eq!(left, None, "a repairable finding remains");
    for repair in &report.repaired {
        assert!(repair.keys > 0 && repair.uncertain_keys <= repair.keys);
        let ranges = repair.uncertain.iter();
        assert!(ranges.len() <= repair.uncertain_keys);
        assert!(ranges.is_sorted_by(|a, b| a.start <= a.end && a.end <= b.start));
    }
    let found = found.iter().filter(|finding| is_repairable(finding));
    let repairable: HashSet<String> = found
        .flat_map(|finding| finding.curves.iter().map(|&path| element(path)))
        .collect();
    for (path, curve) in recording.curves() {
        if once.curve(path) != Some(curve) {
            assert!(repairable.contains(&element(path)), "{path} was changed");
        }
    }
    let written = once.to_bytes().expect("its own layout");
    let read = Recording::parse(&written).expect("well formed");
    // The same bytes can also fit a layout that detection prefers.
    if read.layout == once.layout {
        assert_eq!(read, once);
    }
    let again = once.clone().repair();
    assert!(!again.is_changed(), "{again:?}");
}

fn is_repairable(finding: &Finding) -> bool {
    finding.code.remedy() == Remedy::Repair
}

/// Returns the name of the vector or rotation that a curve belongs to, such as `left.Palm.rotation`. A repair changes
/// all components of a vector or rotation together. A state is its own element.
fn element(path: CurvePath) -> String {
    let name = path.to_string();
    match path {
        CurvePath::Tracked(_) | CurvePath::Pinching(_) => name,
        _ => name.rsplit_once('.').expect("a component").0.to_owned(),
    }
}
