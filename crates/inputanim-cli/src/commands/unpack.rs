//! `inputanim unpack`

use std::path::PathBuf;

use inputanim_scan::UnpackOptions;

use crate::commands::pack::refusal;
use crate::files::input::read_error;
use crate::messages::diagnostics::{self, summarize, warn};
use crate::messages::file_name::FileName;
use crate::messages::outcome::Outcome;
use crate::messages::progress;
use crate::messages::text::count;

/// Write the files of packs into a new folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The files have the bytes and the modification times that they had when they were packed. Of a truncated or damaged pack, the \
complete files are written. A file with a wrong checksum is not written without --recover, and on Windows, neither is a file \
whose name Windows cannot have. The exit code is 1 if files are not written, and 3 if --recover writes damaged files.

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
    /// Also write files whose checksum is wrong, with their damaged bytes
    #[arg(long)]
    recover: bool,
    /// Do not print the summary; errors and warnings are still printed
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut bar = None;
    let mut options = UnpackOptions::default();
    options.recover = args.recover;
    let unpacked = inputanim_scan::unpack(&args.packs, &args.output, &options, |_, all| {
        bar.get_or_insert_with(|| progress::Files::new(all, false))
            .step();
    });
    drop(bar);
    let unpacked = unpacked.map_err(|error| refusal(error, &args.output))?;
    for (path, error) in &unpacked.errors {
        diagnostics::report(&read_error(path, error));
    }
    for (path, error) in &unpacked.damaged {
        warn(format_args!("{}: {error}", FileName::new(path)));
    }
    if !args.quiet {
        let mut facts = vec![count(unpacked.files, "file"), count(unpacked.packs, "pack")];
        if !unpacked.errors.is_empty() {
            facts.push(count(unpacked.errors.len(), "error"));
        }
        if !unpacked.damaged.is_empty() {
            facts.push(format!("{} damaged", unpacked.damaged.len()));
        }
        summarize("unpacked", &facts, &args.output);
    }
    Ok(if !unpacked.errors.is_empty() {
        Outcome::Failed
    } else if !unpacked.damaged.is_empty() {
        Outcome::DataLost
    } else {
        Outcome::Done
    })
}
