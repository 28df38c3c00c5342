//! The times of the rows of a wide table, and a sampler for them: one window of the recording at a time.
//!
//! Method: a long recording is cut into windows of time, so that memory does not grow with its length. If
//! the keys of a curve are in order and its ends are held, a window needs the keys within it and one beyond
//! each end; they are borrowed. The sampler of a window then returns the same numbers, to the last bit, as
//! that of the complete recording. Cost: one pass over all keys. If a curve repeats or its keys are not in
//! order, which no recorder writes, the recording stays in one window.

use std::borrow::Cow;
use std::iter::Peekable;

use inputanim::{
    BooleanCurve, Curve, CurveMut, FloatCurve, Keys, Recording, Sampler, TimeRange, WrapMode,
};

use crate::Sampling;
use crate::sampled::{self, SampleError};

/// The most rows of a part: few enough that its columns stay in the cache, and many enough that the cost of
/// starting a part is small.
pub(super) const ROWS: usize = 8192;

/// The keys of a window.
const KEYS: usize = 4 << 20;

/// Some rows of a window, in order of time.
pub(super) struct WindowPart {
    pub(super) sampler: Sampler,
    pub(super) times: Vec<f32>,
}

/// The parts of all windows of a recording, in order of time.
pub(super) struct Windows<'r> {
    recording: &'r Recording<'r>,
    /// The remaining windows, the next one last.
    windows: Vec<TimeRange>,
    clock: Clock,
    sampler: Option<Sampler>,
    until: f32,
    /// The times that are wanted.
    wanted: Option<TimeRange>,
}

enum Clock {
    /// A steady rate over all windows.
    Steady(Peekable<Box<dyn Iterator<Item = f32>>>),
    /// The remaining key times of a window.
    Keys(std::vec::IntoIter<f32>),
}

/// Returns the parts of all windows of a recording: from 0 to its end, or at the times that are wanted.
pub(super) fn windows<'r>(
    recording: &'r Recording<'r>,
    sampling: Sampling,
    wanted: Option<TimeRange>,
) -> Result<Windows<'r>, SampleError> {
    windows_of(recording, sampling, wanted, KEYS)
}

fn windows_of<'r>(
    recording: &'r Recording<'r>,
    sampling: Sampling,
    wanted: Option<TimeRange>,
    keys: usize,
) -> Result<Windows<'r>, SampleError> {
    let count: usize = recording.curves().map(|(_, curve)| curve.len()).sum();
    // A recording in one window is not checked for the order of its keys, since the sampler sorts them.
    let is_long = count > keys;
    let range = is_long.then(|| cut_range(recording)).flatten();
    let (sampler, range) = match range {
        Some(range) => (None, Some(range)),
        None => {
            let sampler = Sampler::new(recording)?;
            let range = sampler.range();
            (Some(sampler), range)
        }
    };
    let end = range.map_or(0.0, |range| range.end.max(0.0));
    let windows = match sampler {
        Some(_) => Vec::new(),
        None => ranges(range, count.div_ceil(keys)),
    };
    let clock = match sampling {
        Sampling::Rate(rate) => {
            let grid = wanted.unwrap_or(TimeRange { start: 0.0, end });
            sampled::check(grid.end - grid.start, rate)?;
            // One grid runs over all windows, so that its times do not depend on where the windows end.
            let steady: Box<dyn Iterator<Item = f32>> = Box::new(grid.times_at(rate));
            Clock::Steady(steady.peekable())
        }
        Sampling::Keys => {
            let times = sampler.as_ref().map(Sampler::key_times);
            Clock::Keys(within_range(times.unwrap_or_default(), wanted).into_iter())
        }
    };
    Ok(Windows {
        recording,
        windows,
        clock,
        sampler,
        until: f32::INFINITY,
        wanted,
    })
}

fn within_range(mut times: Vec<f32>, wanted: Option<TimeRange>) -> Vec<f32> {
    if let Some(TimeRange { start, end }) = wanted {
        times.retain(|time| (start..=end).contains(time));
    }
    times
}

