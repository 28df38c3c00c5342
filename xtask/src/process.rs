//! Running other programs, and the paths of the workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Returns the folder of cargo's build output.
pub(crate) fn target() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| PathBuf::from("target"));
    root().join(folder)
}

/// Prints the title of the next step.
pub(crate) fn headline(text: &str) {
    println!("\n== {text}");
}

/// Runs cargo in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Result<()> {
    run(Command::new("cargo").args(arguments))
}

/// Runs a program in the root of the workspace, or in the folder that the command names.
///
/// # Errors
/// Returns an error if the program cannot be started or fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = with_folder(command).status();
    let name = command_line(command);
    let status = status.with_context(|| format!("cannot run {name}"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    Ok(())
}

/// Runs a program like [`run`], and returns its standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let result = with_folder(command).stderr(Stdio::inherit()).output();
    let name = command_line(command);
    let result = result.with_context(|| format!("cannot run {name}"))?;
    if !result.status.success() {
        bail!("{name} failed: {}", result.status);
    }
    Ok(result.stdout)
}

/// Runs a program like [`run`], and returns what it printed to its standard output and error, with the result.
pub(crate) fn captured(command: &mut Command) -> (String, Result<()>) {
    let result = with_folder(command).output();
    let name = command_line(command);
    match result.with_context(|| format!("cannot run {name}")) {
        Ok(done) => {
            let printed = [done.stdout, done.stderr].concat();
            let result = if done.status.success() {
                Ok(())
            } else {
                Err(anyhow::anyhow!("{name} failed: {}", done.status))
            };
            (String::from_utf8_lossy(&printed).into_owned(), result)
        }
        Err(error) => (String::new(), Err(error)),
    }
}

fn with_folder(command: &mut Command) -> &mut Command {
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    command
}

fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
