//! `inputanim concat`

use std::path::PathBuf;

use inputanim::edit::{self, Join};
use inputanim::{Layout, LayoutLoss, Limits, Recording, TimeRange};

use crate::arguments::time_range::duration_or_zero;
use crate::arguments::values::layouts;
use crate::files::in_out::Target;
use crate::files::input::Input;
use crate::messages::diagnostics::warn;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::{count, seconds};

/// Join recordings one after the other
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each recording contributes the time from t = 0 to its last key, and its markers. By default, a recording \
starts at the end of the previous one. With --gap, all poses are held in between, and no hand is tracked. \
With --blend, all poses move linearly from the end of one recording to the start of the next.

Examples:
  inputanim concat first.bin second.bin -o both.bin
  inputanim concat loop.bin --repeat 10 -o long.bin
  inputanim concat trial-*.bin --gap 1 -o session.bin")]
pub(crate) struct Args {
    /// The recordings (.bin, or another format that `convert` reads), in order
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    join: Between,
    /// Repeat the joined recordings this number of times
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// The layout to write [default: the layout of the first recording]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    layout: Option<Layout>,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct Between {
    /// Hold the last poses for this time between two recordings
    #[arg(long, value_name = "TIME", value_parser = duration_or_zero, allow_negative_numbers = true)]
    gap: Option<f32>,
    /// Move linearly from the last poses of a recording to the first poses of the next in this time
    #[arg(long, value_name = "TIME", value_parser = duration_or_zero, allow_negative_numbers = true)]
    blend: Option<f32>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let join = Join::new(args.join.gap, args.join.blend)?;
    args.target.check(&args.inputs, "joined")?;
    let inputs: Vec<Input> = args
        .inputs
        .iter()
        .map(|path| Input::open(path, limits))
        .collect::<anyhow::Result<_>>()?;
    // A recording borrows from its input, so the inputs live as long.
    let recordings = inputs
        .iter()
        .map(|input| input.recording(limits))
        .collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(blend) = args.join.blend {
        warn_of_long_blend(blend, &inputs, &recordings);
    }
    let size: u64 = inputs.iter().map(Input::len).sum();
    edit::check_size(size.saturating_mul(args.repeat.into()), limits)?;
    let mut all = edit::concat(&recordings, join)
        .and_then(|all| edit::repeat(&all, args.repeat, join))
        .map_err(|error| {
            // The error does not say which recording it is about.
            let culprit = inputs.iter().zip(&recordings).find(|(_, recording)| {
                let everything = TimeRange {
                    start: f32::NEG_INFINITY,
                    end: f32::INFINITY,
                };
                edit::trim(&mut (*recording).clone(), everything).is_err()
            });
            let error = anyhow::Error::from(error);
            match culprit {
                Some((input, _)) => error.context(input.context()),
                None => error.context("cannot join the recordings"),
            }
        })?;
    all.layout = args.layout.unwrap_or(all.layout);
    refuse_loss(&all)?;
    let mut done = format!("joined {}", count(inputs.len(), "recording"));
    if args.repeat > 1 {
        done += &format!(" {} times", args.repeat);
    }
    let outcome = args.target.write_and_summarize(&done, &all)?;
    let invented = edit::invented_pinches(&recordings);
    for pinches in &invented {
        warn(format_args!("lost: {pinches}"));
    }
    Ok(match invented[..] {
        [] => outcome,
        _ => outcome.and(Outcome::DataLost),
    })
}

/// Warns if the blend, in seconds, is longer than a recording: milliseconds are easily typed without their unit.
fn warn_of_long_blend(blend: f32, inputs: &[Input], recordings: &[Recording<'_>]) {
    let mut all = inputs.iter().zip(recordings);
    if let Some((input, recording)) = all.find(|(_, recording)| blend > recording.duration()) {
        let (file, length) = (input.name(), seconds(recording.duration()));
        let guess = if blend >= 10.0 {
            format!("; did you mean --blend {blend}ms?")
        } else {
            String::new()
        };
        warn(format_args!(
            "{file}: the blend of {blend} s is longer than the recording ({length} s){guess}"
        ));
    }
}

/// Fails if the layout of the recording cannot store all of its data. The hint names a layout that can.
fn refuse_loss(all: &Recording<'_>) -> anyhow::Result<()> {
    let mut losses = all.layout_losses(all.layout);
    // An absent stream gets empty curves, which loses nothing that was recorded.
    losses.retain(|loss| !matches!(loss, LayoutLoss::MissingHead | LayoutLoss::MissingHands));
    if losses.is_empty() {
        return Ok(());
    }
    let losses: Vec<String> = losses.iter().map(ToString::to_string).collect();
    let message = format!("{} cannot store {}", all.layout, losses.join(", "));
    // The layouts that MRTK loads come first.
    let mut layouts = Layout::ALL.iter();
    let complete = layouts.find(|&&layout| all.layout_losses(layout).is_empty());
    let hint = match complete {
        Some(layout) => format!("--layout {layout} stores everything"),
        None => "remove that data from the recordings with `inputanim select`".to_owned(),
    };
    Err(Refusal::failure(message, hint))
}
