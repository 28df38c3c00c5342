//! The instants of the rows of wide and tidy tables, and samplers for some of these rows.
//!
//! Method: a long recording is sampled in parts, so that memory does not grow with its length and several threads
//! can share the work. If the keys of all selected curves are in order and the ends of these curves are held, a part
//! borrows the keys within its time range and one key beyond each end. The sampler of a part then returns the same
//! numbers, to the last bit, as the sampler of the complete recording. Cost: one pass over the times of the keys of the
//! selected curves. If such a curve repeats or its keys are not in order, which no recorder writes, each part has all
//! keys.

use std::borrow::Cow;
use std::ops::Range;

use inputanim::{
    BooleanCurve, Curve, CurveMut, CurvePath, Device, FloatCurve, InputCurve, Keys, Limits,
    PoseChannel, Recording, Sampler, TimeRange, WrapMode,
};

use crate::shared::sampled::{self, SampleError};
use crate::shared::{Sampling, WriteOptions};

/// The largest number of rows that are sampled at once. Their columns fit into the cache, and the cost of starting is
/// small compared to the cost of sampling them.
pub(super) const ROWS: usize = 8192;

/// The number of keys in a part when one thread writes a recording.
const KEYS: usize = 4 << 20;

/// The times of the rows of a wide table, or of a tidy table before its rows are divided by joints.
///
/// The times depend on all curves of a recording, even if only some curves are sampled.
#[derive(Clone, Debug)]
pub struct Instants {
    times: Times,
    /// The number of keys of the selected curves, and of the states of hands.
    keys: usize,
    can_cut: bool,
    /// True if the times are restricted to a time range.
    is_range: bool,
}

#[derive(Clone, Debug)]
enum Times {
    /// Times at a steady rate.
    Steady {
        range: TimeRange,
        rate: f64,
        count: usize,
    },
    /// Any times, in any order.
    Listed(Vec<f32>),
}

