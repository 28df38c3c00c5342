//! Splitting a recording in time.
//!
//! Method: the parts are the results of [`trim`](super::trim) and [`shift`](super::shift). A curve that holds its ends, and
//! whose keys are in order, has the same values in a part if the keys of the part and of the next time on each side remain. Only
//! these keys are read and copied. All other curves are cut from all of their keys.

use std::borrow::Cow;

use crate::curve::{BooleanCurve, Curve, CurveMut, FloatCurve, Keys};
use crate::device::{Device, Haptic, InputCurve};
use crate::known::Known;
use crate::order;
use crate::path::CurvePath;
use crate::pose::{PoseCurves, RayCurves};
use crate::recording::{Hands, Recording};
use crate::time_range::TimeRange;

use super::budget::KeyBudget;
use super::checks::{check_parts, refuse_lost_w, require};
use super::cut::{Cut, EndKeys, cut_boolean, cut_float};
use super::error::EditError;
use super::trim::played_part;

/// Splits a recording at times into parts that begin at 0. The value at a split time ends one part
/// and begins the next; a marker there belongs to the later part.
///
/// Times at or before the start, or at or after the end, are ignored. Times need not be in order.
///
/// # Errors
/// Returns an error if a time is not finite, if the parts are more than [`MAX_PARTS`](super::MAX_PARTS), and in the
/// cases of [`trim`](super::trim).
pub fn split<'a>(
    recording: &Recording<'a>,
    times: &[f32],
) -> Result<Vec<Recording<'a>>, EditError> {
    split_parts(recording, times)?.collect()
}

/// Returns the parts of [`split`] one after the other. A part is made when it is asked for, so that long recordings need
/// the memory of one part. Its time grows with the keys of the part, and with all keys only for curves that loop or whose keys are
/// not in order.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.0, &Pose::IDENTITY);
/// recording.head_mut().push(5.0, &Pose::IDENTITY);
/// let parts = edit::split_parts(&recording, &[2.0, 3.0])?;
/// assert_eq!(parts.len(), 3);
/// for (part, seconds) in parts.zip([2.0, 1.0, 2.0]) {
///     assert_eq!(part?.duration(), seconds);
/// }
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if a time is not finite, or if the parts are more than [`MAX_PARTS`](super::MAX_PARTS). The iterator
/// returns an error in the cases of [`trim`](super::trim).
pub fn split_parts<'r, 'a>(
    recording: &'r Recording<'a>,
    times: &[f32],
) -> Result<impl ExactSizeIterator<Item = Result<Recording<'a>, EditError>> + use<'r, 'a>, EditError>
{
    for &time in times {
        require(time.is_finite(), "split time", time, "finite")?;
    }
    check_parts("parts", times.len() as u64 + 1)?;
    let end = recording.duration();
    let mut times: Vec<f32> = times.to_vec();
    times.retain(|&time| time > 0.0 && time < end);
    order::sort_times(&mut times);
    times.dedup();
    let starts = [f32::NEG_INFINITY].into_iter().chain(times.iter().copied());
    let ends = times.iter().copied().chain([f32::INFINITY]);
    let ranges: Vec<(f32, f32)> = starts.zip(ends).collect();
    let source = Source::new(recording, &times);
    Ok(ranges
        .into_iter()
        .enumerate()
        .map(move |(index, (start, end))| source.part(index, TimeRange { start, end })))
}

/// A recording that is divided.
struct Source<'r, 'a> {
    recording: &'r Recording<'a>,
    /// The range of [`Recording::played_range`].
    played: TimeRange,
    /// For each curve, `true` if a part needs only the keys around it.
    has_local_parts: Vec<bool>,
    /// For each part, the indices of its markers.
    markers: Vec<Vec<usize>>,
}

impl<'r, 'a> Source<'r, 'a> {
    /// Reads the recording once. `times` are the times between the parts.
    fn new(recording: &'r Recording<'a>, times: &[f32]) -> Source<'r, 'a> {
        let mut markers = vec![Vec::new(); times.len() + 1];
        for (index, marker) in recording.markers.iter().enumerate() {
            // A marker at the split time belongs to the next part.
            let part = times.partition_point(|&time| time <= marker.time);
            if marker.time < f32::INFINITY {
                markers[part].push(index);
            }
        }
        Source {
            recording,
            played: recording.played_range(),
            has_local_parts: recording
                .curves()
                .map(|(_, curve)| is_local(curve))
                .collect(),
            markers,
        }
    }

