//! The inputs, options and output of the verbs that print rows of recordings: `stats`, `events` and `cat`.
//!
//! A scan computes the rows of one recording after the other. [`Study::each`] does this on all processors, except for
//! keys, and hands the rows over in the order of the recordings, so that memory does not grow with their number.

mod parameters;
mod targets;

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use inputanim::doctor::Finding;
use inputanim::{Limits, RelativeTimeRange};
use inputanim_analysis::Analysis;
use inputanim_convert::tables::{Batch, PathPattern, RowWriter};
use inputanim_scan::{FileRows, Notice, Scan, ScanOptions, Segments, Shape, Source};

use crate::files::batch::{BatchArgs, FileBatch, Job, MAX_WARNINGS, Request, Status, Summary};
use crate::files::input::{CorrectionArgs, FromArgs, file_opener};
use crate::files::output::{self, Sink};
use crate::messages::diagnostics::{
    Messages, collected, holding_panic_messages, note, note_of_file, warn, warn_of_damage,
    warn_of_file,
};
use crate::messages::file_name::FileName;
use crate::messages::hints;
use crate::messages::outcome::Outcome;
use crate::messages::scan_error;
use crate::messages::suggestion;
use crate::messages::text::{count, printable};
use crate::results::table_format::TableFormat;

pub(crate) use parameters::{AnalysisArgs, PARAMETERS};

/// The section of help texts that describes `--segments`.
pub(crate) const SEGMENTS: &str = "\
Segments:
  recording       the complete recording, as without the option
  markers         from each marker to the next one; markers=NAME uses only markers with this name, such as 'markers=trial*'
  START:STOP      from each marker that matches START to the next one that matches STOP, such as \
'start*:stop*'
  KIND@A..B       around each event of a kind, from A to B seconds after its start: pinch@-0.5..1. A and B may also be start \
or end, with a number of seconds after it: movement@start..end, pinch@end-0.2..end+1
  trials.csv      the rows of a table with the columns recording, start and end, in seconds; `trial` or \
`name` names the segment, and all other columns are copied
";

/// The options of verbs that print rows of recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct RowTableArgs {
    /// Recordings (.bin, or another format that `convert` reads); folders with -r; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    from: FromArgs,
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
    corrections: CorrectionArgs,
}

impl RowTableArgs {
    /// Returns the format of the results. Fails if it cannot be inferred from the extension of the output.
    pub(crate) fn format(&self) -> anyhow::Result<TableFormat> {
        TableFormat::of(self.format, self.output())
    }

    /// Returns the file to write; `None` for standard output.
    fn output(&self) -> Option<&Path> {
        let output = self.output.as_deref();
        output.filter(|output| *output != Path::new("-"))
    }

    /// Finds the recordings, and checks the options and the output. `options` are the options of the command; its
    /// `columns` are the columns to print, `None` for all. `segments` is the value of `--segments`. `past` is the
    /// verb for the summary, such as `analysed`.
    pub(crate) fn plan<'s>(
        &'s self,
        mut options: ScanOptions,
        segments: Option<&str>,
        past: &'static str,
        limits: &'s Limits,
    ) -> anyhow::Result<Study<'s>> {
        options.file_column = None;
        options.recording_column = Some("recording".to_owned());
        options.damage_column = None;
        options.path_pattern = self.path_pattern.clone();
        options.corrections = self.corrections.corrections();
        options.limits = *limits;
        options.format = self.from.from;
        options.pauses = self.from.pauses.unwrap_or_default();
        options.opener = file_opener(*limits);
        if let Some(text) = segments {
            hints::set_segments();
            options.segments =
                Segments::from_text(text, limits).map_err(scan_error::of_segments)?;
        }
        let of_scan = |error| scan_error::of_scan(error, segments);
        let wanted = options.columns.take();
        // The columns of segments are always printed.
        let mut plain = options.clone();
        plain.segments = Segments::Recording;
        let plain: HashSet<String> = match &wanted {
            Some(_) if options.segments != Segments::Recording => {
                let fields = plain.fields().map_err(of_scan)?.into_iter();
                fields.map(|field| field.name.into_owned()).collect()
            }
            _ => HashSet::new(),
        };
        // Only JSON has the reasons for missing measures as an object.
        let fields = options.fields().map_err(of_scan)?.into_iter();
        let is_json = self.format()?.is_json();
        let paths = self.path_pattern.iter().flat_map(PathPattern::names);
        let labels: HashSet<&str> = paths.map(String::as_str).chain(["recording"]).collect();
        let is_wanted = |name: &str| {
            let wanted = wanted.as_ref();
            labels.contains(name)
                || (!plain.is_empty() && !plain.contains(name))
                || wanted.is_none_or(|names| names.iter().any(|other| other == name))
        };
        let columns = fields.filter(|field| (is_json || !field.is_json) && is_wanted(&field.name));
        options.columns = Some(columns.map(|field| field.name.into_owned()).collect());

        let reserved: Vec<&Path> = self.output().into_iter().collect();
        if let Some(path) = self.output() {
            output::check(path, self.force)?;
        }
        let request = Request {
            paths: &self.paths,
            args: &self.batch,
            from: self.from,
            folder: None,
            rename: &|_, relative| Ok(relative.to_owned()),
            reserved: &reserved,
            force: self.force,
            past,
            options: String::new(),
            accepts_stdin: true,
        };
        let mut batch = request.plan()?;
        batch.refuse_nothing()?;
        let is_single = batch.jobs.len() == 1 && !self.batch.recursive;
        if is_single && self.output().is_none() {
            batch.set_quiet();
        }
        let sources = batch.jobs.iter().map(|job| Source::InFolder {
            path: job.input.clone(),
            folder: job.folder.clone(),
        });
        let scan = Scan::new(sources, options).map_err(of_scan)?;
        note_without_trials(&scan, segments.unwrap_or_default());
        let without: HashSet<usize> = scan.files_without_trials().collect();
        batch.jobs.retain(|job| !without.contains(&job.index));
        Ok(Study {
            args: self,
            scan,
            summary: batch.summary(MAX_WARNINGS),
            batch,
            is_single,
            error: None,
            rows: 0,
        })
    }
}

