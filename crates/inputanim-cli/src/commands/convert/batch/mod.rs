//! `inputanim convert -o FOLDER`: many files at once.

mod dataset;
mod joined;
#[cfg(feature = "lerobot")]
mod lerobot;
mod manifest;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::{Limits, RecoveredRecording};
use inputanim_convert::frames::Columns;
use inputanim_convert::{Format, Note, NoteKind, Report, tables};

use super::conversion::Conversion;
use super::segments::{SegmentRows, lacks_segments};
use super::{no_rows, note_incomplete_poses, print_note};
use crate::commands::info::report::Report as FileInfo;
use crate::files::batch::{
    BatchArgs, FileBatch, Job, MAX_WARNINGS, Request, Status, Summary, refuse_file, row_name,
};
use crate::messages::diagnostics::{Messages, note, note_of_file, warn, warn_of_damage};

use crate::files::input::Input;
use crate::files::output;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::scan_error;
use joined::Prepared;
use manifest::ManifestWriter;

/// The options for many files.
#[derive(Debug, clap::Args)]
pub(super) struct BatchOptions {
    /// Write a file for each IN to this folder, and keep subfolders. If the name ends with .csv, .tsv,
    /// .ndjson, .parquet or .arrow, write one table of all recordings
    #[arg(short, long, value_name = "FOLDER|TABLE")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) args: BatchArgs,
    /// Write a table of all files (.csv, .ndjson or .json): contents, findings, and the result of
    /// the conversion
    #[arg(long, value_name = "FILE", requires = "output")]
    manifest: Option<PathBuf>,
}

/// The conversion of every file.
struct Converter<'c> {
    conversion: &'c Conversion,
    to: Format,
    limits: &'c Limits,
    /// The folder or table after -o.
    output: &'c Path,
    /// The table or dataset of all recordings, if they do not become files of their own.
    table: Option<&'c Path>,
    /// The rows of segments.
    segments: Option<&'c SegmentRows>,
    /// The episodes of a dataset of LeRobot.
    #[cfg(feature = "lerobot")]
    episodes: Option<&'c lerobot::Episodes>,
    /// `true` if a manifest needs the contents of every file.
    with_info: bool,
}

/// The result for one file.
struct Converted {
    status: anyhow::Result<Status>,
    losses: Vec<String>,
    info: Option<FileInfo>,
    /// The number of markers that are not written.
    hidden_markers: usize,
}

