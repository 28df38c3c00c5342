//! The session file: frames on disk as they arrive, until the output is written.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anstream::eprintln;
use anyhow::Context;
use inputanim::session::{SessionOptions, SessionWriteError, SessionWriter};
use inputanim::{Frame, Layout};

use crate::files::output;
use crate::messages::diagnostics::report;
use crate::messages::hints::recover;
use crate::messages::outcome::Refusal;

/// A session file that is written during the recording.
pub(super) struct Journal {
    path: PathBuf,
    /// Until it fails, or is finished.
    writer: Option<SessionWriter<File>>,
    has_failed: bool,
}

impl Journal {
    /// Creates a session file. An existing one is never replaced, since it may hold frames that
    /// were not recovered yet.
    pub(super) fn create(path: &Path, layout: Layout) -> anyhow::Result<Journal> {
        let file = File::options().write(true).create_new(true).open(path);
        let file = match file {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Refusal::failure(
                    format!(
                        "{} already exists, and may contain frames that are stored nowhere else",
                        path.display()
                    ),
                    format!(
                        "`{}` converts it to a recording; then move or delete it",
                        recover(Some(path))
                    ),
                ));
            }
            file => file.with_context(|| format!("cannot write {}", path.display()))?,
        };
        // After a power cut the frames are of no use without the name of the file.
        output::sync_folder(path);
        let writer = SessionWriter::new(file, SessionOptions::new(layout))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Journal {
            path: path.to_owned(),
            writer: Some(writer),
            has_failed: false,
        })
    }

    /// Adds a frame; its time is that in the recording.
    pub(super) fn push(&mut self, frame: &Frame) {
        self.write(|writer| writer.push(frame));
    }

    /// Adds a marker; its time is that in the recording.
    pub(super) fn mark(&mut self, time: f32, name: &str) {
        self.write(|writer| writer.mark(time, name));
    }

    /// Writes to the session. After an error, which is printed once, recording continues without
    /// it.
    fn write(
        &mut self,
        write: impl FnOnce(&mut SessionWriter<File>) -> Result<(), SessionWriteError>,
    ) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        if let Err(error) = write(writer) {
            let error = anyhow::Error::from(error).context(format!(
                "{}: frames are no longer written to the session",
                self.path.display()
            ));
            report(&error);
            self.writer = None;
            self.has_failed = true;
        }
    }

    /// Writes the rest.
    pub(super) fn finish(mut self) -> Journal {
        self.write(SessionWriter::sync);
        if let Some(writer) = self.writer.take() {
            // All frames are on disk, so a missing end block is not worth an error
            // (docs/session.md).
            writer.finish().ok();
        }
        self
    }

    /// Removes the file, once the output is written.
    pub(super) fn remove(self) {
        fs::remove_file(&self.path).ok();
    }

    /// Prints where the frames are, if the output was not written.
    pub(super) fn print_location(&self) {
        let frames = if self.has_failed {
            "the frames up to the error"
        } else {
            "all frames"
        };
        let (path, recover) = (self.path.display(), recover(Some(&self.path)));
        eprintln!("{path}: contains {frames}; `{recover}` converts them to a recording");
    }
}
