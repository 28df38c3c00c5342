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
    /// The writer of the session file; `None` after an error, or when the file is finished.
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
        let mut options = SessionOptions::new(layout);
        // Any frame may be the first one with a device.
        options.devices = true;
        let writer = SessionWriter::new(file, options)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Journal {
            path: path.to_owned(),
            writer: Some(writer),
            has_failed: false,
        })
    }

    /// Writes a frame to the session file. The time of the frame is that in the recording, and not that of the input.
    pub(super) fn push(&mut self, frame: &Frame) {
        self.write(|writer| writer.push(frame));
    }

    /// Writes a marker to the session file. `time` is its time in the recording, in seconds, and not that of the input.
    pub(super) fn mark(&mut self, time: f32, name: &str) {
        self.write(|writer| writer.mark(time, name));
    }

    /// Writes to the session file with `write`. The first error is printed, and recording continues without the session
    /// file.
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

    /// Waits until all frames are on disk, and writes the end of the session file.
    pub(super) fn finish(mut self) -> Journal {
        self.write(SessionWriter::sync);
        if let Some(writer) = self.writer.take() {
            // All frames are on disk, so a missing end block is not worth an error
            // (docs/session.md).
            writer.finish().ok();
        }
        self
    }

    /// Removes the session file, which is not needed once the output is written.
    pub(super) fn remove(self) {
        fs::remove_file(&self.path).ok();
    }

    /// Prints the path of the session file, which is kept, and the command that converts it to a recording.
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
