//! Temporary files that are not complete yet, so that a signal handler can remove them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list is intact even if a thread panicked while it held the lock.
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn add(path: &Path) {
    files().push(path.to_owned());
}

pub(crate) fn forget(path: &Path) {
    files().retain(|other| other != path);
}

/// Removes the temporary files of all outputs. Call it just before the program ends because of a signal: later
/// outputs then block forever, so that no other thread creates or renames a file.
pub fn remove_unfinished() {
    let files = std::mem::ManuallyDrop::new(files());
    for file in files.iter() {
        fs::remove_file(file).ok();
    }
}
