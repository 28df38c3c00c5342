//! `inputanim markers add`

use inputanim::edit::markers;
use inputanim::{Limits, Marker};

use crate::diagnostics::warn;
use crate::in_out::InOut;
use crate::outcome::{Outcome, Refusal};
use crate::text::printable;

use super::require_list;

/// Add markers in order of time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example: inputanim markers add take.bin --at 1.5 grab --at 2.25 release -o marked.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    /// A time in seconds and a name; may be given several times
    #[arg(long, required = true, num_args = 2, value_names = ["SECONDS", "NAME"])]
    #[arg(allow_negative_numbers = true)]
    at: Vec<String>,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut added = Vec::new();
    for pair in args.at.chunks_exact(2) {
        match pair[0].parse::<f32>() {
            Ok(time) if time.is_finite() => added.push(Marker::new(time, pair[1].clone())),
            _ => {
                let message = format!("{} is no number of seconds", printable(&pair[0]));
                return Err(Refusal::usage(message, "--at SECONDS NAME"));
            }
        }
    }
    args.io.change(limits, |recording| {
        require_list(recording)?;
        let end = recording.duration();
        for marker in added {
            let time = marker.time;
            if !(0.0..=end).contains(&time) {
                let file = args.io.input.display();
                warn(format_args!(
                    "{file}: playback, from 0 s to {end} s, never reaches {time} s"
                ));
            }
            markers::add(recording, marker);
        }
        Ok(Outcome::Done)
    })
}
