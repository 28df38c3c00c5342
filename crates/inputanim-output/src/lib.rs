//! Writes files completely, or leaves them unchanged.
//!
//! A file is written under a temporary name in the same folder, synced and renamed, so that no program sees an
//! incomplete file. Only devices, FIFOs, streams and files with several hard links are written in place. A file that is
//! replaced keeps the properties that other programs rely on:
//!
//! | target | effect |
//! |---|---|
//! | a symbolic link | the file behind it is replaced, and the link stays |
//! | a file with a mode, an owner and a group | the new file gets the same ones |
//! | a file with several hard links, or whose owner cannot be kept | the complete content is copied into the file, which stays the same file |
//! | a device, a FIFO or a socket, or on Windows a stream of a file | the content is written to it directly |
//! | a folder, a link to nothing, a reserved name of Windows | refused |
//!
//! [`NewFolder`] writes a folder with many files completely, or leaves it unchanged. It keeps no mode or owner.
//!
//! ```
//! use std::io::Write;
//! use inputanim_output::{Existing, OutputError, write};
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("result.txt");
//! let content = |file: &mut std::fs::File| Ok::<_, OutputError>(file.write_all(b"complete")?);
//! write(&path, Existing::Refuse, content)?;
//! assert_eq!(std::fs::read(&path)?, b"complete");
//! assert!(matches!(write(&path, Existing::Refuse, content), Err(OutputError::Exists(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod folder;
mod temporary;
mod unfinished;
mod windows_name;

use std::fs::{self, File, Metadata};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

pub use folder::{FolderContent, NewFolder, check_folder};
pub use temporary::TemporaryFile;
pub use unfinished::{list_unfinished, remove_unfinished};
use windows_name::device_of;
pub use windows_name::is_windows_name;

