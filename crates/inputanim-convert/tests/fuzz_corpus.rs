//! Everything that the fuzz targets start from or stumbled over, on the stable toolchain: the
//! laws of the targets hold for each.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use inputanim::{Layout, Recording, doctor};
use inputanim_convert::json;

#[test]
fn the_laws_of_the_fuzz_targets_hold_for_every_committed_input() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut inputs = Vec::new();
    collect(&fuzz.join("seeds"), &mut inputs);
    collect(&fuzz.join("corpus"), &mut inputs);
    assert!(inputs.len() > 10, "{inputs:?}");
    let mut whole = 0;
    for path in inputs {
        let bytes = fs::read(&path).unwrap();
        whole += usize::from(Recording::parse(&bytes).is_ok());
        check(&bytes);
    }
    assert!(whole >= 7, "only {whole} well-formed inputs");
}

fn collect(folder: &Path, inputs: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, inputs),
            false => inputs.push(path),
        }
    }
}

fn check(bytes: &[u8]) {
    if let Ok(recovery) = Recording::recover(bytes) {
        let written = recovery
            .recording
            .to_bytes(recovery.recording.layout)
            .unwrap();
        assert!(Recording::parse(&written).is_ok());
    }
    if let Ok(recording) = Recording::parse(bytes) {
        assert_eq!(recording.to_bytes(recording.layout).unwrap(), bytes);
        doctor::examine(&recording);
        check_json(&recording);
        for layout in Layout::ALL {
            if let Ok(other) = recording.to_bytes(layout) {
                let read = Recording::parse(&other).unwrap();
                if read.layout == layout {
                    assert_eq!(read.to_bytes(recording.layout).unwrap(), bytes);
                }
            }
        }
    }
    if let Ok(recording) = json::read(bytes) {
        check_json(&recording);
    }
}

fn check_json(recording: &Recording<'_>) {
    let mut text = Vec::new();
    json::write(recording, &mut text).unwrap();
    assert_eq!(json::read(&text).unwrap(), *recording);
}
