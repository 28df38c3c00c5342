//! Properties of reading, writing and examining, on random recordings: all layouts, key forms, wrap modes
//! and bit patterns.

use inputanim::doctor;
use inputanim::{Layout, Recording};
use inputanim_testkit::random::recording;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn write_then_parse_is_the_identity(recording in recording()) {
        let bytes = recording.to_bytes()?;
        let read = Recording::parse(&bytes)?;
        prop_assert_eq!(&read.to_bytes()?, &bytes);
        if read.layout == recording.layout {
            prop_assert_eq!(read, recording);
        } else {
            // Without keys, and for some numbers, the bytes fit two layouts of a version, one with
            // simple keys and one with full keys (docs/format.md, section 3.3).
            prop_assert_eq!(read.layout.version(), recording.layout.version());
            prop_assert_ne!(read.layout.key_kind(), recording.layout.key_kind());
        }
    }

    #[test]
    fn a_lossless_layout_and_back_is_the_identity(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        if !recording.losses(layout).is_empty() {
            return Ok(());
        }
        let other = recording.to_bytes_as(layout)?;
        let back = Recording::parse(&other)?;
        if back.layout != layout {
            // The bytes fit two layouts, as above.
            return Ok(());
        }
        let (back, original) = (back.to_bytes_as(recording.layout)?, recording.to_bytes()?);
        // Flag bytes other than 0 and 1 count as a loss, so nothing is normalised on the way.
        prop_assert_eq!(back, original);
    }

    /// Checks that `losses` and `write_lossy_as` report the same, and that the file is well formed.
    #[test]
    fn a_lossy_layout_is_still_well_formed(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        let mut bytes = Vec::new();
        let losses = recording.write_lossy_as(&mut bytes, layout)?;
        prop_assert_eq!(&losses, &recording.losses(layout));
        prop_assert_eq!(recording.write_as(std::io::sink(), layout).is_ok(), losses.is_empty());
        prop_assert_eq!(bytes.len() as u64, recording.encoded_len_as(layout));
        let read = Recording::parse(&bytes)?;
        prop_assert!(read.losses(read.layout).is_empty());
    }

    #[test]
    fn recovery_keeps_the_curves_before_a_cut(recording in recording(), cut in 0.0_f64..1.0) {
        let bytes = recording.to_bytes()?;
        let complete = Recording::recover(&bytes)?;
        prop_assert!(complete.is_intact());
        let length = (bytes.len() as f64 * cut) as usize;
        let recovery = match Recording::recover(&bytes[..length]) {
            Ok(recovery) => recovery,
            Err(error) => {
                prop_assert!(!error.is_recoverable() && error.intact_curves() == 0, "{}", error);
                return Ok(());
            }
        };
        if recovery.recording.layout == recording.layout {
            let intact = recovery.error.as_ref().map_or(395, |error| error.intact_curves());
            let curves = recovery.recording.curves().zip(recording.curves());
            for (number, ((path, found), (_, original))) in curves.enumerate() {
                let is_right = found == original && number < intact;
                prop_assert!(is_right || found.is_empty() && number >= intact, "{}", path);
            }
        }
        // A recovered recording can be written and read.
        let written = recovery.recording.to_bytes()?;
        prop_assert!(Recording::parse(&written).is_ok());
    }

    #[test]
    fn with_layout_is_write_then_parse(recording in recording(), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        let mut bytes = Vec::new();
        recording.write_lossy_as(&mut bytes, layout)?;
        let converted = recording.with_layout(layout);
        prop_assert_eq!(converted.losses(layout), []);
        prop_assert_eq!(converted.to_bytes_as(layout)?, bytes);
    }

    #[test]
    fn into_owned_is_equal(recording in recording()) {
        let bytes = recording.to_bytes()?;
        let read = Recording::parse(&bytes)?;
        prop_assert_eq!(read.clone().into_owned(), read);
    }

    /// Checks that examination never panics, and that `damage` finds the same damage as
    /// `findings`.
    #[test]
    fn every_recording_can_be_examined(recording in recording()) {
        let mut findings = doctor::findings(&recording);
        for finding in &findings {
            prop_assert!(finding.count > 0);
            prop_assert!(!finding.detail.is_empty());
        }
        findings.retain(|finding| finding.code.changes_values());
        prop_assert_eq!(doctor::damage(&recording, |_| true), findings);
    }
}

/// Changes random bytes of well-formed files.
#[test]
fn mutated_files_never_panic_and_round_trip_if_they_parse() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut tried, mut parsed) = (0_u32, 0_u32);
    for _ in 0..24 {
        let recording = recording().new_tree(&mut runner).unwrap().current();
        let bytes = recording.to_bytes().unwrap();
        for _ in 0..120 {
            let mut mutated = bytes.clone();
            for _ in 0..runner.rng().random_range(1..4) {
                mutate(&mut mutated, runner.rng());
            }
            tried += 1;
            if let Ok(read) = Recording::parse(&mutated) {
                parsed += 1;
                assert!(read.to_bytes().unwrap() == mutated);
            }
            if let Ok(recovery) = Recording::recover(&mutated) {
                let layout = recovery.recording.layout;
                let bytes = recovery.recording.to_bytes_as(layout).unwrap();
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
    // Half of the changes are in the header and the first curves, which matter most.
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
