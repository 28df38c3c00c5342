//! Every recording that is parsed or recovered can be examined, and its findings are consistent.

use inputanim::doctor::{self, Code, Finding};
use inputanim::{Recording, info::Info};

/// Checks that the doctor examines any recording in these bytes, and that its findings are consistent. Panics if the
/// property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok(recording) = Recording::parse(bytes) {
        let findings = doctor::findings(&recording);
        are_consistent(&recording, &findings);
        assert_eq!(
            doctor::findings(&recording),
            findings,
            "the second examination differs"
        );
    }
    if let Ok(recovery) = Recording::recover(bytes) {
        let info = Info::of(&recovery.recording);
        let findings = doctor::findings_of_recovery(&recovery, &info);
        are_consistent(&recovery.recording, &findings);
        if recovery.is_intact() {
            assert_eq!(doctor::findings(&recovery.recording), findings);
        }
    }
}

fn are_consistent(recording: &Recording<'_>, findings: &[Finding]) {
    for finding in findings {
        let Finding { code, count, .. } = finding;
        assert!(*count > 0, "{code}");
        assert!(!finding.detail.is_empty(), "{code}");
        // A curve in which a file ends is not part of the recording.
        let is_of_file = matches!(code, Code::FileEmpty | Code::FileTruncated);
        for &path in finding.curves.iter().filter(|_| !is_of_file) {
            assert!(recording.curve(path).is_some(), "{code}: {path}");
        }
        for range in &finding.ranges {
            let is_finite = range.start.is_finite() && range.end.is_finite();
            assert!(is_finite && range.start <= range.end, "{code}: {range:?}");
        }
        let mut pairs = finding.ranges.windows(2);
        let is_apart = pairs.all(|pair| pair[0].end < pair[1].start);
        assert!(is_apart, "{code}: {:?}", finding.ranges);
    }
    let severity = |finding: &Finding| finding.severity();
    assert!(findings.is_sorted_by(|a, b| severity(a) >= severity(b)));
    let mut codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    codes.sort();
    let all = codes.len();
    codes.dedup();
    // A lost tail is reported once for each stream that has one, every other code once.
    assert!(all - codes.len() <= 3, "{findings:?}");
}
