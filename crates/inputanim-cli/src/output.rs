//! Outputs that are whole or not there.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::{Builder, NamedTempFile};

use crate::outcome::Refusal;
use crate::progress::Written;

const BUFFER: usize = 1 << 18;

/// Where an output goes.
pub(crate) type Sink<'s> = dyn Write + Send + 's;

/// Writes to a file, or to standard output for `-`.
///
/// A file is first written under another name in the same folder, synced, and then renamed, so
/// that it is never seen half-written. One that is there already is replaced only with `force`.
pub(crate) fn write_to(
    path: &Path,
    force: bool,
    is_binary: bool,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return write_stdout(is_binary, write);
    }
    check(path, force)?;
    let saying = || format!("cannot write {}", path.display());
    // A device or pipe has no whole to protect, and must not be replaced by a file.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let output = File::create(path).with_context(saying)?;
        return buffered(output, write).with_context(saying);
    }
    let target = target_of(path);
    let file = write_beside(&target, |file| buffered(Written::new(file), write));
    file.and_then(|file| persist(file, &target, force))
        .with_context(saying)?;
    sync_folder(&target);
    Ok(())
}

/// Writes one file of several whose progress is shown together. It has its name, in the place of
/// what is there, once it is [finished](Unnamed::finish).
pub(crate) fn write_one_of_many(
    path: &Path,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Unnamed> {
    check(path, true)?;
    let target = target_of(path);
    if target.exists() && !target.is_file() {
        let message = format!("{} is no file", path.display());
        return Err(Refusal::failure(message, "name a file to write"));
    }
    let file = write_beside(&target, |file| buffered(file, write));
    let file = file.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Unnamed { file, target })
}

/// A file that is written, but neither known to be on disk nor under its name. If it is dropped, it
/// is gone.
pub(crate) struct Unnamed {
    file: NamedTempFile,
    target: PathBuf,
}

impl Unnamed {
    /// Waits until the file is on disk, which takes longer than to write it, and gives it its name.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        let name = self.target.display().to_string();
        persist(self.file, &self.target, true).with_context(|| format!("cannot write {name}"))
    }
}

/// Whether a file may be written: what can be refused before anything is done.
pub(crate) fn check(path: &Path, force: bool) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return Ok(());
    }
    let name = path.display();
    match fs::metadata(path).ok() {
        Some(metadata) if metadata.is_dir() => {
            let message = format!("{name} is a folder");
            Err(Refusal::failure(message, "name the file to write in it"))
        }
        Some(metadata) if metadata.is_file() && !force => {
            let message = format!("{name} is there already");
            Err(Refusal::failure(message, "--force replaces it"))
        }
        None if path.is_symlink() => {
            let message = format!("{name} is a link that leads nowhere");
            Err(Refusal::failure(message, "name the file itself"))
        }
        None if !folder_of(path).is_dir() => {
            let message = format!("{name} cannot be written: its folder is not there");
            Err(Refusal::failure(message, "make the folder first"))
        }
        _ => Ok(()),
    }
}

/// Whether a file can be made where another is to be written: what only trying tells. It has no
/// name, so that nothing of it stays even if a signal ends the program.
pub(crate) fn probe(path: &Path) -> anyhow::Result<()> {
    let target = target_of(path);
    let is_special = fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file());
    if is_special {
        return Ok(());
    }
    let file = tempfile::tempfile_in(folder_of(&target));
    file.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

fn write_stdout(
    is_binary: bool,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let output = io::stdout();
    if is_binary && output.is_terminal() {
        let message = "a recording is no text for a terminal";
        let hint = "name a file, send the output into a pipe, or ask for --to json";
        return Err(Refusal::usage(message, hint));
    }
    buffered(output, write).context("cannot write to standard output")
}

/// The file that is written: behind a link, it is replaced and not the link.
fn target_of(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn buffered(
    output: impl Write + Send,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut output = BufWriter::with_capacity(BUFFER, output);
    write(&mut output)?;
    Ok(output.flush()?)
}

/// Writes a file that has another name as yet.
fn write_beside(
    target: &Path,
    write: impl FnOnce(&mut File) -> anyhow::Result<()>,
) -> anyhow::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".inputanim-").suffix(".part");
    as_any_new_file(&mut builder);
    // Of the error only what is wrong: it names a file that nobody knows.
    let mut file = builder
        .tempfile_in(folder_of(target))
        .map_err(|error| io::Error::from(error.kind()))?;
    unfinished::add(file.path());
    if let Ok(replaced) = fs::metadata(target) {
        file.as_file().set_permissions(replaced.permissions())?;
    }
    write(file.as_file_mut())?;
    Ok(file)
}

/// Gives a file its name once it is on disk, so that the name never stands for less.
fn persist(file: NamedTempFile, target: &Path, force: bool) -> anyhow::Result<()> {
    file.as_file().sync_all()?;
    let unnamed = file.path().to_owned();
    match force {
        true => file.persist(target).map_err(|error| error.error)?,
        false => file
            .persist_noclobber(target)
            .map_err(|error| error.error)?,
    };
    unfinished::forget(&unnamed);
    Ok(())
}

/// Files that have no name yet: who ends the program does not want to keep them.
mod unfinished {
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

    pub(super) fn files() -> MutexGuard<'static, Vec<PathBuf>> {
        FILES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(path: &Path) {
        files().push(path.to_owned());
    }

    pub(super) fn forget(path: &Path) {
        files().retain(|other| other != path);
    }
}

/// From now on a signal that ends the program removes what is not finished.
#[cfg(unix)]
pub(crate) fn remove_unfinished_on_signals() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let Ok(mut signals) = crate::signals::listen(&[SIGINT, SIGTERM]) else {
        return;
    };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            // Held from here on, so that no other file is begun or gets its name.
            let files = unfinished::files();
            for file in files.iter() {
                fs::remove_file(file).ok();
            }
            signal_hook::low_level::emulate_default_handler(signal).ok();
        }
    });
}

#[cfg(not(unix))]
pub(crate) fn remove_unfinished_on_signals() {}

/// A new name is on disk once its folder is; not every system lets a folder be synced.
pub(crate) fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        folder.sync_all().ok();
    }
}

/// Whether two paths are one file, whatever they are called.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Makes a folder, and those that it is in, where it is not there.
pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Temporary files are private by default; this one is to become a usual one.
#[cfg(unix)]
fn as_any_new_file(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn as_any_new_file(_: &mut Builder<'_, '_>) {}
