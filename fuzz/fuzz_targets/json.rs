//! Any text reads or gives an error; what reads, and what parses, comes back the same.

#![no_main]

use inputanim::Recording;
use inputanim_convert::json;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(recording) = json::read(bytes) {
        check(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        check(&recording);
    }
});

fn check(recording: &Recording<'_>) {
    let mut text = Vec::new();
    json::write(recording, &mut text).expect("memory");
    assert_eq!(json::read(&text).expect("its own text"), *recording);
}
