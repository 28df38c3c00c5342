//! Long work without the interpreter's lock.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// The interval at which a waiting call looks for signals. Short enough that Ctrl-C feels immediate.
const SIGNALS: Duration = Duration::from_millis(50);

/// Work on fewer bytes takes too little time to be worth a thread.
const MIN_BYTES: usize = 1 << 20;

/// Runs `work` without the interpreter's lock. `bytes` is the size of its input; work on a small input runs on this
/// thread. Otherwise, Ctrl-C ends the call within 50 ms. The work then goes on in its own thread until it ends, and its
/// result is dropped, because edits cannot be stopped.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if bytes < MIN_BYTES {
        return Ok(py.detach(work));
    }
    let (sender, mut receiver) = mpsc::channel();
    // Nobody receives the result of work that was interrupted.
    let worker = thread::Builder::new().spawn(move || drop(sender.send(work())))?;
    loop {
        // A receiver cannot be shared between threads, so it moves in and out.
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(SIGNALS);
            (receiver, received)
        });
        match received {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("the worker sends before it ends"),
            },
        }
    }
}
