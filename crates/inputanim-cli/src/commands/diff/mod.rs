//! `inputanim diff`

mod print;
mod report;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use anyhow::{Context, anyhow};
use inputanim::diff::{DiffOptions, Difference, Tolerance, Verdict};
use inputanim::doctor;
use inputanim::{Element, Limits, Recording};

pub(crate) use print::{deviation_table, number};

use crate::arguments::names::{MarkerArgs, NAMES, NameArgs, unknown};
use crate::arguments::time_range::{TIMES, duration_or_any, within};
use crate::arguments::values::{angle, length};
use crate::files::input::Input;
use crate::messages::diagnostics::{report as report_error, warn};
use crate::messages::outcome::{Outcome, Refusal, is_broken_pipe};
use crate::messages::text::printable;
use crate::results::report_format::{ReportFormat, Rows};
use inputanim::RelativeTimeRange;

use report::Report;

/// Compare the playback of two recordings
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
Both recordings are evaluated at the times of the keys of both, and between them. They are equal if their \
streams and markers are the same bit for bit, equivalent if all differences are within the tolerances, \
and different otherwise. Layouts and keys may differ. The tolerance `inf` ignores a quantity. Joints \
are compared while both recordings track the hand. If a joint is tracked, but never in both recordings at the \
same time, the recordings are different. With joints, the tracking state of their hand is compared too. After its \
end, the shorter recording holds its last values. The joint entry `None` of the file format is compared only if \
--joints names it.

Exit codes, as in diff and cmp: 0 if the recordings are equal or equivalent; 1 if they are different; \
2 if they cannot be compared, because a file cannot be read or the command line is wrong.

{NAMES}

{TIMES}

Examples:
  inputanim diff golden.bin take.bin
  inputanim diff golden.bin take.bin --position 5mm --rotation 2deg --timing 34ms
  inputanim diff golden.bin take.bin --joints right --no-markers
  inputanim diff -q golden.bin take.bin || echo the interaction has changed"))]
pub(crate) struct Args {
    /// First recording (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Second recording
    #[arg(value_name = "B")]
    b: PathBuf,
    #[command(flatten)]
    names: NameArgs,
    #[command(flatten)]
    markers: MarkerArgs,
    /// Tolerance for positions [default: 1mm]
    #[arg(long, value_name = "LENGTH", value_parser = length, allow_hyphen_values = true)]
    position: Option<f64>,
    /// Tolerance for rotations and the direction of the gaze [default: 0.2deg]
    #[arg(long, value_name = "ANGLE", value_parser = angle, allow_hyphen_values = true)]
    rotation: Option<f64>,
    /// Tolerance for the times at which a hand is found or lost, pinches start or end, and markers [default: 1ms]
    #[arg(long, value_name = "DURATION", value_parser = duration_or_any, allow_hyphen_values = true)]
    timing: Option<f32>,
    /// Tolerance for the duration [default: the value of --timing]
    #[arg(long, value_name = "DURATION", value_parser = duration_or_any, allow_hyphen_values = true)]
    duration: Option<f32>,
    /// Tolerance for inputs of devices with numbers, such as triggers (0 to 1) [default: 0.001]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    input: Option<f64>,
    /// Compare only this time range
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<RelativeTimeRange>,
    /// Number of instants to compare between two neighbouring keys
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    between: u16,
    /// Print nothing; the exit code is the result
    #[arg(short, long, conflicts_with = "format")]
    quiet: bool,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    // An exit code of 1 says that the recordings differ, so nothing else may.
    compare(args, limits).or_else(|error| {
        report_error(&error);
        Ok(Outcome::Trouble)
    })
}

fn compare(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if [&args.a, &args.b]
        .iter()
        .all(|path| *path == Path::new("-"))
    {
        let message = "only one of the recordings can be standard input";
        return Err(Refusal::usage(
            message,
            "use a file for the other recording",
        ));
    }
    let inputs = [Input::open(&args.a, limits)?, Input::open(&args.b, limits)?];
    let [a, b] = &inputs;
    let recordings = [a.recording(limits)?, b.recording(limits)?];
    let [a, b] = &recordings;
    let known = args.names.choice()?.check(&[a, b]);
    known.map_err(|error| unknown(&error))?;
    let options = args.options(a, b, &inputs)?;
    // The error knows only which of the two it is about, and the context adds its name.
    let difference = a.diff(b, &options).map_err(|error| {
        let input = &inputs[error.index];
        anyhow!(error.source).context(input.context())
    })?;
    let names = inputs.each_ref().map(Input::name);
    if difference.verdict == Verdict::Equivalent {
        args.refuse_nothing_in_common(&recordings, &options, &difference)?;
    }
    if !args.quiet {
        // A reader that closes the pipe early still gets the answer, as the exit code.
        match args.print(&difference, &options.tolerance, names) {
            Err(error) if is_broken_pipe(&error) => {}
            printed => printed?,
        }
    }
    if difference.verdict != Verdict::Different {
        return Ok(Outcome::Done);
    }
    if !args.quiet {
        warn_of_damage(&recordings, names);
    }
    Ok(Outcome::Failed)
}

