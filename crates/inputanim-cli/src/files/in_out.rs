//! The inputs and outputs of all verbs that write a recording for each recording that they read.
//!
//! A verb gives [`InOut::change`] a function that changes one recording. One input and the name of a file
//! after `-o` are one edit. Several inputs, `-r` or a folder after `-o` are a batch.

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::{Limits, Recording};
use inputanim_convert::{Format, NoteKind, Report, WriteOptions};

use crate::arguments::values::formats;
use crate::files::batch::{BatchArgs, FILES, FileBatch, Job, Request, Status, refuse_file};
use crate::files::input::{FromArgs, Input, folder_refusal};
use crate::files::output::{self, Sink};
use crate::messages::diagnostics::{name_of, note_of_file, summarize, summary, warn};
use crate::messages::hints;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::grouped;
use crate::messages::text::printable;
use crate::results::report_format::ReportFormat;
use inputanim::edit::Edit;
use inputanim_scan::packs::is_folder;

const HINT: &str = "use the extension .bin, .json or .mcap";

/// Returns the format for the extension of the path of an output, `bin` without an extension. Fails for a format that verbs do
/// not write, or that is not in this build.
pub(crate) fn format_of(path: &Path) -> anyhow::Result<Format> {
    let name = path.display();
    match Format::from_path(path) {
        Some(format) if Format::OF_RECORDINGS.contains(&format) => {
            if format.is_in_build() {
                Ok(format)
            } else {
                Err(inputanim_convert::Error::NotInBuild(format).into())
            }
        }
        Some(format) => {
            let message = format!("this command writes bin, json and mcap, not {format}: {name}");
            let hint = if format.can_write() {
                format!("write .bin; `inputanim convert` then writes {format}")
            } else {
                HINT.to_owned()
            };
            Err(Refusal::usage(message, hint))
        }
        // The name of standard output, `-`, has no extension either.
        None if path.extension().is_none() => Ok(Format::Bin),
        None => {
            let message = format!("cannot infer a format from {name}");
            Err(Refusal::usage(message, HINT))
        }
    }
}

/// The format of a recording that is written.
#[derive(Debug, Default, Clone, Copy, clap::Args)]
pub(crate) struct ToArgs {
    /// The format to write: bin, json or mcap [default: by the extension of OUT; bin on standard output]
    #[arg(long, value_name = "FORMAT", value_parser = formats(|format| Format::OF_RECORDINGS.contains(&format)))]
    output_format: Option<Format>,
}

impl ToArgs {
    /// Returns the format of an output: of `--output-format`, otherwise by the extension of its path.
    pub(crate) fn format_of(self, path: &Path) -> anyhow::Result<Format> {
        match self.output_format {
            Some(format) if format.is_in_build() => Ok(format),
            Some(format) => Err(inputanim_convert::Error::NotInBuild(format).into()),
            None => format_of(path),
        }
    }
}

/// The output of a verb that writes one recording.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// The file to write: .bin, or .mcap or .json, which also keep controllers and unknown values; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) to: ToArgs,
    /// Replace OUT if it already exists
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Do not print the summary; warnings and notes are still printed
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl Target {
    /// Fails if the output cannot be written. Called before any work is done. `past` is the verb for a suggested name:
    /// `joined`.
    pub(crate) fn check(&self, inputs: &[PathBuf], past: &str) -> anyhow::Result<()> {
        self.to.format_of(&self.output)?;
        output::check_result(inputs, &self.output, past, self.force)
    }

    /// Writes a recording in its own layout to the output.
    pub(crate) fn write(&self, recording: &Recording<'_>) -> anyhow::Result<Outcome> {
        let format = self.to.format_of(&self.output)?;
        let options = WriteOptions::default();
        write_recording_in(format, &options, &self.output, self.force, recording)
    }

    /// Writes a recording in its own layout to the output, and prints a summary that begins with `made`:
    /// `joined 3 recordings`.
    pub(crate) fn write_and_summarize(
        &self,
        made: &str,
        recording: &Recording<'_>,
    ) -> anyhow::Result<Outcome> {
        let outcome = self.write(recording)?;
        if !self.quiet {
            let extent = Extent::of(recording);
            summarize(made, &extent.since(extent), &self.output);
        }
        Ok(outcome)
    }
}

