//! Everything that the fuzz targets start from or stumbled over, on the stable toolchain: the
//! laws of the targets hold for each.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use inputanim::Recording;

#[path = "../../../fuzz/laws/diff.rs"]
mod diff;
#[path = "../../../fuzz/laws/doctor.rs"]
mod doctor;
#[path = "../../../fuzz/laws/frames.rs"]
mod frames;
#[path = "../../../fuzz/laws/gltf.rs"]
mod gltf;
#[path = "../../../fuzz/laws/iwer.rs"]
mod iwer;
#[path = "../../../fuzz/laws/json.rs"]
mod json;
#[cfg(feature = "mcap")]
#[path = "../../../fuzz/laws/mcap.rs"]
mod mcap;
#[path = "../../../fuzz/laws/parse.rs"]
mod parse;
#[path = "../../../fuzz/laws/recover.rs"]
mod recover;
#[path = "../../../fuzz/laws/reduce.rs"]
mod reduce;
#[path = "../../../fuzz/laws/repair.rs"]
mod repair;
#[path = "../../../fuzz/laws/round_trip.rs"]
mod round_trip;
#[path = "../../../fuzz/laws/sampler.rs"]
mod sampler;
#[path = "../../../fuzz/laws/session.rs"]
mod session;
#[cfg(feature = "tables")]
#[path = "../../../fuzz/laws/tables.rs"]
mod tables;

#[test]
fn the_laws_of_the_fuzz_targets_hold_for_every_committed_input() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut inputs = Vec::new();
    collect(&fuzz.join("seeds"), &mut inputs);
    collect(&fuzz.join("corpus"), &mut inputs);
    assert!(inputs.len() > 10, "{inputs:?}");
    let laws = [
        doctor::check,
        diff::check,
        frames::check,
        gltf::check,
        iwer::check,
        json::check,
        #[cfg(feature = "mcap")]
        mcap::check,
        parse::check,
        recover::check,
        reduce::check,
        repair::check,
        round_trip::check,
        sampler::check,
        session::check,
        #[cfg(feature = "tables")]
        tables::check,
    ];
    let mut whole = 0;
    for path in inputs {
        let bytes = fs::read(&path).unwrap();
        whole += usize::from(Recording::parse(&bytes).is_ok());
        laws.iter().for_each(|law| law(&bytes));
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
