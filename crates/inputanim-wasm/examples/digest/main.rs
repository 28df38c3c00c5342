//! Prints a checksum of the library's results for each recording that is given as an argument.
//!
//! The same program, built for WebAssembly, exports `allocate` and `digest`. `cargo xtask wasm`
//! compares the checksums of both. A difference means that a result depends on the platform.

mod hash;

use hash::Hash;
use inputanim::edit::{self, MirrorPlane, Smooth};
use inputanim::{Pose, Recording, Sampler, TimeRange};

fn main() {
    for path in std::env::args_os().skip(1) {
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{}: {error}", path.display());
                std::process::exit(1);
            }
        };
        println!("{:016x}", digest_of(&bytes));
    }
}

/// Returns a checksum of the samples, the findings and several edits of a recording.
fn digest_of(bytes: &[u8]) -> u64 {
    let mut hash = Hash::new();
    let Ok(recording) = Recording::parse(bytes) else {
        return 0;
    };
    add_samples(&recording, &mut hash);
    for finding in inputanim::doctor::findings(&recording) {
        hash.add(finding.to_string().as_bytes());
    }
    let edits: [fn(&mut Recording<'_>); 5] = [
        |recording| {
            recording.repair();
        },
        |recording| {
            // An edit that refuses a recording leaves it as it was on every platform.
            let _ = edit::smooth(recording, &Smooth::default());
        },
        |recording| {
            let _ = edit::mirror(recording, &MirrorPlane::through(&Pose::IDENTITY));
        },
        |recording| {
            let _ = edit::resample(recording, 47.0);
        },
        |recording| {
            let _ = recording.reduce(&Default::default());
        },
    ];
    for apply in edits {
        let mut edited = recording.clone();
        apply(&mut edited);
        hash.add(&edited.to_bytes().unwrap_or_default());
        add_samples(&edited, &mut hash);
    }
    hash.0
}

fn add_samples(recording: &Recording<'_>, hash: &mut Hash) {
    let Ok(sampler) = Sampler::new(recording) else {
        return;
    };
    let range = TimeRange {
        start: -1.0,
        // A made-up time can be of any size.
        end: sampler.duration().min(100.0) + 1.0,
    };
    // A rate at which samples lie between keys.
    for columns in [
        sampler.columns(range.times_at(47.0)),
        sampler
            .clone()
            .with_raw_rotations()
            .columns(range.times_at(47.0)),
    ] {
        for (_, column) in columns.floats() {
            for value in column {
                hash.add_number(*value);
            }
        }
    }
}

/// Returns the address of fresh memory for the bytes of a recording.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: usize) -> *mut u8 {
    vec![0; length].leak().as_mut_ptr()
}

/// Returns the checksum of the recording at an address that `allocate` returned.
///
/// # Safety
/// `length` must be what was given to `allocate`.
#[cfg(target_family = "wasm")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn digest(address: *const u8, length: usize) -> u64 {
    // SAFETY: the memory was allocated with this length and is never freed.
    digest_of(unsafe { std::slice::from_raw_parts(address, length) })
}
