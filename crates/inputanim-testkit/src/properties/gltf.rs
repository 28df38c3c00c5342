//! Any bytes are read as glTF or give an error; a recording that was written and read is written as
//! the same bytes again.

use inputanim::Recording;
use inputanim_convert::gltf::GltfError;
use inputanim_convert::{Error, Format, ReadOptions, WriteOptions, read, write};

/// Checks that these bytes are read as glTF or give an error, and that a recording that was written and read is written
/// as the same bytes again.
///
/// # Panics
/// Panics where a property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Gltf, bytes, &ReadOptions::default()) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    let to_bytes = |recording: &Recording<'_>| {
        let mut bytes = Vec::new();
        let options = WriteOptions::default();
        write(Format::Glb, recording, &options, &mut bytes).map(|_| bytes)
    };
    let once = match to_bytes(recording) {
        Ok(bytes) => bytes,
        // A file of another program may hold more than the layout of the recording can represent.
        Err(Error::Sample(_) | Error::Write(_)) => return,
        Err(error) => match error.downcast_ref() {
            Some(GltfError::TooManyKeys { .. }) => return,
            _ => panic!("{error}"),
        },
    };
    let options = ReadOptions::default();
    let (back, _) = read(Format::Glb, &once, &options).expect("its own bytes");
    assert_eq!(back.markers, recording.markers);
    assert!(to_bytes(&back).expect("it was written") == once);
}
