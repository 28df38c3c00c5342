//! The times of the frames.
//!
//! Times of OpenXR are nanoseconds; times of a recording are seconds. Playback begins at the first frame after the
//! application knows that it has the input. Before that, the first frame of the recording stays.

use crate::settings::{AtEnd, Clock};

const NANOSECONDS: f64 = 1e9;

/// The time of the first frame of the clocks that are not the time of the computer. Times of OpenXR are positive.
pub const FIRST_TIME: i64 = 1_000_000_000;

/// The largest error of rounded times, in nanoseconds.
const ROUNDING: i64 = 500;

/// The time of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrameTime {
    /// The time at which the frame is displayed, in nanoseconds.
    pub display: i64,
    /// The time until the next frame, in nanoseconds.
    pub period: i64,
    /// The time of the computer in nanoseconds at which the application may begin the frame; `None` is at once.
    pub wait_until: Option<i64>,
    /// The index since playback began; `None` before.
    pub index: Option<u64>,
    /// The recording ends with this frame.
    pub is_last: bool,
}

/// The times of the frames of one session.
#[derive(Clone, Debug)]
pub struct Timeline {
    clock: Clock,
    at_end: AtEnd,
    rate: f64,
    /// The first and the last time of the recording.
    range: [f32; 2],
    /// The times of the frames of [`Clock::Keys`], with `range` at its ends.
    keys: Vec<f32>,
    /// The frames since the last change of the origin, and the time of the first of them.
    origin: i64,
    count: u64,
    /// The display time of the first frame of the recording.
    began: Option<i64>,
    /// The display time of the last frame.
    last: Option<i64>,
    /// The period of the frames of another runtime, which are followed.
    followed: Option<i64>,
}

impl Timeline {
    /// Returns the timeline of a recording from `range[0]` to `range[1]`, before playback begins. `keys` are the key
    /// times in increasing order; all times are in seconds, and `rate` is in frames per second.
    pub fn new(
        clock: Clock,
        at_end: AtEnd,
        rate: f64,
        range: [f32; 2],
        keys: impl IntoIterator<Item = f32>,
    ) -> Timeline {
        let mut times = vec![range[0]];
        times.extend(keys.into_iter().filter(|&time| time > range[0]));
        // Display times increase, also for keys that are closer than a nanosecond.
        times.dedup_by_key(|time| nanoseconds(*time, range[0]));
        Timeline {
            clock,
            at_end,
            rate,
            range,
            keys: times,
            origin: FIRST_TIME,
            count: 0,
            began: None,
            last: None,
            followed: None,
        }
    }

    /// Starts playback with the next frame, unless it has already begun. `now` is the time of the computer in
    /// nanoseconds.
    pub fn begin(&mut self, now: i64) {
        if self.began.is_none() {
            self.origin = self.next(now);
            self.began = Some(self.origin);
            self.count = 0;
        }
    }

    /// Returns `true` if playback has begun.
    pub const fn has_begun(&self) -> bool {
        self.began.is_some()
    }

    /// Returns the current time of a session in nanoseconds: `computer`, the time of the computer, for [`Clock::Real`],
    /// and the display time of the last frame for other clocks.
    pub fn now(&self, computer: i64) -> i64 {
        match self.clock {
            Clock::Real => computer,
            _ => self.last.unwrap_or(FIRST_TIME),
        }
    }

    /// Returns the display time of the next frame in nanoseconds, and does not advance to this frame. `now` is the time
    /// of the computer in nanoseconds.
    pub fn next(&self, now: i64) -> i64 {
        if let (Some(last), Some(period)) = (self.last, self.followed) {
            return last.saturating_add(period);
        }
        let time = self.origin.saturating_add(self.after(self.count));
        match (self.clock, self.last) {
            (Clock::Real, Some(last)) => {
                // Frames that the application missed are left out.
                let period = self.period();
                let missed = (now + period - time).max(0) / period;
                (time + missed * period).max(last + 1)
            }
            (Clock::Real, None) => now + 2 * self.period(),
            _ => time,
        }
    }

    /// Advances to a frame that another runtime displays, and returns it. `display` is its display time and `period`
    /// the time until the next frame, in nanoseconds; if `begins` is `true`, playback begins with this frame. For
    /// [`Clock::Real`] only.
    pub fn follow(&mut self, display: i64, period: i64, begins: bool) -> FrameTime {
        if begins && self.began.is_none() {
            self.began = Some(display);
            self.count = 0;
        }
        let index = self.began.map(|_| self.count);
        self.count += 1;
        self.last = Some(display);
        self.followed = Some(period.max(1));
        FrameTime {
            display,
            period,
            wait_until: None,
            index,
            is_last: self.is_over(display),
        }
    }

