//! `inputanim trim`

use inputanim::summary::Summary;
use inputanim::{Limits, Span, edit};

use crate::in_out::InOut;
use crate::outcome::{Outcome, Refusal};
use crate::time_range::PartOfTake;

/// Keep a part of a recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Times: 1.5 is a time of the recording, +1.5 is 1.5 s after its start, -0.5 is 0.5 s before its end, \
and @-0.5 is the time -0.5 s, for recordings that begin before 0. An open end cuts nothing off.

The new ends are exact: curves get a key there with the value that was played, and what lies between \
stays as it was. The new start becomes t = 0 unless --keep-times says otherwise; markers outside go.

Examples:
  inputanim trim take.bin --time 1.5..4 -o part.bin
  inputanim trim take.bin --time +1..-0.5 -o without-ends.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// From when to when, in seconds
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true)]
    time: PartOfTake,
    /// Leave all times as they are
    #[arg(long)]
    keep_times: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.io.change(limits, |recording| {
        let take = Summary::of(recording).time_range;
        let take = take.unwrap_or(Span {
            start: 0.0,
            end: 0.0,
        });
        let span = args.time.within(take);
        if span.end < span.start {
            let message = format!("the part ends, at {} s, before it starts", span.end);
            return Err(Refusal::failure(message, LENGTH));
        }
        if span.start > take.end || span.end < take.start {
            let Span { start, end } = take;
            let message = format!("nothing is played then: the take is from {start} s to {end} s");
            return Err(Refusal::failure(message, LENGTH));
        }
        edit::trim(recording, span)?;
        if !args.keep_times && span.start.is_finite() {
            edit::shift(recording, -f64::from(span.start))?;
        }
        Ok(Outcome::Done)
    })
}

const LENGTH: &str = "`inputanim info` shows how long a take is";
