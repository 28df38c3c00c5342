//! Shared code of these tests: the program, and the contents of folders.

use std::fs;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;

use tempfile::TempDir;

/// Returns a command that runs the program under test.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_inputanim"))
}

/// Starts a command whose standard streams are pipes. Returns it with its standard input.
pub(crate) fn start(command: &mut Command) -> (Child, ChildStdin) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

/// Runs a command with `input` as its standard input.
pub(crate) fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    let (child, mut stdin) = start(command);
    let input = input.to_owned();
    let writer = thread::spawn(move || {
        // A program that fails does not read all of its input.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
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