/// The options of verbs that analyse recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    rows: RowTableArgs,
    #[command(flatten)]
    analysis: AnalysisArgs,
    #[command(flatten)]
    selection: SelectionArgs,
}

impl StudyArgs {
    /// Returns the format of the results. Fails if it cannot be inferred from the extension of the output.
    pub(crate) fn format(&self) -> anyhow::Result<TableFormat> {
        self.rows.format()
    }

    /// Finds the recordings, and checks the options and the output. `options` are the options of the command.
    pub(crate) fn plan<'s>(
        &'s self,
        mut options: ScanOptions,
        limits: &'s Limits,
    ) -> anyhow::Result<Study<'s>> {
        options.parameters = self.analysis.parameters(limits)?;
        options.time = self.selection.time;
        let segments = self.selection.segments.as_deref();
        self.rows.plan(options, segments, "analysed", limits)
    }
}

/// The options that select parts of recordings.
#[derive(Debug, clap::Args)]
struct SelectionArgs {
    /// Use only segments: markers, markers=NAME, START:STOP, KIND@A..B or a trial table [default: the complete recording]
    #[arg(long, value_name = "SEGMENTS", allow_hyphen_values = true)]
    segments: Option<String>,
    /// Use only this time range [default: all]
    #[arg(
        long,
        value_name = "A..B",
        allow_hyphen_values = true,
        conflicts_with = "segments"
    )]
    time: Option<RelativeTimeRange>,
}

/// The recordings to analyse.
pub(crate) struct Study<'s> {
    args: &'s RowTableArgs,
    scan: Scan,
    batch: FileBatch,
    /// `true` if the command line names only one file, so that its error is the error of the command.
    is_single: bool,
    summary: Summary,
    /// The error of the file, if it is the only one.
    error: Option<anyhow::Error>,
    rows: usize,
}

