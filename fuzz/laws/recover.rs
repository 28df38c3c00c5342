//! Whatever is recovered is well formed when written, and a whole file recovers to itself.

use inputanim::Recording;

pub(crate) fn check(bytes: &[u8]) {
    let parsed = Recording::parse(bytes);
    let Ok(recovery) = Recording::recover(bytes) else {
        assert!(parsed.is_err());
        return;
    };
    match parsed {
        Ok(recording) => {
            assert!(recovery.is_whole() && recovery.missing.is_empty());
            assert_eq!(recovery.recording, recording);
        }
        Err(error) => assert_eq!(recovery.error, Some(error)),
    }
    let layout = recovery.recording.layout;
    let written = recovery.recording.to_bytes(layout).expect("its own layout");
    let again = Recording::parse(&written).expect("well formed");
    assert_eq!(
        again.to_bytes(again.layout).expect("its own layout"),
        written
    );
}
