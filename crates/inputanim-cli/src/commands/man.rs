//! `inputanim man`

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::Program;
use crate::messages::outcome::Outcome;

/// Print the manual page, or write the pages of all commands to a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: inputanim man -o ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Folder for the pages, one file for each command; existing pages are replaced
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    // `build` would add the subcommand `help`, which repeats all commands.
    let mut program = Program::command().disable_help_subcommand(true);
    program.build();
    match &args.output {
        None => {
            let mut page = Vec::new();
            Man::new(program).render(&mut page)?;
            io::stdout()
                .lock()
                .write_all(&page)
                .context("cannot write to standard output")?;
        }
        Some(folder) => {
            fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(program, folder))
                .with_context(|| format!("cannot write into {}", folder.display()))?;
        }
    }
    Ok(Outcome::Done)
}
