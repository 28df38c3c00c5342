//! The rows of a scan in order, computed by several threads.
//!
//! Method: each thread takes a task, and puts its batches into the slot of the task. The consumer empties the slots in
//! the order of the tasks. A thread waits when enough batches are waiting, except for the task that the consumer
//! waits for; therefore the number of batches is bounded, and the threads never wait for each other in a circle. The
//! consumer joins small batches, also of different tasks, because each column of a batch takes about a kilobyte in
//! a data frame, whatever the number of its rows.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::process;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use inputanim_convert::tables::Batch;

use crate::error::ScanError;
use crate::shared::Shared;
use crate::task::{Task, TaskBatches, TaskQueue};

/// The rows of a scan in order.
///
/// After an error, the iterator ends. If it is dropped, its threads end within the time of one batch or one file.
#[derive(Debug)]
pub struct Batches(Ordered<Batch>);

impl Batches {
    pub(crate) fn new(shared: &Arc<Shared>) -> Batches {
        Batches(Ordered::new(shared, |batch| batch))
    }

    /// Returns the number of batches that wait for the consumer.
    #[cfg(test)]
    fn waiting(&self) -> usize {
        self.0
            .threads
            .as_ref()
            .map_or(0, |threads| threads.state().waiting)
    }
}

impl Iterator for Batches {
    type Item = Result<Batch, ScanError>;

    fn next(&mut self) -> Option<Result<Batch, ScanError>> {
        self.0.next()
    }
}

/// Rows that a batch becomes on the thread that computes it.
pub(crate) trait Rows: Send + 'static {
    fn rows(&self) -> usize;
    fn truncate(&mut self, rows: usize);
}

impl Rows for Batch {
    fn rows(&self) -> usize {
        self.rows
    }

    fn truncate(&mut self, rows: usize) {
        Batch::truncate(self, rows);
    }
}

/// The number of values of a joined batch: about 4 MiB.
const JOINED_VALUES: usize = 1 << 19;
/// A batch with fewer values is joined with the next ones. It is so small that the consumer converts it quickly.
const SMALL_VALUES: usize = 1 << 16;

/// Rows that a thread computed.
enum Computed<T> {
    /// Rows that are joined with the next ones.
    Small(Batch),
    Converted(T),
}

impl<T> Computed<T> {
    fn new(batch: Batch, batch_rows: usize, convert: &Convert<T>) -> Computed<T> {
        if batch.rows < batch_rows && values(&batch) < SMALL_VALUES {
            Computed::Small(batch)
        } else {
            Computed::Converted(convert(batch))
        }
    }
}

/// Returns the number of values of a batch.
fn values(batch: &Batch) -> usize {
    batch.rows.saturating_mul(batch.columns.len())
}

type Convert<T> = dyn Fn(Batch) -> T + Send + Sync;

/// The rows of a scan in order, in the form that a function makes of each batch.
pub(crate) struct Ordered<T: Rows> {
    queue: Arc<TaskQueue>,
    convert: Arc<Convert<T>>,
    /// `None` if the rows are computed by the consumer.
    threads: Option<Arc<Threads<Computed<T>>>>,
    /// The task of the consumer.
    task: Option<TaskBatches>,
    /// Small batches that are joined.
    joined: Batch,
    /// The result that follows the joined rows.
    following: Option<Result<T, ScanError>>,
    shared: Arc<Shared>,
    left: u64,
    error: Option<ScanError>,
    is_done: bool,
    /// The id of the process that has the threads.
    process: u32,
}

