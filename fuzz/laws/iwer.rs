//! Any text reads or gives an error; what is read or parsed can be written, and what is written can
//! be read, with a hand wherever there was one.

use inputanim::{Recording, Sampler, Side};
use inputanim_convert::iwer::{self, Options, WriteError};

pub(crate) fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = iwer::read(bytes) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    // Few frames, however long it is.
    let rate = 8.0 / f64::from(recording.duration().clamp(1.0, 1e30));
    let mut text = Vec::new();
    let losses = match iwer::write(recording, &Options { rate }, &mut text) {
        Ok(losses) => losses,
        Err(WriteError::Sample(_)) => return,
        Err(error) => panic!("{error}"),
    };
    let (read, lost) = iwer::read(&text).expect("its own text");
    assert_eq!(lost, [], "frames or hands are lost");
    let before = Sampler::new(recording).expect("it was sampled");
    let after = Sampler::new(&read).expect("frames are finite");
    let is_whole = losses.is_empty();
    for time in after.key_times() {
        let (a, b) = (before.frame_at(time), after.frame_at(time));
        for side in Side::BOTH {
            let (a, b) = (a.hand(side), b.hand(side));
            if is_whole {
                assert_eq!(
                    (a.tracked, a.tracked && a.pinching),
                    (b.tracked, b.pinching)
                );
            }
        }
    }
}