impl BatchOptions {
    pub(super) fn run(
        &self,
        output: &Path,
        paths: &[PathBuf],
        conversion: &Conversion,
        force: bool,
        limits: &Limits,
    ) -> anyhow::Result<Outcome> {
        let table = table_of(output, conversion.to).then_some(output);
        let to = match table {
            Some(table) => Format::from_path(table),
            None => conversion.to,
        };
        if table.is_none() {
            refuse_file(output)?;
        }
        let Some(to) = to else {
            return Err(unknown_format(output));
        };
        conversion.check(to)?;
        let is_lerobot = to == Format::LeRobot;
        if is_lerobot && !to.is_in_build() {
            return Err(inputanim_convert::Error::NotInBuild(to).into());
        }
        // All recordings become one table or dataset.
        let table = table.or(is_lerobot.then_some(output));
        let manifest = self.manifest.as_deref();
        let reserved: Vec<&Path> = manifest.into_iter().chain(table).collect();
        let request = Request {
            paths,
            args: &self.args,
            from: conversion.inputs(),
            folder: table.is_none().then_some(output),
            rename: &|input, relative| {
                if to == Format::MotionBids {
                    dataset::path(conversion, input, relative)
                } else {
                    Ok(to.renamed(relative))
                }
            },
            reserved: &reserved,
            force,
            past: "converted",
            // A trial table may change.
            options: format!(
                "{to} {conversion:?} {:?}",
                conversion.segments.read(limits)?
            ),
            accepts_stdin: false,
        };
        // Outputs are checked before any file is converted, since that may take hours.
        #[cfg(feature = "lerobot")]
        if is_lerobot {
            lerobot::check(paths, output, manifest, force)?;
        }
        if let Some(table) = table.filter(|_| !is_lerobot) {
            output::check(table, force)?;
        }
        let manifest_format = manifest.map(|path| manifest::check(path, force));
        let manifest_format = manifest_format.transpose()?;
        let mut batch = request.plan()?;
        let segments = conversion.has_segment_rows(to).then(|| {
            let files = batch.jobs.iter();
            let files = files.map(|job| (job.input.clone(), job.folder.clone()));
            let has_names = table.is_some() || conversion.is_tidy();
            SegmentRows::plan(conversion, files, to, has_names, limits)
        });
        let segments = segments.transpose()?;
        if let Some(segments) = &segments {
            let without = segments.without_trials();
            batch.jobs.retain(|job| !without.contains(&job.index));
        }
        let with_info = manifest.is_some();
        #[cfg(feature = "lerobot")]
        let plan = || lerobot::Episodes::plan(conversion, &mut batch, output, limits);
        #[cfg(feature = "lerobot")]
        let episodes = is_lerobot.then(plan);
        #[cfg(feature = "lerobot")]
        let episodes = episodes.transpose()?;
        let converter = Converter {
            conversion,
            to,
            limits,
            output,
            table,
            segments: segments.as_ref(),
            #[cfg(feature = "lerobot")]
            episodes: episodes.as_ref(),
            with_info,
        };
        if to == Format::MotionBids {
            dataset::note_names(&batch.jobs, output);
        }
        let inputs = batch.jobs.iter().map(|job| &job.input);
        let mut inputs = inputs.filter(|_| to != Format::MotionBids);
        let columns = inputs.find_map(|path| Some((path, conversion.path_columns(path)?)));
        if let Some((path, columns)) = columns {
            note(format_args!("columns of {}: {columns}", path.display()));
        }
        let summary = batch.summary(MAX_WARNINGS);
        let write = |manifest: Option<ManifestWriter<'_>>| {
            let mut results = Results {
                summary,
                manifest,
                files: 0,
                failed: HashSet::new(),
                hidden_markers: 0,
            };
            #[cfg(feature = "lerobot")]
            let dataset = episodes
                .as_ref()
                .map(|made| lerobot::write(&converter, made, &batch, output, force, &mut results));
            #[cfg(not(feature = "lerobot"))]
            let dataset: Option<anyhow::Result<Option<joined::Joined>>> = None;
            let written = match (dataset, table) {
                (Some(written), _) => written,
                (None, Some(table)) if let Some(segments) = &segments => {
                    joined::write_segments(&converter, segments, &batch, table, &mut results)
                }
                (None, Some(table)) => joined::write(&converter, &batch, table, &mut results),
                (None, None) => {
                    converter.write_files(&batch, &mut results)?;
                    Ok(None)
                }
            };
            results.finish()?;
            let Results {
                summary,
                failed,
                hidden_markers,
                ..
            } = results;
            Ok((written, summary, failed, hidden_markers))
        };
        let (written, mut summary, failed, markers) = match manifest.zip(manifest_format) {
            Some((path, format)) => manifest::write(path, format, write)?,
            None => write(None)?,
        };
        if to == Format::MotionBids {
            let jobs = batch.jobs.iter();
            dataset::describe(output, jobs.filter(|job| !failed.contains(&job.index)))?;
        }
        if markers > 0 {
            print_note(&Note::of_markers(markers, to), conversion, to);
        }
        match written {
            Ok(None) => {}
            Ok(Some(joined)) => {
                batch.remark(remark_on(&joined.without_rows));
                batch.joined(joined.facts(), output);
            }
            Err(error) => summary.fail(error),
        }
        Ok(batch.report(summary))
    }
}

/// The results for all files, in the order of the files.
struct Results<'m> {
    summary: Summary,
    manifest: Option<ManifestWriter<'m>>,
    /// The number of files.
    files: usize,
    /// The indices of the files that failed.
    failed: HashSet<usize>,
    /// The number of markers that are not written.
    hidden_markers: usize,
}

