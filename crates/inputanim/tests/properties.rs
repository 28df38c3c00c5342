//! Laws over random recordings: all layouts, key forms, wrap modes, bit patterns.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random;

use inputanim::doctor::{self, Code, Severity};
use inputanim::summary::Summary;
use inputanim::{Layout, Recording};
use proptest::prelude::*;
use random::recording;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Writing and reading back gives the same recording, and the same bytes again.
    #[test]
    fn write_then_parse_is_the_identity(recording in recording()) {
        let bytes = recording.to_bytes(recording.layout)?;
        let read = Recording::parse(&bytes)?;
        prop_assert_eq!(&read.to_bytes(read.layout)?, &bytes);
        if read.layout == recording.layout {
            prop_assert_eq!(read, recording);
        } else {
            // Without keys, or by an accident of numbers, the bytes fit two layouts of a version,
            // one with simple keys and one with full ones: docs/format.md, section 3.3.
            prop_assert_eq!(read.layout.version(), recording.layout.version());
            prop_assert_ne!(read.layout.key_kind(), recording.layout.key_kind());
        }
    }

    /// A layout that loses nothing gives everything back.
    #[test]
    fn a_lossless_layout_and_back_is_the_identity(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        if !recording.losses(layout).is_empty() {
            return Ok(());
        }
        let other = recording.to_bytes(layout)?;
        let back = Recording::parse(&other)?;
        if back.layout != layout {
            // The bytes fit two layouts, as in the law above.
            return Ok(());
        }
        let (back, original) = (back.to_bytes(recording.layout)?, recording.to_bytes(recording.layout)?);
        // Flag bytes other than 0 and 1 count as a loss, so nothing is normalised on the way.
        prop_assert_eq!(back, original);
    }

    /// What `losses` announces is what `write_lossy` reports, and what it writes is well formed.
    #[test]
    fn a_lossy_layout_is_still_well_formed(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        let mut bytes = Vec::new();
        let losses = recording.write_lossy(&mut bytes, layout)?;
        prop_assert_eq!(&losses, &recording.losses(layout));
        prop_assert_eq!(recording.write(std::io::sink(), layout).is_ok(), losses.is_empty());
        prop_assert_eq!(bytes.len() as u64, recording.encoded_len(layout));
        let read = Recording::parse(&bytes)?;
        prop_assert!(read.losses(read.layout).is_empty());
    }

    /// A whole file recovers to itself; a cut one to the curves before the cut.
    #[test]
    fn recovery_keeps_what_is_before_the_cut(recording in recording(), cut in 0.0_f64..1.0) {
        let bytes = recording.to_bytes(recording.layout)?;
        let whole = Recording::recover(&bytes)?;
        prop_assert!(whole.is_whole());
        let length = (bytes.len() as f64 * cut) as usize;
        let recovery = match Recording::recover(&bytes[..length]) {
            Ok(recovery) => recovery,
            Err(error) => {
                prop_assert!(!error.is_recoverable() && error.whole_curves() == 0, "{}", error);
                return Ok(());
            }
        };
        if recovery.recording.layout == recording.layout {
            let whole = recovery.error.as_ref().map_or(395, |error| error.whole_curves());
            let curves = recovery.recording.curves().zip(recording.curves());
            for (number, ((path, found), (_, original))) in curves.enumerate() {
                let is_right = found == original && number < whole;
                prop_assert!(is_right || found.is_empty() && number >= whole, "{}", path);
            }
        }
        // What is recovered can be written and read.
        let written = recovery.recording.to_bytes(recovery.recording.layout)?;
        prop_assert!(Recording::parse(&written).is_ok());
    }

    /// Converting in memory is what writing in a layout and reading back is.
    #[test]
    fn into_layout_is_write_then_parse(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        let mut bytes = Vec::new();
        recording.write_lossy(&mut bytes, layout)?;
        let converted = recording.into_layout(layout);
        prop_assert_eq!(converted.losses(layout), []);
        prop_assert_eq!(converted.to_bytes(layout)?, bytes);
    }

    /// Ending the loan changes nothing.
    #[test]
    fn into_owned_is_equal(recording in recording()) {
        let bytes = recording.to_bytes(recording.layout)?;
        let read = Recording::parse(&bytes)?;
        prop_assert_eq!(read.clone().into_owned(), read);
    }

    /// Looking at a recording never panics, whatever its numbers; of what plays there is the same to
    /// be said as of all of it.
    #[test]
    fn every_recording_can_be_examined(recording in recording()) {
        let mut findings = doctor::examine(&recording);
        for finding in &findings {
            prop_assert!(finding.count > 0);
            prop_assert!(!finding.detail.is_empty());
        }
        let empty = [Code::ValueNotFinite, Code::GazeZero, Code::JointsMissing];
        findings.retain(|f| f.severity() == Severity::Damage || empty.contains(&f.code));
        prop_assert_eq!(doctor::examine_playback(&recording, &Summary::of(&recording)), findings);
    }
}

/// Bytes changed at random in a well-formed file: no panic, and what parses writes back the same.
#[test]
fn mutated_files_never_panic_and_round_trip_if_they_parse() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut tried, mut parsed) = (0_u32, 0_u32);
    for _ in 0..24 {
        let recording = recording().new_tree(&mut runner).unwrap().current();
        let bytes = recording.to_bytes(recording.layout).unwrap();
        for _ in 0..120 {
            let mut mutated = bytes.clone();
            for _ in 0..runner.rng().random_range(1..4) {
                mutate(&mut mutated, runner.rng());
            }
            tried += 1;
            if let Ok(read) = Recording::parse(&mutated) {
                parsed += 1;
                assert!(read.to_bytes(read.layout).unwrap() == mutated);
            }
            if let Ok(recovery) = Recording::recover(&mutated) {
                let layout = recovery.recording.layout;
                let bytes = recovery.recording.to_bytes(layout).unwrap();
                assert!(Recording::parse(&bytes).is_ok());
            }
        }
    }
    println!("{tried} mutated files, {parsed} of them well formed");
    assert!(parsed > 0 && parsed < tried);
}

fn mutate(bytes: &mut Vec<u8>, rng: &mut proptest::test_runner::TestRng) {
    if bytes.is_empty() {
        return;
    }
    // The header and the first curves decide most, so half of the changes fall there.
    let end = if rng.random() {
        bytes.len().min(64)
    } else {
        bytes.len()
    };
    let at = rng.random_range(0..end);
    match rng.random_range(0..5) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = rng.random(),
        2 => bytes.truncate(at),
        3 => bytes.insert(at, rng.random()),
        _ => {
            bytes.remove(at);
        }
    }
}
