//! `inputanim view`

mod server;

use std::io::Write;
use std::path::PathBuf;

use inputanim_convert::Format;

use crate::diagnostics::{note, warn};
use crate::input::recordings_in;
use crate::outcome::Outcome;
use crate::page;
use server::Server;

/// Show recordings in a browser: play, check, repair, trim, mark and save them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page is served from this computer only, to anyone who has the printed address. Only the given files \
can be read. The page shows a file again when it changes. Edits stay in the page until you save them \
there. Ctrl-C ends the program.

Examples:
  inputanim view take.bin
  inputanim view studies --no-open --port 8080")]
pub(crate) struct Args {
    /// Recordings, or folders with .bin files
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Print the address, and do not open the browser
    #[arg(long)]
    no_open: bool,
    /// Port of the server; 0 selects a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let page = page::viewer()?;
    let server = Server::start(args.port, page, files(args)?)?;
    let address = server.address();
    let mut output = std::io::stdout();
    writeln!(output, "{address}")?;
    output.flush()?;
    if !args.no_open && open::that_detached(address).is_err() {
        note("no browser found: open the address in one");
    }
    server.run();
    Ok(Outcome::Done)
}

/// Returns the files to show.
fn files(args: &Args) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in &args.paths {
        if path.is_dir() {
            for file in recordings_in(path, Format::Bin) {
                match file {
                    Ok(file) => files.push(file),
                    Err(error) => warn(format_args!("skipped: {error}")),
                }
            }
        } else {
            // The error names the file, before a page is shown that lacks it.
            std::fs::metadata(path)
                .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
            files.push(path.clone());
        }
    }
    anyhow::ensure!(!files.is_empty(), "no recordings found");
    Ok(files)
}