/// Returns the range from the first to the last key, if the recording can be cut into windows.
fn cut_range(recording: &Recording<'_>) -> Option<TimeRange> {
    let holds = |mode: WrapMode| matches!(mode, WrapMode::ONCE | WrapMode::CLAMP_FOREVER);
    let mut range: Option<TimeRange> = None;
    for (_, curve) in recording.curves() {
        let (pre, post) = curve.wrap();
        if !(holds(pre) && holds(post)) {
            return None;
        }
        let mut times = curve.points().map(|(time, _)| time);
        let Some(start) = times.next() else { continue };
        let mut end = start;
        for time in times {
            // Two times have no order if one is NaN.
            let order = end.partial_cmp(&time);
            if order.is_none_or(std::cmp::Ordering::is_gt) {
                return None;
            }
            end = time;
        }
        if !(start.is_finite() && end.is_finite()) {
            return None;
        }
        let total = range.get_or_insert(TimeRange { start, end });
        total.start = total.start.min(start);
        total.end = total.end.max(end);
    }
    range
}

/// Returns windows of equal length, the last one first.
fn ranges(range: Option<TimeRange>, count: usize) -> Vec<TimeRange> {
    let Some(TimeRange { start, end }) = range else {
        return Vec::new();
    };
    let (start, end) = (start.min(0.0), end.max(0.0));
    let bound = |index: usize| {
        let (first, last) = (f64::from(start), f64::from(end));
        (first + (last - first) * index as f64 / count as f64) as f32
    };
    let mut windows: Vec<TimeRange> = (0..count)
        .map(|index| TimeRange {
            start: bound(index),
            end: bound(index + 1),
        })
        .collect();
    if let Some(last) = windows.last_mut() {
        // A window excludes its end, but the last key must be in a window.
        last.end = f32::INFINITY;
    }
    windows.reverse();
    windows
}

impl Iterator for Windows<'_> {
    type Item = Result<WindowPart, SampleError>;

    fn next(&mut self) -> Option<Result<WindowPart, SampleError>> {
        loop {
            if let Some(sampler) = &self.sampler {
                let times = self.clock.until(self.until);
                if !times.is_empty() {
                    let sampler = sampler.clone();
                    return Some(Ok(WindowPart { sampler, times }));
                }
            }
            let window = self.windows.pop()?;
            let sampler = match Sampler::new(&borrow_window(self.recording, window)) {
                Ok(sampler) => sampler,
                Err(error) => return Some(Err(error.into())),
            };
            if let Clock::Keys(times) = &mut self.clock {
                let mut within = sampler.key_times();
                within.retain(|&time| window.start <= time && time < window.end);
                *times = within_range(within, self.wanted).into_iter();
            }
            self.until = window.end;
            self.sampler = Some(sampler);
        }
    }
}

impl Clock {
    /// Returns the next times before `end`, at most [`ROWS`].
    fn until(&mut self, end: f32) -> Vec<f32> {
        match self {
            Clock::Steady(times) => {
                let mut next = || times.next_if(|&time| time < end);
                std::iter::from_fn(&mut next).take(ROWS).collect()
            }
            Clock::Keys(times) => times.take(ROWS).collect(),
        }
    }
}

/// Returns the recording with the keys that a window needs.
fn borrow_window<'r>(recording: &'r Recording<'_>, window: TimeRange) -> Recording<'r> {
    let mut part = Recording::with_streams(recording.layout, recording.flags());
    for ((_, curve), (_, slot)) in recording.curves().zip(part.curves_mut()) {
        match (curve, slot) {
            (Curve::Float(curve), CurveMut::Float(slot)) => {
                *slot = FloatCurve {
                    pre_wrap: curve.pre_wrap,
                    post_wrap: curve.post_wrap,
                    keys: match &curve.keys {
                        Keys::Full(keys) => {
                            Keys::Full(Cow::Borrowed(within(keys, |key| key.time(), window)))
                        }
                        Keys::Simple(keys) => {
                            Keys::Simple(Cow::Borrowed(within(keys, |key| key.time(), window)))
                        }
                    },
                };
            }
            (Curve::Boolean(curve), CurveMut::Boolean(slot)) => {
                *slot = BooleanCurve {
                    pre_wrap: curve.pre_wrap,
                    post_wrap: curve.post_wrap,
                    keys: Cow::Borrowed(within(&curve.keys, |key| key.time(), window)),
                };
            }
            _ => {}
        }
    }
    part
}

/// Returns the keys from the last one before a window to the first one after it.
fn within<K>(keys: &[K], time: impl Fn(&K) -> f32, window: TimeRange) -> &[K] {
    let first = keys.partition_point(|key| time(key) < window.start);
    let last = keys.partition_point(|key| time(key) <= window.end);
    &keys[first.saturating_sub(1)..(last + 1).min(keys.len())]
}

