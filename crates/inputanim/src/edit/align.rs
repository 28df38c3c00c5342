//! Alignment of keys: the components of a vector get keys at the same times.

use std::borrow::Cow;

use crate::curve::{Curve, CurveMut, FloatCurve, Keys};
use crate::evaluate::{OrderedKeys, Wrap};
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::sampler::UnplayableCurve;
use crate::time_range::TimeRange;
use crate::time_union::TimeUnion;
use crate::vector::share_times;

use super::budget::KeyBudget;
use super::checks::require_range;
use super::cut::{Cut, EndKeys, cut_boolean, cut_float};
use super::error::EditError;

/// Gives the components of every position, rotation and direction keys at the same times, for formats whose keys are
/// complete vectors. A component gets a key wherever another component has one; it evaluates to the same values as
/// before. A component without keys stays empty.
///
/// The recording is cut to the time range, like in [`trim`](super::trim); unlike there, a rotation whose w was not
/// saved is accepted. Afterwards the keys of each curve are in order and have distinct times: where a curve jumps, one
/// of its two keys moves by the smallest step of time. All curves hold their ends. A curve that loops exactly at the
/// end of the range keeps its last value there.
///
/// ```
/// use inputanim::{FloatCurve, Layout, Recording, TimeRange, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// let [x, y, _] = &mut recording.head_mut().position;
/// *x = FloatCurve::linear([(0.0, 0.0), (2.0, 1.0)]);
/// *y = FloatCurve::linear([(0.0, 1.6), (1.0, 1.7), (2.0, 1.6)]);
/// edit::align_keys(&mut recording, TimeRange { start: 0.0, end: f32::INFINITY })?;
/// let [x, ..] = &recording.head.unwrap().position;
/// assert_eq!(x.keys.points().collect::<Vec<_>>(), [(0.0, 0.0), (1.0, 0.5), (2.0, 1.0)]);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if a bound is not a number, if the end is before the start, if the time of a key is not finite, or
/// if the copies of a curve that loops would take more than 4 Mi keys.
pub fn align_keys(recording: &mut Recording<'_>, range: TimeRange) -> Result<(), EditError> {
    require_range(range)?;
    // Infinite bounds mean the ends of the recording.
    let played = recording.played_range();
    let start = range.start.clamp(played.start, f32::MAX);
    let end = range.end.clamp(f32::MIN, played.end).max(start);
    let range = TimeRange { start, end };
    let mut budget = KeyBudget::new();
    // The edit changes a copy, so that an error leaves the recording unchanged.
    let mut aligned = recording.clone();
    for (path, curve) in aligned.curves_mut() {
        match curve {
            CurveMut::Float(curve) => {
                cut_float(path, curve, range, END_KEYS, &mut budget)?;
                match &mut curve.keys {
                    Keys::Full(keys) => spread(path, keys)?,
                    Keys::Simple(keys) => spread(path, keys)?,
                }
            }
            CurveMut::Boolean(curve) => {
                cut_boolean(path, curve, range, END_KEYS, &mut budget)?;
                spread(path, &mut curve.keys)?;
            }
        }
    }
    for (_, curves) in aligned.vectors_mut() {
        // Curves that share their times already stay byte for byte.
        if !share_times(curves) {
            align(curves);
        }
    }
    for device in &mut aligned.devices {
        device.cut_events(range);
    }
    aligned.known.cut(range);
    *recording = aligned;
    Ok(())
}

/// The copies of curves that loop become keys, and the ends are held.
const END_KEYS: EndKeys = EndKeys {
    where_it_loops: true,
    ..EndKeys::NONE
};

/// Sorts the keys of a curve by time, and moves keys at equal times apart by the smallest step of time. Of several keys
/// at one time, only the first and the last matter. Returns an error if the time of a key is NaN.
fn spread<K: Cut>(path: CurvePath, keys: &mut Cow<'_, [K]>) -> Result<(), EditError> {
    if keys.is_sorted_by(|a, b| a.time() < b.time()) {
        return Ok(());
    }
    let ordered = OrderedKeys::new(keys, Wrap::CLAMP).map_err(|source| UnplayableCurve {
        curve: path,
        source,
    })?;
    let mut spread: Vec<K> = Vec::with_capacity(ordered.keys.len());
    for at_one_time in ordered.keys.chunk_by(|a, b| a.time() == b.time()) {
        let (&[first, ..], &[.., last]) = (at_one_time, at_one_time) else {
            continue;
        };
        let time = last.time();
        // After a jump at the start of the curve, the key before was moved to the next time. The current key may have
        // that time too.
        spread.pop_if(|key| key.time() >= time);
        let is_jump = first.value().to_bits() != last.value().to_bits();
        let before = spread.last().map(K::time);
        match before {
            _ if !is_jump => spread.push(K::joined(first, last)),
            // At the start of a curve, the first key counts.
            None => spread.extend([first, last.moved(time.next_up())]),
            Some(before) => {
                let just_before = time.next_down();
                if before < just_before {
                    spread.push(first.moved(just_before));
                }
                spread.push(last);
            }
        }
    }
    *keys = Cow::Owned(spread);
    Ok(())
}

fn align(curves: &mut [FloatCurve<'_>]) {
    let times = TimeUnion::of(curves.iter().map(Curve::Float));
    for curve in curves.iter_mut().filter(|curve| !curve.keys.is_empty()) {
        match &mut curve.keys {
            Keys::Full(keys) => *keys = Cow::Owned(at_times(keys, &times)),
            Keys::Simple(keys) => *keys = Cow::Owned(at_times(keys, &times)),
        }
    }
}

/// Returns the keys with additional keys that do not change the curve, so that there is one key at each of `times`.
/// `times` is in order and includes the times of all keys.
fn at_times<K: Cut>(keys: &[K], times: &[f32]) -> Vec<K> {
    let mut aligned: Vec<K> = Vec::with_capacity(times.len());
    let mut keys = keys.iter().copied();
    let mut next = keys.next();
    for &time in times {
        let key = match (&mut next, aligned.last_mut()) {
            (Some(key), _) if key.time() == time => {
                // 0 and −0 are the same time. All components get the same bits.
                let key = key.moved(time);
                next = keys.next();
                key
            }
            (Some(right), Some(left)) => K::split(left, right, time),
            (Some(right), None) => K::lead_in(right, time),
            (None, Some(last)) => K::lead_out(last, time),
            (None, None) => break,
        };
        aligned.push(key);
    }
    aligned
}
