//! The work of a scan, in parts that do not depend on each other.
//!
//! Method: small files are grouped, so that computing a task takes much longer than starting it. A file that is a group
//! of its own is opened by the thread that takes it, and cut into ranges of rows; its bytes are shared by their tasks.
//! Tasks are handed out in the order of the rows, except that files are opened by several threads at once.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use inputanim_convert::tables::Batch;

use crate::error::{FileProblem, ScanError};
use crate::fields::Content;
use crate::file_rows::{Opened, Part, StartedRows};
use crate::recording::{OpenFile, RowPlan};
use crate::shape::OnError;
use crate::shared::Shared;

/// The most files of a task, because small files can have many rows.
const MAX_FILES: usize = 64;
/// The size from which on a task has no further files.
const MAX_BYTES: u64 = 4 << 20;
/// The number of tasks for each thread, so that all threads end at about the same time.
const TASKS: usize = 4;
/// The most rows of a part of a recording. The sampler of a part is small then, and threads get parts often.
const MAX_ROWS: usize = 1 << 16;

/// The tasks of a scan, which threads take one by one.
#[derive(Debug)]
pub struct TaskQueue {
    shared: Arc<Shared>,
    /// The files of each unit: a group of small files, or one file that is cut into parts.
    units: Vec<Range<usize>>,
    state: Mutex<QueueState>,
    /// Signals that a file was opened.
    opened: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    next: usize,
    /// The number of files that are being opened.
    opening: usize,
    /// The parts of open files, in order.
    parts: BTreeMap<(usize, usize), Task>,
}

impl TaskQueue {
    pub(crate) fn new(shared: Arc<Shared>) -> TaskQueue {
        TaskQueue {
            units: units(&shared),
            shared,
            state: Mutex::default(),
            opened: Condvar::new(),
        }
    }

    /// Returns the number of groups of files. A group has one task, or several if it is one long file.
    pub(crate) fn units(&self) -> usize {
        self.units.len()
    }

