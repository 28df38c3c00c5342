//! `inputanim reduce`

mod bounds;
mod print;
mod report;

use clap::builder::TypedValueParser;
use inputanim::edit::EditReport;
use inputanim::reduce::{self, ReduceMethod, StreamErrors, measure};
use inputanim::{Limits, Stream};

use super::diff::number;
use crate::arguments::values::one_of;
use crate::files::batch::Job;
use crate::files::in_out::{Change, InOut, checked};
use crate::messages::diagnostics::warn;
use crate::messages::outcome::Outcome;
use crate::results::report_format::{ReportFormat, print_reports};
use bounds::Bounds;
use report::{Options, Reduced};

/// Remove keys that linear interpolation can reproduce within error bounds
#[derive(Debug, clap::Args)]
#[command(after_help = "\
At the time of every removed key, positions, rotations and directions stay within the bounds. The command \
prints the size before and after, and the largest measured errors, to standard error. The remaining keys keep \
their times and values. Markers, states and the first and last key of each curve are kept.

--position and --rotation apply to everything, unless the head or the gaze has its own bound. The \
defaults are the thresholds of MRTK: 1 mm and 0.2° for joints, 2 mm and 0.2° for head and gaze. 0 removes \
only keys that have no effect on the values; `inf` ignores a quantity. --point does not apply to the \
gaze: with --rotation inf, its direction has no bound unless --gaze-direction sets one.

With --tangents, the errors are measured at the keys of the original. The curves are also checked halfway \
between these keys; at other times, errors may be slightly above the bounds. `diff --between 10` measures them.

Removed keys cannot be restored. Keep the original recording if you use it for measurements.

Examples:
  inputanim reduce take.bin -o small.bin
  inputanim reduce take.bin --position 0.1mm --rotation 0.05deg -o fine.bin
  inputanim reduce take.bin --method optimal -o smallest.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    bounds: Bounds,
    /// The method that selects the keys that stay
    #[arg(long, value_name = "METHOD", default_value = "one-pass", value_parser = methods())]
    method: ReduceMethod,
    /// Keys per partition with --method mrtk; 0 for a single partition [default: 32]
    #[arg(long, value_name = "COUNT")]
    partition: Option<usize>,
    /// Use tangents where this needs fewer keys; only for layouts with full keys
    #[arg(long)]
    tangents: bool,
    /// Format of the report: a table goes to standard error, other formats to standard output
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

fn methods() -> impl TypedValueParser<Value = ReduceMethod> {
    one_of(
        ReduceMethod::ALL,
        ReduceMethod::name,
        |method| match method {
            ReduceMethod::OnePass => {
                "The longest possible linear segment from each key, in one pass"
            }
            ReduceMethod::Optimal => {
                "The fewest possible keys: about 1 % fewer than with one-pass, but several times slower"
            }
            ReduceMethod::Mrtk => "The method that MRTK's recorder documents, for comparison",
            other => other.name(),
        },
    )
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut reduce = args.bounds.reduce();
    (reduce.method, reduce.partition) = (args.method, args.partition);
    reduce.tangents = args.tangents;
    let edit = checked(reduce.clone())?;
    let options = Options::new(&reduce);
    args.io.refuse_two_outputs(args.format)?;
    let reduced = args
        .io
        .change_and_report(limits, "reduced", args, |recording, job| {
            let original = recording.clone();
            let EditReport::Reduce(skipped) = edit.apply(recording, limits)? else {
                unreachable!("`Reduce` reports vectors");
            };
            let errors = measure(&original, recording)?;
            bounds::refuse_beyond(&errors, &options.bounds)?;
            warn_of_unbounded_gaze(job, &errors, &options.bounds);
            let reduced = Reduced::new(job, options, [&original, recording], errors, skipped);
            let mut change = Change {
                is_copy: !reduced.changed,
                ..Change::default()
            };
            change.facts = print::facts(&reduced);
            if args.format == ReportFormat::Table {
                change.details = print::details(&reduced);
            }
            Ok((change, reduced))
        });
    let (outcome, reports) = reduced?;
    print_reports(args.format, &reports)?;
    Ok(outcome)
}

/// Warns if the gaze direction changed and has no bound, because `--point` does not limit it.
fn warn_of_unbounded_gaze(job: &Job, errors: &[StreamErrors], bounds: &reduce::Bounds) {
    if bounds.gaze.rotation.is_finite() {
        return;
    }
    let mut streams = errors.iter();
    let gaze = streams.find(|errors| errors.stream == Stream::Gaze);
    let Some(found) = gaze.and_then(|errors| errors.rotation) else {
        return;
    };
    if found.largest > 0.0 {
        let file = job.input.display();
        warn(format_args!(
            "{file}: the gaze direction has no bound: its error is up to {}° \
             (--gaze-direction sets a bound)",
            number(found.largest)
        ));
    }
}
