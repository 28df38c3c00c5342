//! Shared code of these tests: the program, and the contents of folders.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

/// Returns a command that runs the program under test.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_inputanim"))
}

/// Returns the sorted names of the files in a folder.
pub(crate) fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
