//! `inputanim diff`

mod print;
mod report;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use anyhow::{Context, anyhow};
use inputanim::diff::{self, Difference, Options, Tolerance, Verdict, Which};
use inputanim::doctor::{self, Severity};
use inputanim::{Limits, Recording, Span};

pub(crate) use print::{deviation_table, number};

use crate::diagnostics::{report as report_error, warn};
use crate::format::{Format, Rows};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal, is_broken_pipe};
use crate::text::printable;
use crate::time_range::TimeRange;

use report::Report;

/// Say whether two recordings are equal, equal in meaning, or how they differ
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Both are played side by side: at every key of either, and between. Equal in meaning is what plays \
the same within the tolerance, whatever its layout and keys; with tolerances of 0 it plays exactly \
the same. `inf` leaves a quantity out. Joints are compared while both recordings track the hand. \
Where one recording is over it holds its end; the difference in duration counts on its own.

Exit codes, as of diff and cmp: 0 equal or within the tolerance, 1 not, 2 if it cannot be told, \
since a file cannot be read or played or the command line is wrong.

Examples:
  inputanim diff golden.bin take.bin
  inputanim diff golden.bin take.bin --tolerance-mm 5 --tolerance-deg 2 --tolerance-ms 34
  inputanim diff -q golden.bin take.bin || echo the interaction has changed")]
pub(crate) struct Args {
    /// A recording (.bin, or lossless .json); `-` is standard input
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The recording to compare with it
    #[arg(value_name = "B")]
    b: PathBuf,
    /// How far positions may be apart, in millimetres
    #[arg(long, value_name = "MM", default_value_t = 1.0, value_parser = tolerance)]
    #[arg(allow_negative_numbers = true)]
    tolerance_mm: f64,
    /// How far rotations and the gaze's direction may be apart, in degrees
    #[arg(long, value_name = "DEG", default_value_t = 0.2, value_parser = tolerance)]
    #[arg(allow_negative_numbers = true)]
    tolerance_deg: f64,
    /// How far changes of state, markers and the end may be apart, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1.0, value_parser = tolerance)]
    #[arg(allow_negative_numbers = true)]
    tolerance_ms: f64,
    /// From A to B seconds only; an end that is left out is that of the recordings
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<TimeRange>,
    /// How many instants to look at between two keys
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    between: u16,
    /// Print nothing: the exit code says it
    #[arg(short, long, conflicts_with = "format")]
    quiet: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A number that may be 0 or infinite.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 => Ok(number),
        _ => Err("expected a number that is not below 0".to_owned()),
    }
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
        let message = "both recordings cannot be standard input";
        return Err(Refusal::usage(message, "name a file for one of them"));
    }
    let inputs = [Input::open(&args.a, limits)?, Input::open(&args.b, limits)?];
    let [a, b] = &inputs;
    let recordings = [a.recording(limits)?, b.recording(limits)?];
    let [a, b] = &recordings;
    let options = args.options(a.duration().max(b.duration()))?;
    let difference = diff::compare(a, b, &options).map_err(|error| {
        let input = match error.which {
            Which::First => &inputs[0],
            Which::Second => &inputs[1],
        };
        anyhow!(error.source).context(input.name().to_owned())
    })?;
    let names = inputs.each_ref().map(Input::name);
    if !args.quiet {
        // Who has read enough has still asked whether they differ.
        match args.print(&difference, names) {
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
    fn options(&self, duration: f32) -> anyhow::Result<Options> {
        let time = self.time.as_ref().map(|range| Span {
            start: *range.0.start(),
            end: *range.0.end(),
        });
        if time.is_some_and(|time| time.start > duration) {
            return Err(Refusal::failure(
                format!("the recordings play until {duration} s"),
                "`inputanim info` shows how long they are",
            ));
        }
        Ok(Options {
            tolerance: Tolerance {
                metres: self.tolerance_mm / 1000.0,
                degrees: self.tolerance_deg,
                seconds: self.tolerance_ms / 1000.0,
            },
            time,
            between: self.between,
        })
    }

    fn print(&self, difference: &Difference, names: [&str; 2]) -> anyhow::Result<()> {
        match Rows::new(self.format, io::stdout().lock()) {
            Ok(mut rows) => {
                let report = Report::new(self, difference, names);
                rows.push(&report, || report.rows())?;
                rows.finish()
            }
            Err(output) => {
                let mut output = AutoStream::auto(output);
                print::print(&mut output, self, difference, names)?;
                output.flush().context("cannot write to standard output")
            }
        }
    }
}

/// Damage that only one of the recordings has may be why they differ.
fn warn_of_damage(recordings: &[Recording<'_>; 2], names: [&str; 2]) {
    let found = recordings.each_ref().map(|recording| {
        let mut findings = doctor::examine(recording);
        findings.retain(|finding| finding.severity() == Severity::Damage);
        findings
    });
    for (index, name) in names.into_iter().enumerate() {
        for finding in &found[index] {
            let mut other = found[1 - index].iter();
            if !other.any(|other| other.code == finding.code) {
                let finding = finding.to_string();
                warn(format_args!("{name} alone: {}", printable(&finding)));
            }
        }
    }
}
