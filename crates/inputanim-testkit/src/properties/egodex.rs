//! Any bytes are read as an episode of EgoDex or give an error. A recording that is read can be written.

use inputanim_convert::{Format, ReadOptions, read};

/// Checks the property.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::EgoDex, bytes, &ReadOptions::default()) {
        recording.to_bytes().expect("a recording of this library");
    }
}