impl Study<'_> {
    /// Returns the scan, which computes the rows and has their columns.
    pub(crate) fn scan(&self) -> &Scan {
        &self.scan
    }

    /// Returns `true` if the rows have a column with the names of segments.
    pub(crate) fn names_segments(&self) -> bool {
        self.scan.options().segments != Segments::Recording
    }

    /// Returns the names of the recordings, in the order of the results.
    pub(crate) fn names(&self) -> Vec<String> {
        self.batch.jobs.iter().map(name_of).collect()
    }

    /// Writes the rows in a format for programs. For a table for people, calls `print`, which gets the rows with
    /// [`each`](Study::each). Returns the outcome for all files.
    pub(crate) fn write(
        mut self,
        format: TableFormat,
        print: impl FnOnce(&mut Self, &mut Sink<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<Outcome> {
        let path = self.args.output().unwrap_or(Path::new("-"));
        self.note_path_columns();
        let written = output::write_to(path, self.args.force, format.is_binary(), |output| {
            match format.rows() {
                None => print(&mut self, output)?,
                Some(format) => {
                    let mut rows = RowWriter::new(format, self.scan.fields(), output)?;
                    self.each(|batch| Ok(rows.push(batch)?))?;
                    rows.finish()?;
                }
            }
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
        // The error of the only file is the error of the command.
        if let Some(error) = self.error {
            return Err(error);
        }
        Ok(self.batch.report(self.summary))
    }

    /// Returns `true` if at least one recording was analysed.
    pub(crate) fn has_results(&self) -> bool {
        self.summary.done() > 0
    }

    /// Computes the rows of all recordings, and calls `consume` with them, in the order of the recordings. The first
    /// error of `consume` is returned.
    pub(crate) fn each(
        &mut self,
        mut consume: impl FnMut(Batch) -> anyhow::Result<()> + Send,
    ) -> anyhow::Result<()> {
        let Study {
            args,
            scan,
            batch,
            is_single,
            summary,
            error,
            rows,
        } = self;
        let open = |job: &Job| {
            let found = holding_panic_messages(|| scan.rows_of(job.index));
            let found = found.map_err(scan_error::of_file)?;
            let outcome = report(&found, &FileName::new(&job.input));
            anyhow::Ok((outcome, found))
        };
        // The keys of a recording take much more memory as rows than in the file, so that they are never all in memory.
        if *is_single || scan.options().shape == Shape::Keys {
            let mut stream = |job: &Job| {
                let (outcome, found) = match open(job) {
                    Ok(opened) => opened,
                    Err(error) => return Ok(Err(error)),
                };
                for batch in found {
                    let batch = match batch {
                        Ok(batch) => batch,
                        Err(error) => return Ok(Err(scan_error::of_file(error))),
                    };
                    *rows += batch.rows;
                    consume(batch)?;
                }
                anyhow::Ok(Ok(Status::Written(outcome)))
            };
            for job in &batch.jobs {
                // The messages about a single file are printed at once.
                let (status, messages) = if *is_single {
                    (stream(job), Messages::default())
                } else {
                    collected(|| stream(job))
                };
                match status? {
                    Err(failed) if *is_single => *error = Some(failed),
                    status => summary.add(status, messages),
                }
            }
            return Ok(());
        }
        let work = |job: &Job| {
            let (outcome, found) = open(job)?;
            Ok((outcome, found.all().map_err(scan_error::of_file)?))
        };
        let consume = |_: &Job, result: anyhow::Result<(Outcome, Batch)>, messages| {
            let status = match result {
                Err(error) => Err(error),
                Ok((outcome, batch)) => {
                    *rows += batch.rows;
                    consume(batch)?;
                    Ok(Status::Written(outcome))
                }
            };
            summary.add(status, messages);
            Ok(())
        };
        // A bar that is redrawn between lines of results flickers.
        let shows_progress = args.output().is_some() || !io::stdout().is_terminal();
        batch.run(shows_progress, work, consume)
    }

    /// Prints the columns of --path-pattern for the first recording, since a pattern is easily wrong.
    fn note_path_columns(&self) {
        let Some(pattern) = &self.args.path_pattern else {
            return;
        };
        let mut files = self.batch.jobs.iter().map(|job| &job.input);
        let found = files.find_map(|file| Some((file, pattern.values(&file.to_string_lossy())?)));
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

/// Prints a note with the names of the recordings that a trial table does not name. `table` is the path of the table.
pub(crate) fn note_without_trials(scan: &Scan, table: &str) {
    let files = scan.files();
    let names = scan.files_without_trials();
    let names: Vec<&str> = names.map(|file| &*files[file].recording).collect();
    if !names.is_empty() {
        let number = count(names.len(), "recording");
        let names = listed(&names);
        note(format_args!("{number} without trials in {table}: {names}"));
    }
}

/// Warns of the damage of a file, and prints its notices. Returns `DataLost` if it is damaged or data was lost.
pub(crate) fn report(rows: &FileRows<'_>, name: &FileName) -> Outcome {
    let mut notices = rows.notices.iter();
    if notices.any(|notice| matches!(notice, Notice::Recovered(_))) {
        suggestion::set_recovered(name.path());
    }
    warn_of_damage(&rows.damage, &name.path().display().to_string());
    let file = &name.to_string();
    let mut outcome = if rows.damage.is_empty() {
        Outcome::Done
    } else {
        Outcome::DataLost
    };
    for notice in &rows.notices {
        match notice {
            Notice::TimeExceeds { .. } => warn_of_file(file, notice.kind(), notice.detail()),
            Notice::NotInShape(content) => {
                let text = content.text(|shape| format!("cat --show {shape}"));
                let kind = notice.kind();
                note_of_file(file, kind, format_args!("{kind}: {text}"));
            }
            notice if notice.is_note() => note_of_file(file, notice.kind(), notice),
            notice => warn(format_args!("{file}: {}", printable(&notice.to_string()))),
        }
        if matches!(notice, Notice::Recovered(_) | Notice::Lost(_)) {
            outcome = outcome.and(Outcome::DataLost);
        }
    }
    outcome
}

/// Formats names, separated by commas. After the first 5 follows `…`.
pub(crate) fn listed(names: &[&str]) -> String {
    const LISTED: usize = 5;
    let more = if names.len() > LISTED { ", …" } else { "" };
    let names: Vec<_> = names
        .iter()
        .take(LISTED)
        .map(|name| printable(name))
        .collect();
    format!("{}{more}", names.join(", "))
}

/// Warns of findings of an analysed recording, and prints the notes of the analysis. Returns `DataLost` if there are
/// findings.
pub(crate) fn warn_of_used_damage<'f>(
    analysis: &Analysis,
    file: &str,
    findings: impl Iterator<Item = &'f Finding>,
) -> Outcome {
    let findings: Vec<Finding> = findings.cloned().collect();
    warn_of_damage(&findings, file);
    for note in analysis.notes() {
        note_of_file(
            file,
            note.kind,
            format_args!("{}: {}", note.kind, note.detail),
        );
    }
    if findings.is_empty() {
        Outcome::Done
    } else {
        Outcome::DataLost
    }
}
