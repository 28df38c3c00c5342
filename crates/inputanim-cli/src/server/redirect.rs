//! The file that leads the browser to the page.
//!
//! The arguments of a program are not secret: on most systems, other users of the computer see them with `ps`. A token
//! in the address would be in the arguments of the program that opens the browser. The browser therefore opens a file
//! that only the user can read, and the file leads to the address.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{env, io};

use inputanim_output::TemporaryFile;

/// A temporary file that leads the browser to the page of a server, if the file exists. Clones share the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Redirect(Arc<Mutex<Option<TemporaryFile>>>);

impl Redirect {
    /// Creates the file, which leads to `address`. Returns its path.
    pub(super) fn create(&self, address: &str) -> io::Result<PathBuf> {
        let page = page(address);
        let mut folders = folders().into_iter();
        let create = |folder: PathBuf| {
            TemporaryFile::create(&folder, "inputanim-", ".html", page.as_bytes())
        };
        let first = folders.next().unwrap_or_else(env::temp_dir);
        let file = folders.fold(create(first), |file, folder| {
            file.or_else(|_| create(folder))
        })?;
        let path = file.path().to_owned();
        *self.file() = Some(file);
        Ok(path)
    }

    /// Removes the file, which is not needed after the browser has the page.
    pub(super) fn remove(&self) {
        self.file().take();
    }

    fn file(&self) -> MutexGuard<'_, Option<TemporaryFile>> {
        // The file is valid between any two changes.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the file when it is dropped, at the end of the verb.
#[must_use = "the file is removed when this is dropped"]
pub(crate) struct RemovedAtEnd(pub(super) Redirect);

impl Drop for RemovedAtEnd {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// Returns the folders in which the file can be created, the best one first.
fn folders() -> Vec<PathBuf> {
    let mut folders = vec![env::temp_dir()];
    // A browser that is a snap has a temporary folder of its own, and may read files in the home folder that are not
    // hidden. It is the usual browser of Ubuntu.
    if Path::new("/snap").is_dir()
        && let Some(home) = env::home_dir()
    {
        folders.insert(0, home);
    }
    folders
}

/// Returns an HTML page that redirects to an address, which consists of letters, digits and `:/?=.`.
fn page(address: &str) -> String {
    format!(
        "<!doctype html>\n\
         <meta charset=\"utf-8\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n\
         <title>inputanim</title>\n\
         <p><a href=\"{address}\">inputanim</a></p>\n"
    )
}
