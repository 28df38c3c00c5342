//! Any text is read as JSON or gives an error; every recording comes back the same.

use inputanim::Recording;
use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write};

/// Checks that these bytes are read as JSON or give an error, and that a recording that is written as JSON comes back
/// the same.
///
/// # Panics
/// Panics where a property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Json, bytes, &ReadOptions::default()) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let mut text = Vec::new();
    write(Format::Json, recording, &WriteOptions::default(), &mut text).expect("memory");
    let options = ReadOptions::default();
    let (back, _) = read(Format::Json, &text, &options).expect("its own text");
    assert_eq!(back, *recording);
}
