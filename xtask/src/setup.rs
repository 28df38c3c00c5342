//! `cargo xtask setup`: prepares a clone for development. Also installs programs for other tasks.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process::{self, succeeds, target};

/// Programs that tasks need, with the tasks.
const PROGRAMS: [(&str, &[&str], &str); 4] = [
    (
        "cargo",
        &["nextest", "--version"],
        "cargo-nextest: faster tests (`cargo install cargo-nextest --locked`)",
    ),
    (
        "node",
        &["--version"],
        "Node.js 20: the viewer and the npm package",
    ),
    (
        "python3",
        &["--version"],
        "Python 3.11: the Python package, and the usual software for each format",
    ),
    (
        "apt-get",
        &["--version"],
        "Debian or Ubuntu: OpenXR, Windows under Wine, and packages",
    ),
];

/// Enables the git hooks of the repository, and lists the missing programs that tasks need.
pub(crate) fn run() -> Result<()> {
    process::run(Command::new("git").args(["config", "core.hooksPath", ".githooks"]))?;
    println!("git runs the hooks of .githooks: they refuse Rust code that is not formatted");
    for (program, arguments, purpose) in PROGRAMS {
        if !succeeds(program, arguments) {
            println!("missing  {purpose}");
        }
    }
    Ok(())
}

/// Returns the path of a program from crates.io, and installs this version into the build folder if it is missing.
/// `options` are more options of `cargo install`.
pub(crate) fn program(name: &str, version: &str, options: &[&str]) -> Result<PathBuf> {
    let folder = target().join(format!("xtask/{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.exists() {
        process::run(
            Command::new("cargo")
                .args(["install", name, "--version", version, "--locked", "--quiet"])
                .args(options)
                .arg("--root")
                .arg(&folder)
                .env("CARGO_PROFILE_DEV_DEBUG", "0"),
        )?;
    }
    Ok(program)
}
