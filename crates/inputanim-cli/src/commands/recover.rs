//! `inputanim recover`

use anyhow::Context;
use inputanim::doctor::{self, Finding};
use inputanim::{DamagedPart, FilePart, Limits, session};

use crate::files::in_out::{Change, Edited, InOut};
use crate::files::input::Input;
use crate::files::output;
use crate::messages::diagnostics::warn;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::count;

/// Recover the intact parts of a damaged file, or the frames of a session
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A curve is recovered only if it is complete. Other curves become empty, and warnings name them. \
`recover` does not change values: run `inputanim repair` afterwards to repair damage by MRTK.

A session file (`inputanim record --session`) becomes a recording of all frames that reached the disk.

The exit code is 0 if the file was intact, 3 if anything is missing, and 1 if nothing could be recovered.

Examples:
  inputanim recover truncated.bin -o recovered.bin
  inputanim recover take.session -o take.bin
  inputanim recover -r takes -o recovered")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    // The output must not replace the damaged file, even with `--force`. This file may be the only copy, and a later
    // version of the program may recover more from it.
    if args
        .io
        .inputs
        .iter()
        .any(|input| output::is_same_file(input, &args.io.output))
    {
        let message = "the output would replace the damaged file, from which it is recovered";
        return Err(Refusal::failure(message, "choose another output with -o"));
    }
    let (outcome, _) = args.io.process(limits, "recovered", args, |input, _| {
        if session::is_session(input.bytes()) {
            of_session(input, limits)
        } else {
            of_file(input, limits)
        }
    })?;
    Ok(outcome)
}

fn of_file<'i>(input: &'i Input, limits: &Limits) -> anyhow::Result<Edited<'i, ()>> {
    let recovery = input.recover(limits)?;
    let Some(error) = &recovery.error else {
        let damage = doctor::damage(&recovery.recording, |_| true);
        if let Some(lost) = input.damage() {
            let mut change = Change::with(format!("lost: {lost}"));
            change.outcome = Outcome::DataLost;
            return Ok(Edited::new(recovery.recording, change, ()));
        }
        let fact = match Finding::codes(&damage) {
            codes if codes.is_empty() => "intact".to_owned(),
            codes => format!("complete; damage {codes}: run doctor"),
        };
        let change = Change {
            is_copy: true,
            ..Change::with(fact)
        };
        return Ok(Edited::new(recovery.recording, change, ()));
    };
    let name = input.name();
    warn(format_args!("{name}: {error}"));
    for line in DamagedPart::list(&recovery.damaged) {
        warn(format_args!("{name}: missing: {line}"));
    }
    let mut parts = recovery.damaged.iter().map(|damaged| damaged.part);
    if parts.any(|part| part == FilePart::MarkerList) {
        warn(format_args!(
            "{name}: all markers are lost: they are at the end of a file"
        ));
    }
    let unread = recovery.unread.end - recovery.unread.start;
    if unread > 0 {
        let (start, bytes) = (recovery.unread.start, count(unread as usize, "byte"));
        warn(format_args!(
            "{name}: {bytes} from byte {start} on are not part of an intact curve"
        ));
    }
    let missing = count(recovery.damaged.len(), "part");
    let mut change = Change::with(format!("{missing} missing"));
    change.outcome = Outcome::DataLost;
    Ok(Edited::new(recovery.recording, change, ()))
}

/// The number of damaged parts that are listed.
const LISTED: usize = 20;

fn of_session<'i>(input: &'i Input, limits: &Limits) -> anyhow::Result<Edited<'i, ()>> {
    let name = input.name();
    let recovery = session::recover(input.bytes(), limits).with_context(|| input.context())?;
    for lost in recovery.damage.iter().take(LISTED) {
        warn(format_args!("{name}: {lost}"));
    }
    if let Some(more @ 1..) = recovery.damage.len().checked_sub(LISTED) {
        warn(format_args!(
            "{name}: {} not shown",
            count(more, "more damaged part")
        ));
    }
    let frames = count(recovery.frames, "frame");
    if !recovery.is_finished {
        let end = recovery.recording.duration();
        warn(format_args!(
            "{name}: the session did not end properly: frames after {end:.3} s may be lost"
        ));
    }
    let mut change = Change::with(frames);
    if !recovery.is_intact() {
        change.outcome = Outcome::DataLost;
    }
    let mut edited = Edited::new(recovery.recording, change, ());
    // A session stores all frames, also what its layout cannot represent. A recording with losses is
    // better than none.
    edited.allow_loss = true;
    Ok(edited)
}
