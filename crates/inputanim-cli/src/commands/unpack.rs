//! `inputanim unpack`

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use crate::commands::pack::refusal;
use crate::files::input::read_error;
use crate::messages::diagnostics::{self, summarize};
use crate::messages::outcome::Outcome;
use crate::messages::progress;
use crate::messages::text::count;

/// Write the files of packs into a new folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The files have the bytes and the modification times that they had when they were packed. Of a truncated or damaged pack, the \
complete files are written. The exit code is 1 if files are damaged or missing.

Examples:
  inputanim unpack packs -o studies
  inputanim unpack packs/0001.pack.mcap -o part")]
pub(crate) struct Args {
    /// Packs, and folders that are searched for packs
    #[arg(value_name = "PACK", required = true)]
    packs: Vec<PathBuf>,
    /// The folder for the files, which must be new or empty
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Do not print the summary; errors are still printed
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut bar = None;
    let cancel = AtomicBool::new(false);
    let unpacked = inputanim_scan::unpack(&args.packs, &args.output, &cancel, |_, all| {
        bar.get_or_insert_with(|| progress::Files::new(all, false))
            .step();
    });
    drop(bar);
    let unpacked = unpacked.map_err(|error| refusal(error, &args.output))?;
    for (path, error) in &unpacked.errors {
        diagnostics::report(&read_error(path, error));
    }
    if !args.quiet {
        let mut facts = vec![count(unpacked.files, "file"), count(unpacked.packs, "pack")];
        if !unpacked.errors.is_empty() {
            facts.push(count(unpacked.errors.len(), "error"));
        }
        summarize("unpacked", &facts, &args.output);
    }
    Ok(if unpacked.errors.is_empty() {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}