impl Instants {
    /// Returns the times of the rows of a recording. At a rate, they are from 0 to the end of the recording, or in the
    /// time range `time`. For [`Sampling::Keys`], they are the times of all keys, or of the keys in `time`. Times at a
    /// rate depend only on the [time range](Recording::time_range) of the recording. For them, this function reads only
    /// the keys of the curves that `keep` selects, and of the states of hands.
    ///
    /// `bytes` is the size of the recording, of which perhaps only some curves were read. It bounds the samples at a rate:
    /// see [`Limits::for_rate_of_bytes`].
    ///
    /// # Errors
    /// When the time of a key of a selected curve is NaN, when the rate is invalid, or when the samples of all curves
    /// at these times are larger than [`Limits::max_sample_bytes`].
    pub fn new(
        recording: &Recording<'_>,
        sampling: Sampling,
        time: Option<TimeRange>,
        limits: &Limits,
        bytes: u64,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Result<Instants, SampleError> {
        // The times of all keys include the keys of each curve.
        let is_needed = |path: CurvePath| sampling == Sampling::Keys || keep(path);
        let NeededKeys { keys, can_cut } = needed_keys(recording, is_needed)?;
        let times = match sampling {
            Sampling::Rate(rate) => {
                let range = time.unwrap_or_else(|| TimeRange {
                    start: 0.0,
                    end: recording.duration(),
                });
                let limits = limits.for_rate_of_bytes(bytes);
                sampled::check_duration(recording, range.end - range.start, rate, &limits)?;
                let count = range.times_at(rate).count();
                Times::Steady { range, rate, count }
            }
            Sampling::Keys => {
                let mut times = recording.key_times(|_| true);
                if let Some(range) = time {
                    times.retain(|&time| range.contains(time));
                }
                sampled::check_times(recording, times.len() as f64, limits)?;
                Times::Listed(times)
            }
        };
        Ok(Instants {
            times,
            keys,
            can_cut,
            is_range: time.is_some(),
        })
    }

    /// Returns rows at any times in seconds, in any order, such as those of segments that overlap. The caller checks
    /// their number with [`check_times`](crate::check_times).
    ///
    /// # Errors
    /// When the time of a key of a curve that `keep` selects is NaN.
    pub fn at(
        recording: &Recording<'_>,
        times: Vec<f32>,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Result<Instants, SampleError> {
        let NeededKeys { keys, can_cut } = needed_keys(recording, keep)?;
        Ok(Instants {
            times: Times::Listed(times),
            keys,
            can_cut,
            is_range: true,
        })
    }

    /// Returns the number of times.
    pub fn len(&self) -> usize {
        match &self.times {
            Times::Steady { count, .. } => *count,
            Times::Listed(times) => times.len(),
        }
    }

    /// Returns `true` if there are no times.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if a sampler for some rows needs less memory than the sampler for all rows.
    pub fn can_cut(&self) -> bool {
        self.can_cut
    }

    /// Returns the times of the rows with these indices in seconds, in order. Indices beyond the last row are ignored.
    pub fn times(&self, rows: Range<usize>) -> Vec<f32> {
        let rows = rows.start.min(self.len())..rows.end.min(self.len());
        match &self.times {
            Times::Steady { range, rate, .. } => {
                let times = range.times_from(*rate, rows.start as u64);
                times.take(rows.len()).collect()
            }
            Times::Listed(times) => times[rows].to_vec(),
        }
    }

    /// Returns the earliest and the latest time of some rows; `None` without rows.
    fn hull(&self, rows: Range<usize>) -> Option<TimeRange> {
        if let Times::Listed(times) = &self.times {
            let rows = times[rows].iter();
            let start = rows.clone().copied().reduce(f32::min)?;
            let end = rows.copied().reduce(f32::max)?;
            return Some(TimeRange { start, end });
        }
        let time = |row: usize| self.times(row..row + 1).first().copied();
        let start = time(rows.start)?;
        let end = time(rows.end.saturating_sub(1))?;
        Some(TimeRange { start, end })
    }

    /// Returns a sampler for the times of some rows. It contains the curves that `keep` selects, and the states of
    /// hands.
    ///
    /// # Errors
    /// Returns no error if [`new`](Self::new) was called with this recording, and its `keep` selected all of these
    /// curves.
    pub fn sampler(
        &self,
        recording: &Recording<'_>,
        rows: Range<usize>,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Result<Sampler, SampleError> {
        Ok(Sampler::new(&self.part(recording, rows, keep))?)
    }

    /// Returns the curves of a recording that `keep` selects, and the states of hands, with the keys that some rows need.
    pub(super) fn part<'r>(
        &self,
        recording: &'r Recording<'_>,
        rows: Range<usize>,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Recording<'r> {
        let is_part = self.is_range || rows.len() < self.len();
        let window = (is_part && self.can_cut).then(|| self.hull(rows));
        borrow(recording, window.flatten(), keep)
    }
}

/// The keys of the curves that are sampled.
struct NeededKeys {
    /// Their number.
    keys: usize,
    can_cut: bool,
}

/// Counts the keys of the curves that `keep` selects, and of the states of hands. Fails if the time of one of these
/// keys is NaN.
fn needed_keys(
    recording: &Recording<'_>,
    keep: impl Fn(CurvePath) -> bool,
) -> Result<NeededKeys, SampleError> {
    let is_needed = |path: CurvePath| {
        let is_state = matches!(path, CurvePath::Tracked(_) | CurvePath::Pinching(_));
        is_state || keep(path)
    };
    let mut needed = NeededKeys {
        keys: 0,
        can_cut: true,
    };
    for (_, curve) in recording.curves().filter(|(path, _)| is_needed(*path)) {
        needed.keys += curve.len();
        if can_be_cut(&curve) {
            continue;
        }
        needed.can_cut = false;
        if curve.points().any(|(time, _)| time.is_nan()) {
            // The error of the sampler states the curve and the key.
            Sampler::of_curves(recording, is_needed)?;
        }
    }
    Ok(needed)
}

/// Returns `true` if a part of a curve's keys is enough to sample a part of its time range: key times are finite and in
/// order, and the curve holds its values before the first and after the last key.
fn can_be_cut(curve: &Curve<'_, '_>) -> bool {
    let holds = |mode: WrapMode| matches!(mode, WrapMode::ONCE | WrapMode::CLAMP_FOREVER);
    let (pre, post) = curve.wrap();
    let is_sorted = match curve {
        Curve::Float(curve) => match &curve.keys {
            Keys::Full(keys) => is_sorted(keys, |key| key.time()),
            Keys::Simple(keys) => is_sorted(keys, |key| key.time()),
        },
        Curve::Boolean(curve) => is_sorted(&curve.keys, |key| key.time()),
    };
    curve.is_empty() || is_sorted && holds(pre) && holds(post)
}

/// Returns `true` if the times of keys are finite and in order.
fn is_sorted<K>(keys: &[K], time: impl Fn(&K) -> f32) -> bool {
    let mut ends = [keys.first(), keys.last()].into_iter().flatten();
    // The loop does not stop early, so that it compiles to vector instructions. NaN compares as not in order.
    let is_sorted = keys.windows(2).fold(true, |is_sorted, pair| {
        is_sorted & (time(&pair[0]) <= time(&pair[1]))
    });
    is_sorted && ends.all(|key| time(key).is_finite())
}

/// Some rows, in order of time.
pub(super) struct WindowPart {
    pub(super) sampler: Sampler,
    pub(super) times: Vec<f32>,
}

/// The rows of a recording in parts, in order of time.
pub(super) struct Windows<'r> {
    recording: &'r Recording<'r>,
    instants: Instants,
    /// The number of rows for each sampler.
    part: usize,
    sampler: Option<Sampler>,
    next: usize,
}

/// Returns an iterator over parts of the rows of a wide table, each with the times of its rows and their sampler. The
/// rows are from 0 to the end of the recording, or in the time range of the options.
pub(super) fn windows<'r>(
    recording: &'r Recording<'r>,
    options: &WriteOptions,
) -> Result<Windows<'r>, SampleError> {
    windows_of(recording, options, KEYS)
}

