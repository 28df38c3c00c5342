//! `inputanim recover`

use std::path::PathBuf;

use anyhow::Context;
use inputanim::{Limits, session};

use crate::diagnostics::warn;
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::text::{self, count};

/// Make a well-formed recording of what is whole in a damaged one, or of a session
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Curves are taken whole or not at all; those that are not whole become empty, and standard error \
names them. Exit code 3 when anything is missing, 0 when the file was whole (OUT is then the same \
recording), 1 when nothing could be recovered. What the toolkit itself got wrong in a well-formed \
file, as `check` finds it, stays as it is.

A session file, which holds frames as they were taken, becomes a recording of all its frames that \
reached the disk; standard error says what did not. Exit code 3 when anything is missing or the \
session was not finished.

Examples:
  inputanim recover torn.bin -o whole.bin
  inputanim recover take.session -o take.bin")]
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
    if session::is_session(input.bytes()) {
        return of_session(args, &input, limits);
    }
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

/// Of a session in rags, so many places are named.
const SHOWN: usize = 20;

fn of_session(args: &Args, input: &Input, limits: &Limits) -> anyhow::Result<Outcome> {
    let name = input.name();
    let recovery = session::recover(input.bytes(), limits).with_context(|| name.to_owned())?;
    let recording = &recovery.recording;
    let mut losses = Vec::new();
    output::write_to(&args.output, args.force, true, |output| {
        // A session takes what its layout cannot hold; better the rest than nothing.
        losses = recording.write_lossy(output, recording.layout)?;
        Ok(())
    })?;
    for lost in recovery.lost.iter().take(SHOWN) {
        warn(format_args!("{name}: {lost}"));
    }
    if let Some(more @ 1..) = recovery.lost.len().checked_sub(SHOWN) {
        warn(format_args!(
            "{name}: {} more like these",
            count(more, "place")
        ));
    }
    for loss in &losses {
        warn(format_args!("{name}: lost: {loss}"));
    }
    if !recovery.is_finished {
        let frames = count(recovery.frames, "frame");
        let end = recording.duration();
        warn(format_args!(
            "{name}: the session was not finished: {frames} were saved, up to {end:.3} s; what came after is lost"
        ));
    }
    match recovery.is_whole() && losses.is_empty() {
        true => Ok(Outcome::Done),
        false => Ok(Outcome::DataLost),
    }
}
