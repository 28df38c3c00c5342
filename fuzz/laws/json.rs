//! Any text reads or gives an error; what reads, and what parses, comes back the same.

use inputanim::Recording;
use inputanim_convert::json;

pub(crate) fn check(bytes: &[u8]) {
    if let Ok(recording) = json::read(bytes) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let mut text = Vec::new();
    json::write(recording, &mut text).expect("memory");
    assert_eq!(json::read(&text).expect("its own text"), *recording);
}
