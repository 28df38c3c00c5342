//! Recordings with errors: the runtime refuses them, or plays what they have.

use std::path::Path;

use inputanim_openxr::{Clock, Settings};
use openxr::sys;

use crate::hostile::Random;
use crate::{alone, client, entry};

#[test]
fn a_damaged_recording_is_refused_or_played() {
    let _alone = alone();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    let intact = std::fs::read(sample).expect("the sample");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged.bin");
    let mut random = Random(0xda_5a6ed);
    let (mut refused, mut played) = (0, 0);
    for round in 0..200 {
        let mut bytes = intact.clone();
        if round % 4 == 0 {
            bytes.truncate(random.below(intact.len() as u64) as usize);
        }
        // Errors at the beginning change lengths and flags, and later ones mostly change keys.
        let end = random.pick(&[64, 4096, intact.len() as u64]);
        for _ in 0..random.below(9) {
            if let Some(byte) = bytes.get_mut(random.below(end) as usize) {
                *byte = random.below(256) as u8;
            }
        }
        std::fs::write(&path, &bytes).expect("the file can be written");
        let mut settings = Settings::default();
        settings.recording = path.clone();
        settings.clock = if round % 2 == 0 {
            Clock::Step
        } else {
            Clock::Keys
        };
        match client::play(&entry(&settings), 20) {
            Ok(all) => {
                assert!(!all.is_empty(), "round {round}");
                played += 1;
            }
            Err(sys::Result::ERROR_RUNTIME_UNAVAILABLE) => refused += 1,
            Err(error) => panic!("round {round}: {error}"),
        }
    }
    assert!(
        refused > 20 && played > 20,
        "{refused} refused, {played} played"
    );
}
