//! Many files at once: the output of each input, and the work on all processors.
//!
//! A verb describes its files with a [`Request`], which becomes a [`FileBatch`] of [`Job`]s.
//! [`FileBatch::run`] does the work on each job, [`FileBatch::write`] writes an output, and
//! [`FileBatch::report`] prints a [`Summary`] of the results. Outputs that an earlier batch wrote with the same options
//! need no work: [`Job::current`].

mod summary;
mod written;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anstream::eprintln;
use inputanim_convert::Format;
use inputanim_scan::packs::StoredFile;
use inputanim_scan::recording_names;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::files::input::{FoundFile, FoundFiles, FromArgs, canonical};
use crate::files::output::{self, Sink, folder_of, is_same_file};
use crate::messages::diagnostics::{self, Messages, note};
use crate::messages::file_name::FileName;
use crate::messages::hints;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::progress;
use crate::messages::text::count;
pub(crate) use summary::{Errors, Summary};
use written::{State, Written};

/// The heading of the options that all verbs share which write recordings.
pub(crate) const FILES: &str = "Files and summary";

/// The number of warnings about files that most verbs print.
pub(crate) const MAX_WARNINGS: usize = 20;

/// The number of jobs for each thread that are done before their results are consumed.
const JOBS_PER_THREAD: usize = 8;
/// The size of the inputs of such jobs in bytes, for all threads together.
const PART_BYTES: u64 = 256 << 20;

/// The options for many files.
#[derive(Debug, clap::Args)]
pub(crate) struct BatchArgs {
    /// Search folders and their subfolders for recordings (.bin, or the format that an option names)
    #[arg(short, long, help_heading = FILES)]
    pub(crate) recursive: bool,
    /// The number of files to process at the same time [default: the number of processors]
    #[arg(short, long, value_name = "COUNT", value_parser = at_least_one, help_heading = FILES)]
    jobs: Option<NonZeroUsize>,
    /// Do not print the summary; warnings and notes are still printed
    #[arg(short, long, help_heading = FILES)]
    pub(crate) quiet: bool,
}

fn at_least_one(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse()
        .map_err(|_| "expected a whole number of at least 1")
}

/// The inputs of a verb and the folder of its outputs.
pub(crate) struct Request<'r> {
    /// Files and folders, as they are on the command line.
    pub(crate) paths: &'r [PathBuf],
    pub(crate) args: &'r BatchArgs,
    pub(crate) from: FromArgs,
    /// The folder of outputs; `None` if all inputs become one file. The output of a job is then the name of its
    /// recording.
    pub(crate) folder: Option<&'r Path>,
    /// Returns the path of the output for an input. Gets the path of the input, and its path relative to the folder in
    /// which it was found. The result is relative to the folder of outputs.
    pub(crate) rename: &'r dyn Fn(&Path, &Path) -> anyhow::Result<PathBuf>,
    /// Other files that the verb writes.
    pub(crate) reserved: &'r [&'r Path],
    /// True to write all outputs, whatever exists.
    pub(crate) force: bool,
    /// The verb for the summary: `trimmed`.
    pub(crate) past: &'r str,
    /// All options on which the outputs depend, as text.
    pub(crate) options: String,
    /// `true` if an input may be standard input.
    pub(crate) accepts_stdin: bool,
}

/// One file to process.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) input: PathBuf,
    /// The index among the inputs.
    pub(crate) index: usize,
    /// The folder in which the input was found.
    pub(crate) folder: PathBuf,
    pub(crate) output: PathBuf,
    /// The outcome of an earlier batch that wrote the output with the same options, after the input
    /// changed. `None` if the output must be written.
    pub(crate) current: Option<Outcome>,
    /// `true` if the output may replace a file.
    may_replace: bool,
    /// The size of the input.
    bytes: u64,
}

impl Job {
    /// Creates the job of a command that has one input and one output.
    pub(crate) fn single(input: &Path, output: &Path) -> Job {
        Job {
            input: input.to_owned(),
            index: 0,
            folder: folder_of(input).to_owned(),
            output: output.to_owned(),
            current: None,
            may_replace: false,
            bytes: 0,
        }
    }

