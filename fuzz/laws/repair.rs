//! Whatever is read or recovered can be repaired; what can be repaired is, once and for all, and
//! what needs none is not touched.

use std::collections::HashSet;

use inputanim::doctor::{self, Finding, Remedy};
use inputanim::repair::repair;
use inputanim::{CurvePath, Recording};

pub(crate) fn check(bytes: &[u8]) {
    if let Ok(recording) = Recording::parse(bytes) {
        repairs(&recording);
    }
    if let Ok(recovery) = Recording::recover(bytes) {
        repairs(&recovery.recording);
    }
}

fn repairs(recording: &Recording<'_>) {
    let found = doctor::examine(recording);
    let mut once = recording.clone();
    let report = repair(&mut once);
    assert_eq!(report.is_changed(), once != *recording, "{report:?}");
    assert_eq!(doctor::examine(&once), report.remaining);
    let left = report.remaining.iter().find(|finding| is_mended(finding));
    assert_eq!(left, None, "left behind");
    for mended in &report.mended {
        assert!(mended.keys > 0 && mended.doubtful_keys <= mended.keys);
        let spans = mended.doubtful.iter();
        assert!(spans.len() <= mended.doubtful_keys);
        assert!(spans.is_sorted_by(|a, b| a.start <= a.end && a.end <= b.start));
    }
    let found = found.iter().filter(|finding| is_mended(finding));
    let touched: HashSet<String> = found
        .flat_map(|finding| finding.curves.iter().map(|&path| whole(path)))
        .collect();
    for (path, curve) in recording.curves() {
        if once.curve(path) != Some(curve) {
            assert!(touched.contains(&whole(path)), "{path} was touched");
        }
    }
    let written = once.to_bytes(once.layout).expect("its own layout");
    let read = Recording::parse(&written).expect("well formed");
    // By an accident of numbers the bytes may fit a preferred layout too.
    if read.layout == once.layout {
        assert_eq!(read, once);
    }
    let again = repair(&mut once.clone());
    assert!(!again.is_changed(), "{again:?}");
}

fn is_mended(finding: &Finding) -> bool {
    finding.code.remedy() == Remedy::Repair
}

/// What a curve is a component of: `left.Palm.rotation`; a state is whole by itself.
fn whole(path: CurvePath) -> String {
    let name = path.to_string();
    match path {
        CurvePath::Tracked(_) | CurvePath::Pinching(_) => name,
        _ => name.rsplit_once('.').expect("a component").0.to_owned(),
    }
}
