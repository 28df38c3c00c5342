//! The files of a recording.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use inputanim::{LayoutLoss, Recording, WriteError};
use inputanim_openxr::{RecordReport, numbered};
use inputanim_output::{Existing, OutputError, sync_folder};

const BUFFER: usize = 1 << 18;

/// Creates a session file, and returns it with the number in its name: the first one from `number` on for which
/// `is_free` returns `true` and no file exists. An existing file is never replaced, because another process may write
/// it, or it contains frames that were not recovered yet. The file is locked, so that other programs know that it
/// grows.
pub(crate) fn create_session(
    path: &Path,
    mut number: u32,
    is_free: impl Fn(u32) -> bool,
) -> io::Result<(u32, File)> {
    loop {
        if !is_free(number) {
            number += 1;
            continue;
        }
        let path = numbered(path, number);
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            file => {
                let file = file?;
                // Some network folders have no locks.
                let _ = file.try_lock();
                // After a power cut, the frames are of no use without the name of the file.
                sync_folder(&path);
                return Ok((number, file));
            }
        }
    }
}

/// Writes a recording to a file, and returns the content that the file cannot hold. If this fails, there is no incomplete
/// file; an existing file is replaced.
pub(crate) fn write(path: &Path, recording: &Recording<'_>) -> io::Result<Vec<LayoutLoss>> {
    let written = inputanim_output::write(path, Existing::Replace, |file| {
        let mut file = BufWriter::with_capacity(BUFFER, file);
        let written = recording.write_lossy_as(&mut file, recording.layout);
        let losses = written.map_err(|error| match error {
            WriteError::Io(error) => OutputError::Io(error),
            error => OutputError::Io(io::Error::other(error)),
        })?;
        file.flush().map_err(OutputError::Io)?;
        Ok(losses)
    });
    written.map_err(|error| match error {
        OutputError::Io(error) => error,
        error => io::Error::other(error),
    })
}

/// Writes a report to a JSON file. Errors are ignored, because without the report, only the messages of the program
/// that started the application are less exact.
pub(crate) fn write_report(path: &Path, report: &RecordReport) {
    if let Ok(text) = serde_json::to_string(report) {
        let _ = fs::write(path, text);
    }
}

#[cfg(test)]
mod tests {
    use inputanim::Layout;

    use super::*;

    #[test]
    fn a_session_file_is_never_replaced_and_has_a_free_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("take.session");
        let made = [0, 0, 0, 7].map(|number| {
            create_session(&path, number, |number| number != 1)
                .expect("a file")
                .0
        });
        assert_eq!(made, [0, 2, 3, 7]);
        assert!(folder.path().join("take-2.session").exists());
    }

    #[test]
    fn a_recording_replaces_a_file_and_leaves_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("take.bin");
        fs::write(&path, "old").expect("the old file");
        let recording = Recording::new(Layout::Mrtk1_1);
        write(&path, &recording).expect("the recording is written");
        assert_eq!(fs::read(&path).ok(), recording.to_bytes().ok());
        assert_eq!(folder.path().read_dir().map(Iterator::count).ok(), Some(1));
        assert!(write(&folder.path().join("none/take.bin"), &recording).is_err());
    }
}
