//! Any bytes read or give an error; what is read or parsed comes back the same.

use inputanim::Recording;
use inputanim_convert::mcap::{self, Options, Times, WriteError};

pub(crate) fn check(bytes: &[u8]) {
    if let Ok(reading) = mcap::read(bytes) {
        comes_back(&reading.recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    // Few frames, however long it is.
    let rate = 8.0 / f64::from(recording.duration().clamp(1.0, 1e30));
    let options = Options {
        times: Times::Rate(rate),
        ..Options::default()
    };
    let mut file = Vec::new();
    match mcap::write(recording, &options, &mut file) {
        Ok(_) => {}
        Err(WriteError::Sample(_) | WriteError::TooLate { .. }) => return,
        Err(error) => panic!("{error}"),
    }
    let reading = mcap::read(&file).expect("its own file");
    // Not its layout: of one without keys several have the same bytes.
    let back = reading.recording;
    let bytes = |take: &Recording<'_>| take.to_bytes(take.layout).expect("it was written");
    assert_eq!(bytes(&back), bytes(recording));
    assert!(reading.losses.is_empty() && reading.damage.is_none());
}
