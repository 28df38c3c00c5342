//! Folders that appear when all of their files are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

use crate::{Existing, OutputError, folder_of, sync_folder, target_of, unfinished};

/// A folder that is written under a temporary name beside its target, and renamed when it is complete.
///
/// The temporary folder is removed when this value is dropped, and by [`remove_unfinished`](crate::remove_unfinished). A
/// program that is killed leaves it behind, and the target as it was.
///
/// ```
/// use std::io::Write;
/// use inputanim_output::{Existing, NewFolder, OutputError};
/// let folder = tempfile::tempdir()?;
/// let target = folder.path().join("dataset");
/// let new = NewFolder::create(&target, Existing::Refuse, "info.json")?;
/// new.file("data/a.bin")?.write_all(b"content")?;
/// new.file("info.json")?.write_all(b"{}")?;
/// assert!(!target.exists());
/// new.finish()?;
/// assert_eq!(std::fs::read(target.join("data/a.bin"))?, b"content");
/// let again = NewFolder::create(&target, Existing::Refuse, "info.json");
/// assert!(matches!(again, Err(OutputError::Exists(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NewFolder {
    /// `None` only while it is dropped.
    temporary: Option<TempDir>,
    target: PathBuf,
    existing: Existing,
    mark: String,
}

impl NewFolder {
    /// Creates the temporary folder, and the parents of the target. An existing folder is replaced if it contains the
    /// file `mark`, relative to the folder, so that no folder with other content is lost.
    ///
    /// # Errors
    /// When the target must not be replaced ([`check_folder`]), or the folder cannot be created.
    pub fn create(target: &Path, existing: Existing, mark: &str) -> Result<NewFolder, OutputError> {
        check_folder(target, existing, mark)?;
        let target = target_of(target);
        fs::create_dir_all(folder_of(&target))?;
        let mut builder = Builder::new();
        builder.prefix(".inputanim-").suffix(".part");
        use_default_permissions(&mut builder);
        // The error would name the temporary folder, which the user does not know.
        let temporary = builder.tempdir_in(folder_of(&target));
        let temporary = temporary.map_err(|error| io::Error::from(error.kind()))?;
        unfinished::add(temporary.path());
        Ok(NewFolder {
            temporary: Some(temporary),
            target,
            existing,
            mark: mark.to_owned(),
        })
    }

    /// Creates a file. Its path has slashes, and is relative to the folder.
    ///
    /// # Errors
    /// When the file exists, or cannot be created.
    pub fn file(&self, path: &str) -> io::Result<BufWriter<File>> {
        let path = self.path().join(path);
        fs::create_dir_all(folder_of(&path))?;
        let file = File::create_new(path)?;
        Ok(BufWriter::with_capacity(1 << 18, file))
    }

    /// Gives the folder its name, once its files are on disk.
    ///
    /// # Errors
    /// When the target must not be replaced, or the system reports an error. The target then stays as it was.
    pub fn finish(mut self) -> Result<(), OutputError> {
        sync_files(self.path())?;
        check_folder(&self.target, self.existing, &self.mark)?;
        let target = &self.target;
        let mut replaced = None;
        if target.exists() {
            let old = Builder::new()
                .prefix(".inputanim-")
                .suffix(".old")
                .tempdir_in(folder_of(target))?;
            fs::rename(target, old.path().join("replaced"))?;
            replaced = Some(old);
        }
        if let Err(error) = fs::rename(self.path(), target) {
            if let Some(old) = replaced {
                fs::rename(old.path().join("replaced"), target)?;
            }
            return Err(error.into());
        }
        sync_folder(target);
        if let Some(temporary) = self.temporary.take() {
            unfinished::forget(temporary.path());
            // Nothing has the temporary name any more.
            let _ = temporary.keep();
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        self.temporary
            .as_ref()
            .map_or(&self.target, |folder| folder.path())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if let Some(temporary) = self.temporary.take() {
            let path = temporary.path().to_owned();
            drop(temporary);
            unfinished::forget(&path);
        }
    }
}

/// Checks that a folder can be written. Call it before a long computation.
///
/// # Errors
/// When the path names something else than a folder, when a folder with content exists and `existing` refuses it, and when
/// a folder with content does not contain the file `mark`.
pub fn check_folder(path: &Path, existing: Existing, mark: &str) -> Result<(), OutputError> {
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(());
    };
    if !metadata.is_dir() {
        return Err(OutputError::NotFolder(path.to_owned()));
    }
    if fs::read_dir(path)?.next().is_none() {
        return Ok(());
    }
    match existing {
        Existing::Refuse => Err(OutputError::Exists(path.to_owned())),
        Existing::Replace if path.join(mark).is_file() => Ok(()),
        Existing::Replace => Err(OutputError::OtherContent {
            path: path.to_owned(),
            mark: mark.to_owned(),
        }),
    }
}

/// Waits until all files of a folder and its subfolders are on disk.
fn sync_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_files(&entry.path())?;
        } else {
            // Windows syncs only files that are open for writing.
            File::options().write(true).open(entry.path())?.sync_all()?;
        }
    }
    Ok(())
}

/// Sets the usual permissions of a new folder. Temporary folders are private by default.
#[cfg(unix)]
fn use_default_permissions(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    // The system subtracts the umask of the user.
    builder.permissions(fs::Permissions::from_mode(0o777));
}

#[cfg(not(unix))]
fn use_default_permissions(_: &mut Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn write(target: &Path, existing: Existing, content: &str) -> Result<(), OutputError> {
        let new = NewFolder::create(target, existing, "info.json")?;
        new.file("info.json")?.write_all(content.as_bytes())?;
        new.finish()
    }

    #[test]
    fn a_folder_is_replaced_only_on_request_and_only_if_it_has_the_mark() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a/dataset");
        write(&target, Existing::Refuse, "1").unwrap();
        let refused = write(&target, Existing::Refuse, "2");
        assert!(matches!(refused, Err(OutputError::Exists(_))));
        fs::write(target.join("old.bin"), "old").unwrap();
        write(&target, Existing::Replace, "3").unwrap();
        assert_eq!(fs::read(target.join("info.json")).unwrap(), b"3");
        assert!(!target.join("old.bin").exists());

        fs::rename(target.join("info.json"), target.join("other")).unwrap();
        let refused = write(&target, Existing::Replace, "4");
        assert!(matches!(refused, Err(OutputError::OtherContent { .. })));
        let refused = write(&target.join("other"), Existing::Replace, "5");
        assert!(matches!(refused, Err(OutputError::NotFolder(_))));
        // Only the target is left.
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 1);
    }

    #[test]
    fn an_empty_folder_is_filled_and_an_unfinished_one_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("dataset");
        fs::create_dir(&target).unwrap();
        let new = NewFolder::create(&target, Existing::Refuse, "info.json").unwrap();
        new.file("data/part.bin").unwrap();
        assert!(new.file("data/part.bin").is_err());
        drop(new);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write(&target, Existing::Refuse, "1").unwrap();
        assert_eq!(fs::read(target.join("info.json")).unwrap(), b"1");
    }
}
