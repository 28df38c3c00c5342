//! `inputanim smooth`

use inputanim::diff::{Deviation, DiffOptions, Difference, StreamDifference, Verdict};
use inputanim::edit::{EditReport, Smooth};
use inputanim::{Limits, Recording};

use crate::arguments::names::{NAMES, NameArgs, warn_of_unrecorded};
use crate::files::in_out::{Change, InOut, checked};
use crate::messages::diagnostics::warn;
use crate::messages::outcome::Outcome;

use super::diff::{deviation_table, number};

/// Smooth poses with a One Euro filter
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
The One Euro filter is a low-pass filter whose cutoff frequency rises with the speed: it removes noise \
from slow motion, and follows fast motion with little delay. Smoothed poses lag slightly, and are no \
longer the measured values. The command prints the largest changes to standard error.

If a still hand is noisy, lower --min-cutoff. If fast motion lags, raise --beta, and --rotation-beta for \
rotations.

{NAMES}

Examples:
  inputanim smooth take.bin -o smoothed.bin
  inputanim smooth take.bin --min-cutoff 0.5 --beta 40 --joints hands -o calmer.bin"))]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Cutoff frequency at rest, in Hz: lower values smooth more
    #[arg(long, value_name = "HZ", allow_negative_numbers = true,
          default_value_t = Smooth::default().min_cutoff)]
    min_cutoff: f64,
    /// Increase of the cutoff frequency of positions with the speed, in Hz per m/s
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true,
          default_value_t = Smooth::default().beta)]
    beta: f64,
    /// Increase of the cutoff frequency of rotations and of the gaze direction with the speed, in Hz per rad/s
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true,
          default_value_t = Smooth::default().rotation_beta)]
    rotation_beta: f64,
    /// Cutoff frequency of the measured speed, in Hz
    #[arg(long, value_name = "HZ", allow_negative_numbers = true,
          default_value_t = Smooth::default().derivative_cutoff)]
    derivative_cutoff: f64,
    #[command(flatten)]
    names: NameArgs,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let (joints, exclude) = args.names.texts();
    let mut smooth = Smooth::default();
    smooth.min_cutoff = args.min_cutoff;
    smooth.beta = args.beta;
    smooth.rotation_beta = args.rotation_beta;
    smooth.derivative_cutoff = args.derivative_cutoff;
    (smooth.joints, smooth.exclude) = (joints, exclude);
    let edit = checked(smooth)?;
    let choice = args.names.choice()?;
    args.io.change(limits, "smoothed", args, |recording, job| {
        warn_of_unrecorded(&choice, recording, &job.input.display().to_string())?;
        // The filter does not report its effect, so the deviation is measured by playing both.
        let before = recording.clone();
        let EditReport::Smooth(losses) = edit.apply(recording, limits)? else {
            unreachable!("`Smooth` reports losses");
        };
        let mut change = deviation(&before, recording);
        for loss in losses {
            let file = job.input.display();
            warn(format_args!(
                "{file}: lost velocities of smoothed poses: {loss}"
            ));
            change.outcome = Outcome::DataLost;
        }
        Ok(change)
    })
}

/// Formats the largest change of any position and of any rotation: `5.377 mm and 5.080°`.
fn largest(found: &Difference) -> String {
    let largest = |of: fn(&StreamDifference) -> &Deviation| {
        let found = found
            .streams
            .iter()
            .filter_map(|stream| of(stream).statistics);
        found.map(|found| found.largest).fold(0.0, f64::max)
    };
    let metres = largest(|stream| &stream.position);
    let degrees = largest(|stream| &stream.rotation);
    format!("{} mm and {}°", number(metres * 1000.0), number(degrees))
}

/// Compares a recording before and after smoothing. Returns the distances by which poses moved, for the summary; a
/// recording without any change counts as a copy.
fn deviation(before: &Recording<'_>, after: &Recording<'_>) -> Change {
    match before.diff(after, &DiffOptions::default()) {
        Ok(found) if found.verdict == Verdict::Equal => Change {
            is_copy: true,
            ..Change::with("no pose changed")
        },
        Ok(found) => Change {
            details: format!("poses moved by:\n{}", deviation_table(&found).join("\n")),
            ..Change::with(format!("poses moved by at most {}", largest(&found)))
        },
        Err(error) => {
            warn(format_args!(
                "cannot measure how far the poses moved: {}",
                error.source
            ));
            Change::default()
        }
    }
}