    /// Returns a part, which begins at 0.
    fn part(&self, index: usize, range: TimeRange) -> Result<Recording<'a>, EditError> {
        refuse_lost_w(self.recording)?;
        let played = played_part(range, self.played);
        let mut budget = KeyBudget::new();
        let mut part = without_keys(self.recording);
        let curves = part.curves_mut().zip(self.recording.curves());
        for (((path, to), (_, from)), &is_local) in curves.zip(&self.has_local_parts) {
            match (to, from) {
                (CurveMut::Float(to), Curve::Float(from)) => {
                    *to = float_part(path, from, played, is_local, &mut budget)?;
                }
                (CurveMut::Boolean(to), Curve::Boolean(from)) => {
                    *to = boolean_part(path, from, played, is_local, &mut budget)?;
                }
                // Both recordings have the same curves.
                _ => {}
            }
        }
        for (to, from) in part.devices.iter_mut().zip(&self.recording.devices) {
            let pulses = &from.haptics;
            let after = pulses.partition_point(|pulse| pulse.time <= played.end);
            // A pulse before the part may reach into it.
            let reaches =
                |pulse: &&Haptic| pulse.time + pulse.duration.unwrap_or_default() >= played.start;
            to.haptics = pulses[..after].iter().filter(reaches).copied().collect();
            to.cut_events(played);
        }
        part.known = self.recording.known.part(played);
        let markers = self.markers[index].iter();
        part.markers = markers
            .map(|&marker| self.recording.markers[marker].clone())
            .collect();
        if range.start.is_finite() {
            super::shift(&mut part, -range.start)?;
        }
        Ok(part)
    }
}

/// Returns `true` if the values of a curve within a range need only the keys in it and around it.
fn is_local(curve: Curve<'_, '_>) -> bool {
    let mut last = f32::NEG_INFINITY;
    let mut is_next = |(time, _): (f32, f32)| {
        let is_next = time >= last && time.is_finite();
        last = time;
        is_next
    };
    let (pre, post) = curve.wrap();
    pre.holds() && post.holds() && curve.points().all(&mut is_next)
}

/// Returns the part of a float curve in a range.
fn float_part<'a>(
    path: CurvePath,
    curve: &FloatCurve<'a>,
    range: TimeRange,
    is_local: bool,
    budget: &mut KeyBudget,
) -> Result<FloatCurve<'a>, EditError> {
    let mut part = FloatCurve {
        pre_wrap: curve.pre_wrap,
        post_wrap: curve.post_wrap,
        keys: match &curve.keys {
            Keys::Full(keys) => Keys::Full(Cow::Borrowed(around(keys, range, is_local))),
            Keys::Simple(keys) => Keys::Simple(Cow::Borrowed(around(keys, range, is_local))),
        },
    };
    cut_float(path, &mut part, range, EndKeys::NONE, budget)?;
    Ok(FloatCurve {
        pre_wrap: part.pre_wrap,
        post_wrap: part.post_wrap,
        keys: match (&curve.keys, part.keys) {
            (Keys::Full(all), Keys::Full(keys)) => Keys::Full(kept(all, keys)),
            (Keys::Simple(all), Keys::Simple(keys)) => Keys::Simple(kept(all, keys)),
            // The keys keep their kind.
            (all, _) => all.clone(),
        },
    })
}

/// Returns the part of a boolean curve in a range.
fn boolean_part<'a>(
    path: CurvePath,
    curve: &BooleanCurve<'a>,
    range: TimeRange,
    is_local: bool,
    budget: &mut KeyBudget,
) -> Result<BooleanCurve<'a>, EditError> {
    let mut part = BooleanCurve {
        pre_wrap: curve.pre_wrap,
        post_wrap: curve.post_wrap,
        keys: Cow::Borrowed(around(&curve.keys, range, is_local)),
    };
    cut_boolean(path, &mut part, range, EndKeys::NONE, budget)?;
    Ok(BooleanCurve {
        pre_wrap: part.pre_wrap,
        post_wrap: part.post_wrap,
        keys: kept(&curve.keys, part.keys),
    })
}

