//! The corpus: recordings of real devices and of MRTK, outside the repository.

use inputanim::doctor::{self, Code};
use inputanim::info::Info;
use inputanim::{FullKey, Joint, Keys, Layout, ParseErrorKind, Recording, Side, SimpleKey, Stream};
use inputanim_testkit::corpus;

/// Returns the name without extension and the bytes of every recording.
fn files() -> Vec<(String, Vec<u8>)> {
    let recordings = corpus::recordings().into_iter();
    recordings
        .map(|(path, bytes)| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, bytes)
        })
        .collect()
}

fn file(name: &str) -> Vec<u8> {
    let mut files = files().into_iter();
    let found = files.find(|(stem, _)| stem == name);
    found.unwrap_or_else(|| panic!("{name} is missing")).1
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn every_layout_is_detected_and_every_file_is_written_back_byte_for_byte() {
    for (name, bytes) in files() {
        let recording = Recording::parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = match name.as_str() {
            "left-hand-2021" | "empty-2020" | "mrtk-1.0-markers" => Layout::Mrtk1_0,
            "documented-1.0" => Layout::Documented1_0,
            name if name.starts_with("documented-1.1") => Layout::Documented1_1,
            name if name.starts_with("mixed") => name.parse().unwrap(),
            _ => Layout::Mrtk1_1,
        };
        assert_eq!(recording.layout, expected, "{name}");
        let written = recording.to_bytes().unwrap();
        assert!(written == bytes, "{name} differs");
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn every_file_survives_lossless_layouts_byte_for_byte() {
    for (name, bytes) in files() {
        let recording = Recording::parse(&bytes).unwrap();
        for &layout in Layout::ALL {
            if !recording.losses(layout).is_empty() {
                continue;
            }
            let other = recording.to_bytes_as(layout).unwrap();
            let read = Recording::parse(&other).unwrap();
            let back = read.to_bytes_as(recording.layout);
            assert!(
                back.is_ok_and(|back| back == bytes),
                "{name} through {layout}"
            );
        }
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn the_device_recording_has_the_known_content() {
    let bytes = file("left-hand-2021");
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
    let info = Info::of(&recording);
    assert_eq!(format!("{:.3}", info.duration), "11.248");
    let pinching = &info.hand(Side::Left).pinching;
    let pinches: Vec<String> = pinching
        .iter()
        .map(|span| format!("{:.3} to {:.3}", span.start, span.end))
        .collect();
    assert_eq!(pinches, ["4.969 to 6.468"]);
    assert!(info.hand(Side::Right).tracked.is_empty());
    let right = info.stream(Stream::Joints(Side::Right)).unwrap();
    assert_eq!((right.keys, right.curves, right.bytes), (0, 189, 2268));
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn markers_keep_their_names() {
    let bytes = file("mrtk-1.1-markers");
    let markers = Recording::parse(&bytes).unwrap().markers;
    let times: Vec<f32> = markers.iter().map(|marker| marker.time).collect();
    assert_eq!(times, [0.5, 2.0, 3.25, 7.0]);
    assert_eq!(markers[0].name, "start");
    assert_eq!(markers[1].name, "");
    assert_eq!(markers[2].name, "Übung: グラブ 🖐");
    assert_eq!(markers[3].name.len(), 340);
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn the_damage_of_each_release_is_found() {
    use Code::{GapInterpolated, RotationWCopiesZ, RotationWLost, TailLost};
    for (name, damage) in [
        ("left-hand-2021", &[][..]),
        ("mrtk-1.0-markers", &[]),
        ("mrtk-1.1-p0", &[]),
        ("mrtk-1.1-p7", &[TailLost]),
        ("mrtk-1.1-p32", &[TailLost]),
        ("mrtk-1.1-w-lost-p0", &[RotationWCopiesZ]),
        ("mrtk-1.1-w-lost-p7", &[RotationWLost, TailLost]),
        ("mrtk-1.1-w-lost-p32", &[RotationWLost, TailLost]),
    ] {
        let bytes = file(name);
        let findings = doctor::findings(&Recording::parse(&bytes).unwrap());
        let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
        // In each recording the hand is lost twice; there are no other findings.
        assert_eq!(codes, [damage, &[GapInterpolated]].concat(), "{name}");
        let rotations = findings
            .iter()
            .find(|found| [RotationWLost, RotationWCopiesZ].contains(&found.code));
        if let Some(found) = rotations {
            // The head and the left hand's 27 joints; the right hand was not seen.
            assert_eq!(found.curves.len(), 28, "{name}");
        }
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn a_joint_that_jumps_by_5_cm_at_one_key_is_found() {
    for name in ["left-hand-2021", "mrtk-1.0-markers", "mrtk-1.1-p0"] {
        let bytes = file(name);
        let mut recording = Recording::parse(&bytes).unwrap();
        let tip = &mut recording.hands_mut().left.joints[Joint::IndexTip];
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
        let findings = doctor::findings(&recording);
        let jump = findings
            .iter()
            .find(|finding| finding.code == Code::BoneJump);
        let jump = jump.unwrap_or_else(|| panic!("{name}: {findings:?}"));
        assert_eq!(jump.curves[0].to_string(), "left.IndexTip.position.x");
    }
}

/// The largest size in bytes of a file for which every truncation is tried. For larger files, every
/// 997th truncation is tried.
const SMALL: usize = 80_000;

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn every_truncation_is_an_error_or_a_smaller_recording() {
    let mut tried = 0_u64;
    for (name, bytes) in files() {
        let complete = Recording::parse(&bytes).unwrap();
        let step = if bytes.len() <= SMALL { 1 } else { 997 };
        for length in (0..bytes.len()).step_by(step) {
            tried += 1;
            check_truncation(&name, &bytes[..length], &complete);
        }
    }
    println!("{tried} truncations");
}

fn check_truncation(name: &str, cut: &[u8], complete: &Recording<'_>) {
    let length = cut.len();
    let parsed = Recording::parse(cut);
    let recovered = Recording::recover(cut);
    match (&parsed, &recovered) {
        // A file that is cut exactly before its marker list has a layout without the list.
        (Ok(recording), Ok(recovery)) => {
            assert!(!recording.layout.has_markers(), "{name} cut to {length}");
            assert!(recovery.is_intact());
        }
        (Err(error), Ok(recovery)) => {
            assert!(error.is_recoverable());
            assert_eq!(recovery.error.as_ref(), Some(error));
            let is_short = !recovery.damaged.is_empty() || !recovery.unread.is_empty();
            assert!(is_short, "{name} cut to {length}");
            let same = |(path, curve)| complete.curves().any(|other| other == (path, curve));
            let recovered = recovery.recording.curves();
            if recovery.recording.layout == complete.layout {
                let intact_curves = recovered.take(error.intact_curves());
                // Only the last intact curve is compared, because a search for each is slow.
                assert!(
                    intact_curves.last().is_none_or(same),
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
            assert!(!error.is_recoverable() && error.intact_curves() == 0);
        }
        (Ok(_), Err(error)) => panic!("{name} cut to {length}: {error}"),
    }
}