/// Writes a recording in its own layout, in the format of the file's name. Prints the losses and notes of the format. Returns
/// `Outcome::DataLost` if there are losses.
pub(crate) fn write_recording(
    path: &Path,
    force: bool,
    recording: &Recording<'_>,
) -> anyhow::Result<Outcome> {
    let options = WriteOptions::default();
    write_recording_in(format_of(path)?, &options, path, force, recording)
}

/// Writes a recording in its own layout, in a format. Prints the losses and notes of the format. Returns `Outcome::DataLost` if there
/// are losses.
pub(crate) fn write_recording_in(
    format: Format,
    options: &WriteOptions,
    path: &Path,
    force: bool,
    recording: &Recording<'_>,
) -> anyhow::Result<Outcome> {
    let mut report = Report::default();
    output::write_to(path, force, !format.is_text(), |output| {
        report = inputanim_convert::write(format, recording, options, output)?;
        Ok(())
    })?;
    print_report(&path.display(), &report, false);
    Ok(outcome_of(&report))
}

/// Prints the losses and notes about a file that was written. In a batch, the program chose the format of the file.
fn print_report(file: &impl fmt::Display, report: &Report, is_batch: bool) {
    for loss in &report.losses {
        warn(format_args!("{file}: lost: {loss}"));
    }
    for note in &report.notes {
        let (name, title) = (file.to_string(), note.kind.title());
        match Format::complete().filter(|_| is_batch && note.kind == NoteKind::CompleteFormat) {
            Some(format) => {
                let hint = format!("{note}: convert the inputs with `convert --to {format}` first");
                note_of_file(&name, title, hint);
            }
            None => note_of_file(&name, title, note),
        }
    }
}

fn outcome_of(report: &Report) -> Outcome {
    if report.losses.is_empty() {
        Outcome::Done
    } else {
        Outcome::DataLost
    }
}

/// The inputs and the output.
#[derive(clap::Args)]
pub(crate) struct InOut {
    /// The recordings to read (.bin, or another format that `convert` reads); folders with -r; `-` is standard
    /// input
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// The file to write: .bin, or .mcap or .json, which also keep controllers and unknown values; `-` is standard output. With
    /// several inputs or -r, the folder to write to: .json and .mcap files keep their format, others become .bin
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    to: ToArgs,
    /// Replace files that already exist
    #[arg(short, long, help_heading = FILES)]
    pub(crate) force: bool,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    from: FromArgs,
}

// The options of a verb, without the names of files, decide whether an output of an earlier batch is
// current. Verbs pass all of their arguments as they are for debugging, so that no option is forgotten.
impl Debug for InOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InOut")
    }
}

/// The description of an edit for people.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// Facts for the summary, in addition to the length, the keys and the size.
    pub(crate) facts: Vec<String>,
    /// More lines for people, which are printed if only one recording is changed.
    pub(crate) details: String,
    pub(crate) outcome: Outcome,
    /// `true` if the output is a copy of the input.
    pub(crate) is_copy: bool,
}

impl Change {
    /// Creates a change with one fact for the summary.
    pub(crate) fn with(fact: impl Into<String>) -> Change {
        Change {
            facts: vec![fact.into()],
            ..Change::default()
        }
    }
}

/// The length and the number of keys of a recording.
#[derive(Clone, Copy)]
struct Extent {
    duration: f32,
    keys: u64,
}

impl Extent {
    fn of(recording: &Recording<'_>) -> Extent {
        let keys = recording.curves().map(|(_, curve)| curve.len() as u64);
        Extent {
            duration: recording.duration(),
            keys: keys.sum(),
        }
    }

    /// Formats `3.000 s (was 20.000 s), 4,512 keys`; `before` is the extent before the edit.
    fn since(self, before: Extent) -> [String; 2] {
        let seconds = |extent: Extent| format!("{:.3} s", extent.duration);
        let keys = |extent: Extent| grouped(extent.keys);
        let change = |before: String, after: String, unit: &str| {
            if before == after {
                format!("{after}{unit}")
            } else {
                format!("{after}{unit} (was {before})")
            }
        };
        [
            change(seconds(before), seconds(self), ""),
            change(keys(before), keys(self), " keys"),
        ]
    }
}

