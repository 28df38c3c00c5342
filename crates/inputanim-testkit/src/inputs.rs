//! The committed inputs of the fuzz targets.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use inputanim::Recording;

use crate::seeded::RandomNumbers;

/// Checks a property on every committed input of every fuzz target; panics with the names of the
/// inputs for which it does not hold.
pub fn check_fuzz_inputs(property: fn(&[u8])) {
    let mut well_formed = 0;
    let mut failed = Vec::new();
    for (name, bytes) in inputs() {
        well_formed += usize::from(Recording::parse(&bytes).is_ok());
        if !holds(property, &bytes) {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "the property fails for {failed:?}");
    assert!(well_formed >= 7, "only {well_formed} well-formed inputs");
}

/// Checks a property on `rounds` mutations of each committed input of the fuzz targets: bytes are changed, cut off or
/// repeated. Panics with the name of a failing input, and writes the mutated bytes to a file in the temporary folder of
/// the system.
pub fn check_mutated_inputs(property: fn(&[u8]), rounds: usize) {
    let mut random = RandomNumbers::from_environment();
    for (name, bytes) in inputs() {
        for _ in 0..rounds {
            let mutated = mutate(&bytes, &mut random);
            if !holds(property, &mutated) {
                let file = std::env::temp_dir().join("inputanim-mutated-input");
                fs::write(&file, &mutated).unwrap();
                panic!("the property fails for a mutation of {name:?}: {file:?}");
            }
        }
    }
}

fn holds(property: fn(&[u8]), bytes: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| property(bytes))).is_ok()
}

/// Returns a copy of the bytes with one to three changes: bytes are changed, cut off or repeated.
pub fn mutate(bytes: &[u8], random: &mut RandomNumbers) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(5) {
            0 => bytes.truncate(at),
            1 => {
                let end = (at + random.below(64) as usize).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            2 => {
                // Numbers that code often treats specially: integers, then times and values.
                let special = [
                    0,
                    u32::MAX,
                    i32::MAX as u32,
                    f32::NAN.to_bits(),
                    f32::INFINITY.to_bits(),
                    f32::MAX.to_bits(),
                ];
                let index = random.below(special.len() as u64) as usize;
                let special = special[index].to_le_bytes();
                for (byte, new) in bytes.iter_mut().skip(at).zip(special) {
                    *byte = new;
                }
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
        }
    }
    bytes
}

/// Returns the path, relative to `fuzz/`, and the bytes of every committed input of the fuzz targets.
fn inputs() -> Vec<(PathBuf, Vec<u8>)> {
    let fuzz = crate::samples::root().join("fuzz");
    let mut paths = Vec::new();
    collect(&fuzz.join("seeds"), &mut paths);
    collect(&fuzz.join("corpus"), &mut paths);
    assert!(paths.len() > 10, "{paths:?}");
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        let name = path.strip_prefix(&fuzz).unwrap_or(&path).to_owned();
        (name, bytes)
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, inputs: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, inputs);
        } else {
            inputs.push(path);
        }
    }
}
