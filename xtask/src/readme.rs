//! `cargo xtask readme`: runs the command of the README that builds the program and tries it. The tests
//! of the program run the other commands.

use fs_err as fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{output, root};

/// The command with which the README tries the program.
const FIRST: &str = "cargo run -- info samples/pinch-drag.bin";

pub(crate) fn run() -> Result<()> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    ensure!(readme.contains(FIRST), "the README does not show `{FIRST}`");
    // The README shows the output under the same command without cargo.
    let shown = readme
        .split_once("$ inputanim info samples/pinch-drag.bin\n")
        .and_then(|(_, rest)| rest.split_once("\n```"))
        .context("the README does not show its output")?
        .0;
    let mut words = FIRST.split(' ');
    let printed = output(Command::new(words.next().unwrap_or_default()).args(words))?;
    let printed = String::from_utf8(printed)?;
    let same = printed
        .lines()
        .map(str::trim_end)
        .eq(shown.lines().map(str::trim_end));
    ensure!(
        same,
        "the output of `{FIRST}` differs from the README:\n{printed}"
    );
    println!("{FIRST}: the output is that of the README");
    Ok(())
}
