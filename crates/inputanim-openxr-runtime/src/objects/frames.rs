//! The frames of a session.

use inputanim_openxr::FrameTime;
use openxr_sys as xr;

/// A frame that an application prepares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prepared {
    pub(crate) time: FrameTime,
    /// The display time of the runtime over which the recording is played.
    pub(crate) real: i64,
}

/// The frames of a session that have not ended.
#[derive(Default)]
pub(crate) struct Frames {
    /// The frame that the application waited for, and has not begun.
    waited: Option<Prepared>,
    /// The frame that the application draws.
    drawn: Option<Prepared>,
    /// The frame that the application waited for last.
    last: Option<Prepared>,
}

impl Frames {
    /// Returns the times of the frame that the application prepares: the one for which it waited, otherwise the one
    /// that it draws. `None` if there is no such frame.
    pub(crate) fn current(&self) -> Option<FrameTime> {
        Some(self.waited.or(self.drawn)?.time)
    }

    /// Returns `true` if the application has ever waited for a frame.
    pub(crate) const fn were_used(&self) -> bool {
        self.last.is_some()
    }

    /// Returns `true` if the application has waited for a frame that it has not begun.
    pub(crate) const fn is_waiting(&self) -> bool {
        self.waited.is_some()
    }

    /// Stores the frame for which the application has waited.
    pub(crate) fn wait(&mut self, frame: Prepared) {
        self.waited = Some(frame);
        self.last = Some(frame);
    }

    /// Begins to draw the frame for which the application waited. Returns `true` if this discards another frame, which
    /// was begun and not ended; `None` if the application has not waited for a frame.
    pub(crate) fn begin(&mut self) -> Option<bool> {
        let waited = self.waited.take()?;
        Some(self.drawn.replace(waited).is_some())
    }

    /// Returns the frame that the application draws; `None` if it draws none.
    pub(crate) const fn drawn(&self) -> Option<Prepared> {
        self.drawn
    }

    /// Removes the frame that the application draws, because the application has ended it.
    pub(crate) fn end(&mut self) {
        self.drawn = None;
    }

    /// Converts `display`, the display time of a frame, to the display time that the other runtime, over which the
    /// recording is played, has for this frame. If no current frame has this display time, returns the other runtime's
    /// time of the last frame.
    pub(crate) fn real(&self, display: xr::Time) -> xr::Time {
        let frames = [self.waited, self.drawn];
        let is_shown = |frame: &Prepared| frame.time.display == display.as_nanos();
        let found = frames.into_iter().flatten().find(is_shown).or(self.last);
        found.map_or(display, |frame| xr::Time::from_nanos(frame.real))
    }
}
