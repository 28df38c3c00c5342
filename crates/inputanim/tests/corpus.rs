//! The corpus: recordings of real devices and of the toolkit, outside the repository. Without
//! `INPUTANIM_CORPUS` these tests say so and pass.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use inputanim::doctor::{self, Code};
use inputanim::summary::Summary;
use inputanim::{FullKey, Joint, Keys, Layout, ParseErrorKind, Recording, Side, SimpleKey, Stream};

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
    }
    folder
}

/// Every recording of the corpus.
fn files(corpus: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in ["device", "documented", "mrtk"] {
        for entry in fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "bin") {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                files.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    assert!(files.len() >= 20, "only {} recordings", files.len());
    files
}

fn file(corpus: &Path, name: &str) -> Vec<u8> {
    let files = files(corpus);
    let found = files.into_iter().find(|(stem, _)| stem == name);
    found.unwrap_or_else(|| panic!("{name} is missing")).1
}

#[test]
fn every_file_is_told_by_its_name_and_written_back_byte_for_byte() {
    let Some(corpus) = corpus() else { return };
    for (name, bytes) in files(&corpus) {
        let recording = Recording::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = match name.as_str() {
            "left-hand-2021" | "empty-2020" | "mrtk-1.0-markers" => Layout::Mrtk1_0,
            "documented-1.0" => Layout::Documented1_0,
            name if name.starts_with("documented-1.1") => Layout::Documented1_1,
            name if name.starts_with("mixed") => name.parse().unwrap(),
            _ => Layout::Mrtk1_1,
        };
        assert_eq!(recording.layout, expected, "{name}");
        let written = recording.to_bytes(recording.layout).unwrap();
        assert!(written == bytes, "{name} came out different");
    }
}

#[test]
fn every_file_goes_through_every_layout_that_loses_nothing() {
    let Some(corpus) = corpus() else { return };
    for (name, bytes) in files(&corpus) {
        let recording = Recording::parse(&bytes).unwrap();
        for layout in Layout::ALL {
            if !recording.losses(layout).is_empty() {
                continue;
            }
            let other = recording.to_bytes(layout).unwrap();
            let read = Recording::parse(&other).unwrap();
            let back = read.to_bytes(recording.layout);
            assert!(
                back.is_ok_and(|back| back == bytes),
                "{name} by way of {layout}"
            );
        }
    }
}

#[test]
fn the_device_take_is_what_it_is_known_to_be() {
    let Some(corpus) = corpus() else { return };
    let bytes = file(&corpus, "left-hand-2021");
    let recording = Recording::parse(&bytes).unwrap();
    let hands = recording.hands.as_ref().unwrap();
    let flips: Vec<String> = hands
        .left
        .tracked
        .keys
        .iter()
        .map(|key| format!("{:.3}", key.time()))
        .collect();
    assert_eq!(flips, ["0.000", "1.564", "1.977", "7.431", "8.482"]);
    let summary = Summary::of(&recording);
    assert_eq!(format!("{:.3}", summary.duration), "11.248");
    let pinching = &summary.hand(Side::Left).pinching;
    let pinches: Vec<String> = pinching
        .iter()
        .map(|span| format!("{:.3} to {:.3}", span.start, span.end))
        .collect();
    assert_eq!(pinches, ["4.969 to 6.468"]);
    assert!(summary.hand(Side::Right).tracked.is_empty());
    let right = summary.stream(Stream::Joints(Side::Right)).unwrap();
    assert_eq!((right.keys, right.curves, right.bytes), (0, 189, 2268));
}

#[test]
fn markers_keep_their_names() {
    let Some(corpus) = corpus() else { return };
    let bytes = file(&corpus, "mrtk-1.1-markers");
    let markers = Recording::parse(&bytes).unwrap().markers;
    let times: Vec<f32> = markers.iter().map(|marker| marker.time).collect();
    assert_eq!(times, [0.5, 2.0, 3.25, 7.0]);
    assert_eq!(markers[0].name, "start");
    assert_eq!(markers[1].name, "");
    assert_eq!(markers[2].name, "Übung: グラブ 🖐");
    assert_eq!(markers[3].name.len(), 340);
}

#[test]
fn the_damage_of_each_release_is_found_and_healthy_takes_have_none() {
    use Code::{GapCrossed, RotationWFalse, RotationWLost, TailLost};
    let Some(corpus) = corpus() else { return };
    for (name, damage) in [
        ("left-hand-2021", &[][..]),
        ("mrtk-1.0-markers", &[]),
        ("mrtk-1.1-p0", &[]),
        ("mrtk-1.1-p7", &[TailLost]),
        ("mrtk-1.1-p32", &[TailLost]),
        ("mrtk-1.1-w-lost-p0", &[RotationWFalse]),
        ("mrtk-1.1-w-lost-p7", &[RotationWLost, TailLost]),
        ("mrtk-1.1-w-lost-p32", &[RotationWLost, TailLost]),
    ] {
        let bytes = file(&corpus, name);
        let findings = doctor::examine(&Recording::parse(&bytes).unwrap());
        let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
        // In each the hand is lost and found twice, and nothing else is ever said of it.
        assert_eq!(codes, [damage, &[GapCrossed]].concat(), "{name}");
        let rotations = findings
            .iter()
            .find(|found| [RotationWLost, RotationWFalse].contains(&found.code));
        if let Some(found) = rotations {
            // The camera and the left hand's 27 joints; the right hand was not seen.
            assert_eq!(found.curves.len(), 28, "{name}");
        }
    }
}

#[test]
fn a_tip_that_lies_5_cm_aside_at_one_key_is_found_in_takes_of_every_kind() {
    let Some(corpus) = corpus() else { return };
    for name in ["left-hand-2021", "mrtk-1.0-markers", "mrtk-1.1-p0"] {
        let bytes = file(&corpus, name);
        let mut take = Recording::parse(&bytes).unwrap();
        let tip = &mut take.hands_mut().left.joints[Joint::IndexTip];
        match &mut tip.position[1].keys {
            Keys::Full(keys) => {
                let key = &mut keys.to_mut()[90];
                *key = FullKey::linear(key.time(), key.value() + 0.05);
            }
            Keys::Simple(keys) => {
                let key = &mut keys.to_mut()[90];
                *key = SimpleKey::new(key.time(), key.value() + 0.05);
            }
        }
        let findings = doctor::examine(&take);
        let jump = findings
            .iter()
            .find(|finding| finding.code == Code::BoneJump);
        let jump = jump.unwrap_or_else(|| panic!("{name}: {findings:?}"));
        assert_eq!(jump.curves[0].to_string(), "left.IndexTip.position.x");
    }
}

/// Files whose every truncation is tried; for the others, cuts that are spread over them.
const SMALL: usize = 80_000;

#[test]
fn every_truncation_is_an_error_or_a_smaller_recording_and_recovers_what_is_whole() {
    let Some(corpus) = corpus() else { return };
    let mut tried = 0_u64;
    for (name, bytes) in files(&corpus) {
        let whole = Recording::parse(&bytes).unwrap();
        let step = if bytes.len() <= SMALL { 1 } else { 997 };
        for length in (0..bytes.len()).step_by(step) {
            tried += 1;
            check_truncation(&name, &bytes[..length], &whole);
        }
    }
    println!("{tried} truncations");
}

fn check_truncation(name: &str, cut: &[u8], whole: &Recording<'_>) {
    let length = cut.len();
    let parsed = Recording::parse(cut);
    let recovered = Recording::recover(cut);
    match (&parsed, &recovered) {
        // Cut exactly before its marker list, a file is one of the layouts without a list.
        (Ok(recording), Ok(recovery)) => {
            assert!(!recording.layout.has_markers(), "{name} cut to {length}");
            assert!(recovery.is_whole());
        }
        (Err(error), Ok(recovery)) => {
            assert!(error.is_recoverable());
            assert_eq!(recovery.error.as_ref(), Some(error));
            let is_short = !recovery.missing.is_empty() || !recovery.unread.is_empty();
            assert!(is_short, "{name} cut to {length}");
            let same = |(path, curve)| whole.curves().any(|other| other == (path, curve));
            let recovered = recovery.recording.curves();
            if recovery.recording.layout == whole.layout {
                let whole_curves = recovered.take(error.whole_curves());
                // Looking every curve up is slow; the last whole one speaks for its kind.
                assert!(
                    whole_curves.last().is_none_or(same),
                    "{name} cut to {length}"
                );
            }
            assert!(error.offset() <= length as u64);
        }
        (Err(error), Err(_)) => {
            use ParseErrorKind as K;
            let cut = matches!(
                error.kind(),
                K::Empty | K::EndOfFile { .. } | K::KeysBeyondEnd { .. }
            );
            assert!(cut, "{name} cut to {length}: {error}");
            assert!(!error.is_recoverable() && error.whole_curves() == 0);
        }
        (Ok(_), Err(error)) => panic!("{name} cut to {length}: {error}"),
    }
}
