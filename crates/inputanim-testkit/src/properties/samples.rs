//! Formats of samples that are read without rounding.

use inputanim::{Recording, Sampler, Side};
use inputanim_convert::{Format, ReadOptions, Sampling, WriteOptions, read, write};

/// Checks that a recording is written in a format, and that the file has its states and poses.
pub(super) fn come_back(format: Format, recording: &Recording<'_>) {
    // Few frames, even for a recording of years.
    let rate = 8.0 / f64::from(recording.duration().clamp(1.0, 1e30));
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    let mut file = Vec::new();
    // Some times are beyond the clock of a format.
    if write(format, recording, &options, &mut file).is_err() {
        return;
    }
    let (again, _) = match read(format, &file, &ReadOptions::default()) {
        Ok(read) => read,
        // A recording without poses and states has no streams.
        Err(error) if format == Format::Xdf && error.to_string().contains("no streams") => return,
        Err(error) => panic!("its own file: {error}"),
    };
    let after = Sampler::new(&again).expect("times are finite");
    let before = Sampler::new(recording).expect("it was sampled");
    // Times are counted from the first sample, so that a format may round them.
    for side in Side::BOTH {
        let at_start = |sampler: &Sampler| sampler.frame_at(0.0).hand(side).tracked;
        assert_eq!(at_start(&before), at_start(&after), "{side}");
    }
}
