//! Recordings that are opened with the program or dropped on it, so that the command line is only their names.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;
use inputanim_scan::packs::path_in_pack;

use crate::files::page;

/// Returns `true` if the arguments after the name of the program are existing files, and the first one is
/// not a command.
pub(crate) fn are_files(arguments: &[OsString]) -> bool {
    let [_, files @ ..] = arguments else {
        return false;
    };
    let is_file = |name: &OsString| {
        let path = Path::new(name);
        path.is_file() || path_in_pack(path).is_some()
    };
    files.first().is_some_and(|first| !is_command(first)) && files.iter().all(is_file)
}

fn is_command(name: &OsString) -> bool {
    // clap adds `help` only when it parses.
    name == "help" || crate::Program::command().find_subcommand(name).is_some()
}

/// Inserts a command if the command line consists only of files: `view` if Explorer started the program and it includes
/// the viewer, otherwise `info`. Other command lines stay unchanged.
pub(crate) fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if are_files(&arguments) {
        let command = if has_own_window() && page::viewer().is_ok() {
            "view"
        } else {
            "info"
        };
        arguments.insert(1, command.into());
    }
    arguments
}

/// Returns `true` if the program has a console window for itself, which closes when the program ends.
///
/// Explorer opens such a window for a program that is started there. A shell shares its window.
pub(crate) fn has_own_window() -> bool {
    #[cfg(windows)]
    {
        use std::io::{self, IsTerminal};
        is_alone_in_console() && io::stdin().is_terminal() && io::stderr().is_terminal()
    }
    #[cfg(not(windows))]
    false
}

/// Waits until a key is pressed if the console window closes when the program ends, so that its text can be read.
#[cfg(windows)]
pub(crate) fn wait_before_window_closes() {
    use ratatui::crossterm::event;

    if !has_own_window() {
        return;
    }
    anstream::eprintln!("\nPress any key to close this window.");
    // The release of the key that started the program may still be waiting. An error ends the wait,
    // because no key could arrive then.
    while matches!(event::read(), Ok(event) if !event.is_key_press()) {}
}

#[cfg(not(windows))]
pub(crate) fn wait_before_window_closes() {}

#[cfg(windows)]
#[allow(unsafe_code)]
fn is_alone_in_console() -> bool {
    use windows_sys::Win32::System::Console::GetConsoleProcessList;
    let mut processes = [0; 2];
    // SAFETY: the length is the length of the array. The function returns the number of processes, which may
    // be larger, and 0 without a console.
    let count = unsafe { GetConsoleProcessList(processes.as_mut_ptr(), processes.len() as u32) };
    count == 1
}
