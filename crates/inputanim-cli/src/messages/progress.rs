//! Progress bars on a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less than this shows no progress.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// A bar over several files.
pub(crate) struct Files {
    bar: ProgressBar,
    started: Instant,
    may_show: bool,
}

impl Files {
    /// Creates a bar for a number of files. It stays hidden if `results_scroll` is true and the results are printed on
    /// the terminal.
    pub(crate) fn new(count: usize, results_scroll: bool) -> Files {
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::hidden());
        set_style(&bar, "{bar:40} {pos}/{len} files, {eta} left");
        Files {
            bar,
            started: Instant::now(),
            // A bar that is redrawn between lines of results flickers and leaves gaps.
            may_show: !(results_scroll && io::stdout().is_terminal()),
        }
    }

    /// Counts one file.
    pub(crate) fn step(&mut self) {
        if self.may_show && self.started.elapsed() > SHOW_AFTER {
            self.may_show = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Prints something else while the bar is hidden.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // A panic in `suspend` leaves the bar locked, and a second panic would abort the program.
        if !std::thread::panicking() {
            self.bar.finish_and_clear();
        }
    }
}

/// A bar over several files, which advances by their sizes.
pub(crate) struct Bytes {
    bar: ProgressBar,
    started: Instant,
    done: AtomicUsize,
    files: usize,
}

impl Bytes {
    pub(crate) fn new(bytes: u64, files: usize) -> Bytes {
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::hidden());
        set_style(&bar, "{bar:30} {msg}, {bytes_per_sec}, {eta} left");
        Bytes {
            bar,
            started: Instant::now(),
            done: AtomicUsize::new(0),
            files,
        }
    }

    /// Counts one file with this size in bytes.
    pub(crate) fn step(&self, bytes: u64) {
        if self.bar.is_hidden() && self.started.elapsed() > SHOW_AFTER {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let (done, files) = (self.done.fetch_add(1, Ordering::Relaxed) + 1, self.files);
        self.bar.set_message(format!("{done} of {files} files"));
        self.bar.inc(bytes);
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Counts the bytes that go through a writer.
pub(crate) struct Written<W> {
    output: W,
    bar: ProgressBar,
    started: Instant,
    is_shown: bool,
}

impl<W> Written<W> {
    pub(crate) fn new(output: W) -> Written<W> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        set_style(&bar, "{spinner} {bytes} written, {bytes_per_sec}");
        Written {
            output,
            bar,
            started: Instant::now(),
            is_shown: false,
        }
    }
}

impl<W: Write> Write for Written<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        if !self.is_shown && self.started.elapsed() > SHOW_AFTER {
            self.is_shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl<W> Drop for Written<W> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn set_style(bar: &ProgressBar, template: &str) {
    // The templates are constants. A mistake in one would cost only the look of the bar.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}
