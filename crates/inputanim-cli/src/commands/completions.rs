//! `inputanim completions`

use std::io;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::Program;
use crate::messages::outcome::Outcome;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: inputanim completions bash > ~/.local/share/bash-completion/completions/inputanim"
)]
pub(crate) struct Args {
    /// Shell that runs the script
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    // `generate` panics where a write fails, as into a closed pipe, so it writes to memory.
    let mut script = Vec::new();
    generate(
        args.shell,
        &mut Program::command(),
        "inputanim",
        &mut script,
    );
    io::Write::write_all(&mut io::stdout().lock(), &script)
        .context("cannot write to standard output")?;
    Ok(Outcome::Done)
}