    /// Fails if the output exists and must not be replaced.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        if self.may_replace || !self.output.exists() {
            return Ok(());
        }
        let message = "already exists, and this command did not make it from the same input";
        let hint = "choose another folder; --force replaces it";
        Err(Refusal::failure(message, hint).context(FileName::new(&self.output)))
    }
}

/// The files to process.
pub(crate) struct FileBatch {
    pub(crate) jobs: Vec<Job>,
    /// Errors of folders that could not be searched.
    errors: Vec<anyhow::Error>,
    /// Files and folders, as they are on the command line.
    paths: Vec<PathBuf>,
    is_recursive: bool,
    /// The format of the inputs; `None` if it is detected.
    from: Option<Format>,
    threads: Option<NonZeroUsize>,
    is_quiet: bool,
    /// `true` if all outputs may be replaced.
    force: bool,
    past: String,
    written: Option<Written>,
    remark: Option<String>,
    /// The file that contains the results of all jobs, with facts for the summary.
    joined: Option<(Vec<String>, PathBuf)>,
}

/// The result for one file.
pub(crate) enum Status {
    Written(Outcome),
    /// The output is a copy of the input, because the verb had nothing to change.
    Copied(Outcome),
    /// The output of an earlier run is kept. That run had this outcome.
    Current(Outcome),
}

impl Status {
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Status::Written(outcome) | Status::Copied(outcome) | Status::Current(outcome) => {
                *outcome
            }
        }
    }
}

impl Request<'_> {
    /// Finds all inputs, and plans a job for each. The folder of outputs gets the same subfolders as the inputs. Fails
    /// if two jobs would write the same file.
    pub(crate) fn plan(&self) -> anyhow::Result<FileBatch> {
        if self.paths.iter().any(|path| path == Path::new("-")) && !self.accepts_stdin {
            let message = "standard input has no file name for its output";
            return Err(Refusal::usage(
                message,
                "write a single file instead of a folder",
            ));
        }
        let is_output = |file: &Path, folder: &Path| self.is_output(file, folder);
        let found = FoundFiles::of(
            self.paths,
            self.args.recursive,
            self.from.searched(),
            is_output,
        )?;
        let FoundFiles { files, mut errors } = found;
        let written = self
            .folder
            .map(|folder| Written::read(folder, self.past, &self.options));
        let written = written.transpose()?;
        let mut jobs = Vec::new();
        let names = recording_names(files.iter().map(FoundFile::parts));
        for (file, name) in files.iter().zip(names) {
            match self.job(file, name, written.as_ref()) {
                Ok(job) => jobs.push(job),
                Err(error) => errors.push(error.context(FileName::new(&file.path))),
            }
        }
        for (index, job) in jobs.iter_mut().enumerate() {
            job.index = index;
        }
        self.refuse_collisions(&jobs)?;
        Ok(FileBatch {
            jobs,
            errors,
            threads: self.args.jobs,
            is_quiet: self.args.quiet,
            paths: self.paths.to_vec(),
            is_recursive: self.args.recursive,
            from: self.from.from,
            force: self.force,
            past: self.past.to_owned(),
            written,
            remark: None,
            joined: None,
        })
    }

    /// Creates the job of a file. `name` is the name of its recording, and `written` the record of the outputs of
    /// earlier batches.
    fn job(
        &self,
        file: &FoundFile,
        name: String,
        written: Option<&Written>,
    ) -> anyhow::Result<Job> {
        let input = &file.path;
        let output = match self.folder {
            Some(folder) => folder.join((self.rename)(input, file.relative())?),
            None => name.into(),
        };
        let state = written.map_or(State::Absent, |written| written.state(&output, input));
        Ok(Job {
            current: match state {
                State::Current(outcome) if !self.force => Some(outcome),
                _ => None,
            },
            may_replace: state != State::Foreign || self.force,
            // The size is only needed for the progress bar. A file without one fails when it is
            // opened, with an error that says why.
            bytes: StoredFile::find(input)
                .and_then(|file| file.size())
                .unwrap_or(0),
            output,
            index: 0,
            folder: file.parts().1.to_owned(),
            input: input.to_owned(),
        })
    }

    /// Returns `true` if a file in a folder of inputs is an output of this or an earlier run.
    fn is_output(&self, file: &Path, inputs: &Path) -> bool {
        let mut reserved = self.reserved.iter();
        if reserved.any(|path| is_same_file(path, file)) {
            return true;
        }
        let Some(folder) = self.folder else {
            return false;
        };
        // Where the folder of outputs is the folder of inputs, the location of a file does not say
        // which of the two the file is.
        let [file, folder, inputs] = [file, folder, inputs].map(canonical);
        folder != inputs && folder.starts_with(&inputs) && file.starts_with(folder)
    }

    fn refuse_collisions(&self, jobs: &[Job]) -> anyhow::Result<()> {
        let mut inputs: HashMap<String, &Path> = HashMap::new();
        for Job { input, output, .. } in jobs {
            // Without a folder, an output is only the name of a recording in the result.
            let is_file = self.folder.is_some();
            // The file system compares the paths, because links and `..` give one file several
            // names.
            let is_reserved = |path: &&&Path| {
                is_same_file(input, path) || is_file && canonical(output) == canonical(path)
            };
            let reserved = self.reserved.iter().find(is_reserved);
            if is_file && is_same_file(input, output) || reserved.is_some() {
                let path = reserved.map_or(input.as_path(), |path| path);
                let message = format!("{} would be replaced", path.display());
                return Err(Refusal::usage(message, "choose another output with -o"));
            }
            if let Some(other) = inputs.insert(key(output), input) {
                let what = if is_file { "output" } else { "name" };
                let hint = if is_file && folder_of(other) != folder_of(input) {
                    "pass the folder that contains both with -r: subfolders are kept"
                } else {
                    "rename one of the files"
                };
                let (other, input, output) = (other.display(), input.display(), output.display());
                let message = format!("{other} and {input} have the same {what} {output}");
                return Err(Refusal::usage(message, hint));
            }
        }
        Ok(())
    }
}

