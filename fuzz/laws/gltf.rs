//! Any bytes read or give an error; what reads, and what parses, is written the same again once it
//! was written.

use inputanim::Recording;
use inputanim_convert::gltf::{self, Options, WriteError};

pub(crate) fn check(bytes: &[u8]) {
    if let Ok(recording) = gltf::read(bytes) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let write = |recording: &Recording<'_>| {
        let mut bytes = Vec::new();
        gltf::write(recording, &Options::default(), &mut bytes).map(|_| bytes)
    };
    let once = match write(recording) {
        Ok(bytes) => bytes,
        // A foreign file may hold more than the layout that it is given.
        Err(
            WriteError::Unplayable { .. } | WriteError::TooManyKeys { .. } | WriteError::Layout(_),
        ) => return,
        Err(error) => panic!("{error}"),
    };
    let back = gltf::read(&once).expect("its own bytes");
    assert_eq!(back.markers, recording.markers);
    assert!(write(&back).expect("it was written") == once);
}