/// The treatment of a file that already exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// An error.
    Refuse,
    /// The content is replaced.
    Replace,
}

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The file already exists.
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    /// The path names a folder.
    #[error("{} is a folder", .0.display())]
    Folder(PathBuf),
    /// The path names something else than a folder.
    #[error("{} is not a folder", .0.display())]
    NotFolder(PathBuf),
    /// The folder has a file that its replacement would lose.
    #[error("{} cannot be replaced: its file {} would be lost", .path.display(), .file.display())]
    OtherFile {
        /// Path of the folder.
        path: PathBuf,
        /// Path of the first such file, relative to the folder.
        file: PathBuf,
    },
    /// The folder lacks a file, so that it may be something else than an output of the program.
    #[error("{} cannot be replaced: it has content, but no file {mark}", .path.display())]
    OtherContent {
        /// Path of the folder.
        path: PathBuf,
        /// The file that all outputs have, relative to the folder.
        mark: String,
    },
    /// The path names a link to a file that does not exist.
    #[error("{} is a link to a file that does not exist", .0.display())]
    DanglingLink(PathBuf),
    /// The folder of the file does not exist.
    #[error("{} cannot be written: its folder does not exist", .0.display())]
    NoFolder(PathBuf),
    /// Windows reserves the name for a device.
    #[error("{} cannot be written: Windows reserves the name {device}", .path.display())]
    Reserved {
        /// Path.
        path: PathBuf,
        /// Name of the device.
        device: String,
    },
    /// The file may not be changed: on Windows it has the attribute "read-only".
    #[error("{} cannot be written: it is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// Another program holds the file open (Windows).
    #[error("{} cannot be replaced: {error}", .path.display())]
    InUse {
        /// Path.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The complete content could not be copied into a file that must stay the same file, such as one with
    /// several hard links. It is in another file.
    #[error("{error}; the complete content is in {}", .complete.display())]
    NotCopied {
        /// The error of the system.
        error: io::Error,
        /// The file with the complete content.
        complete: PathBuf,
    },
    /// A folder could neither be replaced nor get its name back.
    #[error("{} was not replaced: {error}; its old content could not be moved back and is in {}", .path.display(), .content.display())]
    NotRestored {
        /// Path of the folder.
        path: PathBuf,
        /// The folder with its content.
        content: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The system reports an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a file with the content that `write` writes, and returns its result. If `write` returns an error, an existing
/// file stays unchanged.
///
/// # Errors
/// Returns the error of `write`, or an [`OutputError`] if the file cannot be written.
pub fn write<T, E: From<OutputError>>(
    path: &Path,
    existing: Existing,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    check(path, existing)?;
    if is_written_directly(path) {
        let mut options = File::options();
        options.write(true);
        if is_stream(path) {
            options.create(true).truncate(true);
        }
        let file = options.open(path);
        return write(&mut file.map_err(OutputError::Io)?);
    }
    let target = target_of(path);
    let mut file = beside(&target)?;
    unfinished::add(file.path());
    let written = write(file.as_file_mut());
    let path = file.path().to_owned();
    let done = written.and_then(|written| {
        finish(file, &target, existing)?;
        Ok(written)
    });
    // The file is removed from the list only after the rename, because until then a signal must still remove it.
    unfinished::forget(&path);
    done
}

/// Checks that a file can be written, as far as this is known from its path. Call it before a long computation.
///
/// # Errors
/// Returns the reason if the file cannot be written.
pub fn check(path: &Path, existing: Existing) -> Result<(), OutputError> {
    let owned = || path.to_owned();
    if let Some(device) = device_of(path).filter(|_| cfg!(windows)) {
        let path = owned();
        return Err(OutputError::Reserved { path, device });
    }
    match fs::metadata(path).ok() {
        Some(metadata) if metadata.is_dir() => Err(OutputError::Folder(owned())),
        Some(metadata) if metadata.is_file() && existing == Existing::Refuse => {
            Err(OutputError::Exists(owned()))
        }
        // Windows refuses to replace such a file. Elsewhere, only the permissions of the folder matter.
        Some(metadata)
            if cfg!(windows) && metadata.is_file() && metadata.permissions().readonly() =>
        {
            Err(OutputError::ReadOnly(owned()))
        }
        None if path.is_symlink() => Err(OutputError::DanglingLink(owned())),
        None if !folder_of(path).is_dir() => Err(OutputError::NoFolder(owned())),
        _ => Ok(()),
    }
}

/// Checks that a file can be created in the folder of `path`. It creates a file without a name. The system removes this
/// file even if a signal ends the program.
///
/// # Errors
/// Returns the error of the system.
pub fn probe(path: &Path) -> io::Result<()> {
    if is_written_directly(path) {
        return Ok(());
    }
    // Only an attempt shows whether a file can be created: permissions are not the only obstacle.
    tempfile::tempfile_in(folder_of(&target_of(path))).map(drop)
}

/// Returns the folder of a file: its parent, or `.` for a name without a folder.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns `true` if two paths name one existing file. Hard links are found on Unix only.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let is_same_path =
        matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b);
    is_same_path || is_same_inode(a, b)
}

/// Returns `true` if a path names an existing file or folder below a folder.
pub fn is_inside(path: &Path, folder: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(folder)) {
        (Ok(path), Ok(folder)) => path != folder && path.starts_with(folder),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same_inode(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path: &Path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    inode(a).is_some_and(|a| inode(b) == Some(a))
}

#[cfg(not(unix))]
fn is_same_inode(_: &Path, _: &Path) -> bool {
    false
}

/// Syncs the folder of a new file, so that the name of the file is durable. Some systems cannot do this, which is not
/// an error.
pub fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        folder.sync_all().ok();
    }
}

