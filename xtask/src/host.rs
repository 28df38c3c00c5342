//! Everything that is built for this machine, in one build with one set of features, so that no crate is compiled twice
//! for the tests of programs, libraries and bindings.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use fs_err as fs;

use crate::process::{self, target};

/// The packages and features of the build, which the tests use too. Benchmarks and the crate for JavaScript have no
/// tests for this machine, and need large crates.
pub(crate) const PACKAGES: [&str; 4] = [
    "--workspace",
    "--exclude=inputanim-bench",
    "--exclude=inputanim-wasm",
    "--all-features",
];

/// The targets that other tasks use.
const TARGETS: [&str; 3] = ["--lib", "--bins", "--examples"];

/// The name of a variable that is set if the build is complete. Tasks that run at the same time then do not wait for
/// cargo's lock.
pub(crate) const IS_BUILT: &str = "INPUTANIM_HOST_IS_BUILT";

/// Builds all programs, libraries and examples with all features. Does nothing if the environment variable [`IS_BUILT`]
/// is set.
pub(crate) fn build() -> Result<()> {
    if std::env::var_os(IS_BUILT).is_some() {
        return Ok(());
    }
    let mut cargo = Command::new("cargo");
    cargo.args(
        [
            &["build", "--locked", "--quiet"],
            &PACKAGES[..],
            &TARGETS[..],
        ]
        .concat(),
    );
    cargo.arg("--message-format=json-render-diagnostics");
    let printed = process::output(&mut cargo)?;
    let messages = messages();
    if let Some(folder) = messages.parent() {
        fs::create_dir_all(folder)?;
    }
    Ok(fs::write(messages, printed)?)
}

/// Returns the path of the messages of cargo about everything that [`build`] has built.
pub(crate) fn messages() -> PathBuf {
    target().join("xtask/host-messages.json")
}

/// Builds the program with all formats, and returns its path.
pub(crate) fn build_program() -> Result<PathBuf> {
    build()?;
    Ok(program())
}

/// Returns the path of the program `inputanim` that [`build`] builds.
pub(crate) fn program() -> PathBuf {
    folder().join(format!("inputanim{}", std::env::consts::EXE_SUFFIX))
}

/// Returns the path of an example of any crate that [`build`] builds.
pub(crate) fn example(name: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folder().join("examples").join(name)
}

/// Returns the path of a dynamic library that [`build`] builds. `name` is the name of the library target.
pub(crate) fn library(name: &str) -> PathBuf {
    let prefix = std::env::consts::DLL_PREFIX;
    let suffix = std::env::consts::DLL_SUFFIX;
    folder().join(format!("{prefix}{name}{suffix}"))
}

fn folder() -> PathBuf {
    target().join("debug")
}
