//! Any bytes are read as a file of Isaac Capture or give an error. Every recording that can be sampled is written, and the file has the
//! states and the poses of the samples.

use inputanim::Recording;
use inputanim_convert::{Format, ReadOptions, read};

use super::samples::come_back;

/// Checks the property.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Isaac, bytes, &ReadOptions::default()) {
        come_back(Format::Isaac, &recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        come_back(Format::Isaac, &recording);
    }
}