/// Returns the keys in a range, with all keys of the last time before it and of the first time after it; all keys if the curve is not
/// local.
fn around<K: Cut>(keys: &[K], range: TimeRange, is_local: bool) -> &[K] {
    if !is_local {
        return keys;
    }
    let first_after = |time: f32| keys.partition_point(|key| key.time() <= time);
    let first_from = |time: f32| keys.partition_point(|key| key.time() < time);
    let inside = first_from(range.start);
    let first = match inside.checked_sub(1) {
        Some(before) => first_from(keys[before].time()),
        None => 0,
    };
    let end = match keys.get(first_after(range.end).max(inside)) {
        Some(after) => first_after(after.time()),
        None => keys.len(),
    };
    &keys[first..end]
}

/// Returns the keys of a part. Borrowed keys are unchanged: all keys of the curve are in the part.
fn kept<'a, K: Cut>(all: &Cow<'a, [K]>, part: Cow<'_, [K]>) -> Cow<'a, [K]> {
    match part {
        Cow::Borrowed(_) => all.clone(),
        Cow::Owned(keys) => Cow::Owned(keys),
    }
}

/// Returns a recording with the same curves, devices, profiles and texts, without keys, haptic pulses, markers and gaps.
fn without_keys<'a>(recording: &Recording<'_>) -> Recording<'a> {
    let kind = recording.layout.key_kind();
    let devices = recording.devices.iter().map(|device| Device {
        name: device.name,
        profiles: device.profiles.clone(),
        poses: device
            .poses
            .iter()
            .map(|(name, _)| (*name, PoseCurves::empty(kind)))
            .collect(),
        inputs: device
            .inputs
            .iter()
            .map(|(name, curve)| {
                let empty = match curve {
                    InputCurve::Float(_) => InputCurve::Float(FloatCurve::empty(kind)),
                    InputCurve::Boolean(_) => InputCurve::Boolean(BooleanCurve::default()),
                };
                (*name, empty)
            })
            .collect(),
        haptics: Vec::new(),
    });
    Recording {
        layout: recording.layout,
        head: recording.head.as_ref().map(|_| PoseCurves::empty(kind)),
        hands: recording.hands.as_ref().map(|_| Hands::empty(kind)),
        gaze: recording.gaze.as_ref().map(|_| RayCurves::empty(kind)),
        markers: Vec::new(),
        devices: devices.collect(),
        known: Known::default(),
        about: recording.about.clone(),
        flag_bytes: recording.flag_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    /// Returns the number of keys for which the curves of a recording have memory of their own.
    fn allocated(recording: &Recording<'_>) -> usize {
        let of = |curve: Curve<'_, '_>| match curve {
            Curve::Float(curve) => match &curve.keys {
                Keys::Full(Cow::Owned(keys)) => keys.capacity(),
                Keys::Simple(Cow::Owned(keys)) => keys.capacity(),
                _ => 0,
            },
            Curve::Boolean(curve) => match &curve.keys {
                Cow::Owned(keys) => keys.capacity(),
                Cow::Borrowed(_) => 0,
            },
        };
        recording.curves().map(|(_, curve)| of(curve)).sum()
    }

    #[test]
    fn the_parts_together_need_little_more_memory_than_the_recording() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let points = (0..10_000).map(|second| (second as f32, 1.0));
        recording.head_mut().position[1] = FloatCurve::linear(points);
        let times: Vec<f32> = (1..1_000).map(|part| 10.0 * part as f32).collect();
        let parts = split(&recording, &times).unwrap();
        let all: usize = parts.iter().map(allocated).sum();
        assert!((10_000..16_000).contains(&all), "{all}");
    }

    #[test]
    fn keys_around_a_range_have_the_next_time_on_each_side() {
        let range = TimeRange {
            start: 2.0,
            end: 3.0,
        };
        let times = |keys: &[f32]| {
            let curve = FloatCurve::linear(keys.iter().map(|&time| (time, 0.0)));
            let Keys::Simple(keys) = &curve.keys else {
                panic!("{curve:?}");
            };
            let around = around(keys, range, true).iter();
            around.map(|key| key.time()).collect::<Vec<f32>>()
        };
        let all = [0.0, 1.0, 1.0, 2.0, 2.5, 3.0, 3.0, 4.0, 4.0, 5.0];
        assert_eq!(times(&all), all[1..9]);
        assert_eq!(times(&[0.0, 1.0, 5.0, 6.0]), [1.0, 5.0]);
        assert_eq!(times(&[0.0, 1.0]), [1.0]);
        assert_eq!(times(&[4.0, 5.0]), [4.0]);
        assert_eq!(times(&[]), [0.0; 0]);
    }
}
