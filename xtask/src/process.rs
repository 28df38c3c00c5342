//! Running other programs, and the paths of the workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;

/// Returns the path of the root folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Returns the folder of cargo's build output: `CARGO_TARGET_DIR`, or `target` in the root of the workspace.
pub(crate) fn target() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| PathBuf::from("target"));
    root().join(folder)
}

/// Prints the title of the next step of a task.
pub(crate) fn headline(text: &str) {
    println!("\n== {text}");
}

/// Runs cargo with these arguments in the root of the workspace. Fails if cargo fails.
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

/// Runs a program like [`run`], and returns the text of its standard output and standard error, with the result.
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

/// Returns `error`, the failure of an installation, if there is a network. Without a network, prints that the work is
/// skipped, and returns `Ok(None)`. `probe` is a download that succeeds only with a network.
pub(crate) fn skip_without_network<T>(
    probe: &mut Command,
    error: anyhow::Error,
) -> Result<Option<T>> {
    let quiet = probe.stdout(Stdio::null()).stderr(Stdio::null());
    ensure!(!quiet.status().is_ok_and(|status| status.success()), error);
    println!("skipped, because there is no network: {error}");
    Ok(None)
}

/// Creates a file, and returns it as the output of a program.
pub(crate) fn output_file(path: &Path) -> Result<Stdio> {
    Ok(fs::File::create(path)?.into_parts().0.into())
}

/// Returns the description of the packages of the workspace, the JSON of `cargo metadata`.
pub(crate) fn metadata() -> Result<serde_json::Value> {
    let printed = output(Command::new("cargo").args([
        "metadata",
        "--no-deps",
        "--format-version=1",
        "--locked",
    ]))?;
    Ok(serde_json::from_slice(&printed)?)
}

/// Returns `true` if a program with these arguments can be started and exits without an error. Its output is hidden.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A lock that tasks of all processes share. It ends when the value is dropped.
pub(crate) struct Lock(#[expect(dead_code, reason = "the open file holds the lock")] fs::File);

impl Lock {
    /// Waits until no other task has the lock of the file `path`, and takes the lock. The file is created if it is
    /// missing.
    pub(crate) fn take(path: &Path) -> Result<Lock> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = fs::File::create(path)?;
        file.file()
            .lock()
            .with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(Lock(file))
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
