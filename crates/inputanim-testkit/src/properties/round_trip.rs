//! Parsing and writing returns the input, also through every other layout that loses nothing.

use inputanim::{Layout, Recording};

/// Checks that a recording in these bytes is written as the same bytes again, also through every other layout that
/// loses nothing. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    let Ok(recording) = Recording::parse(bytes) else {
        return;
    };
    let written = recording.to_bytes().expect("its own layout");
    assert_eq!(written, bytes);
    for &layout in Layout::ALL {
        match recording.to_bytes_as(layout) {
            Ok(other) => {
                let read = Recording::parse(&other).expect("well formed");
                // The same bytes can also fit a layout that detection prefers.
                if read.layout == layout {
                    let back = read
                        .to_bytes_as(recording.layout)
                        .expect("nothing was lost");
                    assert_eq!(back, bytes);
                }
            }
            Err(_) => assert!(!recording.losses(layout).is_empty()),
        }
    }
}