/// Returns `true` if the content must be written directly to `path`: to a device, a FIFO or a socket, which a rename
/// would replace, or to a stream of a file on Windows.
fn is_written_directly(path: &Path) -> bool {
    is_stream(path) || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Returns `true` if a path names an alternate stream of a file on Windows, such as `take.bin:notes`.
fn is_stream(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    cfg!(windows) && name.is_some_and(|name| name.contains(':'))
}

/// Returns the canonical path, so that the file behind a link is replaced and the link stays. A path that does not
/// exist stays as it is.
fn target_of(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Creates a temporary file in the folder of the target, because a rename cannot move a file to another file system.
fn beside(target: &Path) -> Result<NamedTempFile, OutputError> {
    let mut builder = Builder::new();
    builder.prefix(".inputanim-").suffix(".part");
    // A new file is private until it gets the mode of the file that it replaces.
    if !target.exists() {
        use_default_permissions(&mut builder);
    }
    // The error would name the temporary file, which the user does not know.
    let file = builder.tempfile_in(folder_of(target));
    Ok(file.map_err(|error| io::Error::from(error.kind()))?)
}

/// Moves a complete temporary file to its target, once its content is on disk.
fn finish(file: NamedTempFile, target: &Path, existing: Existing) -> Result<(), OutputError> {
    match fs::metadata(target) {
        Ok(replaced) if existing == Existing::Replace => {
            if has_other_names(&replaced) || !keep_owner(&file, &replaced)? {
                return copy_into(file, target);
            }
            // The mode is set after the owner, because a change of the owner removes bits of the mode.
            file.as_file().set_permissions(replaced.permissions())?;
        }
        _ => {}
    }
    file.as_file().sync_all()?;
    // The target did not exist, but another program may have created it in the meantime.
    let persisted = match existing {
        Existing::Replace => file.persist(target),
        Existing::Refuse => file.persist_noclobber(target),
    };
    persisted.map_err(|error| match error.error {
        error if error.kind() == io::ErrorKind::AlreadyExists => {
            OutputError::Exists(target.to_owned())
        }
        error => replacement_error(error, target),
    })?;
    // The rename is durable only when the folder is on disk too.
    sync_folder(target);
    Ok(())
}

/// Copies the content of a complete temporary file into its target. The target stays the same file.
fn copy_into(mut file: NamedTempFile, target: &Path) -> Result<(), OutputError> {
    let mut to = File::options().write(true).open(target)?;
    // From here on, the complete content is only in the temporary file, and a signal may not remove it.
    unfinished::forget(file.path());
    let mut copy = |from: &mut File| {
        from.rewind()?;
        let length = io::copy(from, &mut to)?;
        to.set_len(length)?;
        to.sync_all()
    };
    match copy(file.as_file_mut()) {
        Ok(()) => Ok(file.close()?),
        // The target may be incomplete now, so the complete content must not be lost.
        Err(error) => match file.keep() {
            Ok((_, complete)) => Err(OutputError::NotCopied { error, complete }),
            Err(_) => Err(OutputError::Io(error)),
        },
    }
}

fn replacement_error(error: io::Error, target: &Path) -> OutputError {
    // Windows does not replace a file that another program holds open: ERROR_ACCESS_DENIED,
    // ERROR_SHARING_VIOLATION or ERROR_USER_MAPPED_FILE.
    if cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 1224)) {
        let path = target.to_owned();
        return OutputError::InUse { path, error };
    }
    OutputError::Io(error)
}

/// Returns `true` if a file has several hard links, which a rename would separate.
#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Gives a new file the owner and the group of the file that it replaces. Returns `true` if it has them, and `false` if
/// the user may not change them.
#[cfg(unix)]
fn keep_owner(file: &NamedTempFile, replaced: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let owner = |metadata: &Metadata| (metadata.uid(), metadata.gid());
    let (uid, gid) = owner(replaced);
    if owner(&file.as_file().metadata()?) == (uid, gid) {
        return Ok(true);
    }
    Ok(fchown(file.as_file(), Some(uid), Some(gid)).is_ok())
}

#[cfg(not(unix))]
fn keep_owner(_: &NamedTempFile, _: &Metadata) -> io::Result<bool> {
    Ok(true)
}

/// Gives new files the usual permissions. Temporary files are private by default.
#[cfg(unix)]
fn use_default_permissions(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    // The system subtracts the umask of the user.
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn use_default_permissions(_: &mut Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_inside_of_the_folders_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b.bin");
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(&file, "").unwrap();
        let around = folder.path().join("a/../a/");
        assert!(is_inside(&file, &around) && is_inside(&file, folder.path()));
        assert!(!is_inside(&around, &around) && !is_inside(folder.path(), &around));
        assert!(!is_inside(&folder.path().join("missing"), folder.path()));
    }
}
