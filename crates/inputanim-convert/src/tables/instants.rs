//! The instants of the rows of wide and tidy tables, and samplers for parts of them.
//!
//! Method: a long recording is sampled in parts, so that memory does not grow with its length and several threads
//! can share the work. If the keys of all curves are in order and their ends are held, a part needs the keys within
//! its time range and one beyond each end; they are borrowed. The sampler of a part then returns the same numbers, to
//! the last bit, as that of the complete recording. Cost: one pass over the times of all keys. If a curve repeats or its
//! keys are not in order, which no recorder writes, each part has all keys.

use std::borrow::Cow;
use std::ops::Range;

use inputanim::{
    BooleanCurve, Curve, CurveMut, CurvePath, FloatCurve, Keys, Recording, Sampler, TimeRange,
    WrapMode,
};

use crate::Sampling;
use crate::sampled::{self, SampleError};

/// The most rows that are sampled at once: few enough that their columns stay in the cache, and many enough that
/// the cost of starting is small.
pub(super) const ROWS: usize = 8192;

/// The keys of a part when a recording is written by one thread.
const KEYS: usize = 4 << 20;

/// The times of the rows of a wide table, or of a tidy table before its rows are divided by joints.
///
/// They depend on all curves of a recording, and not on the curves that are sampled.
#[derive(Clone, Debug)]
pub struct Instants {
    times: Times,
    /// The number of keys of all curves.
    keys: usize,
    can_cut: bool,
    /// True if they are those of a time range.
    is_range: bool,
}

#[derive(Clone, Debug)]
enum Times {
    /// A steady rate.
    Steady {
        range: TimeRange,
        rate: f64,
        count: usize,
    },
    Keys(Vec<f32>),
}

impl Instants {
    /// Returns the times from 0 to the end of a recording, or in a time range.
    ///
    /// # Errors
    /// When the time of a key is NaN, when the rate is invalid, or when there would be more than
    /// [`MAX_FRAMES`](crate::MAX_FRAMES).
    pub fn new(
        recording: &Recording<'_>,
        sampling: Sampling,
        time: Option<TimeRange>,
    ) -> Result<Instants, SampleError> {
        let mut range: Option<TimeRange> = None;
        let mut can_cut = true;
        let mut keys = 0;
        for (_, curve) in recording.curves() {
            keys += curve.len();
            let Some(found) = KeyOrder::of(curve) else {
                continue;
            };
            if found.has_nan {
                // The sampler states the curve and the key.
                Sampler::new(recording)?;
            }
            can_cut &= found.is_sorted && found.holds_ends;
            let total = range.get_or_insert(found.range);
            total.start = total.start.min(found.range.start);
            total.end = total.end.max(found.range.end);
        }
        let is_finite = |range: TimeRange| range.start.is_finite() && range.end.is_finite();
        let can_cut = can_cut && range.is_none_or(is_finite);
        let end = range.map_or(0.0, |range| range.end.max(0.0));
        let times = match sampling {
            Sampling::Rate(rate) => {
                let range = time.unwrap_or(TimeRange { start: 0.0, end });
                sampled::check(range.end - range.start, rate)?;
                let count = range.times_at(rate).count();
                Times::Steady { range, rate, count }
            }
            Sampling::Keys => {
                let mut times = key_times(recording);
                if let Some(range) = time {
                    times.retain(|&time| range.contains(time));
                }
                Times::Keys(times)
            }
        };
        Ok(Instants {
            times,
            keys,
            can_cut,
            is_range: time.is_some(),
        })
    }

    /// Returns the number of times.
    pub fn len(&self) -> usize {
        match &self.times {
            Times::Steady { count, .. } => *count,
            Times::Keys(times) => times.len(),
        }
    }

    /// Returns whether there are no times.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether a sampler of some rows is smaller than that of all rows.
    pub fn can_cut(&self) -> bool {
        self.can_cut
    }

    /// Returns the times of some rows in seconds, in order.
    pub fn times(&self, rows: Range<usize>) -> Vec<f32> {
        let rows = rows.start.min(self.len())..rows.end.min(self.len());
        match &self.times {
            Times::Steady { range, rate, .. } => {
                let times = range.times_from(*rate, rows.start as u64);
                times.take(rows.len()).collect()
            }
            Times::Keys(times) => times[rows].to_vec(),
        }
    }

