//! `inputanim catalog`

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use inputanim::Limits;
use inputanim_convert::Format;
use inputanim_scan::packs::{is_folder, path_in_pack};
use inputanim_scan::{CATALOG_FILE, CatalogError, CatalogScan, FailedRecording, ScanOptions};

use crate::arguments::values::formats;
use crate::files::input::{FoundFile, FoundFiles, file_opener};
use crate::files::output;
use crate::messages::diagnostics::{self, note, summarize};
use crate::messages::file_name::FileName;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::progress;
use crate::messages::scan_error;
use crate::messages::text::{count, printable};

/// Write the facts of all recordings of a folder into one Parquet file, and keep it up to date
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A catalogue has one row for each recording: its path, size and modification time, the columns of `info --format csv`, \
the ranges of its positions, and its findings. Any program that reads Parquet can query it.

If the catalogue already exists, only the recordings that are new or have another size or modification time are \
opened. A catalogue that is damaged, or was made by another version of the program, is made again.

The exit code is 1 if a recording is not well formed or cannot be read. The command prints the message, which is also in \
the column `error`.

Examples:
  inputanim catalog studies
  inputanim catalog studies -o studies.parquet
  inputanim info -r studies --format csv --catalog studies/inputanim-catalog.parquet")]
pub(crate) struct Args {
    /// The folder, or a pack; its subfolders are searched too
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The catalogue [default: inputanim-catalog.parquet in FOLDER]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format of the recordings [default: detected from their content; folders are searched for bin]
    #[arg(long = "input-format", value_name = "FORMAT", value_parser = formats(Format::can_read))]
    from: Option<Format>,
    /// Open all recordings, also those that did not change
    #[arg(long)]
    rebuild: bool,
    /// Do not print the summary
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let folder = &args.folder;
    let refusal = |error: CatalogError| scan_error::of_scan(error.into(), None);
    if !is_folder(folder) {
        return Err(refusal(CatalogError::NotFolder(folder.clone())));
    }
    let file = args
        .output
        .clone()
        .unwrap_or_else(|| folder.join(CATALOG_FILE));
    if !Format::Parquet.has_name(&file) {
        return Err(refusal(CatalogError::Extension(file)));
    }
    if path_in_pack(&file).is_some() {
        return Err(refusal(CatalogError::InPack(file)));
    }
    output::check(&file, true)?;
    let searched = args.from.unwrap_or(Format::Bin);
    // An old catalogue of an empty folder loses its recordings, so that no recordings are no error here.
    let paths = std::slice::from_ref(folder);
    let found = match FoundFiles::of(paths, true, searched, |_, _| false) {
        Ok(found) => found,
        Err(_) if file.exists() => FoundFiles::default(),
        Err(error) => return Err(error),
    };
    found.errors.iter().for_each(diagnostics::report);
    if !found.errors.is_empty() {
        let hint = "a catalogue would lose the recordings of this folder";
        return Err(Refusal::failure("a folder cannot be searched", hint));
    }
    let mut options = ScanOptions::default();
    options.format = args.from;
    options.limits = *limits;
    // A catalogue describes files as all scans find them, whatever the limits of this command are.
    options.opener = file_opener(Limits::default());
    let sources = found.files.iter().map(FoundFile::source);
    let new = CatalogScan::new(folder, sources, &file, args.rebuild, options);
    let new = new.map_err(|error| scan_error::of_scan(error, None))?;
    if let Some(reason) = new.unused() {
        note(format_args!("{reason}; it is made again"));
    }
    let errors = match new.up_to_date() {
        Some(errors) => errors,
        None => write(&new, &file)?,
    };
    let mut facts = vec![
        count(new.recordings(), "recording"),
        format!("{} opened", new.opened()),
    ];
    if new.removed() > 0 {
        facts.push(format!("{} removed", new.removed()));
    }
    print(&errors);
    if !errors.is_empty() {
        facts.push(count(errors.len(), "error"));
    }
    if !args.quiet {
        summarize("catalogued", &facts, &file);
    }
    Ok(if errors.is_empty() {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

/// Prints the errors of recordings. After the first 20, only the number of the others follows.
fn print(errors: &[FailedRecording]) {
    const PRINTED: usize = 20;
    for error in errors.iter().take(PRINTED) {
        let name = FileName::new(Path::new(&error.file));
        diagnostics::report(&anyhow!(printable(&error.message).into_owned()).context(name));
    }
    if errors.len() > PRINTED {
        let more = count(errors.len() - PRINTED, "more error");
        note(format_args!(
            "{more}: the column `error` of the catalogue has the messages"
        ));
    }
}

/// Writes the catalogue, and returns the recordings with errors.
fn write(new: &CatalogScan, file: &Path) -> anyhow::Result<Vec<FailedRecording>> {
    let mut progress = progress::Files::new(new.recordings(), false);
    let mut done = 0;
    output::write_to(file, true, true, |output| {
        let written = new.write(output, |rows| {
            for _ in done..rows {
                progress.step();
            }
            done = rows;
        });
        written.map_err(|error| scan_error::of_scan(error, None))
    })
}
