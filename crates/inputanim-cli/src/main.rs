//! The `inputanim` program: a thin layer over the library, with one file per verb in `commands`.

mod arguments;
mod commands;
mod files;
mod messages;
#[cfg(all(test, feature = "mcap", feature = "parquet"))]
mod options_page;
mod results;
mod server;
mod signals;
mod study;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::messages::outcome::Outcome;

/// Inspect, repair, edit, convert and record XR input: MRTK input animations with the head, both
/// hands, pinches, eye gaze and markers
#[derive(Debug, Parser)]
#[command(
    name = "inputanim",
    // Otherwise messages have the name of the file, which ends with `.exe` on Windows.
    bin_name = "inputanim",
    version,
    after_help = "\
Exit codes:
  0  done
  1  something failed; for several files, at least one of them
  2  the command line is wrong
  3  done, but data was lost, or a damaged recording was sampled, analysed or converted

Conversions to bin, json and keys copy damage and return 0. `check` returns 1 if a file is not well formed. \
`doctor` returns 1 if a file has damage or warnings. `diff` returns 0 if the recordings are equal \
or equivalent, 1 if they are different, and 2 if they cannot be compared.

Results go to standard output. Messages and summaries go to standard error.

Files without a command, as in `inputanim take.bin`, are shown as with `info`. Files that you open in \
Explorer on Windows are shown as with `view`.",
    propagate_version = true,
    arg_required_else_help = true
)]
struct Program {
    #[command(subcommand)]
    command: commands::Command,
    #[command(flatten)]
    color: colorchoice_clap::Color,
    /// Lift the limits on the size of recordings, such as 4 GiB
    #[arg(long, global = true)]
    no_limits: bool,
}

fn main() -> ExitCode {
    messages::diagnostics::install_panic_hook();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let is_opened = arguments::opened::are_files(&arguments);
    let code = match run(arguments) {
        Ok(outcome) => outcome.into(),
        // Rust ignores SIGPIPE, so a closed pipe arrives here as an error of a write.
        Err(error) if messages::outcome::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            messages::diagnostics::report(&error);
            Outcome::of_error(&error).into()
        }
    };
    if is_opened {
        arguments::opened::wait_before_window_closes();
    }
    code
}

fn run(arguments: Vec<OsString>) -> anyhow::Result<Outcome> {
    #[cfg(windows)]
    let arguments =
        arguments::patterns::expanded(arguments, &<Program as clap::CommandFactory>::command())?;
    let arguments = arguments::opened::with_command(arguments);
    arguments::usage::refuse_separate_names(&arguments)?;
    let program = Program::try_parse_from(&arguments)
        .unwrap_or_else(|error| arguments::usage::exit(error, &arguments));
    // Streams look up the choice when they are created, so it is set before anything is printed.
    program.color.write_global();
    let limits = if program.no_limits {
        inputanim::Limits::NONE
    } else {
        inputanim::Limits::default()
    };
    let outcome = commands::run(program.command, &limits)?;
    Ok(outcome.and(messages::diagnostics::outcome_of_losses()))
}