    /// Returns a sampler for the times of some rows, of the curves that `keep` selects and of the states of hands.
    ///
    /// # Errors
    /// None for a recording of which the times are.
    pub fn sampler(
        &self,
        recording: &Recording<'_>,
        rows: Range<usize>,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Result<Sampler, SampleError> {
        let is_part = self.is_range || rows.len() < self.len();
        let window = (is_part && self.can_cut).then(|| {
            let time = |row: usize| self.times(row..row + 1).first().copied();
            let start = time(rows.start)?;
            let end = time(rows.end.saturating_sub(1))?;
            Some(TimeRange { start, end })
        });
        let part = borrow(recording, window.flatten(), keep);
        Ok(Sampler::new(&part)?)
    }
}

/// The order of the keys of a curve.
struct KeyOrder {
    range: TimeRange,
    is_sorted: bool,
    holds_ends: bool,
    has_nan: bool,
}

impl KeyOrder {
    /// Returns `None` for a curve without keys.
    fn of(curve: Curve<'_, '_>) -> Option<KeyOrder> {
        let range = match curve {
            Curve::Float(curve) => match &curve.keys {
                Keys::Full(keys) => sorted_range(keys, |key| key.time()),
                Keys::Simple(keys) => sorted_range(keys, |key| key.time()),
            },
            Curve::Boolean(curve) => sorted_range(&curve.keys, |key| key.time()),
        };
        let holds = |mode: WrapMode| matches!(mode, WrapMode::ONCE | WrapMode::CLAMP_FOREVER);
        let (pre, post) = curve.wrap();
        let order = KeyOrder {
            range: TimeRange {
                start: 0.0,
                end: 0.0,
            },
            is_sorted: true,
            holds_ends: holds(pre) && holds(post),
            has_nan: false,
        };
        if let Some(range) = range? {
            return Some(KeyOrder { range, ..order });
        }
        let has_nan = curve.points().any(|(time, _)| time.is_nan());
        let times = curve.points().map(|(time, _)| time);
        let (start, end) = (f32::INFINITY, f32::NEG_INFINITY);
        let range = times.fold(TimeRange { start, end }, |range, time| TimeRange {
            start: range.start.min(time),
            end: range.end.max(time),
        });
        Some(KeyOrder {
            range,
            is_sorted: false,
            has_nan,
            ..order
        })
    }
}

/// Returns the times of the first and the last key; the inner option is `None` if the keys are not in order, the outer
/// one if there are none.
#[allow(clippy::option_option)]
fn sorted_range<K>(keys: &[K], time: impl Fn(&K) -> f32) -> Option<Option<TimeRange>> {
    let (start, end) = (time(keys.first()?), time(keys.last()?));
    // Without an early end, so that the loop compiles to vector instructions. NaN has no order.
    let is_sorted = keys.windows(2).fold(true, |is_sorted, pair| {
        is_sorted & (time(&pair[0]) <= time(&pair[1]))
    });
    Some((is_sorted && !start.is_nan()).then_some(TimeRange { start, end }))
}

/// Returns every key time of any curve, sorted, without duplicates.
fn key_times(recording: &Recording<'_>) -> Vec<f32> {
    /// Recorders write the keys of a joint at the same times, and those of its rotation at others.
    const CANDIDATES: usize = 3;
    let mut times: Vec<f32> = Vec::new();
    let mut sorted = 0;
    let mut last: Vec<Curve<'_, '_>> = Vec::new();
    for (_, curve) in recording.curves() {
        if curve.is_empty() || last.iter().any(|other| have_same_times(other, &curve)) {
            continue;
        }
        times.extend(curve.points().map(|(time, _)| time));
        // Bounds the memory when each curve has times of its own, most of which are equal.
        if times.len() > 2 * sorted + (1 << 20) {
            sort(&mut times);
            sorted = times.len();
        }
        if last.len() == CANDIDATES {
            last.remove(0);
        }
        last.push(curve);
    }
    sort(&mut times);
    times
}

fn have_same_times(a: &Curve<'_, '_>, b: &Curve<'_, '_>) -> bool {
    let mut pairs = a.points().zip(b.points());
    a.len() == b.len() && pairs.all(|((a, _), (b, _))| a.to_bits() == b.to_bits())
}

/// Sorts times and removes duplicates.
fn sort(times: &mut Vec<f32>) {
    // `total_cmp` puts −0 before 0, so equal times are neighbours for `dedup`.
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
}

/// Some rows, in order of time.
pub(super) struct WindowPart {
    pub(super) sampler: Sampler,
    pub(super) times: Vec<f32>,
}

/// The rows of a recording in parts, in order of time.
pub(super) struct Windows<'r, F> {
    recording: &'r Recording<'r>,
    instants: Instants,
    keep: F,
    /// The rows that each sampler serves.
    part: usize,
    sampler: Option<Sampler>,
    next: usize,
}

