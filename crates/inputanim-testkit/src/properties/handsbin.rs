//! Any bytes are read as a capture of hands by Unity or give an error. Every recording can be written, and the file can be
//! read: at the times of its frames, the states of the hands are the same, and the positions of their joints too.

use inputanim::{Joint, Recording, Sampler, Side};
use inputanim_convert::{Error, Format, ReadOptions, Sampling, WriteOptions, read, write};

/// Checks that these bytes are read as a capture or give an error, and that a recording that is written as a capture and read has
/// the same states of hands and the same positions.
///
/// # Panics
/// Panics where a property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::HandsBin, bytes, &ReadOptions::default()) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    // Few frames, even for a recording of years.
    let rate = 8.0 / f64::from(recording.duration().clamp(1.0, 1e30));
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    let mut file = Vec::new();
    let losses = match write(Format::HandsBin, recording, &options, &mut file) {
        Ok(report) => report.losses,
        Err(Error::Sample(_)) => return,
        Err(error) => panic!("{error}"),
    };
    let options = ReadOptions::default();
    let (again, report) = read(Format::HandsBin, &file, &options).expect("its own file");
    assert_eq!(report.losses, [], "frames or hands are lost");
    let before = Sampler::new(recording).expect("it was sampled");
    let after = Sampler::new(&again).expect("frames are finite");
    let is_complete = losses.is_empty();
    for time in after.key_times() {
        let (a, b) = (before.frame_at(time), after.frame_at(time));
        if let (true, Some(a), Some(b)) = (is_complete, a.head, b.head) {
            assert_eq!(a.position, b.position, "head");
        }
        for side in Side::BOTH {
            let (a, b) = (a.hand(side), b.hand(side));
            if !is_complete {
                continue;
            }
            assert_eq!(a.tracked, b.tracked, "{side} hand");
            if !b.tracked {
                continue;
            }
            assert_eq!(a.pinching, b.pinching, "{side} hand");
            for joint in &Joint::ALL[1..] {
                let [a, b] = [a, b].map(|hand| hand.joints[*joint].map(|pose| pose.position));
                assert_eq!(a, b, "{side} {joint}");
            }
        }
    }
}