impl Results<'_> {
    /// Adds the result of a job to the manifest, the counts and the summary. `messages` are the messages about its
    /// file.
    fn add(&mut self, job: &Job, converted: Converted, messages: Messages) -> anyhow::Result<()> {
        if let Some(manifest) = &mut self.manifest {
            let pushed = manifest.push(job, &converted);
            pushed.context("cannot write the manifest")?;
        }
        self.files += 1;
        if converted.status.is_err() {
            self.failed.insert(job.index);
        }
        self.hidden_markers += converted.hidden_markers;
        self.summary.add(converted.status, messages);
        Ok(())
    }

    /// Writes the end of the manifest, if there is one.
    fn finish(&mut self) -> anyhow::Result<()> {
        self.manifest.take().map_or(Ok(()), ManifestWriter::finish)
    }
}

/// Formats the names of recordings without rows for the summary: `1 without rows (p07)`. `None` if there are none.
fn remark_on(without_rows: &[String]) -> Option<String> {
    const LISTED: usize = 5;
    let number = without_rows.len();
    let more = if number > LISTED { ", …" } else { "" };
    let names = &without_rows[..number.min(LISTED)];
    (number > 0).then(|| format!("{number} without rows ({}{more})", names.join(", ")))
}

/// Returns the error for an output of `-o` whose format is neither given by `--to` nor clear from its extension.
fn unknown_format(output: &Path) -> anyhow::Error {
    let hint = "choose the format with --to";
    let Some(extension) = output.extension() else {
        return Refusal::usage("missing format: a folder has no extension", hint);
    };
    let tables = Format::ALL.iter().filter(|format| format.is_table());
    let tables: Vec<String> = tables.map(|format| format!(".{format}")).collect();
    let message = format!(
        "unsupported table format \".{}\"; tables are {}",
        extension.to_string_lossy(),
        tables.join(", ")
    );
    Refusal::usage(message, "for a folder, choose the format with --to")
}

/// Returns `true` if `-o` names one table of all recordings: its extension is that of a table format. `to` is the
/// format of `--to`, which must not be another one.
fn table_of(output: &Path, to: Option<Format>) -> bool {
    let format = Format::from_path(output).filter(|_| !output.is_dir());
    let is_table = format.is_some_and(Format::is_table);
    is_table && (to.is_none() || to == format)
}