/// Returns the rows of a recording in parts: from 0 to its end, or in the time range that is wanted.
pub(super) fn windows<'r, F: Fn(CurvePath) -> bool>(
    recording: &'r Recording<'r>,
    sampling: Sampling,
    wanted: Option<TimeRange>,
    keep: F,
) -> Result<Windows<'r, F>, SampleError> {
    windows_of(recording, sampling, wanted, keep, KEYS)
}

fn windows_of<'r, F: Fn(CurvePath) -> bool>(
    recording: &'r Recording<'r>,
    sampling: Sampling,
    wanted: Option<TimeRange>,
    keep: F,
    keys: usize,
) -> Result<Windows<'r, F>, SampleError> {
    let instants = Instants::new(recording, sampling, wanted)?;
    let parts = if instants.can_cut {
        instants.keys.div_ceil(keys).max(1)
    } else {
        1
    };
    Ok(Windows {
        part: instants.len().div_ceil(parts).max(1),
        recording,
        instants,
        keep,
        sampler: None,
        next: 0,
    })
}

impl<F: Fn(CurvePath) -> bool> Iterator for Windows<'_, F> {
    type Item = Result<WindowPart, SampleError>;

    fn next(&mut self) -> Option<Result<WindowPart, SampleError>> {
        let first = self.next;
        if first >= self.instants.len() {
            return None;
        }
        let part = first / self.part * self.part;
        let end = (part + self.part).min(self.instants.len());
        if first == part {
            let sampler = self.instants.sampler(self.recording, part..end, &self.keep);
            match sampler {
                Ok(sampler) => self.sampler = Some(sampler),
                Err(error) => {
                    self.next = self.instants.len();
                    return Some(Err(error));
                }
            }
        }
        self.next = end.min(first + ROWS);
        Some(Ok(WindowPart {
            sampler: self.sampler.clone()?,
            times: self.instants.times(first..self.next),
        }))
    }
}

/// Returns the recording with the curves that `keep` selects and the states of hands, and of their keys with those that a
/// time range needs.
fn borrow<'r>(
    recording: &'r Recording<'_>,
    window: Option<TimeRange>,
    keep: impl Fn(CurvePath) -> bool,
) -> Recording<'r> {
    let mut part = Recording::with_streams(recording.layout, recording.flags());
    for ((path, curve), (_, slot)) in recording.curves().zip(part.curves_mut()) {
        match (curve, slot) {
            (Curve::Float(curve), CurveMut::Float(slot)) if keep(path) => {
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
fn within<K>(keys: &[K], time: impl Fn(&K) -> f32, window: Option<TimeRange>) -> &[K] {
    let Some(window) = window else { return keys };
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
        for part in windows_of(recording, sampling, None, |_| true, keys).unwrap() {
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
            let instants = Instants::new(&recording, Sampling::Keys, None).unwrap();
            !instants.can_cut()
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
        assert!(Instants::new(&recording, Sampling::Keys, None).is_err());
    }

    #[test]
    fn an_empty_recording_has_one_row_at_a_rate_and_none_at_keys() {
        let empty = Recording::new(Layout::Mrtk1_1);
        assert_eq!(rows(&empty, Sampling::Rate(60.0), 1).1.len(), 1);
        assert_eq!(rows(&empty, Sampling::Keys, 1).1.len(), 0);
    }
}
