//! One line on the terminal that tells how it goes; nothing in a pipe.

use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::{count, seconds};

use super::take::Take;

/// Between two looks.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// Over which the rate is told: how many frames come now, and not how many their times say.
const SECOND: Duration = Duration::from_secs(1);

/// The line.
pub(super) struct Status {
    bar: ProgressBar,
    shown: Instant,
    /// When the rate was last told, and the frames until then.
    counted: (Instant, u64),
    rate: f64,
}

impl Status {
    /// Not shown unless standard error is a terminal.
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

    /// Renews the line, if it is time to.
    pub(super) fn show(&mut self, take: &Take) {
        if self.bar.is_hidden() || self.shown.elapsed() < INTERVAL {
            return;
        }
        self.shown = Instant::now();
        let (since, before) = self.counted;
        let elapsed = since.elapsed();
        if elapsed >= SECOND {
            self.rate = (take.recorded() - before) as f64 / elapsed.as_secs_f64();
            self.counted = (self.shown, take.recorded());
        }
        if take.recorded() == 0 {
            return;
        }
        let recorder = &take.recorder;
        let length = seconds(recorder.seconds());
        let frames = count(recorder.frames(), "frame");
        let (rate, bytes) = (self.rate, HumanBytes(take.bytes()));
        let hands = match take.tracked {
            [true, true] => "both hands",
            [true, false] => "left hand",
            [false, true] => "right hand",
            [false, false] => "no hand",
        };
        self.bar.set_message(format!(
            "{length} s, {frames}, {rate:.0} a second, {hands}, {bytes} (Ctrl-C ends it)"
        ));
    }

    /// Prints something else without the line getting in its way.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
