//! Whatever is read or recovered can be examined, and what is found makes sense.

use inputanim::doctor::{self, Finding};
use inputanim::{Recording, summary::Summary};

pub(crate) fn check(bytes: &[u8]) {
    if let Ok(recording) = Recording::parse(bytes) {
        let findings = doctor::examine(&recording);
        makes_sense(&recording, &findings);
        assert_eq!(doctor::examine(&recording), findings, "looked at again");
    }
    if let Ok(recovery) = Recording::recover(bytes) {
        let summary = Summary::of(&recovery.recording);
        let findings = doctor::examine_recovery(&recovery, &summary);
        makes_sense(&recovery.recording, &findings);
        if recovery.is_whole() {
            assert_eq!(doctor::examine(&recovery.recording), findings);
        }
    }
}

fn makes_sense(recording: &Recording<'_>, findings: &[Finding]) {
    for finding in findings {
        let Finding { code, count, .. } = finding;
        assert!(*count > 0, "{code}");
        assert!(!finding.detail.is_empty(), "{code}");
        for &path in &finding.curves {
            assert!(recording.curve(path).is_some(), "{code}: {path}");
        }
        if let Some(span) = finding.span {
            let is_finite = span.start.is_finite() && span.end.is_finite();
            assert!(is_finite && span.start <= span.end, "{code}: {span:?}");
        }
    }
    let weights = |finding: &Finding| finding.severity();
    assert!(findings.is_sorted_by(|a, b| weights(a) >= weights(b)));
    let mut codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    codes.sort();
    let all = codes.len();
    codes.dedup();
    // Each stream can have lost a tail of its own; else a code is told once.
    assert!(all - codes.len() <= 3, "{findings:?}");
}
