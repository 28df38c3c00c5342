//! Every recovered recording is written as a well-formed file, and an intact file is recovered
//! completely.

use inputanim::Recording;

/// Checks that a recording that is recovered from these bytes is written as a well-formed file, and that an intact file
/// is recovered completely. Panics if the property does not hold.
pub fn check(bytes: &[u8]) {
    let parsed = Recording::parse(bytes);
    let Ok(recovery) = Recording::recover(bytes) else {
        assert!(parsed.is_err());
        return;
    };
    match parsed {
        Ok(recording) => {
            assert!(recovery.is_intact() && recovery.damaged.is_empty());
            assert_eq!(recovery.recording, recording);
        }
        Err(error) => assert_eq!(recovery.error, Some(error)),
    }
    let layout = recovery.recording.layout;
    let written = recovery
        .recording
        .to_bytes_as(layout)
        .expect("its own layout");
    let again = Recording::parse(&written).expect("well formed");
    assert_eq!(again.to_bytes().expect("its own layout"), written);
}