impl Args {
    fn options(
        &self,
        a: &Recording<'_>,
        b: &Recording<'_>,
        inputs: &[Input; 2],
    ) -> anyhow::Result<DiffOptions> {
        // The shorter recording holds its end until the longer one ends.
        let is_a_longer = a.duration() >= b.duration();
        let (longer, input) = if is_a_longer {
            (a, &inputs[0])
        } else {
            (b, &inputs[1])
        };
        let time = self.time.map(|range| within(range, longer, input.name()));
        let time = time.transpose()?;
        let mut options = DiffOptions::default();
        options.tolerance = self.tolerance()?;
        options.range = time;
        options.between_keys = self.between;
        options.compare_only(&self.names.choice()?);
        if options.ignored.len() == Element::all().count() {
            let message = "nothing to compare: --exclude removes everything that --joints selects";
            return Err(Refusal::usage(message, "remove a name from --exclude"));
        }
        options.markers = self.markers.choice();
        Ok(options)
    }

    /// Fails if nothing of the two recordings was compared, because the result "equivalent" would be misleading.
    fn refuse_nothing_in_common(
        &self,
        recordings: &[Recording<'_>; 2],
        options: &DiffOptions,
        difference: &Difference,
    ) -> anyhow::Result<()> {
        let choice = self.names.choice()?;
        let [a, b] = recordings.each_ref().map(|recording| {
            let curves = recording.curves().filter(|(_, curve)| !curve.is_empty());
            let elements = curves.map(|(path, _)| Element::from(path));
            elements.collect::<HashSet<_>>()
        });
        // The state of a hand is compared with its joints, but it is not a selected stream then.
        let is_compared =
            |element: &Element| choice.contains(*element) && !options.ignored.contains(element);
        let common = a.intersection(&b).copied().filter(is_compared);
        let common: Vec<Element> = common.collect();
        let mut markers = recordings.iter().flat_map(|recording| &recording.markers);
        let has_markers = markers.any(|marker| options.markers.keeps(&marker.name));
        // With names, the user compares streams, and not markers alone.
        let is_joint = |element: &Element| matches!(element, Element::Joint(..));
        if !self.names.is_empty() && difference.streams.is_empty() && common.iter().any(is_joint) {
            let message =
                "nothing to compare: neither recording tracks the hand of a selected joint";
            let hint = "`inputanim info` lists how long each hand is tracked";
            return Err(Refusal::usage(message, hint));
        }
        if !common.is_empty() || has_markers && self.names.is_empty() {
            return Ok(());
        }
        let message =
            "nothing to compare: the recordings have none of the selected streams in common";
        let hint = "`inputanim info` lists the streams of a recording";
        Err(Refusal::usage(message, hint))
    }

    fn tolerance(&self) -> anyhow::Result<Tolerance> {
        Ok(Tolerance::new(
            self.position,
            self.rotation,
            self.timing,
            self.duration,
            self.input,
        )?)
    }

    fn print(
        &self,
        difference: &Difference,
        tolerance: &Tolerance,
        names: [&str; 2],
    ) -> anyhow::Result<()> {
        match Rows::new(self.format, io::stdout().lock()) {
            Ok(mut rows) => {
                let report = Report::new(*tolerance, difference, names);
                rows.push(&report, || report.rows())?;
                rows.finish()
            }
            Err(output) => {
                let mut output = AutoStream::auto(output);
                print::print(&mut output, self, difference, tolerance, names)?;
                output.flush().context("cannot write to standard output")
            }
        }
    }
}

/// Warns of damage in only one of the recordings, which may explain the differences.
fn warn_of_damage(recordings: &[Recording<'_>; 2], names: [&str; 2]) {
    let found = recordings.each_ref();
    let found = found.map(|recording| doctor::damage(recording, |_| true));
    for (index, name) in names.into_iter().enumerate() {
        for finding in &found[index] {
            let mut other = found[1 - index].iter();
            if !other.any(|other| other.code == finding.code) {
                let finding = finding.to_string();
                warn(format_args!("only in {name}: {}", printable(&finding)));
            }
        }
    }
}
