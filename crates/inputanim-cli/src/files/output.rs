//! Outputs: files as `inputanim-output` writes them, and standard output.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim_output::{Existing, OutputError};
#[cfg(feature = "lerobot")]
pub(crate) use inputanim_output::{FolderContent, is_inside};

use crate::messages::outcome::Refusal;
use crate::messages::progress::Written;
use crate::messages::suggestion;
use crate::signals;

pub(crate) use inputanim_output::{folder_of, is_same_file, sync_folder};

const BUFFER: usize = 1 << 18;

/// A destination of bytes.
pub(crate) type Sink<'s> = dyn Write + Send + 's;

/// Writes to a file, or to standard output for `-`. An existing file is replaced only with `force`. Binary data is not
/// written to a terminal.
pub(crate) fn write_to<T>(
    path: &Path,
    force: bool,
    is_binary: bool,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    if path == Path::new("-") {
        return write_stdout(is_binary, write);
    }
    write_file(path, force, |file| buffered(Written::new(file), write))
}

/// Writes one of several files, for which the caller shows the progress. Creates its folder. An existing file is
/// replaced only with `force`.
pub(crate) fn write_one_of_many<T>(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    make_folder(folder_of(path))?;
    if path.exists() && !path.is_file() && !path.is_dir() {
        let message = format!("{} is not a file", path.display());
        return Err(Refusal::failure(message, "choose another output"));
    }
    write_file(path, force, |file| buffered(file, write))
}

fn write_file<T>(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut File) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let written = inputanim_output::write(path, existing(force), write);
    written
        .map_err(|error| match error.downcast::<OutputError>() {
            Ok(error) => refusal(error),
            Err(error) => error,
        })
        .map_err(|error| {
            // The message of a refusal names the file.
            if error.downcast_ref::<Refusal>().is_some() {
                error
            } else {
                error.context(format!("cannot write {}", path.display()))
            }
        })
}

fn existing(force: bool) -> Existing {
    if force {
        Existing::Replace
    } else {
        Existing::Refuse
    }
}

/// Fails if a file cannot be written. Called before any work is done.
pub(crate) fn check(path: &Path, force: bool) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return Ok(());
    }
    inputanim_output::check(path, existing(force)).map_err(refusal)
}

/// Fails if a folder cannot be written. Called before any work is done. `content` describes the folders that may be
/// replaced.
#[cfg(feature = "lerobot")]
pub(crate) fn check_folder(
    folder: &Path,
    force: bool,
    content: FolderContent,
) -> anyhow::Result<()> {
    let checked = inputanim_output::check_folder(folder, existing(force), content);
    checked.map_err(|error| folder_error(folder, error))
}

/// Writes a folder with many files, which appears when it is complete. With `force`, an existing folder is replaced if
/// it has only files that `content` describes.
#[cfg(feature = "lerobot")]
pub(crate) fn write_folder<T>(
    folder: &Path,
    force: bool,
    content: FolderContent,
    write: impl FnOnce(&inputanim_output::NewFolder) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let failed = |error| folder_error(folder, error);
    let new = inputanim_output::NewFolder::create(folder, existing(force), content);
    let new = new.map_err(failed)?;
    let written = write(&new)?;
    new.finish().map_err(failed)?;
    Ok(written)
}

/// Converts an error about a folder: adds a hint, or the name of the folder to an error of the system.
pub(crate) fn folder_error(folder: &Path, error: OutputError) -> anyhow::Error {
    match error {
        OutputError::Io(error) => {
            anyhow::Error::new(error).context(format!("cannot write {}", folder.display()))
        }
        error => refusal(error),
    }
}

/// Converts an error about an output to an error with a hint, if there is one.
fn refusal(error: OutputError) -> anyhow::Error {
    let hint = match &error {
        OutputError::Exists(_) => "--force replaces it",
        OutputError::NotFolder(_) => "choose the path of a folder with -o",
        OutputError::OtherFile { .. } | OutputError::OtherContent { .. } => {
            "choose another folder, or remove this one first"
        }
        OutputError::Folder(_) => "give the path of a file in this folder",
        OutputError::DanglingLink(_) => "give the path of the file itself",
        OutputError::NoFolder(_) => "create the folder first",
        OutputError::Reserved { .. } => "choose another name",
        OutputError::ReadOnly(_) => {
            "choose another name, or remove the attribute \"read-only\" of the file"
        }
        OutputError::InUse { .. } => "close the program that has the file open",
        _ => return error.into(),
    };
    Refusal::failure(error.to_string(), hint)
}

/// Fails if a file cannot be written. Fails also if the output is an input, unless `force` is given. `past` names the
/// result in a suggestion: `repaired`.
pub(crate) fn check_result(
    inputs: &[PathBuf],
    path: &Path,
    past: &str,
    force: bool,
) -> anyhow::Result<()> {
    let input = inputs.iter().find(|input| is_same_file(input, path));
    if let Some(input) = input.filter(|_| !force) {
        let message = format!("the output is the input: {}", input.display());
        let other = suggestion::output_name(input, past);
        let hint = format!("choose another name, for example {other}");
        return Err(Refusal::usage(message, hint));
    }
    check(path, force)
}

/// Checks that a file can be created beside `path`, by creating one.
pub(crate) fn probe(path: &Path) -> anyhow::Result<()> {
    inputanim_output::probe(path).with_context(|| format!("cannot write {}", path.display()))
}

fn write_stdout<T>(
    is_binary: bool,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let output = io::stdout();
    if is_binary && output.is_terminal() {
        let message = "refusing to write binary data to a terminal";
        let hint = "choose a file, or redirect standard output";
        return Err(Refusal::usage(message, hint));
    }
    buffered(output, write).context("cannot write to standard output")
}

fn buffered<T>(
    output: impl Write + Send,
    write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut output = BufWriter::with_capacity(BUFFER, output);
    let written = write(&mut output)?;
    output.flush()?;
    Ok(written)
}

/// From now on, removes unfinished temporary files when the user ends the program.
pub(crate) fn remove_unfinished_at_end() {
    inputanim_output::list_unfinished();
    signals::before_end(inputanim_output::remove_unfinished);
}

/// Creates a folder and its parents.
pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))
}
