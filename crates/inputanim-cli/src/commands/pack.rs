//! `inputanim pack`

use std::path::{Path, PathBuf};

use inputanim_scan::packs::PackError;
use inputanim_scan::{Existing, PackOptions, PackingError};

use crate::files::output;
use crate::messages::diagnostics::{note, summarize};
use crate::messages::file_name::FileName;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::progress;
use crate::messages::text::count;

/// Write the files of a folder as packs: many files in one file, so that many recordings are read faster
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A pack is a folder for all commands: `-r packs` searches packs too, and packs/0001.pack.mcap/p1/take.bin is a recording. All \
files are packed, byte for byte, also those that are no recordings. Links to folders and folders without files are left out.

A pack is an MCAP file with an attachment for each file, so that other programs can read it: docs/packs.md.

Examples:
  inputanim pack studies -o packs
  inputanim info -r packs --format csv
  inputanim unpack packs -o studies-again")]
pub(crate) struct Args {
    /// The folder; its subfolders are packed too
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The folder for the packs
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The most files of a pack
    #[arg(long, value_name = "NUMBER", default_value_t = PackOptions::default().files)]
    files: usize,
    /// Replace the packs in the output folder
    #[arg(short, long)]
    force: bool,
    /// Do not print the summary; warnings and notes are still printed
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if !args.folder.is_dir() {
        let message = format!("{} is not a folder", args.folder.display());
        return Err(Refusal::usage(message, "name the folder with the files"));
    }
    let mut options = PackOptions::default();
    options.files = args.files;
    if args.force {
        options.existing = Existing::Replace;
    }
    let mut bar = None;
    let packed = inputanim_scan::pack(&args.folder, &args.output, &options, |_, all| {
        bar.get_or_insert_with(|| progress::Files::new(all, false))
            .step();
    });
    drop(bar);
    let packed = packed.map_err(|error| refusal(error, &args.output))?;
    if let [first, rest @ ..] = packed.left_out.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let first = first.display();
        note(format_args!(
            "not packed: {first} is a link to a folder, a device or a folder without files{more}"
        ));
    }
    if let [first, rest @ ..] = packed.not_on_windows.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        note(format_args!(
            "`unpack` cannot write {}{more} on Windows, because of the name; on Windows too, commands read it in its pack",
            FileName::new(first)
        ));
    }
    if !args.quiet {
        let facts = [count(packed.files, "file"), count(packed.packs, "pack")];
        summarize("packed", &facts, &args.output);
    }
    Ok(Outcome::Done)
}

/// Adds a hint to an error of packing or unpacking.
pub(crate) fn refusal(error: PackingError, output: &Path) -> anyhow::Error {
    let hint = match error {
        PackingError::Output(error) => return output::folder_error(output, error),
        PackingError::Inside { .. } => "choose a folder outside with -o",
        PackingError::Files(_) => "remove --files to use 1,000",
        PackingError::NoPacks(_) => "`inputanim pack FOLDER -o PACKS` writes packs",
        PackingError::File { ref error, .. } => match PackError::of(error) {
            Some(PackError::PackInPack(_)) => "unpack it first, or move it out of the folder",
            Some(PackError::Changed) => "pack again when no program writes the file",
            Some(_) => "rename the file",
            None => "pack a folder whose files can all be read",
        },
        _ => return error.into(),
    };
    match error {
        PackingError::File { .. } => Refusal::failure(error.to_string(), hint),
        _ => Refusal::usage(error.to_string(), hint),
    }
}
