//! `inputanim repair`

mod cut;
mod print;
mod report;
mod rows;
mod uncertain;

use std::path::{Path, PathBuf};

use inputanim::doctor::Remedy;
use inputanim::{Limits, edit};

use crate::files::in_out::{Change, InOut};
use crate::files::output;
use crate::messages::diagnostics::note;
use crate::messages::outcome::{Outcome, Refusal};
use crate::results::report_format::{ReportFormat, print_reports};
use report::Repaired;

/// Repair damage by MRTK, and errors that prevent playback
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Undamaged curves are copied byte for byte. The command prints the repairs, the keys whose sign is uncertain, \
and the damage that cannot be repaired, to standard error. Run `inputanim doctor` to see the damage before the \
repair. A file that is not well formed needs `inputanim recover` first.

The exit code is 3 if some damage cannot be repaired. Uncertain keys do not change the exit code.

Examples:
  inputanim repair take.bin -o repaired.bin
  inputanim repair take.bin --trim-frozen -o repaired.bin
  inputanim repair take.bin -o repaired.bin --uncertain uncertain.json
  inputanim repair -r takes -o repaired --format csv > repairs.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Trim the end, if a stream holds its last pose there because its last samples were not saved
    #[arg(long)]
    trim_frozen: bool,
    /// Make poses and gaze of zeros unknown: some trackers write them while they have lost an object. Other formats than
    /// .bin can store this
    #[arg(long)]
    forget_zeros: bool,
    /// List every curve and all uncertain times; for one recording
    #[arg(short, long)]
    verbose: bool,
    /// Write the curves and times that are uncertain to FILE, as JSON; for one recording
    #[arg(long, value_name = "FILE")]
    uncertain: Option<PathBuf>,
    /// The format of the report. `table` is printed to standard error, the others to standard output
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.refuse_conflicts()?;
    let is_batch = args.io.folder()?.is_some();
    let repaired = args
        .io
        .change_and_report(limits, "repaired", args, |recording, job| {
            let zeros = if args.forget_zeros {
                edit::forget_zeros(recording)
            } else {
                Vec::new()
            };
            let mut report = recording.repair();
            let cut = if args.trim_frozen {
                cut::trim_frozen(recording, &mut report)?
            } else {
                None
            };
            let repaired = Repaired::new(job, report, cut, zeros);
            let mut change = Change {
                is_copy: !repaired.changed,
                ..Change::default()
            };
            change.facts = print::facts(&repaired);
            if args.format == ReportFormat::Table {
                change.details = print::details(&repaired, recording, args.verbose);
            }
            if !repaired.lost.is_empty() {
                change.outcome = Outcome::DataLost;
                let mut lost = repaired.lost.iter();
                // A single recording has this hint among its details.
                if let (true, Some(code)) = (is_batch, lost.find(|c| c.remedy() == Remedy::Trim)) {
                    note(format_args!("{code}: --trim-frozen cuts off the end"));
                }
            }
            Ok((change, repaired))
        });
    let (outcome, reports) = repaired?;
    if let (Some(path), [repaired]) = (&args.uncertain, &reports[..]) {
        uncertain::write(path, args.io.force, repaired)?;
    }
    print_reports(args.format, &reports)?;
    Ok(outcome)
}

impl Args {
    /// Refuses outputs that exclude each other, before anything is done.
    fn refuse_conflicts(&self) -> anyhow::Result<()> {
        self.io.refuse_two_outputs(self.format)?;
        let Some(uncertain) = self.uncertain.as_deref() else {
            return Ok(());
        };
        if self.io.folder()?.is_some() {
            let message = "--uncertain needs a single recording, and an output file (-o FILE)";
            let hint = "--format json prints the uncertain times of several recordings";
            return Err(Refusal::usage(message, hint));
        }
        if uncertain == Path::new("-") {
            if self.io.output == Path::new("-") || self.format != ReportFormat::Table {
                let message = "two results cannot both go to standard output";
                return Err(Refusal::usage(message, "choose a file with --uncertain"));
            }
            return Ok(());
        }
        // A file that does not exist yet has only its name to compare.
        let is_taken =
            |other: &PathBuf| uncertain == other || output::is_same_file(uncertain, other);
        if self.io.inputs.iter().chain([&self.io.output]).any(is_taken) {
            let message = "--uncertain names a file that contains a recording";
            return Err(Refusal::usage(
                message,
                "choose another file with --uncertain",
            ));
        }
        output::check(uncertain, self.io.force)
    }
}
