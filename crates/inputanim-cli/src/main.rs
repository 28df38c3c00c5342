//! The `inputanim` program: one file a verb in `commands`, each thin over the library.

mod commands;
mod diagnostics;
mod format;
mod found;
mod in_out;
mod input;
mod names;
mod outcome;
mod output;
mod progress;
#[cfg(unix)]
mod signals;
mod style;
mod table;
mod text;
mod time_range;
mod timeline;
mod values;

use std::process::ExitCode;

use clap::Parser;

use outcome::Outcome;

/// Reads, checks and converts MRTK input animation recordings: head, two hands, pinch, eye gaze
/// and markers.
#[derive(Debug, Parser)]
#[command(
    name = "inputanim",
    version,
    after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but something was lost.\n\
                  Results go to standard output, everything else to standard error.",
    propagate_version = true,
    arg_required_else_help = true
)]
struct Program {
    #[command(subcommand)]
    command: commands::Command,
    #[command(flatten)]
    color: colorchoice_clap::Color,
    /// Accept recordings of any size: by default at most 4 GiB, 512 Mi keys, 1 Mi markers
    #[arg(long, global = true)]
    no_limits: bool,
}

fn main() -> ExitCode {
    let program = Program::parse();
    program.color.write_global();
    let limits = match program.no_limits {
        true => inputanim::Limits::NONE,
        false => inputanim::Limits::default(),
    };
    match commands::run(program.command, &limits) {
        Ok(outcome) => outcome.into(),
        Err(error) if outcome::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            diagnostics::report(&error);
            Outcome::of_error(&error).into()
        }
    }
}
