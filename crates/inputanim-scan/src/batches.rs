//! The rows of a scan in order, computed by several threads.
//!
//! The consumer joins small batches, also of different tasks, because each column of a batch takes about a kilobyte in
//! a data frame, whatever the number of its rows.

use std::fmt;
use std::process;
use std::sync::Arc;

use inputanim_convert::tables::Batch;

use crate::error::ScanError;
use crate::shared::Shared;
use crate::task::{TaskBatches, TaskQueue};
use crate::threads::Threads;

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
            .map_or(0, |threads| threads.waiting())
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

/// Returns the number of values of a batch: its rows, multiplied by its columns.
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
        let threads = Arc::new(Threads::new(count, 2 * count));
        let batch_rows = self.batch_rows();
        let started = threads.start(|builder| {
            let (queue, convert) = (Arc::clone(&self.queue), Arc::clone(&self.convert));
            let threads = Arc::clone(&threads);
            builder.spawn(move || {
                threads.run(|| {
                    let task = queue.next()?;
                    let (order, is_last) = (task.order(), task.is_last());
                    let batches = task.batches().map(|batch| {
                        batch.map(|batch| Computed::new(batch, batch_rows, &*convert))
                    });
                    Some((order, is_last, batches))
                });
            })
        });
        self.error = started.err();
        self.threads = Some(threads);
    }

    fn batch_rows(&self) -> usize {
        self.shared.options.batch_rows.max(1)
    }

    /// Returns the next rows, converted for the consumer, or an error; `None` at the end. Joins successive small
    /// batches. The rows before an error come first.
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

    /// Returns the joined small batches, converted for the consumer, and empties their buffer; `None` if there are no
    /// rows.
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
            return threads.next(&self.shared.options.cancel, self.queue.units());
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

    /// Returns `true` in a child process of `fork`. The child has a copy of this value, but no threads, and a lock that
    /// another thread held during the fork stays locked forever.
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

#[cfg(test)]
mod tests {
    use std::thread;

    use inputanim::{Layout, Pose, Recording};

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
