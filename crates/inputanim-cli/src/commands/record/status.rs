//! The status line on the terminal.

use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::messages::text::{count, seconds};

use super::capture::Capture;

/// The time between two updates.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// The period over which the rate of arriving frames is counted.
const SECOND: Duration = Duration::from_secs(1);

/// The status line.
pub(super) struct Status {
    bar: ProgressBar,
    shown: Instant,
    /// The start of the current period, and the frames before it.
    counted: (Instant, u64),
    rate: f64,
}

impl Status {
    /// Creates the status line, which is visible only on a terminal.
    pub(super) fn new() -> Status {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message("waiting for frames (Ctrl-C ends it)");
        let now = Instant::now();
        Status {
            bar,
            shown: now,
            counted: (now, 0),
            rate: 0.0,
        }
    }

    /// Updates the status line, at most once per [`INTERVAL`].
    pub(super) fn show(&mut self, capture: &Capture) {
        // Frames may arrive thousands of times per second, but nobody can read that fast.
        if self.bar.is_hidden() || self.shown.elapsed() < INTERVAL {
            return;
        }
        self.shown = Instant::now();
        let (since, before) = self.counted;
        let elapsed = since.elapsed();
        if elapsed >= SECOND {
            self.rate = (capture.recorded() - before) as f64 / elapsed.as_secs_f64();
            self.counted = (self.shown, capture.recorded());
        }
        if capture.recorded() == 0 {
            return;
        }
        let recorder = &capture.recorder;
        let length = seconds(recorder.seconds());
        let frames = count(recorder.frames(), "frame");
        let (rate, bytes) = (self.rate, HumanBytes(capture.bytes()));
        let hands = match capture.tracked {
            [true, true] => "both hands",
            [true, false] => "left hand",
            [false, true] => "right hand",
            [false, false] => "no hand",
        };
        self.bar.set_message(format!(
            "{length} s, {frames}, {rate:.0} a second, {hands}, {bytes} (Ctrl-C ends it)"
        ));
    }

    /// Prints something else while the line is hidden.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
