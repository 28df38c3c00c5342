//! The files of a recording.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use inputanim_openxr::{RecordReport, numbered};
use inputanim_output::sync_folder;

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

/// Writes a report to a JSON file. Errors are ignored, because without the report, only the messages of the program
/// that started the application are less exact.
pub(crate) fn write_report(path: &Path, report: &RecordReport) {
    if let Ok(text) = serde_json::to_string(report) {
        let _ = fs::write(path, text);
    }
}

#[cfg(test)]
mod tests {
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
}
