//! Mapping from the times of frames to the times of the recording, without pauses.

use std::collections::VecDeque;

use super::error::RecordError;

/// Interval in seconds after a pause, if only one frame was recorded before the pause: the frame
/// time of MRTK.
const DEFAULT_INTERVAL: f64 = 1.0 / 60.0;

/// Maps times of frames to times of the recording.
///
/// The difference of the two is constant between pauses. The first frame after a pause follows the
/// last frame before it by the interval of the last two recorded frames, or by less if it came
/// sooner.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    from_zero: bool,
    /// The stretches between pauses, in order.
    stretches: VecDeque<Stretch>,
    /// Interval between the last two recorded frames, in seconds.
    interval: f64,
    /// `true` if a pause follows the last frame.
    is_paused: bool,
}

/// Frames without a pause between them.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Frame times of its first and last frame.
    first: f32,
    last: f32,
    /// Difference between frame time and recording time, in seconds. Kept in double precision so
    /// that it does not add a rounding error of its own.
    offset: f64,
}

/// The result of [`Clock::tick`]: a frame time that the clock accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tick {
    /// Time in the recording.
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
            interval: DEFAULT_INTERVAL,
            is_paused: false,
        }
    }

    /// Converts the time of a new frame to the time of the recording, both in seconds. This does not change the clock:
    /// the frame counts once it is [accepted](Self::accept).
    ///
    /// # Errors
    /// When the time is not finite, or not after the last frame.
    #[inline]
    pub(crate) fn tick(&self, time: f32) -> Result<Tick, RecordError> {
        if !time.is_finite() {
            return Err(RecordError::TimeNotFinite(time));
        }
        let Some(current) = self.stretches.back() else {
            // Without a stretch this is the first frame, which defines the origin.
            let offset = if self.from_zero { f64::from(time) } else { 0.0 };
            return Ok(self.first_tick(time, offset, self.interval));
        };
        if time <= current.last {
            let previous = current.last;
            return Err(RecordError::TimeNotAfter { time, previous });
        }
        let gap = f64::from(time) - f64::from(current.last);
        let previous = current.to_recording(current.last);
        let tick = if self.is_paused && gap > self.interval {
            // An interval below the resolution of single precision becomes the smallest step of
            // time.
            let end = f64::from(current.last) - current.offset;
            let next = (end + self.interval).max(f64::from(previous.next_up()));
            self.first_tick(time, f64::from(time) - next, self.interval)
        } else {
            Tick {
                time: current.to_recording(time),
                is_first_of_stretch: false,
                stretch: Stretch {
                    last: time,
                    ..*current
                },
                interval: gap,
            }
        };
        // Different frame times can be rounded to the same time of the recording.
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
            time: stretch.to_recording(time),
            is_first_of_stretch: true,
            stretch,
            interval,
        }
    }

    /// Makes the frame of a tick the last frame of the recording, and ends a pause.
    pub(crate) fn accept(&mut self, tick: &Tick) {
        self.is_paused = false;
        self.interval = tick.interval;
        match self.stretches.back_mut() {
            Some(last) if !tick.is_first_of_stretch => *last = tick.stretch,
            _ => self.stretches.push_back(tick.stretch),
        }
    }

    /// Begins a pause: the time from the last frame to the next one is left out of the recording, except for one
    /// interval between frames.
    pub(crate) fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Converts a time of the caller's clock to the time of the recording, in seconds. A time within a pause becomes
    /// the time of the last frame before the pause.
    pub(crate) fn to_recording(&self, time: f32) -> f32 {
        let started = self.stretches.partition_point(|s| s.first <= time);
        let Some(stretch) = self.stretches.get(started.saturating_sub(1)) else {
            return time;
        };
        let has_ended = started < self.stretches.len() || self.is_paused;
        let time = if has_ended {
            time.min(stretch.last)
        } else {
            time
        };
        stretch.to_recording(time)
    }

    /// Returns the time of the last accepted frame, in seconds of the recording; `None` before the first frame.
    pub(crate) fn now(&self) -> Option<f32> {
        let last = self.stretches.back()?;
        Some(last.to_recording(last.last))
    }

    /// Forgets the pauses that end at or before a time of the recording in seconds. Earlier times are then no longer
    /// converted correctly.
    pub(crate) fn forget(&mut self, before: f32) {
        let is_past = |next: &Stretch| next.to_recording(next.first) <= before;
        // The stretch that contains the time is still needed, so the next one decides.
        while self.stretches.get(1).is_some_and(is_past) {
            self.stretches.pop_front();
        }
    }
}

impl Stretch {
    fn to_recording(self, time: f32) -> f32 {
        (f64::from(time) - self.offset) as f32
    }
}
