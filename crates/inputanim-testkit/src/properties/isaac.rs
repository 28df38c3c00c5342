//! Any bytes are read as a file of Isaac Capture or give an error. Every recording that can be sampled is written, and
//! comes back the same. Without the topics of this library, the messages have the poses of the samples.

use inputanim::{Recording, TimeRange};
use inputanim_convert::isaac::IsaacError;
use inputanim_convert::{Error, Format, ReadOptions, read, write_bytes};

use super::samples::{Samples, at_rate, few_frames};
use crate::isaac_capture;

/// Checks that these bytes are read as a file of Isaac Capture or give an error, and that a recording that is written
/// comes back the same, also from its poses alone. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Isaac, bytes, &ReadOptions::default()) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let rate = few_frames(recording);
    let file = match write_bytes(Format::Isaac, recording, &at_rate(rate)) {
        Ok((file, _)) => file,
        Err(Error::Sample(_)) => return,
        Err(error) => match error.downcast_ref() {
            Some(IsaacError::TooLate { .. }) => return,
            _ => panic!("{error}"),
        },
    };
    let options = ReadOptions::default();
    let (embedded, _) = read(Format::Isaac, &file, &options).expect("its own file");
    let bytes = |recording: &Recording<'_>| recording.to_bytes().expect("it was written");
    assert_eq!(bytes(&embedded), bytes(recording));

    let capture = isaac_capture(&file);
    let (again, _) = match read(Format::Isaac, &capture, &options) {
        Ok(read) => read,
        // A recording without a head and hands has no messages.
        Err(error) => match error.downcast_ref() {
            Some(IsaacError::NothingToRead { damage: None, .. }) => return,
            _ => panic!("its own messages: {error}"),
        },
    };
    let samples = Samples::new(recording, &again);
    let mut last = None;
    for time in sample_times(recording, rate) {
        // Messages have times in nanoseconds. If two have the same time, the first one counts.
        let nanoseconds = (f64::from(time) * 1e9).round();
        if last.replace(nanoseconds) != Some(nanoseconds) {
            samples.have_equal_poses(time, (nanoseconds / 1e9) as f32);
        }
    }
}

/// Returns times in seconds at which every file that is sampled at a rate in Hz has samples: the start, the end, times
/// at which a state of a hand changes, and the times of the rate that are not near another one.
fn sample_times(recording: &Recording<'_>, rate: f64) -> Vec<f32> {
    let end = recording.duration();
    let hands = recording.hands.iter();
    let hands = hands.flat_map(|hands| [&hands.left, &hands.right]);
    let states = hands.flat_map(|hand| [&hand.tracked, &hand.pinching]);
    let changes = states.flat_map(|curve| curve.keys.iter().map(|key| key.time()));
    let mut times: Vec<f32> = changes.filter(|&time| time > 0.0 && time < end).collect();
    times.extend([0.0, end]);
    let is_far = |time: f32| {
        let near = |other: &f32| f64::from((other - time).abs()) <= 0.02 / rate;
        !times.iter().any(near)
    };
    let grid = TimeRange { start: 0.0, end }.times_at(rate);
    let grid: Vec<f32> = grid.filter(|&time| is_far(time)).collect();
    times.extend(grid);
    times.sort_unstable_by(f32::total_cmp);
    times
}
