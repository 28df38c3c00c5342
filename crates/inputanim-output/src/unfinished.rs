//! Temporary files and folders that are not complete yet, so that a signal handler can remove them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

static IS_LISTED: AtomicBool = AtomicBool::new(false);
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list is intact even if a thread panicked while it held the lock.
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a list of temporary files, so that [`remove_unfinished`] removes them. Without the list, writing a file needs
/// no lock. This matters for a fork, which copies a lock in its locked state if another thread holds it.
pub fn list_unfinished() {
    IS_LISTED.store(true, Ordering::Relaxed);
}

pub(crate) fn add(path: &Path) {
    if IS_LISTED.load(Ordering::Relaxed) {
        files().push(path.to_owned());
    }
}

pub(crate) fn forget(path: &Path) {
    if IS_LISTED.load(Ordering::Relaxed) {
        files().retain(|other| other != path);
    }
}

/// Removes the temporary files of all outputs since [`list_unfinished`] was called. Call it just before a signal ends
/// the program. Later outputs block forever, so that no other thread creates or renames a file.
pub fn remove_unfinished() {
    let files = std::mem::ManuallyDrop::new(files());
    for file in files.iter() {
        if file.is_dir() {
            fs::remove_dir_all(file).ok();
        } else {
            fs::remove_file(file).ok();
        }
    }
}
