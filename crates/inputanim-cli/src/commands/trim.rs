//! `inputanim trim`

use inputanim::edit::{Edit, Trim};
use inputanim::{Limits, TimeRange};

use crate::arguments::time_range::{TIMES, within};
use crate::files::in_out::{Change, InOut};
use crate::messages::diagnostics::warn;
use crate::messages::outcome::Outcome;
use inputanim::RelativeTimeRange;

/// Trim a recording to a time range
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
The start of the range becomes t = 0, unless --keep-times is given. Markers outside the range are \
removed. The cut is exact: a curve gets a key at each new end, with its value at that time, and the keys \
between the ends do not change.

{TIMES}

Examples:
  inputanim trim take.bin --time 1.5..4 -o part.bin
  inputanim trim take.bin --time +1..-0.5 -o without-ends.bin"))]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Keep this time range
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: RelativeTimeRange,
    /// Do not move the start of the range to t = 0
    #[arg(long)]
    keep_times: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.io.change(limits, "trimmed", args, |recording, job| {
        let file = job.input.display().to_string();
        let TimeRange { start, end } = within(args.time, recording, &file)?;
        let mut trim = Trim::default();
        (trim.start, trim.end) = (Some(start), Some(end));
        trim.keep_times = args.keep_times;
        Edit::from(trim).apply(recording, limits)?;
        if start == end {
            warn(format_args!("{file}: the time range is 0 s long"));
        }
        Ok(Change::default())
    })
}
