//! The frames of the application.
//!
//! The recording begins with the first `xrWaitFrame` after the application has polled that it has the input, as in the
//! runtime of inputanim. Each frame is recorded in its `xrEndFrame`, at the time at which it is displayed. Actions have the
//! values of the synchronisation for this frame: the last one while the frame was the newest one that the application
//! prepared, or before the application waited for it.

use std::collections::VecDeque;

/// A frame that the application prepares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame<A> {
    /// The time at which the frame is displayed, in nanoseconds.
    pub(crate) display: i64,
    /// The time in the recording in seconds; `None` before the recording begins.
    pub(crate) time: Option<f32>,
    /// The values of actions; `None` if actions were not synchronised for this frame.
    actions: Option<A>,
}

/// The frames of a session that have not ended. `A` are the values of actions.
#[derive(Debug, Default)]
pub(crate) struct Frames<A> {
    /// The frames that the application waited for, and has not begun. An application with two threads may wait for a
    /// frame while it draws another one.
    waited: VecDeque<Frame<A>>,
    /// The frame that the application draws.
    drawn: Option<Frame<A>>,
    /// The actions of a synchronisation before the application waits for its frame.
    next: Option<A>,
    /// The actions of the last frame that ended.
    last: A,
    /// The time of the last frame that ended, in the recording.
    last_time: Option<f32>,
    /// The display time of the first frame of the recording.
    began: Option<i64>,
}

impl<A: Default> Frames<A> {
    /// Returns `true` if the recording has begun, with the first frame that has the input.
    pub(crate) const fn has_begun(&self) -> bool {
        self.began.is_some()
    }

    /// Adds a frame for which the application has waited. `display` is its display time in nanoseconds; if `begins` is
    /// `true`, the recording begins with this frame, unless it has already begun.
    pub(crate) fn wait(&mut self, display: i64, begins: bool) {
        if begins && self.began.is_none() {
            self.began = Some(display);
        }
        self.waited.push_back(Frame {
            display,
            time: self.seconds(display),
            actions: self.next.take(),
        });
    }

    /// Returns the time in the recording in seconds of a time of OpenXR in nanoseconds; `None` before the recording begins.
    pub(crate) fn seconds(&self, time: i64) -> Option<f32> {
        let nanoseconds = time.saturating_sub(self.began?);
        Some((nanoseconds as f64 / 1e9) as f32)
    }

    /// Begins to draw the oldest frame for which the application waited. A frame that was begun before and not ended is
    /// dropped.
    pub(crate) fn begin(&mut self) {
        if let Some(frame) = self.waited.pop_front() {
            self.drawn = Some(frame);
        }
    }

    /// Returns the frame that the application draws; `None` if it draws none.
    pub(crate) const fn drawn(&self) -> Option<&Frame<A>> {
        self.drawn.as_ref()
    }

    /// Ends the frame that the application draws. Returns the values of actions in it. If actions were not synchronised for it, they
    /// are the last values if the application has the input, and otherwise unknown.
    pub(crate) fn end(&mut self, has_input: bool) -> &A {
        if let Some(frame) = self.drawn.take() {
            if let Some(actions) = frame.actions {
                self.last = actions;
            } else if !has_input {
                self.last = A::default();
            }
            self.last_time = frame.time.or(self.last_time);
        }
        &self.last
    }

    /// Stores the values of actions after a synchronisation, for the newest frame for which the application waited. Without such a
    /// frame, for the next one.
    pub(crate) fn sync(&mut self, actions: A) {
        let newest = self.waited.back_mut().or(self.drawn.as_mut());
        match newest {
            Some(frame) => frame.actions = Some(actions),
            None => self.next = Some(actions),
        }
    }

    /// Returns the time of the newest frame in the recording in seconds; `None` before the recording begins.
    pub(crate) fn now(&self) -> Option<f32> {
        let newest = self.waited.back().or(self.drawn.as_ref());
        newest.and_then(|frame| frame.time).or(self.last_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: [bool; 2] = [true, false];
    const RIGHT: [bool; 2] = [false, true];

    #[test]
    fn the_recording_begins_at_0_with_the_first_frame_with_input() {
        let mut frames = Frames::<[bool; 2]>::default();
        frames.wait(5_000_000_000, false);
        frames.begin();
        assert_eq!(
            (frames.drawn().and_then(|frame| frame.time), frames.now()),
            (None, None)
        );
        frames.end(true);
        frames.wait(6_000_000_000, true);
        assert_eq!(frames.now(), Some(0.0));
        frames.begin();
        frames.end(true);
        frames.wait(6_500_000_000, true);
        assert_eq!(frames.now(), Some(0.5));
    }

    #[test]
    fn a_synchronisation_before_the_wait_is_for_the_next_frame() {
        let mut frames = Frames::<[bool; 2]>::default();
        for (display, pinches) in [(1, LEFT), (2, RIGHT)] {
            frames.sync(pinches);
            frames.wait(display, true);
            frames.begin();
            assert_eq!(*frames.end(true), pinches);
        }
        // Without a synchronisation, the last values stay.
        frames.wait(3, true);
        frames.begin();
        assert_eq!(*frames.end(true), RIGHT);
    }

    #[test]
    fn without_the_input_the_last_values_do_not_stay() {
        let mut frames = Frames::<[bool; 2]>::default();
        frames.wait(1, true);
        frames.sync(LEFT);
        frames.begin();
        // The application loses the input while it draws the frame.
        assert_eq!(*frames.end(false), LEFT);
        frames.wait(2, true);
        frames.begin();
        assert_eq!(*frames.end(false), [false; 2]);
    }

    #[test]
    fn a_synchronisation_after_the_wait_is_for_this_frame() {
        let mut frames = Frames::<[bool; 2]>::default();
        frames.wait(1, true);
        frames.sync(LEFT);
        frames.begin();
        frames.sync(RIGHT);
        assert_eq!(*frames.end(true), RIGHT);
    }

    #[test]
    fn two_threads_prepare_a_frame_and_draw_the_one_before() {
        let mut frames = Frames::<[bool; 2]>::default();
        frames.wait(1, true);
        frames.sync(LEFT);
        frames.begin();
        // The first thread is one frame ahead.
        frames.wait(2, true);
        frames.sync(RIGHT);
        assert_eq!(frames.drawn().map(|frame| frame.display), Some(1));
        assert_eq!(*frames.end(true), LEFT);
        frames.begin();
        assert_eq!(*frames.end(true), RIGHT);
    }

    #[test]
    fn a_frame_that_is_not_ended_is_dropped() {
        let mut frames = Frames::<[bool; 2]>::default();
        for display in [1, 2] {
            frames.wait(display, true);
            frames.begin();
        }
        assert_eq!(frames.drawn().map(|frame| frame.display), Some(2));
        frames.end(true);
        assert_eq!(frames.drawn(), None);
    }
}
