//! Many files at once.

#[cfg(feature = "tables")]
mod joined;
mod manifest;
mod plan;
mod work;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use inputanim::Limits;
use inputanim_convert::Format;
use inputanim_convert::frames::Columns;

use super::REPAIR;
use super::conversion::Conversion;
use crate::diagnostics::{self, note, warn};
use crate::format::Rows;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::progress;
use crate::text::count;
use plan::{Goal, Job, Request};
use work::{Done, Fate, Work};

/// Where many files go.
#[derive(Debug, clap::Args)]
pub(super) struct Batch {
    /// Write every IN into this folder, with -r as a tree like theirs; or into one table, where it ends
    /// with .parquet or .arrow
    #[arg(short, long, value_name = "FOLDER")]
    pub(super) output: Option<PathBuf>,
    /// Look through folders for files of --from, or .bin
    #[arg(short, long, requires = "output")]
    recursive: bool,
    /// A table of all files: what is in them, what is wrong with them, and what became of them
    #[arg(long, value_name = "FILE", requires = "output")]
    manifest: Option<PathBuf>,
    /// How many files at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "COUNT", requires = "output", value_parser = at_least_one)]
    jobs: Option<NonZeroUsize>,
}

fn at_least_one(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse()
        .map_err(|_| "expected a whole number from 1 on")
}

/// Lines of what was lost, and in which files, before it becomes too much to read.
const MOST_LINES: usize = 10;

/// What there is to say when all is done.
#[derive(Default)]
struct Tally {
    converted: usize,
    present: usize,
    failed: Vec<anyhow::Error>,
    lost: Vec<String>,
    damaged: Vec<String>,
    notes: Vec<String>,
}

impl Batch {
    pub(super) fn run(
        &self,
        folder: &Path,
        paths: &[PathBuf],
        conversion: &Conversion,
        force: bool,
        limits: &Limits,
    ) -> anyhow::Result<Outcome> {
        let goal = goal(folder, conversion.to)?;
        let to = match goal {
            Goal::Table(table) => Format::of_path(table),
            Goal::Folder(_) => conversion.to,
        };
        let Some(to) = to else {
            let message = "-o names a folder, which says no format";
            let hint = "--to says which; --help lists them";
            return Err(Refusal::usage(message, hint));
        };
        conversion.check(to)?;
        let manifest = self.manifest.as_deref();
        let request = Request {
            paths,
            is_recursive: self.recursive,
            from: conversion.from.unwrap_or(Format::Bin),
            to,
            goal,
            manifest,
        };
        if let Goal::Table(table) = goal {
            output::check(table, force)?;
        }
        let manifest = match manifest {
            None => None,
            Some(path) => {
                manifest::check(path, force)?;
                Some((path, manifest::format(path)?))
            }
        };
        let plan = request.plan()?;
        if let Goal::Folder(folder) = goal {
            output::make_folder(folder)?;
        }
        let work = Work {
            conversion,
            to,
            limits,
            force,
            is_guarded: plan.is_guarded,
            reports: manifest.is_some(),
        };
        let mut tally = match manifest {
            None => self.convert(&work, &plan.jobs, goal, |_, _| Ok(()))?,
            Some((path, format)) => self.with_manifest(path, format, &work, &plan.jobs, goal)?,
        };
        tally.failed.extend(plan.unread);
        tally.say();
        Ok(tally.outcome())
    }

    fn convert(
        &self,
        work: &Work<'_>,
        jobs: &[Job],
        goal: Goal<'_>,
        mut also: impl FnMut(&Job, &Done) -> anyhow::Result<()>,
    ) -> anyhow::Result<Tally> {
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let workers = self.jobs.unwrap_or(processors);
        let mut progress = progress::Bytes::new(jobs.iter().map(|job| job.bytes).sum(), jobs.len());
        let mut tally = Tally::default();
        let mut columns = Vec::new();
        work::each(work, jobs, workers, |job, mut done| {
            columns.push(done.columns.take());
            also(job, &done)?;
            // What was passed over says nothing of how fast the rest will be.
            progress.step(job.bytes, matches!(done.fate, Fate::Present));
            tally.add(job, done);
            Ok(())
        })?;
        drop(progress);
        if let (Goal::Table(path), 1..) = (goal, tally.converted)
            && let Err(error) = write_table(work, jobs, &columns, path)
        {
            // What is to be said of the files is still to be said.
            tally.converted = 0;
            tally.failed.push(error);
        }
        Ok(tally)
    }

