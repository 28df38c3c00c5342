//! `inputanim view`

use std::io::Write;
use std::path::{Path, PathBuf};

use inputanim::Limits;
use inputanim_scan::packs::{StoredFile, is_folder};

use crate::arguments::opened;
use crate::files::input::{FoundFile, FromArgs, recordings_in};
use crate::files::video::VideoArgs;
use crate::files::{output, page};
use crate::messages::diagnostics::{note, summarize, warn};
use crate::messages::outcome::Outcome;
use crate::server::{BrowserArgs, Served, Server};

/// Show recordings in a browser: play, check, repair, trim, mark and save them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Only programs on this computer that know the printed address can open the page. The page can read only the \
given files, and the videos beside them with the same names. If a recording changes, the page loads it again. \
Edits stay in the page until you save them there. In folders, links to files outside of the folder are skipped. Ctrl-C ends the program. The file of \
--save-page opens without the program: open it in a browser, and drop recordings on it.

Examples:
  inputanim view take.bin
  inputanim view studies
  inputanim view episode.hdf5
  inputanim view -r datasets --input-format egodex
  inputanim view take.bin --video camera2.mp4 --video-offset -3.2
  inputanim view -r studies --no-open --port 8080
  inputanim view --save-page inputanim.html")]
pub(crate) struct Args {
    /// Recordings (.bin, or another format that `convert` reads), or folders with recordings
    #[arg(required_unless_present = "save_page", value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Write the page without recordings as an HTML file, instead of showing it; `-` is standard output
    #[arg(long, value_name = "OUT", conflicts_with_all = ["paths", "recursive", "from", "pauses", "no_open", "port", "video", "video_offset"])]
    save_page: Option<PathBuf>,
    /// Replace a file that already exists
    #[arg(short, long, requires = "save_page", conflicts_with = "paths")]
    force: bool,
    /// Also search the subfolders of folders for recordings (.bin, or the format of --input-format)
    #[arg(short, long)]
    recursive: bool,
    #[command(flatten)]
    from: FromArgs,
    #[command(flatten)]
    video: VideoArgs,
    #[command(flatten)]
    browser: BrowserArgs,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if let Some(path) = &args.save_page {
        return save_page(path, args.force);
    }
    let files = files(args)?;
    let served = Served {
        videos: args.video.of(&files)?,
        files,
        from: args.from,
        limits: *limits,
    };
    let server = Server::start(args.browser.port, served, None)?;
    let mut output = std::io::stdout();
    writeln!(output, "{}", server.address())?;
    output.flush()?;
    let _opened = args.browser.open(&server);
    if opened::has_own_window() {
        note("close this window to end the viewer");
    }
    server.run();
    Ok(Outcome::Done)
}

/// Writes the page of the viewer without recordings.
fn save_page(path: &Path, force: bool) -> anyhow::Result<Outcome> {
    let page = page::viewer()?;
    output::check(path, force)?;
    output::write_to(path, force, false, |output| {
        output.write_all(page.as_bytes())?;
        Ok(())
    })?;
    summarize("viewer saved", &[], path);
    Ok(Outcome::Done)
}

/// Returns the files on the command line, and the recordings in its folders. Fails if a named file cannot be read, or
/// there are no files.
fn files(args: &Args) -> anyhow::Result<Vec<FoundFile>> {
    // A folder needs no option, because people also start the program with a folder from a file manager.
    let depth = if args.recursive { usize::MAX } else { 1 };
    let mut files = Vec::new();
    for path in &args.paths {
        if is_folder(path) {
            for file in recordings_in(path, args.from.searched(), depth) {
                match file.and_then(|file| file.path_inside().map(|_| file)) {
                    Ok(file) => files.push(file),
                    Err(error) => warn(format_args!("skipped: {error:#}")),
                }
            }
        } else {
            // The error names the file, before a page is shown that lacks it.
            StoredFile::find(path)
                .and_then(|file| file.metadata())
                .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
            files.push(FoundFile::named(path));
        }
    }
    anyhow::ensure!(!files.is_empty(), "no recordings found");
    Ok(files)
}
