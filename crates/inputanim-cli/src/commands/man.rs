//! `inputanim man`

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::Program;
use crate::outcome::Outcome;

/// Print the manual page, or write those of all commands into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: inputanim man --out ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Write every page here, one file a command
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut program = Program::command().disable_help_subcommand(true);
    program.build();
    match &args.out {
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