    /// The manifest replaces that of an earlier run, whose files are in it again.
    fn with_manifest(
        &self,
        path: &Path,
        format: crate::format::Format,
        work: &Work<'_>,
        jobs: &[Job],
        goal: Goal<'_>,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally::default();
        let manifest = output::write_one_of_many(path, |output| {
            let Ok(mut rows) = Rows::new(format, output) else {
                anyhow::bail!("a manifest is no text for people");
            };
            tally = self.convert(work, jobs, goal, |job, done| {
                manifest::push(&mut rows, job, done)
            })?;
            rows.finish()
        })?;
        manifest.finish()?;
        Ok(tally)
    }
}

/// What -o names: one table of all, or a folder.
fn goal(output: &Path, to: Option<Format>) -> anyhow::Result<Goal<'_>> {
    if output == Path::new("-") {
        let message = "-o names a folder or a table, not standard output";
        return Err(Refusal::usage(
            message,
            "without -o: `inputanim convert IN -`",
        ));
    }
    let named = Format::of_path(output).filter(|_| !output.is_dir());
    let Some(format) = named else {
        return Ok(Goal::Folder(output));
    };
    let is_table = cfg!(feature = "tables") && matches!(format, Format::Parquet | Format::Arrow);
    match to.is_none_or(|to| to == format) && is_table {
        true => Ok(Goal::Table(output)),
        false => {
            let message = format!(
                "-o names a folder, and {} is a file's name",
                output.display()
            );
            let hint =
                "`inputanim convert IN OUT` writes one file; -o all.parquet is one table of many";
            Err(Refusal::usage(message, hint))
        }
    }
}

/// Writes the table of all files that could be looked at.
#[cfg(feature = "tables")]
fn write_table(
    work: &Work<'_>,
    jobs: &[Job],
    columns: &[Option<Columns>],
    path: &Path,
) -> anyhow::Result<()> {
    let mut all = Columns::default();
    columns.iter().flatten().for_each(|found| all.add(found));
    let good = jobs.iter().zip(columns);
    let good = good.filter_map(|(job, found)| found.as_ref().map(|_| job));
    output::write_to(path, true, true, |output| {
        joined::write(work, good, &all, output)
    })
}

#[cfg(not(feature = "tables"))]
fn write_table(_: &Work<'_>, _: &[Job], _: &[Option<Columns>], _: &Path) -> anyhow::Result<()> {
    anyhow::bail!("this program is built without tables")
}

impl Tally {
    fn add(&mut self, job: &Job, done: Done) {
        let name = job.input.display();
        if !done.damage.is_empty() {
            self.damaged.push(format!("{name}: {}", done.damage));
        }
        match done.fate {
            Fate::Present => self.present += 1,
            Fate::Failed(error) => self.failed.push(error),
            Fate::Converted(said) => {
                self.converted += 1;
                for note in said.notes {
                    if !self.notes.contains(&note) {
                        self.notes.push(note);
                    }
                }
                let lost = said.lost.join("; ");
                if !lost.is_empty() {
                    self.lost.push(format!("{name}: {lost}"));
                }
            }
        }
    }

    fn say(&self) {
        self.notes.iter().take(MOST_LINES).for_each(note);
        say_lines("damaged, and so is what was made of it", &self.damaged);
        if !self.damaged.is_empty() {
            note(REPAIR);
        }
        say_lines("lost", &self.lost);
        self.failed.iter().for_each(diagnostics::report);
        let mut counts = vec![format!("{} converted", count(self.converted, "file"))];
        if self.present > 0 {
            counts.push(format!(
                "{} there already (--force makes them anew)",
                self.present
            ));
        }
        if !self.failed.is_empty() {
            counts.push(format!("{} failed", self.failed.len()));
        }
        anstream::eprintln!("{}", counts.join(", "));
    }

    fn outcome(&self) -> Outcome {
        if !self.failed.is_empty() && self.converted + self.present == 0 {
            Outcome::Failed
        } else if self.failed.is_empty() && self.lost.is_empty() {
            Outcome::Done
        } else {
            Outcome::DataLost
        }
    }
}

fn say_lines(what: &str, lines: &[String]) {
    for line in lines.iter().take(MOST_LINES) {
        warn(format_args!("{what}: {line}"));
    }
    if let Some(more @ 1..) = lines.len().checked_sub(MOST_LINES) {
        warn(format_args!("{what}: {more} more; --manifest lists all"));
    }
}

/// Why a file failed, in one line.
fn reason(error: &anyhow::Error) -> String {
    let mut causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    causes.dedup();
    causes.join(": ")
}
