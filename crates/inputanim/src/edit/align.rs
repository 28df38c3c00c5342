//! Keys of a vector at the same times.

use std::borrow::Cow;

use crate::curve::{Curve, CurveMut, FloatCurve, Keys};
use crate::evaluate::{OrderedKeys, Wrap};
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::sampler::UnplayableCurve;
use crate::span::Span;
use crate::summary::Union;
use crate::vector::share_times;

use super::cut::{Cut, Pins, cut_boolean, cut_float};
use super::{EditError, Room, played};

/// Gives the components of every position, rotation and direction keys at the same times, for formats
/// whose keys are whole vectors: where one component has a key, the others get one too, between theirs
/// and so that they play what they did. A component without any key stays so.
///
/// What plays in a span of time is kept, as by [`trim`](super::trim), of a recording which lost its w
/// too. The keys of each curve are then in order and at times of their own: where a curve jumps, one of
/// its two keys moves to the neighbouring time. All curves hold their
/// ends: one that starts over exactly at the end of the span keeps its last value there.
///
/// ```
/// use inputanim::{FloatCurve, Layout, Recording, Span, edit};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// let [x, y, _] = &mut take.camera_mut().position;
/// *x = FloatCurve::linear([(0.0, 0.0), (2.0, 1.0)]);
/// *y = FloatCurve::linear([(0.0, 1.6), (1.0, 1.7), (2.0, 1.6)]);
/// edit::align_keys(&mut take, Span { start: 0.0, end: f32::INFINITY })?;
/// let [x, ..] = &take.camera.unwrap().position;
/// assert_eq!(x.keys.points().collect::<Vec<_>>(), [(0.0, 0.0), (1.0, 0.5), (2.0, 1.0)]);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// When a bound is not a number or the end lies before the start, when a key's time is not finite, or
/// when a loop would take more than 4 Mi keys to write out.
pub fn align_keys(recording: &mut Recording<'_>, span: Span) -> Result<(), EditError> {
    if span.start.is_nan() || span.end.is_nan() || span.end < span.start {
        return Err(EditError::Number {
            what: "the length of the span",
            value: span.length().into(),
            expected: "0 or more",
        });
    }
    let whole = played(recording);
    let start = span.start.clamp(whole.start, f32::MAX);
    let end = span.end.clamp(f32::MIN, whole.end).max(start);
    let span = Span { start, end };
    let mut room = Room::NEW;
    let mut aligned = recording.clone();
    for (path, curve) in aligned.curves_mut() {
        match curve {
            CurveMut::Float(curve) => {
                cut_float(path, curve, span, PINS, &mut room)?;
                match &mut curve.keys {
                    Keys::Full(keys) => spread(path, keys)?,
                    Keys::Simple(keys) => spread(path, keys)?,
                }
            }
            CurveMut::Boolean(curve) => {
                cut_boolean(path, curve, span, PINS, &mut room)?;
                spread(path, &mut curve.keys)?;
            }
        }
    }
    for (_, curves) in aligned.vectors_mut() {
        if !share_times(curves) {
            align(curves);
        }
    }
    *recording = aligned;
    Ok(())
}

/// Where a curve starts over, it does so no more.
const PINS: Pins = Pins {
    where_it_wraps: true,
    ..Pins::NONE
};

/// Puts keys in order, of which no two have one time: of several, the first and the last count.
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
        // Beyond a jump at the start, as near to this one as can be.
        spread.pop_if(|key| key.time() >= time);
        let is_jump = first.value().to_bits() != last.value().to_bits();
        let before = spread.last().map(K::time);
        match before {
            _ if !is_jump => spread.push(K::joined(first, last)),
            // At the very start, the first one plays.
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
    let mut union = Union::default();
    for curve in curves.iter() {
        union.add(&Curve::Float(curve));
    }
    let times = union.finish();
    for curve in curves.iter_mut().filter(|curve| !curve.keys.is_empty()) {
        match &mut curve.keys {
            Keys::Full(keys) => *keys = Cow::Owned(at_times(keys, &times)),
            Keys::Simple(keys) => *keys = Cow::Owned(at_times(keys, &times)),
        }
    }
}

/// The keys, and further ones, so that there is one at each of some times, which are in order and
/// those of the keys among them.
fn at_times<K: Cut>(keys: &[K], times: &[f32]) -> Vec<K> {
    let mut aligned: Vec<K> = Vec::with_capacity(times.len());
    let mut keys = keys.iter().copied();
    let mut next = keys.next();
    for &time in times {
        let key = match (&mut next, aligned.last_mut()) {
            (Some(key), _) if key.time() == time => {
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