#[cfg(test)]
mod tests {
    use inputanim::{FullKey, Joint, Layout, SimpleKey};

    use super::*;

    /// Returns curves of many forms, with several keys at one time and pauses longer than a window.
    fn recording() -> Recording<'static> {
        let mut recording =
            Recording::with_streams(Layout::FullWithMarkers1_1, inputanim::Flags::ALL);
        let steps = |from: i32, to: i32| (from..to).map(|step| step as f32 / 10.0);
        let wave = |time: f32| (time * 7.0).sin();
        if let Some(camera) = &mut recording.camera {
            camera.position[0] = FloatCurve::linear(steps(-5, 95).map(|t| (t, wave(t))));
            camera.position[1] = FloatCurve::linear([(2.0, 1.0)]);
            camera.rotation[3] =
                FloatCurve::linear(steps(0, 20).flat_map(|t| [(t, wave(t)), (t, 1.0 + wave(t))]));
        }
        let hands = recording.hands_mut();
        hands.left.tracked = BooleanCurve::new([(0.0, true), (3.0, false), (3.0, true)]);
        let palm = &mut hands.left.joints[Joint::Palm];
        palm.position[2] = FloatCurve::full(
            steps(0, 60).map(|t| FullKey::hermite(t * 1.5, wave(t), wave(3.0 * t), -1.0)),
        );
        palm.rotation[0] = FloatCurve::linear([(0.0, 0.0), (9.0, 1.0)]);
        recording
    }

    fn rows(recording: &Recording<'_>, sampling: Sampling, keys: usize) -> (usize, Vec<String>) {
        let mut rows = Vec::new();
        let mut windows = 0;
        for part in windows_of(recording, sampling, None, keys).unwrap() {
            let WindowPart { sampler, times } = part.unwrap();
            windows += 1;
            let columns = sampler.columns(times);
            for row in 0..columns.times.len() {
                let mut text = format!("{:?} {}", columns.times[row], columns.left.tracked[row]);
                for (path, column) in columns.floats() {
                    text += &format!(" {path} {:08x}", column[row].to_bits());
                }
                rows.push(text);
            }
        }
        (windows, rows)
    }

    #[test]
    fn windows_equal_the_complete_recording_to_the_last_bit() {
        let recording = recording();
        for sampling in [Sampling::Rate(7.0), Sampling::Rate(60.0), Sampling::Keys] {
            let (_, complete) = rows(&recording, sampling, usize::MAX);
            assert!(complete.len() > 50);
            for keys in [200, 50, 13] {
                let (windows, parts) = rows(&recording, sampling, keys);
                assert!(windows > 1, "{sampling:?} {keys}");
                assert_eq!(parts, complete, "{sampling:?} {keys}");
            }
        }
    }

    #[test]
    fn recordings_that_repeat_or_are_not_in_order_stay_in_one_window() {
        let stays_complete = |change: fn(&mut FloatCurve<'static>)| {
            let mut recording = recording();
            change(&mut recording.camera_mut().position[0]);
            let (_, parts) = rows(&recording, Sampling::Rate(60.0), 50);
            let (_, complete) = rows(&recording, Sampling::Rate(60.0), usize::MAX);
            assert_eq!(parts, complete);
            cut_range(&recording).is_none()
        };
        assert!(stays_complete(|curve| curve.post_wrap = WrapMode::LOOP));
        assert!(stays_complete(|curve| curve.keys = Keys::Simple(
            [(3.0, 1.0), (1.0, 2.0)]
                .map(|(t, v)| SimpleKey::new(t, v))
                .to_vec()
                .into()
        )));
        assert!(!stays_complete(|_| {}));
        let mut recording = recording();
        recording
            .camera_mut()
            .push(f32::NAN, &inputanim::Pose::IDENTITY);
        assert!(windows_of(&recording, Sampling::Keys, None, 50).is_err());
    }

    #[test]
    fn an_empty_recording_has_one_row_at_a_rate_and_none_at_keys() {
        let empty = Recording::new(Layout::Mrtk1_1);
        assert_eq!(rows(&empty, Sampling::Rate(60.0), 1).1.len(), 1);
        assert_eq!(rows(&empty, Sampling::Keys, 1).1.len(), 0);
    }
}