/// Returns the times of the rows that the options ask for.
pub(super) fn instants(
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<Instants, SampleError> {
    let (sampling, limits) = (options.sampling, &options.limits);
    let bytes = recording.encoded_len();
    Instants::new(recording, sampling, options.time, limits, bytes, |_| true)
}

fn windows_of<'r>(
    recording: &'r Recording<'r>,
    options: &WriteOptions,
    keys: usize,
) -> Result<Windows<'r>, SampleError> {
    let instants = instants(recording, options)?;
    let parts = if instants.can_cut {
        instants.keys.div_ceil(keys).max(1)
    } else {
        1
    };
    Ok(Windows {
        part: instants.len().div_ceil(parts).max(1),
        recording,
        instants,
        sampler: None,
        next: 0,
    })
}

impl Iterator for Windows<'_> {
    type Item = Result<WindowPart, SampleError>;

    fn next(&mut self) -> Option<Result<WindowPart, SampleError>> {
        let first = self.next;
        if first >= self.instants.len() {
            return None;
        }
        let part = first / self.part * self.part;
        let end = (part + self.part).min(self.instants.len());
        if first == part {
            let sampler = self.instants.sampler(self.recording, part..end, |_| true);
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

/// Returns the recording with only some of its curves: the curves that `keep` selects, and the states of hands. With a
/// time range, these curves have only the keys that the range needs.
fn borrow<'r>(
    recording: &'r Recording<'_>,
    window: Option<TimeRange>,
    keep: impl Fn(CurvePath) -> bool,
) -> Recording<'r> {
    let mut part = Recording::with_streams(recording.layout, recording.flags());
    // Most curves have the key times of the curve before, so a search begins where the last one ended.
    let near = &mut [0, 0];
    for ((path, curve), (_, slot)) in recording.file_curves().zip(part.curves_mut()) {
        match (curve, slot) {
            (Curve::Float(curve), CurveMut::Float(slot)) if keep(path) => {
                *slot = borrow_float(curve, window, near);
            }
            (Curve::Boolean(curve), CurveMut::Boolean(slot)) => {
                *slot = borrow_boolean(curve, window);
            }
            _ => {}
        }
    }
    part.devices = devices(recording, window, keep);
    part.known = recording.known.clone();
    part
}

/// Returns the devices of which `keep` selects a curve, with these curves, and those without curves.
fn devices<'r>(
    recording: &'r Recording<'_>,
    window: Option<TimeRange>,
    keep: impl Fn(CurvePath) -> bool,
) -> Vec<Device<'r>> {
    let devices = recording.devices.iter().filter_map(|device| {
        let mut curves = device.curves();
        let is_kept = curves.any(|(path, _)| keep(path)) || device.curves().next().is_none();
        is_kept.then(|| {
            let mut part = Device::new(device.name);
            part.profiles.clone_from(&device.profiles);
            for (name, pose) in &device.poses {
                let is_kept = |channel| keep(CurvePath::DevicePose(device.name, *name, channel));
                if !PoseChannel::ALL.into_iter().any(is_kept) {
                    continue;
                }
                let part = part.pose_mut(*name);
                for ((_, curve), (_, slot)) in pose.iter().zip(part.iter_mut()) {
                    *slot = borrow_float(curve, window, &mut [0, 0]);
                }
            }
            for (name, input) in &device.inputs {
                if keep(CurvePath::Input(device.name, *name)) {
                    let near = &mut [0, 0];
                    part.set_input(
                        *name,
                        match input {
                            InputCurve::Float(curve) => {
                                InputCurve::Float(borrow_float(curve, window, near))
                            }
                            InputCurve::Boolean(curve) => {
                                InputCurve::Boolean(borrow_boolean(curve, window))
                            }
                        },
                    );
                }
            }
            part
        })
    });
    devices.collect()
}

