//! Results of several threads, in order.
//!
//! Method: each thread takes a task, and puts its results into the slot of the task. The consumer empties the slots in
//! the order of the tasks. A thread waits when enough results are waiting, except for the task that the consumer
//! waits for; therefore the number of results is bounded, and the threads never wait for each other in a circle.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::ScanError;

/// The position of a task in the order of rows: its unit, and its number in the unit.
type Order = (usize, usize);

/// Threads that compute tasks.
pub(crate) struct Threads<T> {
    state: Mutex<State<T>>,
    /// Signals a change of the state.
    changed: Condvar,
    /// The number of threads.
    count: usize,
    /// The most results that wait.
    most: usize,
}

struct State<T> {
    /// The task whose results are consumed.
    current: Order,
    slots: BTreeMap<Order, Slot<T>>,
    /// The number of results in all slots.
    waiting: usize,
    running: usize,
    has_panicked: bool,
    is_stopped: bool,
}

/// The results of one task.
struct Slot<T> {
    results: VecDeque<Result<T, ScanError>>,
    is_done: bool,
    is_last: bool,
}

/// The longest time until the consumer sees that the scan was cancelled.
const PATIENCE: Duration = Duration::from_millis(50);

impl<T> Threads<T> {
    /// Creates the state of `count` threads, which are not started yet. At most `most` results wait for the consumer,
    /// and each thread holds one more.
    pub(crate) fn new(count: usize, most: usize) -> Threads<T> {
        Threads {
            state: Mutex::new(State {
                current: (0, 0),
                slots: BTreeMap::new(),
                waiting: 0,
                running: count,
                has_panicked: false,
                is_stopped: false,
            }),
            changed: Condvar::new(),
            count,
            most,
        }
    }

    /// Starts the threads. `spawn` starts one thread, which must call [`run`](Self::run), and returns its handle. If
    /// the system starts only some of the threads, they do all the work.
    ///
    /// # Errors
    /// [`ScanError::Thread`] if the system starts no thread.
    pub(crate) fn start<H>(
        &self,
        mut spawn: impl FnMut(thread::Builder) -> io::Result<H>,
    ) -> Result<Vec<H>, ScanError> {
        let mut handles = Vec::with_capacity(self.count);
        for index in 0..self.count {
            match spawn(thread::Builder::new().name("inputanim-scan".to_owned())) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    self.state().running -= self.count - index;
                    if index == 0 {
                        return Err(ScanError::Thread(Arc::new(error)));
                    }
                    break;
                }
            }
        }
        Ok(handles)
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends each thread after its current result.
    pub(crate) fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_all();
    }

    /// Returns the number of results that wait for the consumer.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.state().waiting
    }

    /// Takes tasks and computes their results on this thread, until there are no more tasks. `next` returns a task: its
    /// order, `true` for the last task of its unit, and its results.
    pub(crate) fn run<I: Iterator<Item = Result<T, ScanError>>>(
        &self,
        mut next: impl FnMut() -> Option<(Order, bool, I)>,
    ) {
        let _running = Running(self);
        while !self.state().is_stopped
            && let Some((order, is_last, results)) = next()
            && self.compute(order, is_last, results)
        {}
    }

    /// Computes the results of a task, and stores them for the consumer. Waits while too many results are waiting.
    /// Returns `false` if the threads were stopped.
    fn compute(
        &self,
        order: Order,
        is_last: bool,
        results: impl Iterator<Item = Result<T, ScanError>>,
    ) -> bool {
        let slot = Slot {
            results: VecDeque::new(),
            is_done: false,
            is_last,
        };
        self.state().slots.insert(order, slot);
        for result in results {
            let is_error = result.is_err();
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
                slot.results.push_back(result);
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

    /// Waits for the next result in the order of the tasks, and returns it. `units` is the number of units of tasks;
    /// `None` after the last one. Returns [`ScanError::Cancelled`] when `cancel` becomes `true`, and
    /// [`ScanError::ThreadEnded`] if all threads ended before.
    pub(crate) fn next(&self, cancel: &AtomicBool, units: usize) -> Option<Result<T, ScanError>> {
        let mut state = self.state();
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Some(Err(ScanError::Cancelled));
            }
            let current = state.current;
            let is_over = state.running == 0 || state.has_panicked;
            if current.0 == units {
                return None;
            }
            match state.slots.get_mut(&current) {
                Some(slot) => {
                    if let Some(result) = slot.results.pop_front() {
                        state.waiting -= 1;
                        drop(state);
                        self.changed.notify_all();
                        return Some(result);
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
    /// Returns `true` if the task with this order may add a result: fewer than `most` results are waiting, or the
    /// consumer waits for this task.
    fn has_capacity(&self, order: Order, most: usize) -> bool {
        let is_next = || {
            let slot = self.slots.get(&order);
            order == self.current && slot.is_some_and(|slot| slot.results.is_empty())
        };
        self.waiting < most || is_next()
    }
}

/// A thread that runs.
struct Running<'t, T>(&'t Threads<T>);

impl<T> Drop for Running<'_, T> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.running -= 1;
        state.has_panicked |= thread::panicking();
        drop(state);
        self.0.changed.notify_all();
    }
}