/// The result of an edit.
pub(crate) struct Edited<'i, T> {
    pub(crate) recording: Recording<'i>,
    pub(crate) change: Change,
    /// The result for programs.
    pub(crate) report: T,
    /// True to write what the layout can represent, and to warn about the rest.
    pub(crate) allow_loss: bool,
    before: Extent,
}

impl<'i, T> Edited<'i, T> {
    /// Creates the result of a command that makes a recording from other data. Its length and number of keys count as
    /// unchanged.
    pub(crate) fn new(recording: Recording<'i>, change: Change, report: T) -> Edited<'i, T> {
        let before = Extent::of(&recording);
        Edited {
            recording,
            change,
            report,
            allow_loss: false,
            before,
        }
    }
}

/// Converts options to an edit. Fails with a hint if they are invalid.
pub(crate) fn checked(edit: impl Into<Edit>) -> anyhow::Result<Edit> {
    let edit = edit.into();
    edit.check().map_err(|error| {
        let message = printable(&error.to_string()).into_owned();
        Refusal::usage(message, hints::of_argument(&error))
    })?;
    Ok(edit)
}

impl InOut {
    /// Applies an edit to each recording. `past` is the verb for the summary: `trimmed`. `prepare` is called before the
    /// edit; it may print warnings, and returns the facts for the summary.
    pub(crate) fn edit(
        &self,
        limits: &Limits,
        past: &str,
        options: &impl Debug,
        edit: impl Into<Edit>,
        prepare: impl Fn(&Recording<'_>, &Job) -> anyhow::Result<Change> + Sync,
    ) -> anyhow::Result<Outcome> {
        let edit = checked(edit)?;
        self.change(limits, past, options, |recording, job| {
            let change = prepare(recording, job)?;
            edit.apply(recording, limits)?;
            Ok(change)
        })
    }

    /// Reads, changes and writes each recording. Errors of the change name the input. `past` is the verb
    /// for the summary: `trimmed`.
    pub(crate) fn change(
        &self,
        limits: &Limits,
        past: &str,
        options: &impl Debug,
        change: impl Fn(&mut Recording<'_>, &Job) -> anyhow::Result<Change> + Sync,
    ) -> anyhow::Result<Outcome> {
        let change = |recording: &mut Recording<'_>, job: &Job| Ok((change(recording, job)?, ()));
        Ok(self.change_and_report(limits, past, options, change)?.0)
    }

    /// Changes recordings as [`change`](InOut::change) does, and returns a report for programs for each
    /// recording that was written.
    pub(crate) fn change_and_report<T: Send>(
        &self,
        limits: &Limits,
        past: &str,
        options: &impl Debug,
        change: impl Fn(&mut Recording<'_>, &Job) -> anyhow::Result<(Change, T)> + Sync,
    ) -> anyhow::Result<(Outcome, Vec<T>)> {
        self.process(limits, past, options, |input, job| {
            let (mut recording, read) = input.read_whole(limits)?;
            let before = Extent::of(&recording);
            let changed = change(&mut recording, job).with_context(|| input.context())?;
            let (mut change, report) = changed;
            change.outcome = change.outcome.and(read);
            Ok(Edited {
                recording,
                change,
                report,
                allow_loss: false,
                before,
            })
        })
    }

    /// Reads each input, makes a recording of it with `edit`, and writes the recording. Returns the outcome for all
    /// inputs, and the reports of the recordings that were written. `past` is the verb for the summary: `trimmed`.
    pub(crate) fn process<T: Send>(
        &self,
        limits: &Limits,
        past: &str,
        options: &impl Debug,
        edit: impl for<'i> Fn(&'i Input, &Job) -> anyhow::Result<Edited<'i, T>> + Sync,
    ) -> anyhow::Result<(Outcome, Vec<T>)> {
        let process = |job: &Job, batch: Option<&FileBatch>| {
            let input = Input::open_as(&job.input, self.from, limits)?;
            let edited = edit(&input, job)?;
            let status = self.write(job, batch, past, &edited)?;
            Ok((status, Some(edited.report)))
        };
        let Some(folder) = self.folder()? else {
            let input = self.inputs.first().map_or(Path::new("-"), PathBuf::as_path);
            if is_folder(input) {
                return Err(folder_refusal(input, "-r searches folders"));
            }
            // Reading and changing a recording may take minutes, so the output is checked first.
            self.to.format_of(&self.output)?;
            output::check_result(&self.inputs, &self.output, past, self.force)?;
            let (status, report) = process(&Job::single(input, &self.output), None)?;
            return Ok((status.outcome(), Vec::from_iter(report)));
        };
        let request = Request {
            paths: &self.inputs,
            args: &self.batch,
            from: self.from,
            folder: Some(folder),
            rename: &|input, path| {
                if let Some(format) = self.to.output_format {
                    return Ok(match Format::from_path(path) {
                        Some(own) if own == format => path.to_owned(),
                        _ => format.renamed(path),
                    });
                }
                let format = match Format::from_path(path) {
                    None if path.extension().is_none() => return Ok(path.to_owned()),
                    // Files of many programs have the extension .mcap, so their content decides. A file that cannot be opened
                    // fails later, with an error that says why.
                    Some(Format::Mcap) => Input::open_as(input, self.from, limits)
                        .map_or(Format::Bin, |input| input.format()),
                    format => format.unwrap_or(Format::Bin),
                };
                Ok(match format.in_batches() {
                    kept if Some(kept) == Format::from_path(path) => path.to_owned(),
                    other => other.renamed(path),
                })
            },
            reserved: &[],
            force: self.force,
            past,
            options: format!("{options:?}{:?}", self.to),
            accepts_stdin: false,
        };
        let mut batch = request.plan()?;
        let mut summary = batch.summary(usize::MAX);
        let mut reports = Vec::new();
        let work = |job: &Job| {
            if let Some(outcome) = job.current {
                return Ok((Status::Current(outcome), None));
            }
            job.check()?;
            process(job, Some(&batch))
        };
        batch.run(true, work, |_, result, messages| {
            let status = result.map(|(status, report)| {
                reports.extend(report);
                status
            });
            summary.add(status, messages);
            Ok(())
        })?;
        Ok((batch.report(summary), reports))
    }

    /// Writes one recording and prints its summary.
    fn write<T>(
        &self,
        job: &Job,
        batch: Option<&FileBatch>,
        past: &str,
        edited: &Edited<'_, T>,
    ) -> anyhow::Result<Status> {
        let Edited {
            recording, change, ..
        } = edited;
        let format = self.to.format_of(&job.output)?;
        let mut options = WriteOptions::default();
        options.allow_loss = edited.allow_loss;
        let mut report = Report::default();
        let write = |output: &mut Sink<'_>| {
            report = inputanim_convert::write(format, recording, &options, output)?;
            Ok(change.outcome.and(outcome_of(&report)))
        };
        let outcome = match batch {
            Some(batch) => batch.write(job, write)?,
            None => output::write_to(&job.output, self.force, !format.is_text(), write)?,
        };
        print_report(&job.input.display(), &report, batch.is_some());
        if !self.batch.quiet {
            let is_only = batch.is_none_or(|batch| batch.jobs.len() == 1);
            if is_only && !change.details.is_empty() {
                summary(change.details.trim_end().to_owned());
            }
            let past = if change.is_copy { "copied" } else { past };
            let made = format!("{past} {}", name_of(&job.input, "standard input"));
            let mut facts = change.facts.clone();
            facts.extend(Extent::of(recording).since(edited.before));
            summarize(&made, &facts, &job.output);
        }
        Ok(if change.is_copy {
            Status::Copied(outcome)
        } else {
            Status::Written(outcome)
        })
    }

    /// Returns the folder for the outputs of a batch; `None` if -o names a file.
    pub(crate) fn folder(&self) -> anyhow::Result<Option<&Path>> {
        let output = self.output.as_path();
        let is_folder = output != Path::new("-") && output.is_dir()
            || output.to_string_lossy().ends_with(std::path::is_separator);
        if self.inputs.len() == 1 && !self.batch.recursive && !is_folder {
            return Ok(None);
        }
        refuse_file(output)?;
        Ok(Some(output))
    }

    /// Fails if the recording and the report would both be written to standard output.
    pub(crate) fn refuse_two_outputs(&self, report: ReportFormat) -> anyhow::Result<()> {
        if self.output == Path::new("-") && report != ReportFormat::Table {
            let message = "the recording and the report cannot both go to standard output";
            return Err(Refusal::usage(message, "choose a file with -o"));
        }
        Ok(())
    }

    /// Returns `true` if a recording comes from standard input.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.inputs.iter().any(|input| input == Path::new("-"))
    }
}