    /// Returns the next task; `None` if all tasks are taken or the scan was cancelled. Opens a file that is divided
    /// into several tasks. If no task is left, waits while other threads open such files, because their tasks follow.
    pub fn next(&self) -> Option<Task> {
        let mut state = self.state();
        loop {
            if self.shared.is_cancelled() {
                return None;
            }
            if let Some((_, task)) = state.parts.pop_first() {
                return Some(task);
            }
            let unit = state.next;
            if let Some(files) = self.units.get(unit) {
                state.next += 1;
                if files.len() > 1 || self.is_undivided() {
                    let work = Work::Files(files.clone());
                    return Some(self.task(unit, 0, true, work));
                }
                state.opening += 1;
                drop(state);
                // Ends the wait of the other threads, also if opening panics.
                let opening = Opening(self);
                let mut parts = self.parts(unit, files.start).into_iter();
                let first = parts.next();
                self.state()
                    .parts
                    .extend(parts.map(|task| (task.order(), task)));
                drop(opening);
                return first;
            }
            if state.opening == 0 {
                return None;
            }
            let wait = self.opened.wait(state);
            state = wait.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns `true` if the shape computes all rows of a recording at once.
    fn is_undivided(&self) -> bool {
        !matches!(self.shared.table.content, Content::Table(_))
    }

    /// Opens a file, and returns the tasks of its parts. `unit` is the index of its group. If the file cannot be
    /// opened, returns one task with the error.
    fn parts(&self, unit: usize, file: usize) -> Vec<Task> {
        let part = |part, is_last, work| self.task(unit, part, is_last, work);
        let (open, plan, damage) = match self.open(file) {
            Ok(opened) => {
                self.shared.set_opened(file);
                opened
            }
            Err(problem) => return vec![part(0, true, Work::Failed(file, problem))],
        };
        let (open, plan) = (Arc::new(open), Arc::new(plan));
        let rows = plan.len();
        let count = if plan.can_cut() {
            let least = self.shared.options.batch_rows.max(1);
            let even = rows.div_ceil(TASKS * self.shared.threads());
            rows.div_ceil(even.clamp(least.min(MAX_ROWS), MAX_ROWS))
        } else {
            1
        };
        let count = count.max(1);
        let bound = |index: usize| (rows as u128 * index as u128 / count as u128) as usize;
        let tasks = (0..count).map(|index| {
            let work = Work::Part(Part {
                file,
                open: Some(Arc::clone(&open)),
                plan: Arc::clone(&plan),
                sampler: None,
                rows: bound(index)..bound(index + 1),
                all: bound(index)..bound(index + 1),
                damage: damage.clone(),
            });
            part(index, index + 1 == count, work)
        });
        tasks.collect()
    }

    /// Opens a file of a wide, tidy or keys table. Returns the file, the plan of its rows and the text of the column
    /// for damage.
    fn open(&self, file: usize) -> Result<(OpenFile, RowPlan, Option<Arc<str>>), FileProblem> {
        let shared = &self.shared;
        shared.path_values(file)?;
        let opened = match shared.open_partially(file)? {
            Some(bytes) => Opened::new(OpenFile::Bin(bytes)),
            None => shared.open(file)?,
        };
        let (options, choice) = (&shared.options, &shared.table.choice);
        let (plan, facts) = opened.open.with(options, choice, |recording| {
            shared.planned(file, recording, &opened)
        })?;
        Ok((opened.open, plan, facts.text))
    }

    fn task(&self, unit: usize, part: usize, is_last: bool, work: Work) -> Task {
        Task {
            shared: Arc::clone(&self.shared),
            order: (unit, part),
            is_last,
            work,
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file that is being opened.
struct Opening<'q>(&'q TaskQueue);

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.state().opening -= 1;
        self.0.opened.notify_all();
    }
}

/// Groups the files of a scan. Each group is a range of indices of files: several small files, or one file.
fn units(shared: &Shared) -> Vec<Range<usize>> {
    let tasks = TASKS * shared.threads();
    let total: u64 = shared.files.iter().map(|file| file.bytes).sum();
    let bytes = (total / tasks as u64).min(MAX_BYTES);
    let files = (shared.files.len() / tasks).clamp(1, MAX_FILES);
    let mut units: Vec<Range<usize>> = Vec::new();
    let mut size = 0;
    for (index, file) in shared.files.iter().enumerate() {
        match units.last_mut() {
            // A file that is large itself becomes a unit of its own, so that it can be cut.
            Some(last) if last.len() < files && size < bytes && file.bytes < bytes => {
                last.end = index + 1;
                size += file.bytes;
            }
            _ => {
                units.push(index..index + 1);
                size = file.bytes;
            }
        }
    }
    units
}

/// A part of a scan: some files, or a range of rows of one file. A thread computes its rows with
/// [`batches`](Self::batches).
#[derive(Debug)]
pub struct Task {
    shared: Arc<Shared>,
    order: (usize, usize),
    is_last: bool,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Files(Range<usize>),
    Part(Part),
    Failed(usize, FileProblem),
}

impl Task {
    /// Returns the index of the group of files, and the index of the part of the file. Sorted by this pair, the tasks
    /// have the rows of the scan in order.
    pub fn order(&self) -> (usize, usize) {
        self.order
    }

    /// Returns `true` if the task is the last one of its group of files.
    pub(crate) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Returns the rows of the task in batches. They are computed on the thread that calls the iterator, which ends
    /// after an error.
    pub fn batches(self) -> TaskBatches {
        let (files, part, failed) = match self.work {
            Work::Files(files) => (files, None, None),
            Work::Part(part) => (0..0, Some(part), None),
            Work::Failed(file, problem) => (0..0, None, Some((file, problem))),
        };
        TaskBatches {
            left: self.shared.options.limit.unwrap_or(u64::MAX),
            shared: self.shared,
            files,
            part,
            failed,
            filled: Batch::default(),
            error: None,
            is_done: false,
        }
    }
}

/// The rows of a [`Task`].
#[derive(Debug)]
pub struct TaskBatches {
    shared: Arc<Shared>,
    /// The files that are not opened yet.
    files: Range<usize>,
    part: Option<Part>,
    failed: Option<(usize, FileProblem)>,
    /// The rows of the next batch.
    filled: Batch,
    error: Option<ScanError>,
    /// The rows up to the limit.
    left: u64,
    is_done: bool,
}

/// The result of computing some rows.
enum Step {
    More,
    /// The next rows do not fit into the batch.
    Full,
    Done,
}

impl Iterator for TaskBatches {
    type Item = Result<Batch, ScanError>;

    fn next(&mut self) -> Option<Result<Batch, ScanError>> {
        if self.is_done {
            return None;
        }
        let result = self.fill();
        match &result {
            Ok(Some(batch)) => self.left -= batch.rows as u64,
            Ok(None) | Err(_) => self.is_done = true,
        }
        result.transpose()
    }
}

impl TaskBatches {
    /// Returns the next batch of the task; `None` at the end. The rows before an error come first.
    fn fill(&mut self) -> Result<Option<Batch>, ScanError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let rows = self.shared.options.batch_rows.max(1);
        while (self.filled.rows as u64) < self.left && self.filled.rows < rows {
            if self.shared.is_cancelled() {
                return Err(ScanError::Cancelled);
            }
            match self.step() {
                Ok(Step::More) => {}
                Ok(Step::Full | Step::Done) => break,
                // The rows before the error come first.
                Err(error) if self.filled.rows > 0 => {
                    self.error = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let mut batch = std::mem::take(&mut self.filled);
        batch.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        Ok((batch.rows > 0).then_some(batch))
    }

    fn step(&mut self) -> Result<Step, ScanError> {
        if let Some(part) = &mut self.part {
            if part.rows.is_empty() {
                self.part = None;
                return Ok(Step::More);
            }
            let (file, all) = (part.file, self.shared.options.batch_rows.max(1));
            let free = all - self.filled.rows.min(all);
            return match self.shared.rows(part, free, self.filled.rows == 0) {
                Ok(Some((batch, segments))) => {
                    let damage = part.damage.clone();
                    let batch = self.shared.labelled(file, batch, segments, damage, None);
                    self.push(batch);
                    Ok(Step::More)
                }
                Ok(None) => Ok(Step::Full),
                Err(problem) => {
                    self.part = None;
                    self.fail(file, problem)
                }
            };
        }
        if let Some((file, problem)) = self.failed.take() {
            return self.fail(file, problem);
        }
        let Some(file) = self.files.next() else {
            return Ok(Step::Done);
        };
        let started = match self.shared.start(file) {
            Ok(started) => started,
            Err(problem) => return self.fail(file, problem),
        };
        self.shared.set_opened(file);
        match started.rows {
            StartedRows::Part(part) => self.part = Some(*part),
            StartedRows::All(batch) => self.push(batch),
        }
        Ok(Step::More)
    }

    fn push(&mut self, batch: Batch) {
        self.filled.append(batch, &self.shared.table.fields);
    }

    fn fail(&mut self, file: usize, problem: FileProblem) -> Result<Step, ScanError> {
        // Reading a file ends early when the scan is cancelled.
        if self.shared.is_cancelled() {
            return Err(ScanError::Cancelled);
        }
        match self.shared.options.on_error {
            OnError::Raise => return Err(self.shared.first_error(file, problem)),
            OnError::Skip => self.shared.skip(file, problem),
            OnError::Column => {
                let batch = self.shared.failed(file, &problem);
                self.push(batch);
            }
        }
        Ok(Step::More)
    }
}