impl<T: Rows> Ordered<T> {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        convert: impl Fn(Batch) -> T + Send + Sync + 'static,
    ) -> Ordered<T> {
        let mut ordered = Ordered {
            queue: Arc::new(TaskQueue::new(Arc::clone(shared))),
            convert: Arc::new(convert),
            threads: None,
            task: None,
            joined: Batch::default(),
            following: None,
            shared: Arc::clone(shared),
            left: shared.options.limit.unwrap_or(u64::MAX),
            error: None,
            is_done: false,
            process: process::id(),
        };
        let count = shared.threads();
        if count > 1 {
            ordered.start(count);
        }
        ordered
    }

    fn start(&mut self, count: usize) {
        let threads = Arc::new(Threads {
            state: Mutex::new(State {
                current: (0, 0),
                slots: BTreeMap::new(),
                waiting: 0,
                running: count,
                has_panicked: false,
                is_stopped: false,
            }),
            changed: Condvar::new(),
            most: 2 * count,
        });
        for index in 0..count {
            let (queue, convert) = (Arc::clone(&self.queue), Arc::clone(&self.convert));
            let batch_rows = self.batch_rows();
            let shared = Arc::clone(&threads);
            let builder = thread::Builder::new().name("inputanim-scan".to_owned());
            let started = builder.spawn(move || {
                let running = Running(&shared);
                shared.work(&queue, &move |batch| {
                    Computed::new(batch, batch_rows, &*convert)
                });
                drop(running);
            });
            if let Err(error) = started {
                threads.state().running -= count - index;
                // The other threads do the work.
                if index == 0 {
                    self.error = Some(ScanError::Thread(Arc::new(error)));
                }
                break;
            }
        }
        self.threads = Some(threads);
    }

    fn batch_rows(&self) -> usize {
        self.shared.options.batch_rows.max(1)
    }

    /// Returns the next rows, after small batches are joined.
    fn joined_step(&mut self) -> Option<Result<T, ScanError>> {
        if let Some(following) = self.following.take() {
            return Some(following);
        }
        loop {
            let next = match self.step() {
                Some(Ok(Computed::Small(batch))) => {
                    let has_space = self.joined.rows + batch.rows <= self.batch_rows();
                    if !has_space {
                        let full = std::mem::replace(&mut self.joined, batch);
                        return Some(Ok((self.convert)(full)));
                    }
                    self.joined.append(batch, &self.shared.table.fields);
                    let is_full = self.joined.rows == self.batch_rows()
                        || values(&self.joined) >= JOINED_VALUES
                        || self.joined.rows as u64 >= self.left;
                    if is_full {
                        return self.take_joined().map(Ok);
                    }
                    continue;
                }
                Some(Ok(Computed::Converted(rows))) => Some(Ok(rows)),
                Some(Err(ScanError::Cancelled)) => return Some(Err(ScanError::Cancelled)),
                Some(Err(error)) => Some(Err(error)),
                None => None,
            };
            // The rows before an error come first.
            let Some(joined) = self.take_joined() else {
                return next;
            };
            self.following = next;
            return Some(Ok(joined));
        }
    }

    /// Returns the joined rows; `None` if there are none.
    fn take_joined(&mut self) -> Option<T> {
        let joined = std::mem::take(&mut self.joined);
        (joined.rows > 0).then(|| (self.convert)(joined))
    }

    fn step(&mut self) -> Option<Result<Computed<T>, ScanError>> {
        if let Some(error) = self.error.take() {
            return Some(Err(error));
        }
        if let Some(threads) = &self.threads {
            if self.is_forked() {
                return Some(Err(ScanError::Forked));
            }
            return threads.next(&self.shared, self.queue.units());
        }
        loop {
            if let Some(task) = &mut self.task {
                if let Some(batch) = task.next() {
                    let rows = self.batch_rows();
                    return Some(batch.map(|batch| Computed::new(batch, rows, &*self.convert)));
                }
                self.task = None;
            }
            match self.queue.next() {
                Some(task) => self.task = Some(task.batches()),
                None if self.shared.is_cancelled() => return Some(Err(ScanError::Cancelled)),
                None => return None,
            }
        }
    }
}

impl<T: Rows> Iterator for Ordered<T> {
    type Item = Result<T, ScanError>;

    fn next(&mut self) -> Option<Result<T, ScanError>> {
        if self.is_done || self.left == 0 {
            self.end();
            return None;
        }
        let mut next = self.joined_step();
        match &mut next {
            Some(Ok(batch)) => {
                batch.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.left -= batch.rows() as u64;
            }
            Some(Err(_)) | None => self.end(),
        }
        next
    }
}

impl<T: Rows> Ordered<T> {
    fn end(&mut self) {
        self.is_done = true;
        if let Some(threads) = &self.threads
            && !self.is_forked()
        {
            threads.stop();
        }
    }

    /// Returns whether this is the copy of a child of `fork`. It has no threads, and a lock may be held forever.
    fn is_forked(&self) -> bool {
        self.process != process::id()
    }
}

impl<T: Rows> Drop for Ordered<T> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<T: Rows> fmt::Debug for Ordered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ordered")
            .field("is_done", &self.is_done)
            .finish_non_exhaustive()
    }
}

/// The threads of an iterator.
struct Threads<T> {
    state: Mutex<State<T>>,
    /// Signals a change of the state.
    changed: Condvar,
    /// The most batches that wait.
    most: usize,
}

struct State<T> {
    /// The task whose batches are consumed.
    current: (usize, usize),
    slots: BTreeMap<(usize, usize), Slot<T>>,
    /// The number of batches in all slots.
    waiting: usize,
    running: usize,
    has_panicked: bool,
    is_stopped: bool,
}

/// The batches of one task.
struct Slot<T> {
    batches: VecDeque<Result<T, ScanError>>,
    is_done: bool,
    is_last: bool,
}

