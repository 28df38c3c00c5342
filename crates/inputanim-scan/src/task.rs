//! The work of a scan, in parts that do not depend on each other.
//!
//! Method: small files are grouped, so that computing a task takes much longer than starting it. A file that is a group
//! of its own is opened by the thread that takes it, and cut into ranges of rows; its bytes are shared by their tasks.
//! Tasks are handed out in the order of the rows, except that files are opened by several threads at once.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use inputanim::doctor::{Code, Finding};
use inputanim::{CurvePath, Element, Recording, RecoveredRecording, Sampler, edit};
use inputanim_convert::tables::{Batch, Column, TableColumns, Values};
use inputanim_convert::{Sampling, TableShape};

use crate::error::{FileProblem, ScanError};
use crate::fields::{Content, Origin};
use crate::notice::Notice;
use crate::opener::FileBytes;
use crate::recording::{OpenFile, RowPlan};
use crate::rows::{Computed, Damage, limited};
use crate::shape::{OnError, Shape};
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

    /// Returns the number of groups of files. A long file of its own has several tasks.
    pub(crate) fn units(&self) -> usize {
        self.units.len()
    }

    /// Returns the next task; `None` if all are taken or the scan was cancelled. Opens a file if it is large or one of
    /// few, and waits while another thread opens the last one.
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

    /// Returns whether the rows of a recording are computed at once.
    fn is_undivided(&self) -> bool {
        !matches!(self.shared.table.content, Content::Table(_))
    }

    /// Opens a file and returns the tasks of its parts.
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

    /// Opens a file of a wide, tidy or keys table. Returns it with the plan of its rows and the text of the column
    /// `damage`.
    fn open(&self, file: usize) -> Result<(OpenFile, RowPlan, Option<Arc<str>>), FileProblem> {
        let shared = &self.shared;
        shared.path_values(file)?;
        let open = match shared.open_partially(file)? {
            Some(bytes) => OpenFile::Bin(bytes),
            None => OpenFile::open(&shared.files[file], &shared.options)?,
        };
        let (plan, facts) = open.with(&shared.options, &shared.table.choice, |recording| {
            let (plan, notices) = shared.plan(recording)?;
            let damage = shared.examine(recording);
            Ok((plan, shared.facts(file, &open, damage, notices)))
        })?;
        Ok((open, plan, facts.text))
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

/// Returns the groups of files.
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

/// Some rows of an open recording.
#[derive(Debug)]
struct Part {
    file: usize,
    /// `None` if the sampler has all that is needed.
    open: Option<Arc<OpenFile>>,
    plan: Arc<RowPlan>,
    sampler: Option<Sampler>,
    /// The rows that are not computed yet.
    rows: Range<usize>,
    /// All rows of the part.
    all: Range<usize>,
    /// The text of the column `damage`.
    damage: Option<Arc<str>>,
}

impl Task {
    /// Returns the index of the group of files, and the index of the part of the file. Sorted by this pair, the tasks have
    /// the rows of the scan in order.
    pub fn order(&self) -> (usize, usize) {
        self.order
    }

    /// Returns whether the task is the last of its group.
    pub(crate) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Returns the rows. They are computed on the thread that calls the iterator. After an error, it ends.
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
    /// Returns the next batch; `None` at the end.
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
                Ok(Some(batch)) => {
                    let damage = part.damage.clone();
                    let batch = self.shared.labelled(file, batch, damage, None);
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

/// A file whose rows are computed.
struct Started {
    rows: StartedRows,
    facts: Facts,
}

enum StartedRows {
    Part(Box<Part>),
    All(Batch),
}

/// Facts about a file besides its rows.
#[derive(Debug, Default)]
struct Facts {
    /// The text of the column `damage`, if it is selected.
    text: Option<Arc<str>>,
    /// The findings that change the selected columns.
    damage: Vec<Finding>,
    notices: Vec<Notice>,
}

/// All rows of a file, with its damage, warnings and notes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileRows {
    /// The rows.
    pub rows: Batch,
    /// The findings that change values of the selected columns.
    pub damage: Vec<Finding>,
    /// Notices about the rows.
    pub notices: Vec<Notice>,
}

impl FileRows {
    /// Computes all rows of a file.
    pub(crate) fn of(shared: &Shared, file: usize) -> Result<FileRows, FileProblem> {
        let Started { rows, facts } = shared.start(file)?;
        let mut all = Batch::default();
        match rows {
            StartedRows::All(batch) => all = batch,
            StartedRows::Part(mut part) => {
                while !part.rows.is_empty() {
                    if let Some(batch) = shared.rows(&mut part, usize::MAX, true)? {
                        let batch = shared.labelled(file, batch, part.damage.clone(), None);
                        all.append(batch, &shared.table.fields);
                    }
                }
            }
        }
        Ok(FileRows {
            rows: all,
            damage: facts.damage,
            notices: facts.notices,
        })
    }
}

impl Shared {
    /// Reads the curves of a large file that the columns need; `None` if the file must be read completely, for example
    /// because the rows are at the times of all keys.
    fn open_partially(&self, file: usize) -> io::Result<Option<FileBytes>> {
        let (options, choice) = (&self.options, &self.table.choice);
        let Content::Table(columns) = &self.table.content else {
            return Ok(None);
        };
        if options.shape == Shape::Keys
            || !matches!(options.sampling, Sampling::Rate(_))
            || !options.corrections.are_none()
            || self.has_damage_column()
        {
            return Ok(None);
        }
        self.files[file].open_partially(options, |ends| {
            let reads = columns.reads(ends);
            move |path: CurvePath| {
                // Joints are valid only while their hand is tracked.
                let is_state = matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
                is_state || reads(path) && choice.keeps(path.into())
            }
        })
    }

    /// Returns the plan of the rows of a recording in a wide, tidy or keys table.
    fn plan(&self, recording: &Recording<'_>) -> Result<(RowPlan, Vec<Notice>), FileProblem> {
        let mut notices = Vec::new();
        let time = limited(self.options.time, recording, &mut notices)?;
        let Content::Table(columns) = &self.table.content else {
            return Ok((RowPlan::Keys { rows: 0, time }, notices));
        };
        let shape = match self.options.shape {
            Shape::Tidy => TableShape::Tidy,
            Shape::Keys => TableShape::Keys,
            _ => TableShape::Wide,
        };
        let reads = columns.reads(recording);
        let plan = RowPlan::new(shape, recording, &self.options, time, reads)?;
        Ok((plan, notices))
    }

    /// Returns the error of a file, or of the first file before it that cannot be opened, so that the error does not
    /// depend on the order in which threads read the files.
    fn first_error(&self, file: usize, problem: FileProblem) -> ScanError {
        for earlier in (0..file).filter(|&earlier| !self.is_opened(earlier)) {
            if self.is_cancelled() {
                return ScanError::Cancelled;
            }
            if let Err(problem) = self.start(earlier) {
                return self.error(earlier, problem).into();
            }
        }
        self.error(file, problem).into()
    }

    /// Opens a file, and computes its rows unless they are computed in parts.
    fn start(&self, file: usize) -> Result<Started, FileProblem> {
        self.path_values(file)?;
        let trials = self.trials(file);
        if trials.is_some_and(<[_]>::is_empty) {
            return Ok(Started {
                rows: StartedRows::All(Batch::default()),
                facts: Facts::default(),
            });
        }
        let trials = trials.unwrap_or_default();
        let open = OpenFile::open(&self.files[file], &self.options)?;
        if let Content::Info(rows) = &self.table.content {
            return self.info(file, &open, |recovered| rows.row(recovered, open.len()));
        }
        let (options, choice) = (&self.options, &self.table.choice);
        if let Content::Table(columns) = &self.table.content {
            let (plan, sampler, facts) = open.with(options, choice, |recording| {
                let (plan, notices) = self.plan(recording)?;
                let sampler = sampler(columns, recording, &plan, 0..plan.len())?;
                let damage = self.examine(recording);
                Ok((plan, sampler, self.facts(file, &open, damage, notices)))
            })?;
            let rows = 0..plan.len();
            let part = Box::new(Part {
                file,
                // The recording is read again only for keys.
                open: sampler.is_none().then(|| Arc::new(open)),
                plan: Arc::new(plan),
                sampler,
                all: rows.clone(),
                rows,
                damage: facts.text.clone(),
            });
            return Ok(Started {
                rows: StartedRows::Part(part),
                facts,
            });
        }
        let Computed {
            rows,
            damage,
            notices,
        } = open.with(options, choice, |recording| match &self.table.content {
            Content::Events(rows) => rows.rows(recording, trials),
            Content::Stats(rows) => rows.rows(recording, trials),
            Content::Findings(rows) => Ok(rows.rows(recording, self.examine(recording))),
            Content::Markers(rows) => rows.rows(recording, self.examine(recording)),
            Content::Info(_) | Content::Table(_) => Ok(Computed::default()),
        })?;
        let facts = self.facts(file, &open, damage, notices);
        let rows = self.labelled(file, rows, facts.text.clone(), None);
        Ok(Started {
            rows: StartedRows::All(rows),
            facts,
        })
    }

    /// Returns the row of a recording, or of its intact parts if there is a column for the error.
    fn info(
        &self,
        file: usize,
        open: &OpenFile,
        row: impl Fn(&RecoveredRecording<'_>) -> Batch,
    ) -> Result<Started, FileProblem> {
        let recovered = match open {
            OpenFile::Read { recording, .. } => (**recording).clone(),
            OpenFile::Bin(bytes) => {
                let (bytes, limits) = (bytes.as_slice(), &self.options.limits);
                let recovered = if self.options.on_error == OnError::Column {
                    Recording::recover_with(bytes, limits)
                } else {
                    Recording::parse_with(bytes, limits).map(RecoveredRecording::from)
                };
                recovered.map_err(FileProblem::Parse)?
            }
        };
        let error = recovered.error.as_ref().map(ToString::to_string);
        let damage = self.examine(&recovered.recording);
        let facts = self.facts(file, open, damage, Vec::new());
        let rows = self.labelled(file, row(&recovered), facts.text.clone(), error.as_deref());
        Ok(Started {
            rows: StartedRows::All(rows),
            facts,
        })
    }

    /// Computes the next rows of a part, at most `free`. Returns `None` if less than one instant fits, unless
    /// `is_first`.
    fn rows(
        &self,
        part: &mut Part,
        free: usize,
        is_first: bool,
    ) -> Result<Option<Batch>, FileProblem> {
        let Content::Table(columns) = &self.table.content else {
            return Ok(None);
        };
        let (options, choice) = (&self.options, &self.table.choice);
        let step = match self.options.shape {
            // An instant has a row for each joint.
            Shape::Tidy => match free / columns.rows_per_instant() {
                0 if is_first => 1,
                step => step,
            },
            _ => free,
        };
        if step == 0 {
            return Ok(None);
        }
        let rows = part.rows.start..part.rows.end.min(part.rows.start.saturating_add(step));
        if let (None, Some(open)) = (&part.sampler, &part.open) {
            let (plan, all) = (&part.plan, part.all.clone());
            part.sampler = open.with(options, choice, |recording| {
                sampler(columns, recording, plan, all)
            })?;
        }
        let batch = match (&*part.plan, &part.sampler, &part.open) {
            (RowPlan::Instants(instants), Some(sampler), _) => {
                let times = instants.times(rows.clone());
                columns.sample(sampler, times, options.space).batch
            }
            (&RowPlan::Keys { time, .. }, _, Some(open)) => {
                open.with(options, choice, |recording| {
                    Ok(columns.keys(recording, rows.clone(), time))
                })?
            }
            _ => Batch::default(),
        };
        part.rows.start = rows.end;
        Ok(Some(batch))
    }

    fn has_damage_column(&self) -> bool {
        self.table.origins.contains(&Origin::Damage)
    }

    /// Examines an open file for damage.
    fn examine(&self, recording: &Recording<'_>) -> Damage {
        let Content::Table(columns) = &self.table.content else {
            // The other shapes describe a recording, and have no values that damage changes.
            return if self.has_damage_column() {
                Damage::of(recording, |_| false)
            } else {
                Damage::default()
            };
        };
        let reads = columns.reads(recording);
        if self.has_damage_column() {
            return Damage::of(recording, reads);
        }
        // Only the needed curves are examined; the others may even have no keys.
        let needed = recording
            .curves()
            .map(|(path, _)| path)
            .filter(|path| reads(*path));
        let needed: HashSet<Element> = needed.map(Element::from).collect();
        let mut needed_part = recording.clone();
        edit::select(&mut needed_part, |element| needed.contains(&element));
        Damage::of(&needed_part, reads)
    }

    /// Collects the facts about a file, and keeps the damage that changes selected columns.
    fn facts(
        &self,
        file: usize,
        open: &OpenFile,
        damage: Damage,
        mut notices: Vec<Notice>,
    ) -> Facts {
        let error = open.error();
        let text = |codes: &mut dyn Iterator<Item = Code>| {
            let recovered = error.map(|_| "recovered".to_owned());
            let codes = Some(Code::list(codes)).filter(|codes| !codes.is_empty());
            let words: Vec<String> = codes.into_iter().chain(recovered).collect();
            (!words.is_empty()).then(|| words.join(" "))
        };
        let affecting = damage.affecting.iter().map(|finding| finding.code);
        if let Some(codes) = text(&mut affecting.into_iter()) {
            self.add_damaged(file, codes);
        }
        let all = self
            .has_damage_column()
            .then(|| text(&mut damage.all.iter().copied()));
        notices.extend(error.cloned().map(Notice::Recovered));
        self.add_notices(file, &notices);
        Facts {
            text: all.flatten().map(Arc::from),
            damage: damage.affecting,
            notices,
        }
    }

    /// Returns the texts of the path pattern; an error where the path does not match.
    fn path_values(&self, file: usize) -> Result<Vec<String>, FileProblem> {
        let Some(pattern) = &self.options.path_pattern else {
            return Ok(Vec::new());
        };
        let values = pattern.values(&self.files[file].name);
        values.ok_or_else(|| FileProblem::Path(pattern.to_string()))
    }

    /// Adds the columns that all rows of a recording have in common.
    fn labelled(
        &self,
        file: usize,
        batch: Batch,
        damage: Option<Arc<str>>,
        error: Option<&str>,
    ) -> Batch {
        let rows = batch.rows;
        let mut columns = batch.columns.into_iter();
        // The selected columns of the shape are in the order of the origins.
        self.assembled(file, rows, damage, error, || {
            columns.next().unwrap_or_else(|| Column::missing(rows))
        })
    }

    /// Returns the row of a file that failed.
    pub(crate) fn failed(&self, file: usize, problem: &FileProblem) -> Batch {
        let message = problem.to_string();
        if let (Content::Info(rows), FileProblem::Parse(_)) = (&self.table.content, problem) {
            return self.labelled(file, rows.malformed(), None, Some(&message));
        }
        self.assembled(file, 1, None, Some(&message), || Column::missing(1))
    }

    fn assembled(
        &self,
        file: usize,
        rows: usize,
        damage: Option<Arc<str>>,
        error: Option<&str>,
        mut next: impl FnMut() -> Column,
    ) -> Batch {
        let ScanFileNames { name, recording } = self.names(file);
        let values = self.path_values(file).unwrap_or_default();
        let columns = self.table.origins.iter().map(|origin| match origin {
            Origin::File => Column::text(Arc::clone(name), rows),
            Origin::Recording => Column::text(Arc::clone(recording), rows),
            Origin::Path(index) => {
                let text = values.get(*index).map(|text| text.as_str().into());
                Column::new(Values::text(text, rows))
            }
            Origin::Shape(_) => next(),
            Origin::Damage => Column::new(Values::text(damage.clone(), rows)),
            Origin::Error => Column::new(Values::text(error.map(Into::into), rows)),
        });
        Batch::new(rows, columns.collect())
    }

    fn names(&self, file: usize) -> ScanFileNames<'_> {
        let file = &self.files[file];
        ScanFileNames {
            name: &file.name,
            recording: &file.recording,
        }
    }
}

struct ScanFileNames<'f> {
    name: &'f Arc<str>,
    recording: &'f Arc<str>,
}

/// Returns the sampler of some rows; `None` for keys.
fn sampler(
    columns: &TableColumns,
    recording: &Recording<'_>,
    plan: &RowPlan,
    rows: Range<usize>,
) -> Result<Option<Sampler>, FileProblem> {
    let RowPlan::Instants(instants) = plan else {
        return Ok(None);
    };
    let sampler = instants.sampler(recording, rows, columns.reads(recording))?;
    Ok(Some(sampler))
}