    /// Advances to the next frame, and returns it. `now` is the time of the computer in nanoseconds.
    pub fn wait(&mut self, now: i64) -> FrameTime {
        let display = self.next(now);
        if self.clock == Clock::Real && self.last.is_none() {
            self.origin = display;
        }
        if self.clock == Clock::Real {
            // Frames that the application missed are counted.
            let frames = (display - self.origin) as f64 * self.rate / NANOSECONDS;
            self.count = frames.round() as u64;
        }
        let index = self.began.map(|_| self.count);
        let is_last = self.is_over(display);
        self.count += 1;
        self.last = Some(display);
        FrameTime {
            display,
            period: self.next(now).saturating_sub(display).max(1),
            wait_until: (self.clock == Clock::Real).then(|| display - 2 * self.period()),
            index,
            is_last,
        }
    }

    /// Converts a time of OpenXR in nanoseconds to the time in the recording in seconds: the start of the recording
    /// before playback begins.
    pub fn recording_time(&self, time: i64) -> f32 {
        let [start, end] = self.range;
        let Some(began) = self.began else {
            return start;
        };
        let mut passed = time.saturating_sub(began);
        let length = nanoseconds(end, start);
        if self.at_end == AtEnd::Loop && length > 0 {
            // Times are rounded, so a frame at the start of a lap may be some nanoseconds early.
            let lap = passed.max(0).saturating_add(ROUNDING) % self.lap();
            passed = (lap - ROUNDING).max(0);
        }
        if self.clock == Clock::Keys {
            // The time of a key may lose a bit when it becomes nanoseconds.
            let found = self
                .keys
                .binary_search_by_key(&passed, |&key| nanoseconds(key, start));
            if let Ok(index) = found {
                return self.keys[index];
            }
        }
        let seconds = f64::from(start) + passed as f64 / NANOSECONDS;
        (seconds as f32).clamp(start, end)
    }

    /// Returns `true` if a time of OpenXR in nanoseconds is at or after the end of the recording, and the session stops
    /// there ([`AtEnd::Stop`]).
    pub fn is_over(&self, time: i64) -> bool {
        self.began.is_some() && self.at_end == AtEnd::Stop && self.is_end(time)
    }

    fn period(&self) -> i64 {
        ((NANOSECONDS / self.rate) as i64).max(1)
    }

    /// Returns the duration of one lap of a loop in nanoseconds: that of the recording, and one frame.
    fn lap(&self) -> i64 {
        nanoseconds(self.range[1], self.range[0]).saturating_add(self.period())
    }

    /// Returns the time from the origin to the frame with the index `count`, in nanoseconds.
    fn after(&self, count: u64) -> i64 {
        if self.clock == Clock::Keys && self.began.is_some() {
            let frames = self.keys.len() as u64;
            let laps = if self.at_end == AtEnd::Loop {
                count / frames
            } else {
                0
            };
            let index = count - laps * frames;
            let time = match self.keys.get(index as usize) {
                Some(&key) => nanoseconds(key, self.range[0]),
                // After the last key, the frames have the usual rate.
                None => {
                    let more = (index + 1).saturating_sub(frames) as i64;
                    nanoseconds(self.range[1], self.range[0])
                        .saturating_add(more.saturating_mul(self.period()))
                }
            };
            return (laps as i64)
                .saturating_mul(self.lap())
                .saturating_add(time);
        }
        (count as f64 * NANOSECONDS / self.rate).round() as i64
    }

    fn is_end(&self, display: i64) -> bool {
        self.recording_time(display) >= self.range[1]
    }
}

