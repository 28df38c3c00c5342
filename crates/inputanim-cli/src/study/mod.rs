//! The inputs, options and output of the verbs that analyse recordings: `stats` and `events`.
//!
//! A verb describes its columns, and makes rows of each [`Analyzed`] recording. [`Study::each`] analyses the
//! recordings on all processors, and hands the rows over in the order of the recordings, so that memory does
//! not grow with their number.

mod parameters;
mod segments;
mod targets;

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use inputanim::doctor::{Code, Finding};
use inputanim::{Limits, Recording};
use inputanim_analysis::{Analysis, AnalysisOptions};
use inputanim_convert::Format;
use inputanim_convert::tables::PathPattern;

use crate::batch::{Batch, BatchArgs, Job, Request, Status};
use crate::data_table::{Cell, Column, MISSING, TableFormat};
use crate::diagnostics::{Messages, note, note_of_file, warn_of_damage};
use crate::input::{Input, path_values};
use crate::outcome::{Outcome, Refusal};
use crate::output::{self, Sink};
use crate::text::{count, printable};

pub(crate) use parameters::{AnalysisArgs, PARAMETERS};
pub(crate) use segments::{SEGMENTS, Segmentation};
use targets::of_table_error;

/// The number of warnings that are printed.
const MAX_WARNINGS: usize = 20;

/// The options of verbs that analyse recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct StudyArgs {
    /// Recordings (.bin, or lossless .json); folders with -r; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    batch: BatchArgs,
    /// The table to write [default: standard output]
    #[arg(short, long, value_name = "TABLE")]
    output: Option<PathBuf>,
    /// Replace TABLE if it already exists
    #[arg(short, long)]
    force: bool,
    /// Format of the results [default: by the extension of TABLE, else table]
    #[arg(long, value_enum)]
    format: Option<TableFormat>,
    /// Add columns from the path of FILE, such as '{participant}/{condition}_{*}.bin'
    #[arg(long, value_name = "PATTERN")]
    path_pattern: Option<PathPattern>,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
}

impl StudyArgs {
    /// Returns the format of the results.
    pub(crate) fn format(&self) -> anyhow::Result<TableFormat> {
        TableFormat::of(self.format, self.output())
    }

    /// Returns the file to write; `None` for standard output.
    fn output(&self) -> Option<&Path> {
        let output = self.output.as_deref();
        output.filter(|output| *output != Path::new("-"))
    }

    /// Finds the recordings, and checks the output.
    pub(crate) fn plan<'s>(
        &'s self,
        options: AnalysisOptions,
        limits: &'s Limits,
    ) -> anyhow::Result<Study<'s>> {
        let reserved: Vec<&Path> = self.output().into_iter().collect();
        if let Some(path) = self.output() {
            output::check(path, self.force)?;
        }
        let request = Request {
            paths: &self.paths,
            args: &self.batch,
            from: Format::Bin,
            folder: None,
            rename: &|_, relative| Ok(relative.to_owned()),
            reserved: &reserved,
            force: self.force,
            past: "analysed",
            options: String::new(),
            accepts_stdin: true,
        };
        let mut batch = request.plan()?;
        let is_single = batch.jobs.len() == 1 && !self.batch.recursive;
        if is_single && self.output().is_none() {
            batch.set_quiet();
        }
        Ok(Study {
            args: self,
            options,
            limits,
            batch,
            is_single,
            statuses: Vec::new(),
            rows: 0,
        })
    }
}

/// The recordings to analyse.
pub(crate) struct Study<'s> {
    args: &'s StudyArgs,
    options: AnalysisOptions,
    limits: &'s Limits,
    batch: Batch,
    /// True if one file is named, so that its error is that of the command.
    is_single: bool,
    statuses: Vec<(anyhow::Result<Status>, Messages)>,
    rows: usize,
}

