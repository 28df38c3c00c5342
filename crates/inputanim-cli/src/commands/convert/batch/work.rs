//! The work on one file of many, and on all of them at once.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::SystemTime;

use anyhow::Context;
use inputanim::summary::Summary;
use inputanim::{Limits, Recording, Recovery, doctor};
use inputanim_convert::Format;
use inputanim_convert::frames::Columns;
use inputanim_convert::tables;
use rayon::ThreadPoolBuilder;

use super::super::conversion::{Conversion, Said};
use super::plan::{Job, Output};
use crate::commands::info::report::Report;
use crate::input::Input;
use crate::output::{self, Unnamed};

/// What is the same for every file.
pub(super) struct Work<'w> {
    pub(super) conversion: &'w Conversion,
    pub(super) to: Format,
    pub(super) limits: &'w Limits,
    /// Convert also what is there already.
    pub(super) force: bool,
    /// What is where an output goes may be somebody's own: it is replaced only with `force`.
    pub(super) is_guarded: bool,
    /// Look at every file, also at those that are there already.
    pub(super) reports: bool,
}

/// How it went with a file.
pub(super) enum Fate {
    /// Converted.
    Converted(Said),
    /// The output is there, and newer.
    Present,
    Failed(anyhow::Error),
}

/// One file that is done with.
pub(super) struct Done {
    pub(super) fate: Fate,
    /// The codes of damage that shows in the output.
    pub(super) damage: String,
    /// Where it was asked for and the file could be read.
    pub(super) report: Option<Report>,
    /// What it has for a table.
    pub(super) columns: Option<Columns>,
    /// What was written and has no name yet.
    output: Option<Unnamed>,
}

impl Done {
    fn finished(mut self) -> Done {
        if let Some(Err(error)) = self.output.take().map(Unnamed::finish) {
            self.fate = Fate::Failed(error);
        }
        self
    }
}

/// Does every job, as many at a time as there are workers; hands the results on in the order of the
/// jobs. No more results are kept than wait for an earlier job.
///
/// Beside each worker another waits for disks, which takes about as long as the work. Where workers leave
/// less than half of the processors idle, each does all of its job itself: to share it takes longer.
pub(super) fn each(
    work: &Work<'_>,
    jobs: &[Job],
    workers: NonZeroUsize,
    mut done: impl FnMut(&Job, Done) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let workers = workers.get().min(jobs.len());
    let is_alone = 2 * workers > rayon::current_num_threads();
    let next = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    let (results, finished) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let results = results.clone();
            let (written, unnamed) = mpsc::sync_channel(1);
            let (next, is_over) = (&next, &is_over);
            scope.spawn(move || {
                let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
                let _alone = is_alone.then(|| alone.build().ok());
                while !is_over.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    if written.send((index, work.on(job))).is_err() {
                        break;
                    }
                }
            });
            scope.spawn(move || {
                for (index, done) in unnamed {
                    if results.send((index, Done::finished(done))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(results);
        let mut early = BTreeMap::new();
        let mut expected = 0;
        for (index, result) in finished {
            early.insert(index, result);
            while let Some(result) = early.remove(&expected) {
                if let Err(error) = done(&jobs[expected], result) {
                    is_over.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                expected += 1;
            }
        }
        Ok(())
    })
}

impl Work<'_> {
    fn on(&self, job: &Job) -> Done {
        let mut done = Done {
            fate: Fate::Present,
            damage: String::new(),
            report: None,
            columns: None,
            output: None,
        };
        let began = changed(&job.input);
        let is_present = match &job.output {
            Output::File(path) if !self.force => is_newer(path, &job.input),
            _ => false,
        };
        if is_present && !self.reports {
            return done;
        }
        let converted = Input::open(&job.input, self.limits).and_then(|input| {
            let read = self.read(&input, &mut done);
            match &job.output {
                _ if is_present => Ok(Fate::Present),
                Output::Rows(_) => self.look(&input, read?, &mut done),
                Output::File(path) => {
                    if self.is_guarded && !self.force && path.symlink_metadata().is_ok() {
                        output::check(path, false)?;
                    }
                    let fate = self.convert(&input, read?, path, &mut done)?;
                    // Its output would be newer, and never be made again.
                    if changed(&job.input) != began {
                        done.output = None;
                        let name = job.input.display();
                        anyhow::bail!("{name} has changed while it was converted");
                    }
                    Ok(fate)
                }
            }
        });
        done.fate = converted.unwrap_or_else(Fate::Failed);
        done
    }

    /// The recording, with what is to be reported of it, or of as much of it as is whole.
    fn read<'i>(&self, input: &'i Input, done: &mut Done) -> anyhow::Result<(Recording<'i>, Said)> {
        let read = self.conversion.read(input, self.limits);
        if !self.reports {
            return read;
        }
        match read {
            Ok((recording, said)) => {
                let whole = Recovery::from(recording);
                done.report = Some(Report::of(input, &whole));
                Ok((whole.recording, said))
            }
            Err(error) => {
                let recovery = input.recover(self.limits).ok();
                done.report = recovery.map(|recovery| Report::of(input, &recovery));
                Err(error)
            }
        }
    }

    fn convert(
        &self,
        input: &Input,
        (recording, mut said): (Recording<'_>, Said),
        path: &Path,
        done: &mut Done,
    ) -> anyhow::Result<Fate> {
        done.damage = self.damage(&recording);
        output::make_folder(output::folder_of(path))?;
        let output = output::write_one_of_many(path, |output| {
            let said_of_it = self
                .conversion
                .write(input, recording, self.to, path, output)?;
            said.extend(said_of_it);
            Ok(())
        })?;
        done.output = Some(output);
        Ok(Fate::Converted(said))
    }

    /// Whether a file can be a part of a table: what cannot must not come to light with half of the
    /// table written.
    fn look(
        &self,
        input: &Input,
        (recording, mut said): (Recording<'_>, Said),
        done: &mut Done,
    ) -> anyhow::Result<Fate> {
        done.damage = self.damage(&recording);
        let (options, note) = self.conversion.table_options();
        tables::check(&recording, &options).with_context(|| input.name().to_owned())?;
        done.columns = Some(Columns::of(&recording));
        said.notes.extend(note.map(str::to_owned));
        Ok(Fate::Converted(said))
    }

    /// The codes of damage that shows in what is written.
    fn damage(&self, recording: &Recording<'_>) -> String {
        if !self.conversion.is_of_what_plays(self.to) {
            return String::new();
        }
        let summary = Summary::of(recording);
        let found = doctor::examine_playback(recording, &summary);
        let mut codes: Vec<_> = found.iter().map(|finding| finding.code.id()).collect();
        codes.dedup();
        codes.join(" ")
    }
}

/// Whether an output is there and no older than its input.
fn is_newer(output: &Path, input: &Path) -> bool {
    output.is_file()
        && matches!((changed(output), changed(input)), (Some(output), Some(input)) if output >= input)
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
