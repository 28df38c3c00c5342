//! Sessions in memory, shared by the tests of recovery.

use inputanim::session::{
    self, RecoveredSession, SessionOptions, SessionReadError, SessionWriter, SyncedData,
};
use inputanim::{Frame, Layout, Limits, Recorder, Recording};

/// Writes frames to a session. Returns its bytes, and the synced data at the start and after each frame.
pub(crate) fn written(settings: SessionOptions, frames: &[Frame]) -> (Vec<u8>, Vec<SyncedData>) {
    let mut bytes = Vec::new();
    let mut writer = SessionWriter::new(&mut bytes, settings).unwrap();
    let mut safe = vec![writer.synced()];
    for frame in frames {
        writer.push(frame).unwrap();
        safe.push(writer.synced());
    }
    writer.finish().unwrap();
    (bytes, safe)
}

/// Returns the recording that a recorder makes of the frames. The recovery of a session must return the same.
pub(crate) fn recorded(frames: &[Frame]) -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for frame in frames {
        recorder.push(frame).unwrap();
    }
    recorder.finish()
}

pub(crate) fn recover(bytes: &[u8]) -> Result<RecoveredSession, SessionReadError> {
    session::recover(bytes, &Limits::default())
}

pub(crate) const SETTINGS: SessionOptions = SessionOptions::new(Layout::Mrtk1_1);