impl Converter<'_> {
    /// Converts each input to a file of its own, and adds the results to `results`.
    fn write_files(&self, batch: &FileBatch, results: &mut Results<'_>) -> anyhow::Result<()> {
        let work = |job: &Job| self.convert(batch, job).0;
        batch.run(true, work, |job, converted, messages| {
            results.add(job, converted, messages)
        })
    }

    /// Reads and converts the input of a job. Writes its output file and returns `None`, or returns the data for the
    /// table or dataset of all recordings. An output that is up to date is not written again.
    fn convert(&self, batch: &FileBatch, job: &Job) -> (Converted, Option<Prepared>) {
        let mut converted = Converted {
            status: Ok(Status::Current(job.current.unwrap_or_default())),
            losses: Vec::new(),
            info: None,
            hidden_markers: 0,
        };
        let mut prepared = None;
        // A manifest describes every file, so files that are current are read too.
        if job.current.is_none() || self.with_info {
            converted.status = self.read_and_write(batch, job, &mut converted, &mut prepared);
        }
        (converted, prepared)
    }

    fn read_and_write(
        &self,
        batch: &FileBatch,
        job: &Job,
        converted: &mut Converted,
        prepared: &mut Option<Prepared>,
    ) -> anyhow::Result<Status> {
        let input = Input::open_as(&job.input, self.conversion.inputs(), self.limits)?;
        let read = self.conversion.read(&input, self.to, self.limits);
        let (mut recording, mut report, mut read) = match read {
            Ok(read) => read,
            Err(error) => {
                if self.with_info {
                    let recovered = input.recover(self.limits).ok();
                    converted.info = recovered.map(|recovered| FileInfo::new(&input, &recovered));
                }
                // The output was made before the input broke, and is still valid.
                return job.current.map(Status::Current).ok_or(error);
            }
        };
        if self.with_info {
            // The manifest describes the file, and not the recording that is corrected while it is read.
            // Other formats are not corrected while they are read.
            if !self.conversion.corrections().are_none()
                && input.format() == Format::Bin
                && let Ok(recovered) = input.recover(self.limits)
            {
                converted.info = Some(FileInfo::new(&input, &recovered));
            } else {
                let recovered = RecoveredRecording::from(recording);
                converted.info = Some(FileInfo::new(&input, &recovered));
                recording = recovered.recording;
            }
        }
        if let Some(outcome) = job.current {
            return Ok(Status::Current(outcome));
        }
        job.check()?;
        let mut findings = self.conversion.damage(&recording, self.to)?;
        self.conversion.select(&mut recording, &input, self.to)?;
        let mut segment_rows = None;
        if let Some(segments) = self.segments {
            // The rows of segments have the damage of their events too.
            findings.clear();
            let columns = segments.columns(&Columns::of(&recording));
            let copy = recording.clone().into_owned();
            let (rows, outcome) = segments.of(job.index, &job.input, copy, &mut report)?;
            note_incomplete_poses(&rows.damage, " of all files");
            read = read.and(outcome);
            segment_rows = Some((segments, rows, columns));
        }
        let outcome_of = |report: &Report| {
            if findings.is_empty() && report.losses.is_empty() {
                read
            } else {
                Outcome::DataLost
            }
        };
        #[cfg(feature = "lerobot")]
        if let Some(episodes) = self.episodes {
            *prepared = Some(episodes.prepare(job, &recording, &mut report)?);
        }
        if prepared.is_some() {
            // The episodes are complete, and the recording is not needed any more.
        } else if let Some((segments, rows, columns)) = segment_rows {
            if self.table.is_some() {
                let is_segmented = !lacks_segments(&rows);
                let rows = rows.all().map_err(scan_error::of_file)?;
                *prepared = Some(Prepared::Rows(rows, is_segmented));
            } else {
                batch.write(job, |output| {
                    segments.write(rows, &columns, output)?;
                    Ok(outcome_of(&report))
                })?;
            }
        } else if self.table.is_some() {
            // A recording that cannot be in the table must not fail when half of it is written.
            let name = self.name_of(job);
            let options = self.conversion.write_options(
                &input,
                &recording,
                Some(&name),
                self.to,
                Path::new("-"),
                self.limits,
            )?;
            tables::check(&recording, &options).with_context(|| input.context())?;
            *prepared = Some(Prepared::Recording(Box::new((
                recording.clone().into_owned(),
                options,
            ))));
        } else {
            let name = self.conversion.is_tidy().then(|| self.name_of(job));
            let options = self.conversion.write_options(
                &input,
                &recording,
                name.as_deref(),
                self.to,
                &job.output,
                self.limits,
            )?;
            let written = if self.to == Format::MotionBids {
                dataset::write(batch, job, &recording, &options, &mut report, outcome_of)
            } else {
                batch.write(job, |output| {
                    report.extend(inputanim_convert::write(
                        self.to, &recording, &options, output,
                    )?);
                    Ok(outcome_of(&report))
                })
            };
            written.with_context(|| input.context())?;
        }
        converted.hidden_markers = report.unwritten_markers;
        for note in &report.notes {
            match note.kind {
                // A note states the sum for all files.
                NoteKind::UnwrittenMarkers => {}
                _ => note_of_file(input.name(), note.kind.title(), note),
            }
        }
        converted.losses = report.losses.iter().map(ToString::to_string).collect();
        if !findings.is_empty() {
            warn_of_damage(&findings, input.name());
            note_incomplete_poses(&findings, " of all files");
        }
        for loss in &converted.losses {
            warn(format_args!("{}: lost: {loss}", input.name()));
        }
        Ok(Status::Written(outcome_of(&report)))
    }

    /// Returns the name of a recording in tables: its path in the folder without the extension.
    fn name_of(&self, job: &Job) -> String {
        if self.table.is_some() {
            return job.output.to_string_lossy().into_owned();
        }
        let path = job.output.strip_prefix(self.output);
        let name = row_name(path.unwrap_or(&job.output));
        name.to_string_lossy().into_owned()
    }
}
