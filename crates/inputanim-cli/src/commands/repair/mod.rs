//! `inputanim repair`

mod cut;
mod doubts;
mod print;
mod report;
mod rows;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use inputanim::Limits;
use inputanim::repair::repair;

use crate::format::{Format, Rows};
use crate::in_out::InOut;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use report::Repaired;

/// Mend what the toolkit broke, and what keeps a recording from being played
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What nothing is wrong with stays as it is, byte for byte. Standard error says what was mended, what \
is doubtful and what stays lost; `doctor` tells all this beforehand. \
Exit code 3 when something stays lost, else 0, doubts or not. A file that is not well formed goes \
through `recover` first.

Examples:
  inputanim repair take.bin -o mended.bin
  inputanim repair take.bin --trim-frozen -o mended.bin
  inputanim repair take.bin -o mended.bin --doubts doubts.json")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Cut off the end, from where a stream stands still because its last samples were not saved
    #[arg(long)]
    trim_frozen: bool,
    /// Name every curve and every doubtful time
    #[arg(short, long)]
    verbose: bool,
    /// Write what is doubtful as JSON too: curves and times
    #[arg(long, value_name = "FILE")]
    doubts: Option<PathBuf>,
    /// How to print what was done: the table goes to standard error, all else to standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let Args { io, doubts, .. } = args;
    args.refuse_what_collides()?;
    let mut done = None;
    let outcome = io.change(limits, |recording| {
        let mut report = repair(recording);
        let cut = match args.trim_frozen {
            true => cut::trim_frozen(recording, &mut report)?,
            false => None,
        };
        let is_whole = report.lost().next().is_none();
        done = Some(Repaired::new(io, report, cut));
        Ok(match is_whole {
            true => Outcome::Done,
            false => Outcome::DataLost,
        })
    })?;
    let Some(repaired) = done else {
        return Ok(outcome);
    };
    if let Some(path) = doubts {
        doubts::write(path, io.target.force, &repaired)?;
    }
    match Rows::new(args.format, io::stdout().lock()) {
        Ok(mut rows) => {
            rows.push(&repaired, || repaired.rows())?;
            rows.finish()?;
        }
        Err(_) => {
            let mut output = AutoStream::auto(io::stderr().lock());
            print::repaired(&mut output, &repaired, args.verbose)?;
            output.flush()?;
        }
    }
    Ok(outcome)
}

impl Args {
    /// Before anything is done.
    fn refuse_what_collides(&self) -> anyhow::Result<()> {
        let InOut { input, target } = &self.io;
        let is_stdout = |path: &Path| path == Path::new("-");
        let is_table = self.format == Format::Table;
        let to_stdout = [
            is_stdout(&target.output),
            self.doubts.as_deref().is_some_and(is_stdout),
            !is_table,
        ];
        if to_stdout.iter().filter(|&&to| to).count() > 1 {
            let message = "standard output cannot take two things at once";
            return Err(Refusal::usage(message, "name a file after -o or --doubts"));
        }
        output::check(&target.output, target.force)?;
        let Some(doubts) = self.doubts.as_deref().filter(|path| !is_stdout(path)) else {
            return Ok(());
        };
        let is_taken = |other: &Path| doubts == other || output::is_same_file(doubts, other);
        if is_taken(input) || is_taken(&target.output) {
            let message = "the doubts would be written over a recording";
            return Err(Refusal::usage(message, "name another file after --doubts"));
        }
        output::check(doubts, target.force)
    }
}