impl FileBatch {
    /// Calls `work` for each job, on several threads. Calls `consume` for each result in the order of the jobs, while
    /// the work goes on, with the messages that `work` printed. The number of results that wait is bounded.
    ///
    /// # Errors
    /// The first error of `consume` ends the work.
    pub(crate) fn run<'b, T: Send>(
        &'b self,
        shows_progress: bool,
        work: impl Fn(&Job) -> T + Sync,
        mut consume: impl FnMut(&'b Job, T, Messages) -> anyhow::Result<()> + Send,
    ) -> anyhow::Result<()> {
        let bytes = self.jobs.iter().map(|job| job.bytes).sum();
        let progress = shows_progress.then(|| progress::Bytes::new(bytes, self.jobs.len()));
        // rayon takes 0 as the number of processors.
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        // The library's own parallel work runs in the same pool, so that -j bounds it too.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let work = |job: &Job| {
            // Messages in the order in which threads finish would differ from run to run.
            let result = diagnostics::collected(|| work(job));
            if let Some(progress) = &progress {
                progress.step(job.bytes);
            }
            result
        };
        pool.install(|| {
            let mut left = &self.jobs[..];
            let mut done = Vec::new();
            while !(left.is_empty() && done.is_empty()) {
                let (jobs, rest) = left.split_at(next_part(left, rayon::current_num_threads()));
                left = rest;
                // Results are consumed while the next jobs are done.
                let (consumed, next) = rayon::join(
                    || {
                        let mut done = done.into_iter();
                        done.try_for_each(|(job, (result, messages))| {
                            consume(job, result, messages)
                        })
                    },
                    || {
                        let jobs = jobs.par_iter().with_max_len(1);
                        jobs.map(|job| (job, work(job))).collect()
                    },
                );
                consumed?;
                done = next;
            }
            Ok(())
        })
    }

    /// Writes the output of a job with `write`. Returns the outcome that `write` returns, and records it for later
    /// batches. Fails if the output must not be replaced.
    pub(crate) fn write(
        &self,
        job: &Job,
        write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<Outcome> {
        job.check()?;
        self.write_as(job, &job.output, job.may_replace, write)
    }

    /// Writes another file, at `path`, that is made from the input of a job. Otherwise, it is the same as
    /// [`write`](Self::write).
    pub(crate) fn write_beside(
        &self,
        job: &Job,
        path: &Path,
        write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<Outcome> {
        let written = self.written.as_ref();
        let state = written.map_or(State::Absent, |written| written.state(path, &job.input));
        let other = Job {
            may_replace: state != State::Foreign || self.force,
            ..Job::single(&job.input, path)
        };
        other.check()?;
        self.write_as(job, path, other.may_replace, write)
    }

    fn write_as(
        &self,
        job: &Job,
        path: &Path,
        may_replace: bool,
        write: impl FnOnce(&mut Sink<'_>) -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<Outcome> {
        let input = &job.input;
        let mut outcome = Outcome::Done;
        output::write_one_of_many(path, may_replace, |output| {
            outcome = write(output)?;
            // The file is renamed after this. If that fails, the file in its place is not taken for
            // the output that it should become.
            self.written
                .iter()
                .try_for_each(|written| written.begin(path, input))
        })?;
        self.written
            .iter()
            .try_for_each(|written| written.finish(path, input, outcome))?;
        Ok(outcome)
    }

    /// If there are no jobs, fails with the first error of the search for inputs, and prints the other errors.
    pub(crate) fn refuse_nothing(&mut self) -> anyhow::Result<()> {
        if !self.jobs.is_empty() || self.errors.is_empty() {
            return Ok(());
        }
        let first = self.errors.remove(0);
        self.errors.drain(..).collect::<Errors>().print();
        Err(first)
    }

    /// Turns off the summary that [`report`](Self::report) prints.
    pub(crate) fn set_quiet(&mut self) {
        self.is_quiet = true;
    }

    /// Sets a text that becomes a part of the summary, such as `1 without rows (p07)`. `None` adds nothing.
    pub(crate) fn remark(&mut self, remark: Option<String>) {
        self.remark = remark;
    }

    /// Sets the file that contains the results of all jobs, with facts for the summary.
    pub(crate) fn joined(&mut self, facts: Vec<String>, path: &Path) {
        self.joined = Some((facts, path.to_owned()));
    }

    /// Creates the summary, to which results are added. It prints at most `max_lines` warnings and summaries of files.
    pub(crate) fn summary(&mut self, max_lines: usize) -> Summary {
        let errors = std::mem::take(&mut self.errors);
        Summary::new(max_lines, errors.into_iter().collect())
    }

    /// Prints the messages, the failures, and how many files were processed: `2 files trimmed`. Returns the outcome of
    /// the batch.
    pub(crate) fn report(self, mut summary: Summary) -> Outcome {
        summary.print_messages();
        if !summary.damage.is_empty() {
            note(hints::of_damage_in_many(
                &summary.damage,
                &self.paths,
                self.is_recursive,
                self.from,
            ));
        }
        summary.errors.print();
        let mut counts = vec![format!("{} {}", count(summary.written, "file"), self.past)];
        counts.extend(self.remark);
        if summary.copied > 0 {
            counts.push(format!("{} copied unchanged", summary.copied));
        }
        if summary.current > 0 {
            let lost = match summary.current_lost {
                0 => String::new(),
                lost => format!(", {lost} of them with damage or losses in an earlier run"),
            };
            let current = summary.current;
            counts.push(format!(
                "{current} up to date{lost} (--force writes them again)"
            ));
        }
        let mut outcome = summary.outcome;
        // Without their common output, the results of all files are lost.
        let failed = if summary.is_lost {
            self.jobs.len().max(1)
        } else {
            summary.errors.number()
        };
        if failed > 0 {
            counts.push(format!("{failed} failed"));
            outcome = outcome.and(Outcome::Failed);
        }
        if !self.is_quiet {
            let counts = counts.join(", ");
            match self.joined {
                Some((facts, path)) => diagnostics::summarize(&counts, &facts, &path),
                None => eprintln!("{counts}"),
            }
        }
        outcome
    }
}

/// Returns the number of jobs, from the first one, whose work is done before their results are consumed.
fn next_part(jobs: &[Job], threads: usize) -> usize {
    let mut bytes = 0;
    let part = jobs.iter().take(JOBS_PER_THREAD * threads);
    let part = part.take_while(|job| {
        let is_first = bytes == 0;
        bytes += job.bytes.max(1);
        is_first || bytes <= PART_BYTES
    });
    part.count()
}

/// Refuses the name of a file after -o where a folder is expected.
pub(crate) fn refuse_file(output: &Path) -> anyhow::Result<()> {
    let message = if output == Path::new("-") {
        "the outputs of -o are files, which cannot go to standard output".to_owned()
    } else if !output.is_dir() && (output.exists() || Format::from_path(output).is_some()) {
        format!("expected a folder after -o, found {}", output.display())
    } else {
        return Ok(());
    };
    Err(Refusal::usage(
        message,
        "give the path of a folder, in which the outputs are created: -o FOLDER",
    ))
}

/// Returns the name of a recording in a table of several: its path without the extension.
pub(crate) fn row_name(path: &Path) -> PathBuf {
    let name = without_extension(path);
    // Names in a table are the same on all systems.
    name.to_string_lossy().replace('\\', "/").into()
}

/// Removes the extension of a known format, such as `.iwer.json`, and no other.
pub(crate) fn without_extension(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(inputanim_convert::without_extension(&name))
}

/// Returns a key of the path of an output. Two paths that name the same file have the same key.
fn key(output: &Path) -> String {
    // The usual file systems of these two ignore case in file names.
    if cfg!(any(windows, target_os = "macos")) {
        output.to_string_lossy().to_lowercase()
    } else {
        // Debug formatting keeps names that are not UTF-8 apart. A lossy conversion would give them
        // the same replacement characters.
        format!("{output:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(paths: &[PathBuf]) -> anyhow::Result<FileBatch> {
        let request = Request {
            paths,
            args: &BatchArgs {
                recursive: false,
                jobs: NonZeroUsize::new(3),
                quiet: false,
            },
            from: FromArgs::default(),
            folder: Some(Path::new("out")),
            rename: &|_, relative| Ok(relative.to_owned()),
            reserved: &[],
            force: false,
            past: "copied",
            options: String::new(),
            accepts_stdin: false,
        };
        request.plan()
    }

    #[test]
    fn two_inputs_with_one_output_are_refused() {
        let paths = ["a/take.bin", "b/take.bin"].map(PathBuf::from);
        let refused = plan(&paths).err().unwrap();
        assert!(refused.to_string().contains("the same output"), "{refused}");
    }

    #[test]
    fn an_input_that_is_named_twice_is_one_job() {
        let paths = ["a/take.bin", "a/take.bin"].map(PathBuf::from);
        assert_eq!(plan(&paths).unwrap().jobs.len(), 1);
    }

    #[test]
    fn results_and_messages_are_in_the_order_of_the_jobs() {
        let paths: Vec<PathBuf> = (0..100).map(|n| format!("{n}.bin").into()).collect();
        let batch = plan(&paths).unwrap();
        let mut left = paths.iter();
        let work = |job: &Job| {
            diagnostics::note(job.input.display());
            job.input.clone()
        };
        let consumed = batch.run(false, work, |_, input, messages| {
            assert_eq!(Some(&input), left.next());
            assert!(messages.notes[0].ends_with(input.to_str().unwrap()));
            Ok(())
        });
        consumed.unwrap();
        assert_eq!(left.next(), None);
    }
}