/// The longest time until the consumer sees that the scan was cancelled.
const PATIENCE: Duration = Duration::from_millis(50);

impl<T: Send + 'static> Threads<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_all();
    }

    /// Computes tasks until there are none.
    fn work(&self, queue: &TaskQueue, convert: &Convert<T>) {
        while !self.state().is_stopped
            && let Some(task) = queue.next()
            && self.compute(task, convert)
        {}
    }

    /// Computes the batches of a task. Returns `false` when the work ends.
    fn compute(&self, task: Task, convert: &Convert<T>) -> bool {
        let order = task.order();
        let slot = Slot {
            batches: VecDeque::new(),
            is_done: false,
            is_last: task.is_last(),
        };
        self.state().slots.insert(order, slot);
        for batch in task.batches() {
            let is_error = batch.is_err();
            let batch = batch.map(convert);
            let mut state = self.state();
            while !state.is_stopped && !state.has_capacity(order, self.most) {
                let wait = self.changed.wait(state);
                state = wait.unwrap_or_else(PoisonError::into_inner);
            }
            if state.is_stopped {
                return false;
            }
            state.waiting += 1;
            if let Some(slot) = state.slots.get_mut(&order) {
                slot.batches.push_back(batch);
            }
            drop(state);
            self.changed.notify_all();
            if is_error {
                // Nothing after an error is consumed. Earlier tasks are finished by their threads.
                break;
            }
        }
        if let Some(slot) = self.state().slots.get_mut(&order) {
            slot.is_done = true;
        }
        self.changed.notify_all();
        true
    }

    /// Returns the next batch in order.
    fn next(&self, shared: &Shared, units: usize) -> Option<Result<T, ScanError>> {
        let mut state = self.state();
        loop {
            if shared.is_cancelled() {
                return Some(Err(ScanError::Cancelled));
            }
            let current = state.current;
            let is_over = state.running == 0 || state.has_panicked;
            if current.0 == units {
                return None;
            }
            match state.slots.get_mut(&current) {
                Some(slot) => {
                    if let Some(batch) = slot.batches.pop_front() {
                        state.waiting -= 1;
                        drop(state);
                        self.changed.notify_all();
                        return Some(batch);
                    }
                    if slot.is_done {
                        state.current = if slot.is_last {
                            (current.0 + 1, 0)
                        } else {
                            (current.0, current.1 + 1)
                        };
                        state.slots.remove(&current);
                        self.changed.notify_all();
                        continue;
                    }
                    if is_over {
                        return Some(Err(ScanError::ThreadEnded));
                    }
                }
                None if is_over => return Some(Err(ScanError::ThreadEnded)),
                None => {}
            }
            let wait = self.changed.wait_timeout(state, PATIENCE);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<T> State<T> {
    /// Returns whether a task may add a batch.
    fn has_capacity(&self, order: (usize, usize), most: usize) -> bool {
        let is_next = || {
            let slot = self.slots.get(&order);
            order == self.current && slot.is_some_and(|slot| slot.batches.is_empty())
        };
        self.waiting < most || is_next()
    }
}

/// A thread that runs.
struct Running<'t, T: Send + 'static>(&'t Threads<T>);

impl<T: Send + 'static> Drop for Running<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.running -= 1;
        state.has_panicked |= thread::panicking();
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use inputanim::{Layout, Pose, Recording};

    use super::*;
    use crate::{FileBytes, Scan, ScanOptions, Source};

    #[test]
    fn few_batches_wait_for_a_slow_consumer() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.head_mut().push(100.0, &Pose::IDENTITY);
        let mut bytes = Vec::new();
        recording.write(&mut bytes).unwrap();
        let bytes = FileBytes::new(bytes);
        let sources = (0..20).map(|index| Source::Bytes {
            name: index.to_string(),
            bytes: bytes.clone(),
        });
        let options = ScanOptions {
            threads: 3,
            batch_rows: 10,
            columns: Some(vec!["time_s".to_owned()]),
            ..ScanOptions::default()
        };
        let scan = Scan::new(sources, options).unwrap();
        let (mut most, mut rows) = (0, 0);
        let mut batches = scan.batches();
        while let Some(batch) = batches.next() {
            rows += batch.unwrap().rows;
            if rows < 2000 {
                // The threads compute as much as they may, and have time to compute more.
                while batches.waiting() < 2 * 3 {
                    thread::yield_now();
                }
                (0..100).for_each(|_| thread::yield_now());
            }
            most = most.max(batches.waiting());
        }
        assert_eq!(rows, 20 * 6001);
        // The task that is consumed may have one waiting batch more.
        assert!((1..=2 * 3 + 1).contains(&most), "{most}");
    }
}
