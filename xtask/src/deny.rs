//! `cargo xtask deny`: checks the licences, the sources and the duplicates of all dependencies, by deny.toml.

use std::process::Command;

use anyhow::Result;

use crate::{process, setup};

/// Version of cargo-deny.
const CARGO_DENY: &str = "0.20.2";

pub(crate) fn run() -> Result<()> {
    let program = setup::program("cargo-deny", CARGO_DENY, &["--debug"])?;
    let mut command = Command::new(program);
    command.arg("check");
    // Entries of deny.toml that are no longer needed fail.
    for lint in [
        "unmatched-skip",
        "unnecessary-skip",
        "license-not-encountered",
    ] {
        command.args(["--deny", lint]);
    }
    process::run(command.args(["bans", "licenses", "sources"]))
}
