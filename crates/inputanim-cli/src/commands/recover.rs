//! `inputanim recover`

use std::path::PathBuf;

use inputanim::Limits;

use crate::diagnostics::warn;
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::text::{self, count};

/// Make a well-formed recording of what is whole in a damaged one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Curves are taken whole or not at all; those that are not whole become empty, and standard error \
names them. Exit code 3 when anything is missing, 0 when the file was whole (OUT is then the same \
recording), 1 when nothing could be recovered. What the toolkit itself got wrong in a well-formed \
file, as `check` finds it, stays as it is.

Example: inputanim recover torn.bin -o whole.bin")]
pub(crate) struct Args {
    /// The recording; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT if it is there
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if output::is_same_file(&args.input, &args.output) {
        let message = "the damaged file would be replaced by what is left of it";
        return Err(Refusal::failure(message, "name another file after -o"));
    }
    let input = Input::open(&args.input, limits)?;
    let recovery = input.recover(limits)?;
    let recording = &recovery.recording;
    output::write_to(&args.output, args.force, true, |output| {
        Ok(recording.write(output, recording.layout)?)
    })?;
    let Some(error) = &recovery.error else {
        return Ok(Outcome::Done);
    };
    let name = input.name();
    warn(format_args!("{name}: {error}"));
    for line in text::missing(&recovery.missing) {
        warn(format_args!("{name}: missing: {line}"));
    }
    let unread = recovery.unread.end - recovery.unread.start;
    if unread > 0 {
        let start = recovery.unread.start;
        warn(format_args!(
            "{name}: {} from byte {start} on belong to no whole part",
            count(unread as usize, "byte")
        ));
    }
    Ok(Outcome::DataLost)
}
