//! Other programs, and where things are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| PathBuf::from("target"));
    root().join(folder)
}

/// Says what comes next.
pub(crate) fn headline(text: &str) {
    println!("\n== {text}");
}

/// Runs cargo in the root.
pub(crate) fn cargo(arguments: &[&str]) -> Result<()> {
    run(Command::new("cargo").args(arguments))
}

/// A shell script of the project.
pub(crate) fn script(path: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg(root().join(path));
    command
}

/// Runs a program and fails if it does; it runs in the root unless it says otherwise.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = prepared(command).status();
    let name = described(command);
    let status = status.with_context(|| format!("cannot run {name}"))?;
    if !status.success() {
        bail!("{name} failed: {status}");
    }
    Ok(())
}

/// Runs a program and gives its standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let result = prepared(command).stderr(Stdio::inherit()).output();
    let name = described(command);
    let result = result.with_context(|| format!("cannot run {name}"))?;
    if !result.status.success() {
        bail!("{name} failed: {}", result.status);
    }
    Ok(result.stdout)
}

fn prepared(command: &mut Command) -> &mut Command {
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    command
}

fn described(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
