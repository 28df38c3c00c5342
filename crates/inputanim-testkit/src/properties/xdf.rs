//! Any bytes are read as XDF or give an error. Every recording that can be sampled is written, and the file has the
//! states, the poses and the gaze of the samples.

use inputanim::{Recording, TimeRange};
use inputanim_convert::{Format, ReadOptions, read, write_bytes};

use super::samples::{Samples, at_rate, few_frames};

/// Checks that these bytes are read as XDF or give an error, and that a recording that is written as XDF has the same
/// samples when it is read. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Xdf, bytes, &ReadOptions::default()) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let rate = few_frames(recording);
    // Some recordings cannot be sampled.
    let Ok((file, _)) = write_bytes(Format::Xdf, recording, &at_rate(rate)) else {
        return;
    };
    let (again, _) = match read(Format::Xdf, &file, &ReadOptions::default()) {
        Ok(read) => read,
        // A recording without poses and states has no streams.
        Err(error) if error.to_string().contains("no streams") => return,
        Err(error) => panic!("its own file: {error}"),
    };
    let samples = Samples::new(recording, &again);
    let end = recording.duration();
    for time in (TimeRange { start: 0.0, end }).times_at(rate) {
        samples.have_equal_states(time);
        samples.have_equal_poses(time, time);
        samples.have_equal_gazes(time);
    }
}
