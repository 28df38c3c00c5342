//! The time of a recording, from which pauses are left out.

use std::collections::VecDeque;

use super::error::RecordError;

/// After a pause that only one frame came before: the toolkit's usual interval, in seconds.
const USUAL_INTERVAL: f64 = 1.0 / 60.0;

/// From the times of frames to those of the recording.
///
/// Both run alike but for pauses: the first frame after one follows the last before it by the
/// interval that the last two recorded frames had, or sooner if it came sooner.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    from_zero: bool,
    /// Frames between which there was no pause, in order.
    stretches: VecDeque<Stretch>,
    /// Between the last two recorded frames, in seconds.
    interval: f64,
    /// Whether there is, or was, a pause after the last frame.
    is_broken: bool,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// The times of its first and its last frame, before anything is left out.
    first: f32,
    last: f32,
    /// How much earlier all is in the recording, in seconds.
    offset: f64,
}

/// A frame that fits behind those that are recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tick {
    /// In the recording.
    pub(crate) time: f32,
    pub(crate) is_first_of_stretch: bool,
    stretch: Stretch,
    interval: f64,
}

impl Clock {
    pub(crate) fn new(from_zero: bool) -> Clock {
        Clock {
            from_zero,
            stretches: VecDeque::new(),
            interval: USUAL_INTERVAL,
            is_broken: false,
        }
    }

    /// Where a frame would lie; it counts once it is [taken](Self::take).
    ///
    /// # Errors
    /// Where its time is no time, or not after that of the last frame.
    #[inline]
    pub(crate) fn tick(&self, time: f32) -> Result<Tick, RecordError> {
        if !time.is_finite() {
            return Err(RecordError::TimeNotFinite(time));
        }
        let Some(before) = self.stretches.back() else {
            let offset = if self.from_zero { f64::from(time) } else { 0.0 };
            return Ok(self.first_tick(time, offset, self.interval));
        };
        if time <= before.last {
            let previous = before.last;
            return Err(RecordError::TimeNotAfter { time, previous });
        }
        let gap = f64::from(time) - f64::from(before.last);
        let previous = before.place(before.last);
        let tick = match self.is_broken && gap > self.interval {
            true => {
                // Where an interval is too short to be told in single precision, the next number.
                let end = f64::from(before.last) - before.offset;
                let next = (end + self.interval).max(f64::from(previous.next_up()));
                self.first_tick(time, f64::from(time) - next, self.interval)
            }
            false => Tick {
                time: before.place(time),
                is_first_of_stretch: false,
                stretch: Stretch {
                    last: time,
                    ..*before
                },
                interval: gap,
            },
        };
        match tick.time {
            time if !time.is_finite() => Err(RecordError::TimeNotFinite(time)),
            time if time <= previous => Err(RecordError::TimeNotAfter { time, previous }),
            _ => Ok(tick),
        }
    }

    fn first_tick(&self, time: f32, offset: f64, interval: f64) -> Tick {
        let stretch = Stretch {
            first: time,
            last: time,
            offset,
        };
        Tick {
            time: stretch.place(time),
            is_first_of_stretch: true,
            stretch,
            interval,
        }
    }

    /// Goes on to a frame.
    pub(crate) fn take(&mut self, tick: &Tick) {
        self.is_broken = false;
        self.interval = tick.interval;
        match self.stretches.back_mut() {
            Some(last) if !tick.is_first_of_stretch => *last = tick.stretch,
            _ => self.stretches.push_back(tick.stretch),
        }
    }

    /// Leaves out the time up to the next frame, but for an interval.
    pub(crate) fn pause(&mut self) {
        self.is_broken = true;
    }

    /// Where a time lies in the recording: what is left out lies at the last frame before it.
    pub(crate) fn place(&self, time: f32) -> f32 {
        let begun = self.stretches.partition_point(|s| s.first <= time);
        let Some(stretch) = self.stretches.get(begun.saturating_sub(1)) else {
            return time;
        };
        match begun < self.stretches.len() || self.is_broken {
            true => stretch.place(time.min(stretch.last)),
            false => stretch.place(time),
        }
    }

    /// The time of the last frame in the recording.
    pub(crate) fn now(&self) -> Option<f32> {
        let last = self.stretches.back()?;
        Some(last.place(last.last))
    }

    /// Forgets pauses before a time of the recording.
    pub(crate) fn forget(&mut self, before: f32) {
        let is_past = |next: &Stretch| next.place(next.first) <= before;
        while self.stretches.get(1).is_some_and(is_past) {
            self.stretches.pop_front();
        }
    }
}

impl Stretch {
    fn place(&self, time: f32) -> f32 {
        (f64::from(time) - self.offset) as f32
    }
}
