//! Progress on a terminal, when there is time to see it; nothing in a pipe.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that takes less than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar over several files.
pub(crate) struct Files {
    bar: ProgressBar,
    started: Instant,
    may_show: bool,
}

impl Files {
    /// Where the results scroll over the same terminal, they are progress enough.
    pub(crate) fn new(count: usize, results_scroll: bool) -> Files {
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::hidden());
        set_style(&bar, "{bar:40} {pos}/{len} files, {eta} left");
        Files {
            bar,
            started: Instant::now(),
            may_show: !(results_scroll && io::stdout().is_terminal()),
        }
    }

    /// One file is done.
    pub(crate) fn step(&mut self) {
        if self.may_show && self.started.elapsed() > PATIENCE {
            self.may_show = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Prints something else without the bar getting in its way.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar over several files that are told by their size.
pub(crate) struct Bytes {
    bar: ProgressBar,
    started: Instant,
    done: usize,
    files: usize,
}

impl Bytes {
    pub(crate) fn new(bytes: u64, files: usize) -> Bytes {
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::hidden());
        set_style(&bar, "{bar:30} {msg}, {bytes_per_sec}, {eta} left");
        Bytes {
            bar,
            started: Instant::now(),
            done: 0,
            files,
        }
    }

    /// One file is done, or was passed over.
    pub(crate) fn step(&mut self, bytes: u64, is_passed_over: bool) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.done += 1;
        let (done, files) = (self.done, self.files);
        self.bar.set_message(format!("{done} of {files} files"));
        if is_passed_over {
            let left = self.bar.length().unwrap_or(0).saturating_sub(bytes);
            self.bar.set_length(left);
        } else {
            self.bar.inc(bytes);
        }
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
        if !self.is_shown && self.started.elapsed() > PATIENCE {
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
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}
