//! `cargo xtask readme`: the other commands of the README are run by the program's own tests;
//! this one builds the program first.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{output, root};

/// The main job, as the README has it.
const FIRST: &str = "cargo run -- info samples/two-hands.bin";

pub(crate) fn run() -> Result<()> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    ensure!(readme.contains(FIRST), "the README does not show `{FIRST}`");
    // The output stands in the README under the same command without cargo.
    let shown = readme
        .split_once("$ inputanim info samples/two-hands.bin\n")
        .and_then(|(_, rest)| rest.split_once("\n```"))
        .context("the README does not show what its first command prints")?
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
        "`{FIRST}` does not print what the README shows:\n{printed}"
    );
    println!("{FIRST}: prints what the README shows");
    Ok(())
}
