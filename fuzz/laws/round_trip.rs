//! Parse then write gives the input; so does the way through every layout that loses nothing.

use inputanim::{Layout, Recording};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(recording) = Recording::parse(bytes) else {
        return;
    };
    let written = recording
        .to_bytes(recording.layout)
        .expect("its own layout");
    assert_eq!(written, bytes);
    for layout in Layout::ALL {
        match recording.to_bytes(layout) {
            Ok(other) => {
                let read = Recording::parse(&other).expect("well formed");
                // By an accident of numbers the bytes may fit a preferred layout too.
                if read.layout == layout {
                    let back = read.to_bytes(recording.layout).expect("nothing was lost");
                    assert_eq!(back, bytes);
                }
            }
            Err(_) => assert!(!recording.losses(layout).is_empty()),
        }
    }
}
