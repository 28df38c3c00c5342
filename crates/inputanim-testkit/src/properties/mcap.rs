//! Any bytes are read as MCAP or give an error; every recording that is written comes back the same.

use inputanim::Recording;
use inputanim_convert::mcap::McapError;
use inputanim_convert::{Error, Format, ReadOptions, Sampling, WriteOptions, read, write};

/// Checks that these bytes are read as MCAP or give an error, and that a recording that is written as MCAP comes back
/// the same. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Mcap, bytes, &ReadOptions::default()) {
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
    match write(Format::Mcap, recording, &options, &mut file) {
        Ok(_) => {}
        Err(Error::Sample(_)) => return,
        Err(error) => match error.downcast_ref() {
            Some(McapError::TooLate { .. }) => return,
            _ => panic!("{error}"),
        },
    }
    let (back, report) = read(Format::Mcap, &file, &ReadOptions::default()).expect("its own file");
    // Bytes are compared, because several layouts have the same bytes if there are no keys.
    let bytes = |recording: &Recording<'_>| recording.to_bytes().expect("it was written");
    assert_eq!(bytes(&back), bytes(recording));
    assert!(report.losses.is_empty() && report.notes.is_empty());
}