/// Returns a curve with only the keys that a time range needs: see [`within`].
fn borrow_float<'r>(
    curve: &'r FloatCurve<'_>,
    window: Option<TimeRange>,
    near: &mut [usize; 2],
) -> FloatCurve<'r> {
    FloatCurve {
        pre_wrap: curve.pre_wrap,
        post_wrap: curve.post_wrap,
        keys: match &curve.keys {
            Keys::Full(keys) => {
                Keys::Full(Cow::Borrowed(within(keys, |key| key.time(), window, near)))
            }
            Keys::Simple(keys) => {
                Keys::Simple(Cow::Borrowed(within(keys, |key| key.time(), window, near)))
            }
        },
    }
}

/// Returns a curve of states with only the keys that a time range needs.
fn borrow_boolean<'r>(curve: &'r BooleanCurve<'_>, window: Option<TimeRange>) -> BooleanCurve<'r> {
    BooleanCurve {
        pre_wrap: curve.pre_wrap,
        post_wrap: curve.post_wrap,
        keys: Cow::Borrowed(within(&curve.keys, |key| key.time(), window, &mut [0, 0])),
    }
}

/// Returns the keys in a time window, with one key before and one key after it; all keys if there is no window. The
/// keys must be in order of time. `near` has the indices to try first for the start and the end of the window, and afterwards
/// those that were found.
fn within<'k, K>(
    keys: &'k [K],
    time: impl Fn(&K) -> f32,
    window: Option<TimeRange>,
    near: &mut [usize; 2],
) -> &'k [K] {
    let Some(window) = window else { return keys };
    let [first, last] = near;
    *first = partition_near(keys, *first, |key| time(key) < window.start);
    *last = partition_near(keys, *last, |key| time(key) <= window.end);
    &keys[first.saturating_sub(1)..(*last + 1).min(keys.len())]
}

/// Returns the number of keys at the start for which `is_before` is true, as `partition_point`. `near` is the number to try
/// first.
fn partition_near<K>(keys: &[K], near: usize, is_before: impl Fn(&K) -> bool) -> usize {
    let (before, after) = keys.split_at(near.min(keys.len()));
    let is_found = before.last().is_none_or(&is_before) && !after.first().is_some_and(&is_before);
    if is_found {
        before.len()
    } else {
        keys.partition_point(is_before)
    }
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
        if let Some(head) = &mut recording.head {
            head.position[0] = FloatCurve::linear(steps(-5, 95).map(|t| (t, wave(t))));
            head.position[1] = FloatCurve::linear([(2.0, 1.0)]);
            head.rotation[3] =
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
        let options = WriteOptions {
            sampling,
            ..WriteOptions::default()
        };
        for part in windows_of(recording, &options, keys).unwrap() {
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
            change(&mut recording.head_mut().position[0]);
            let (_, parts) = rows(&recording, Sampling::Rate(60.0), 50);
            let (_, complete) = rows(&recording, Sampling::Rate(60.0), usize::MAX);
            assert_eq!(parts, complete);
            let options = WriteOptions {
                sampling: Sampling::Keys,
                ..WriteOptions::default()
            };
            let instants = instants(&recording, &options).unwrap();
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
            .head_mut()
            .push(f32::NAN, &inputanim::Pose::IDENTITY);
        assert!(instants(&recording, &WriteOptions::default()).is_err());
    }

    #[test]
    fn an_empty_recording_has_one_row_at_a_rate_and_none_at_keys() {
        let empty = Recording::new(Layout::Mrtk1_1);
        assert_eq!(rows(&empty, Sampling::Rate(60.0), 1).1.len(), 1);
        assert_eq!(rows(&empty, Sampling::Keys, 1).1.len(), 0);
    }
}
