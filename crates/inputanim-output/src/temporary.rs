//! Temporary files that other programs read.

use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, TempPath};

use crate::unfinished;

/// A temporary file that another program reads. Only the user can read it.
///
/// The file is removed when this value is dropped, and by [`remove_unfinished`](crate::remove_unfinished).
#[derive(Debug)]
pub struct TemporaryFile(TempPath);

impl TemporaryFile {
    /// Creates a temporary file with this content in a folder. Its name is random between a prefix and a suffix.
    ///
    /// # Errors
    /// When the file cannot be created or written.
    pub fn create(
        folder: &Path,
        prefix: &str,
        suffix: &str,
        content: &[u8],
    ) -> io::Result<TemporaryFile> {
        let mut builder = Builder::new();
        // The mode of such files is 0600.
        let file = builder.prefix(prefix).suffix(suffix).tempfile_in(folder);
        // The error would name the random file, which the user does not know.
        let mut file = file.map_err(|error| io::Error::from(error.kind()))?;
        unfinished::add(file.path());
        let written = file.write_all(content);
        let file = TemporaryFile(file.into_temp_path());
        written.map(|()| file)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        unfinished::forget(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_temporary_file_is_private_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let file = TemporaryFile::create(folder.path(), "a-", ".html", b"content").unwrap();
        let path = file.path().to_owned();
        assert_eq!(fs::read(&path).unwrap(), b"content");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(file);
        assert!(!path.exists());
        let missing = folder.path().join("missing");
        assert!(TemporaryFile::create(&missing, "a-", ".html", b"").is_err());
    }
}
