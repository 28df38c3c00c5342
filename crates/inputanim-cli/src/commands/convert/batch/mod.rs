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

use super::conversion::Conversion;
use crate::diagnostics::{self, note, warn};
use crate::format::Rows;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::progress;
use crate::text::count;
use plan::Job;
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
    #[arg(short, long, value_name = "COUNT", requires = "output")]
    jobs: Option<NonZeroUsize>,
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
        let one_table = table_of(folder);
        let Some(to) = conversion.to.or(one_table) else {
            let message = "many files need a format";
            return Err(Refusal::usage(
                message,
                "--to says which; --help lists them",
            ));
        };
        conversion.check(to)?;
        let from = conversion.from.unwrap_or(Format::Bin);
        let joins = one_table == Some(to);
        let jobs = match joins {
            false => plan::plan(paths, self.recursive, from, to, folder)?,
            true => {
                output::check(folder, force)?;
                named(plan::plan(paths, self.recursive, from, to, Path::new(""))?)
            }
        };
        let work = Work {
            conversion,
            to,
            limits,
            force,
            reports: self.manifest.is_some(),
            joins,
        };
        let tally = match &self.manifest {
            None => self.convert(&work, &jobs, folder, |_, _| Ok(()))?,
            Some(path) => self.with_manifest(path, &work, &jobs, folder)?,
        };
        tally.say();
        Ok(tally.outcome())
    }

    fn convert(
        &self,
        work: &Work<'_>,
        jobs: &[Job],
        output: &Path,
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
        #[cfg(not(feature = "tables"))]
        let _ = (columns, output);
        #[cfg(feature = "tables")]
        if tally.converted > 0 && work.joins {
            write_table(work, jobs, &columns, output)?;
        }
        Ok(tally)
    }

    /// The manifest replaces that of an earlier run, whose files are in it again.
    fn with_manifest(
        &self,
        path: &Path,
        work: &Work<'_>,
        jobs: &[Job],
        to: &Path,
    ) -> anyhow::Result<Tally> {
        let format = manifest::format(path)?;
        let mut tally = Tally::default();
        let manifest = output::write_one_of_many(path, |output| {
            let Ok(mut rows) = Rows::new(format, output) else {
                anyhow::bail!("a manifest is no text for people");
            };
            tally = self.convert(work, jobs, to, |job, done| {
                manifest::push(&mut rows, job, done)
            })?;
            rows.finish()
        })?;
        manifest.finish()?;
        Ok(tally)
    }
}

/// The format of one table that the output names, where it is not that of a folder.
#[cfg(feature = "tables")]
fn table_of(output: &Path) -> Option<Format> {
    let format = Format::of_path(output)?;
    let has_several = matches!(format, Format::Parquet | Format::Arrow);
    (has_several && !output.is_dir()).then_some(format)
}

#[cfg(not(feature = "tables"))]
fn table_of(_: &Path) -> Option<Format> {
    None
}

/// Jobs whose outputs are the names in the table: the files' places without their extensions.
fn named(mut jobs: Vec<Job>) -> Vec<Job> {
    for job in &mut jobs {
        let name = job.output.with_extension("");
        job.output = PathBuf::from(name.to_string_lossy().replace('\\', "/"));
    }
    jobs
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
        self.notes.iter().for_each(note);
        say_lines("damaged, and so is what was made of it", &self.damaged);
        say_lines("lost", &self.lost);
        self.failed.iter().for_each(diagnostics::report);
        let mut counts = vec![format!("{} converted", count(self.converted, "file"))];
        if self.present > 0 {
            counts.push(format!("{} there already", self.present));
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
