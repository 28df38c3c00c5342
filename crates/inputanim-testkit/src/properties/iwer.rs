//! Any text is read as IWER or gives an error; every recording can be written, and the file can be
//! read, with the same states of the hands.

use inputanim::{Recording, Sampler, Side};
use inputanim_convert::{Error, Format, ReadOptions, Sampling, WriteOptions, read, write};

/// Checks the properties for some input.
///
/// # Panics
/// Panics where a property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Iwer, bytes, &ReadOptions::default()) {
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
    let mut text = Vec::new();
    let losses = match write(Format::Iwer, recording, &options, &mut text) {
        Ok(report) => report.losses,
        Err(Error::Sample(_)) => return,
        Err(error) => panic!("{error}"),
    };
    let options = ReadOptions::default();
    let (again, report) = read(Format::Iwer, &text, &options).expect("its own text");
    assert_eq!(report.losses, [], "frames or hands are lost");
    let before = Sampler::new(recording).expect("it was sampled");
    let after = Sampler::new(&again).expect("frames are finite");
    let is_complete = losses.is_empty();
    for time in after.key_times() {
        let (a, b) = (before.frame_at(time), after.frame_at(time));
        for side in Side::BOTH {
            let (a, b) = (a.hand(side), b.hand(side));
            if is_complete {
                assert_eq!(
                    (a.tracked, a.tracked && a.pinching),
                    (b.tracked, b.pinching)
                );
            }
        }
    }
}
