//! `inputanim markers add`

use inputanim::edit::markers;
use inputanim::{Limits, Marker};

use crate::arguments::time_range::TIMES;
use crate::files::in_out::{Change, InOut};
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::{count, printable};
use inputanim::TimePoint;

use super::{require_list, warn_if_not_played};

/// Add markers
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
{TIMES}

Example: inputanim markers add take.bin --at 1.5 grab --at 2.25 release -o marked.bin"))]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Time and name of a marker; may be given several times
    #[arg(long, required = true, num_args = 2, value_names = ["TIME", "NAME"])]
    #[arg(allow_negative_numbers = true)]
    at: Vec<String>,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut added = Vec::new();
    for pair in args.at.chunks_exact(2) {
        match pair[0].parse::<TimePoint>() {
            Ok(time) => added.push((time, pair[1].clone())),
            Err(message) => {
                let message = printable(&message.to_string()).into_owned();
                return Err(Refusal::usage(
                    message,
                    "write the time before the name: --at 1.5 grab",
                ));
            }
        }
    }
    args.io.change(limits, "edited", args, |recording, job| {
        require_list(recording)?;
        let played = recording.played_range();
        for (time, name) in &added {
            let time = time.within(played);
            warn_if_not_played(recording, time, job);
            markers::add(recording, Marker::new(time, name.clone()));
        }
        Ok(Change::with(format!(
            "{} added",
            count(added.len(), "marker")
        )))
    })
}
