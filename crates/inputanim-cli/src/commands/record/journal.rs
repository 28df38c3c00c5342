//! The session file: frames on disk as they come, until the output is.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anstream::eprintln;
use anyhow::Context;
use inputanim::session::{Settings, WriteError, Writer};
use inputanim::{Frame, Layout};

use crate::diagnostics::report;
use crate::outcome::Refusal;
use crate::output;

/// A session file that is written beside what is recorded.
pub(super) struct Journal {
    path: PathBuf,
    /// Until it fails, or is finished.
    writer: Option<Writer<File>>,
    has_failed: bool,
}

impl Journal {
    /// Begins a session in a new file. One that is there may hold what nobody has recovered yet, so
    /// nothing replaces it.
    pub(super) fn create(path: &Path, layout: Layout) -> anyhow::Result<Journal> {
        let file = File::options().write(true).create_new(true).open(path);
        let file = match file {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Refusal::failure(
                    format!(
                        "{} is there already: it may hold frames that are nowhere else",
                        path.display()
                    ),
                    "`inputanim recover` makes a recording of it; move or delete it then",
                ));
            }
            file => file.with_context(|| format!("cannot write {}", path.display()))?,
        };
        output::sync_folder(path);
        let writer = Writer::new(file, Settings::new(layout))
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

    /// One failure is told once: recording goes on without it.
    fn write(&mut self, write: impl FnOnce(&mut Writer<File>) -> Result<(), WriteError>) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        if let Err(error) = write(writer) {
            let error = anyhow::Error::from(error).context(format!(
                "{}: from here on a crash would cost the recording",
                self.path.display()
            ));
            report(&error);
            self.writer = None;
            self.has_failed = true;
        }
    }

    /// Writes the rest.
    pub(super) fn finish(mut self) -> Journal {
        self.write(Writer::sync);
        if let Some(writer) = self.writer.take() {
            // All frames are on disk; that there are no more is not worth an error.
            writer.finish().ok();
        }
        self
    }

    /// Takes the file away, once what it holds is elsewhere.
    pub(super) fn remove(self) {
        fs::remove_file(&self.path).ok();
    }

    /// Says where the frames are, if they are nowhere else.
    pub(super) fn tell(&self) {
        let frames = match self.has_failed {
            true => "the frames up to where it failed",
            false => "all frames",
        };
        let path = self.path.display();
        eprintln!("{path}: has {frames}, `inputanim recover` makes a recording of them");
    }
}