/// A recording with its analysis.
pub(crate) struct Analyzed<'r> {
    /// The name of the recording in tables.
    pub(crate) name: &'r str,
    /// The file, for messages.
    pub(crate) file: &'r str,
    pub(crate) recording: &'r Recording<'r>,
    pub(crate) analysis: &'r Analysis,
    /// The cells of the columns that all rows of the recording have in common.
    pub(crate) labels: &'r [Cell],
}

/// The results of one recording.
pub(crate) struct Made<T> {
    pub(crate) results: Vec<T>,
    /// The codes of findings that affect the results.
    pub(crate) damage: Vec<Code>,
}

impl Study<'_> {
    /// Returns the columns that rows of all verbs begin with: the recording and the parts of its path.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let pattern = self.args.path_pattern.iter();
        let names = pattern.flat_map(|pattern| pattern.names());
        let recording = Column::text("recording");
        [recording]
            .into_iter()
            .chain(names.map(Column::text))
            .collect()
    }

    /// Returns the names of the recordings, in the order of the results.
    pub(crate) fn names(&self) -> Vec<String> {
        self.batch.jobs.iter().map(name_of).collect()
    }

    /// Returns the names of the recordings with their files.
    pub(crate) fn files(&self) -> impl Iterator<Item = (String, &Path)> {
        let jobs = self.batch.jobs.iter();
        jobs.map(|job| (name_of(job), job.input.as_path()))
    }

    /// Removes recordings by their names.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.batch.jobs.retain(|job| is_kept(&name_of(job)));
    }

    /// Writes the results, where `write` calls [`each`](Study::each). Returns the outcome for all files.
    pub(crate) fn write(
        mut self,
        format: TableFormat,
        write: impl FnOnce(&mut Self, &mut Sink<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Outcome> {
        let path = self.args.output().unwrap_or(Path::new("-"));
        self.note_path_columns();
        let written = output::write_to(path, self.args.force, format.is_binary(), |output| {
            write(&mut self, output)?;
            // A table without any recording would look like a result.
            if !self.has_results() && self.args.output().is_some() {
                return Err(anyhow!(NothingAnalyzed));
            }
            Ok(())
        });
        match written {
            Err(error) if error.downcast_ref::<NothingAnalyzed>().is_some() => {}
            Err(error) => return Err(error),
            Ok(()) if self.args.output().is_some() => {
                self.batch.joined(vec![count(self.rows, "row")], path);
            }
            Ok(()) => {}
        }
        let failed = self
            .statuses
            .pop_if(|(status, _)| self.is_single && status.is_err());
        // The error of the only file is that of the command.
        if let Some((Err(error), _)) = failed {
            return Err(error);
        }
        Ok(self.batch.report(MAX_WARNINGS, self.statuses))
    }

    /// Returns whether a recording was analysed.
    pub(crate) fn has_results(&self) -> bool {
        self.statuses.iter().any(|(status, _)| status.is_ok())
    }

    /// Analyses all recordings, and makes and consumes the result of each one in their order.
    pub(crate) fn each<T: Send>(
        &mut self,
        make: impl Fn(&Analyzed<'_>) -> anyhow::Result<Made<T>> + Sync,
        mut consume: impl FnMut(&str, T) -> anyhow::Result<()> + Send,
    ) -> anyhow::Result<()> {
        let Study {
            args,
            options,
            limits,
            batch,
            is_single,
            statuses,
            rows,
        } = self;
        let work = |job: &Job| analyze(job, args, options, limits, &make);
        let mut consume = |job: &Job, result, messages| {
            let status = match result {
                Err(error) => Err(error),
                Ok((outcome, results)) => {
                    let results: Vec<T> = results;
                    let name = name_of(job);
                    *rows += results.len();
                    for result in results {
                        consume(&name, result)?;
                    }
                    Ok(Status::Written(outcome))
                }
            };
            statuses.push((status, messages));
            Ok(())
        };
        match &batch.jobs[..] {
            // The messages about a single file are printed at once.
            [job] if *is_single => consume(job, work(job), Messages::default()),
            _ => {
                // A bar that is redrawn between lines of results flickers.
                let shows_progress = args.output().is_some() || !io::stdout().is_terminal();
                batch.run_in_order(shows_progress, work, consume)
            }
        }
    }

    /// Refuses columns that have one name.
    pub(crate) fn refuse_duplicates(&self, columns: &[Column]) -> anyhow::Result<()> {
        let mut seen = HashSet::from([MISSING]);
        let names = columns.iter().map(|column| column.name.as_str());
        let twice: Vec<&str> = names.filter(|name| !seen.insert(name)).collect();
        if twice.is_empty() {
            return Ok(());
        }
        let message = format!(
            "several columns of the result have the name {}",
            printable(&twice.join(", "))
        );
        let hint = "--path-pattern and targets make columns: rename one, or write {*} in the pattern for a part that \
                    is not a column";
        Err(Refusal::usage(message, hint))
    }

    /// Prints the columns of --path-pattern for the first recording, since a pattern is easily wrong.
    fn note_path_columns(&self) {
        let Some(pattern) = &self.args.path_pattern else {
            return;
        };
        let mut files = self.files();
        let found =
            files.find_map(|(_, file)| Some((file, pattern.values(&file.to_string_lossy())?)));
        if let (Some((file, values)), false) = (found, self.is_single) {
            let columns = pattern.names().iter().zip(values);
            let columns = columns.map(|(name, value)| format!("{name} = {value}"));
            let columns = columns.collect::<Vec<_>>().join(", ");
            note(format_args!("columns of {}: {columns}", file.display()));
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no recording could be analysed")]
struct NothingAnalyzed;

fn name_of(job: &Job) -> String {
    job.output.to_string_lossy().into_owned()
}

/// Reads and analyses one recording, and makes results of it.
fn analyze<T>(
    job: &Job,
    args: &StudyArgs,
    options: &AnalysisOptions,
    limits: &Limits,
    make: impl Fn(&Analyzed<'_>) -> anyhow::Result<Made<T>>,
) -> anyhow::Result<(Outcome, Vec<T>)> {
    let input = Input::open(&job.input, limits)?;
    let (recording, read) = input.corrected(args.analysis.corrections, limits)?;
    let name = name_of(job);
    let mut labels = vec![Cell::Text(name.clone())];
    if let Some(pattern) = &args.path_pattern {
        let values = path_values(pattern, input.name())?;
        labels.extend(values.into_iter().map(Cell::Text));
    }
    let analysis = Analysis::of(&recording, options).with_context(|| input.context())?;
    let made = make(&Analyzed {
        name: &name,
        file: input.name(),
        recording: &recording,
        analysis: &analysis,
        labels: &labels,
    });
    let Made { results, damage } = made.with_context(|| input.context())?;
    let findings = analysis.quality.used_findings();
    let findings = findings.filter(|finding| damage.contains(&finding.code));
    let outcome = warn_of_used_damage(&analysis, input.name(), findings);
    Ok((outcome.and(read), results))
}

/// Warns of findings of an analysed recording, and prints its notes.
pub(crate) fn warn_of_used_damage<'f>(
    analysis: &Analysis,
    file: &str,
    findings: impl Iterator<Item = &'f Finding>,
) -> Outcome {
    let findings: Vec<Finding> = findings.cloned().collect();
    warn_of_damage(&findings, file);
    for note in analysis.notes() {
        note_of_file(file, note.kind, note.detail);
    }
    if findings.is_empty() {
        Outcome::Done
    } else {
        Outcome::DataLost
    }
}

/// Returns a list of problems of a file with one line each, of which the first ones are listed.
pub(crate) fn problems(problems: &[String]) -> String {
    const LISTED: usize = 20;
    let mut lines: Vec<&str> = problems.iter().take(LISTED).map(String::as_str).collect();
    let more = problems.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!("and {}", count(more, "more problem")));
    lines.extend(more.as_deref());
    lines.join("\n  ")
}
