//! Sessions in memory, for the tests of what comes back of them.

use inputanim::session::{self, RecoverError, Recovery, Safe, Settings, Writer};
use inputanim::{Frame, Layout, Limits, Recorder, Recording};

/// The session of frames, and what was safe when it was so many bytes long.
pub(crate) fn written(settings: Settings, frames: &[Frame]) -> (Vec<u8>, Vec<Safe>) {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, settings).unwrap();
    let mut safe = vec![writer.safe()];
    for frame in frames {
        writer.push(frame).unwrap();
        safe.push(writer.safe());
    }
    writer.finish().unwrap();
    (bytes, safe)
}

/// As a recorder has them, which a session is to give back.
pub(crate) fn recorded(frames: &[Frame]) -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for frame in frames {
        recorder.push(frame).unwrap();
    }
    recorder.finish()
}

pub(crate) fn recover(bytes: &[u8]) -> Result<Recovery, RecoverError> {
    session::recover(bytes, &Limits::default())
}

pub(crate) const SETTINGS: Settings = Settings::new(Layout::Mrtk1_1);