/// Returns the nanoseconds from `start` to `time`, which are in seconds.
fn nanoseconds(time: f32, start: f32) -> i64 {
    ((f64::from(time) - f64::from(start)) * NANOSECONDS).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Advances to the last frame, but by at most 10 frames, and returns the time in the recording of each frame in
    /// seconds.
    fn played(mut timeline: Timeline) -> Vec<f32> {
        // Two frames pass before the application is ready.
        assert_eq!(
            [timeline.wait(0).index, timeline.wait(0).index],
            [None, None]
        );
        timeline.begin(0);
        let mut times = Vec::new();
        loop {
            let frame = timeline.wait(0);
            assert_eq!(frame.index, Some(times.len() as u64));
            times.push(timeline.recording_time(frame.display));
            if frame.is_last || times.len() == 10 {
                return times;
            }
        }
    }

    #[test]
    fn steps_have_one_rate_and_end_at_the_end() {
        let timeline = Timeline::new(Clock::Step, AtEnd::Stop, 10.0, [0.0, 0.25], []);
        assert_eq!(played(timeline), [0.0, 0.1, 0.2, 0.25]);
    }

    #[test]
    fn keys_keep_their_times_to_the_bit() {
        let keys = [0.0, 1.0e-3 + f32::EPSILON, 0.33, 0.7];
        let timeline = Timeline::new(Clock::Keys, AtEnd::Stop, 60.0, [0.0, 0.7], keys);
        assert_eq!(played(timeline), keys);
    }

    #[test]
    fn a_loop_begins_again_and_a_held_frame_stays() {
        let frames =
            |at_end| Timeline::new(Clock::Keys, at_end, 60.0, [-1.0, 1.0], [-1.0, 0.5, 1.0]);
        let lap = [-1.0, 0.5, 1.0];
        assert_eq!(
            played(frames(AtEnd::Loop))[..7],
            [lap, lap, [-1.0; 3]].concat()[..7]
        );
        assert_eq!(played(frames(AtEnd::Hold)), [&lap[..], &[1.0; 7]].concat());
    }

    #[test]
    fn no_lap_shows_its_last_frame_twice() {
        for (rate, end) in [
            (60.0, 1.0 / 3.0),
            (90.0, 0.7),
            (144.0, 1.234_567),
            (59.94, 2.5),
        ] {
            let mut timeline = Timeline::new(Clock::Step, AtEnd::Loop, rate, [0.0, end], []);
            timeline.begin(0);
            let times: Vec<f32> = (0..5000)
                .map(|_| {
                    let frame = timeline.wait(0);
                    timeline.recording_time(frame.display)
                })
                .collect();
            let is_twice = times.windows(2).any(|pair| pair[0] == pair[1]);
            assert!(!is_twice, "{rate} Hz until {end} s");
        }
    }

    #[test]
    fn frames_of_another_runtime_have_its_times() {
        let mut timeline = Timeline::new(Clock::Real, AtEnd::Stop, 60.0, [0.0, 0.1], []);
        let period = 50_000_000;
        let before = timeline.follow(7_000_000_000, period, false);
        assert_eq!((before.index, before.is_last), (None, false));
        for (index, seconds) in [0.0, 0.05, 0.1].into_iter().enumerate() {
            let display = 7_000_000_000 + period * (index as i64 + 1);
            assert_eq!(timeline.next(0), display);
            let frame = timeline.follow(display, period, true);
            assert_eq!((frame.display, frame.index), (display, Some(index as u64)));
            assert_eq!(timeline.recording_time(display), seconds);
            assert_eq!(frame.is_last, index == 2);
        }
    }

    #[test]
    fn times_of_any_size_are_played() {
        let times = [f32::MIN, -1e10, -0.0, 1e-30, 1.0, 3e9, 1e20, f32::MAX];
        for clock in [Clock::Step, Clock::Keys, Clock::Real] {
            for at_end in [AtEnd::Stop, AtEnd::Hold, AtEnd::Loop] {
                for (index, &start) in times.iter().enumerate() {
                    let keys = times[index..].iter().copied();
                    let mut timeline =
                        Timeline::new(clock, at_end, 1000.0, [start, f32::MAX], keys);
                    timeline.begin(i64::MAX / 4);
                    for _ in 0..20 {
                        let frame = timeline.wait(i64::MAX / 4);
                        let time = timeline.recording_time(frame.display);
                        assert!((start..=f32::MAX).contains(&time), "{time}");
                        timeline.recording_time(i64::MAX);
                        timeline.recording_time(i64::MIN);
                    }
                }
            }
        }
    }

    #[test]
    fn the_time_of_the_computer_leaves_out_missed_frames() {
        let mut timeline = Timeline::new(Clock::Real, AtEnd::Stop, 100.0, [0.0, 1.0], []);
        timeline.begin(1_000_000_000);
        let first = timeline.wait(1_000_000_000);
        assert_eq!(timeline.recording_time(first.display), 0.0);
        let second = timeline.wait(1_500_000_000);
        assert!(second.display > 1_500_000_000 && second.display < 1_530_000_000);
        assert!(
            second.index.is_some_and(|index| (45..=52).contains(&index)),
            "{second:?}"
        );
        let seconds = timeline.recording_time(second.display);
        assert!((0.48..0.52).contains(&seconds), "{seconds}");
    }
}
