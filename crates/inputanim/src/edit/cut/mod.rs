//! What a curve plays in a span of time, as keys of its own.
//!
//! Method: beyond its keys a curve that loops or runs back and forth is written out, copy by copy;
//! then the keys outside the span go, and segments that reach over an end are cut there. Guarantee:
//! within the span the curve plays what it played, to rounding; at an end it is the same number.

mod bridge;
mod keys;

use std::borrow::Cow;

use crate::curve::{BooleanCurve, FloatCurve, Keys, WrapMode};
use crate::evaluate::{OrderedKeys, Wrap};
use crate::path::CurvePath;
use crate::span::Span;

use super::{EditError, Room};
pub(super) use bridge::{Way, bridge, differs, is_straight, played_at, values_at};
pub(super) use keys::Cut;

/// Whether a curve must have a key at each end of the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pins {
    pub(super) start: bool,
    pub(super) end: bool,
    /// Also at an end beyond which the curve starts over or runs back, so that it can do so no
    /// more.
    pub(super) where_it_wraps: bool,
}

impl Pins {
    /// At the end, whatever the curve does there.
    pub(super) const END: Pins = Pins {
        start: false,
        end: true,
        where_it_wraps: true,
    };

    /// Only where a curve has keys beyond.
    pub(super) const NONE: Pins = Pins {
        start: false,
        end: false,
        where_it_wraps: false,
    };
}

/// Cuts a float curve to a span; one that has no key outside of it stays as it is.
pub(super) fn cut_float(
    path: CurvePath,
    curve: &mut FloatCurve<'_>,
    span: Span,
    pins: Pins,
    room: &mut Room,
) -> Result<(), EditError> {
    let mut wrap = Wrap::of_float(curve);
    match &mut curve.keys {
        Keys::Full(keys) => cut(path, keys, &mut wrap, span, pins, room)?,
        Keys::Simple(keys) => cut(path, keys, &mut wrap, span, pins, room)?,
    }
    (curve.pre_wrap, curve.post_wrap) = (wrap.pre, wrap.post);
    Ok(())
}

/// Cuts a boolean curve to a span.
pub(super) fn cut_boolean(
    path: CurvePath,
    curve: &mut BooleanCurve<'_>,
    span: Span,
    pins: Pins,
    room: &mut Room,
) -> Result<(), EditError> {
    let mut wrap = Wrap {
        pre: curve.pre_wrap,
        post: curve.post_wrap,
    };
    cut(path, &mut curve.keys, &mut wrap, span, pins, room)?;
    (curve.pre_wrap, curve.post_wrap) = (wrap.pre, wrap.post);
    Ok(())
}

fn cut<K: Cut>(
    path: CurvePath,
    keys: &mut Cow<'_, [K]>,
    wrap: &mut Wrap,
    span: Span,
    pins: Pins,
    room: &mut Room,
) -> Result<(), EditError> {
    let is_finite = |key: &K| key.time().is_finite();
    if let Some(index) = keys.iter().position(|key| !is_finite(key)) {
        return Err(EditError::TimeNotFinite { curve: path, index });
    }
    let pins = Pins {
        start: pins.start || pins.where_it_wraps && !wrap.pre.holds(),
        end: pins.end || pins.where_it_wraps && !wrap.post.holds(),
        ..pins
    };
    let is_inside = |key: &K| key.time() >= span.start && key.time() <= span.end;
    let pinned = |time: f32| keys.iter().any(|key| key.time() == time);
    let is_pinned = (!pins.start || pinned(span.start)) && (!pins.end || pinned(span.end));
    let is_whole = keys.iter().all(is_inside);
    if keys.is_empty() {
        return Ok(());
    }
    if is_whole && is_pinned {
        if pins.where_it_wraps {
            *wrap = held(*wrap);
        }
        return Ok(());
    }
    let ordered = OrderedKeys::new(keys, *wrap).map_err(|error| EditError::TimeNotFinite {
        curve: path,
        index: error.index,
    })?;
    let mut cut = match is_whole && wrap.pre.holds() && wrap.post.holds() {
        true => ordered.keys.into_owned(),
        false => within(path, &ordered, span, room)?,
    };
    if pins.start {
        lead_in(&mut cut, span.start);
    }
    if pins.end {
        lead_out(&mut cut, span.end);
    }
    *keys = Cow::Owned(cut);
    *wrap = held(*wrap);
    Ok(())
}

/// Both ends held, as they were where they already are.
fn held(wrap: Wrap) -> Wrap {
    let held = |mode: WrapMode| match mode.holds() {
        true => mode,
        false => WrapMode::CLAMP_FOREVER,
    };
    Wrap {
        pre: held(wrap.pre),
        post: held(wrap.post),
    }
}

fn lead_in<K: Cut>(keys: &mut Vec<K>, time: f32) {
    if let Some(first) = keys.first_mut().filter(|first| first.time() > time) {
        let key = K::lead_in(first, time);
        keys.insert(0, key);
    }
}

fn lead_out<K: Cut>(keys: &mut Vec<K>, time: f32) {
    if let Some(last) = keys.last_mut().filter(|last| last.time() < time) {
        let key = K::lead_out(last, time);
        keys.push(key);
    }
}

/// The keys that play in a span what the curve plays there: from the first key on that holds or
/// moves in it, to the last. There is at least one.
fn within<K: Cut>(
    path: CurvePath,
    curve: &OrderedKeys<'_, K>,
    span: Span,
    room: &mut Room,
) -> Result<Vec<K>, EditError> {
    let keys = &curve.keys[..];
    let (first, last) = match keys {
        [] => return Ok(Vec::new()),
        [first, .., last] => (first.time(), last.time()),
        [only] => (only.time(), only.time()),
    };
    let holds = |mode: WrapMode| mode.holds() || first == last;
    let lower = match holds(curve.wrap.pre) {
        true => span.start.max(first),
        false => span.start,
    };
    let upper = match holds(curve.wrap.post) {
        true => span.end.min(last),
        false => span.end,
    };
    if lower >= upper {
        // The same value throughout, or but one instant.
        let time = lower.clamp(span.start, span.end);
        return Ok(vec![K::held(time, curve.at(time))]);
    }
    let all = written_out(path, curve, [first, last], [lower, upper], room)?;
    let is_natural_end = upper == last && holds(curve.wrap.post);
    let start = (lower != first).then_some(lower);
    let end = (!is_natural_end).then_some(upper);
    let mut cut = clipped(&all, start, end);
    // Halves of halves are rounded twice: the ends are to be exact.
    if let (Some(start), Some(key)) = (start, cut.first_mut()) {
        *key = key.with_value(curve.at(start));
    }
    if let (Some(end), Some(key)) = (end, cut.last_mut()) {
        *key = key.with_value(curve.at(end));
    }
    Ok(cut)
}

/// The keys of every copy of the curve that reaches into a span.
fn written_out<'k, K: Cut>(
    path: CurvePath,
    curve: &'k OrderedKeys<'_, K>,
    [first, last]: [f32; 2],
    [lower, upper]: [f32; 2],
    room: &mut Room,
) -> Result<Cow<'k, [K]>, EditError> {
    if lower >= first && upper <= last && (upper != last || curve.wrap.post.holds()) {
        return Ok(Cow::Borrowed(&curve.keys));
    }
    let length = f64::from(last) - f64::from(first);
    let copy_of = |time: f32| ((f64::from(time) - f64::from(first)) / length).floor();
    let (from, to) = (copy_of(lower), copy_of(upper));
    let from = if !curve.wrap.pre.holds() {
        from
    } else {
        from.max(0.0)
    };
    let to = if !curve.wrap.post.holds() {
        to
    } else {
        to.min(0.0)
    };
    room.take((to - from + 1.0) * curve.keys.len() as f64, path)?;
    let mut all: Vec<K> = Vec::new();
    for copy in from as i64..=to as i64 {
        let mode = if copy < 0 {
            curve.wrap.pre
        } else {
            curve.wrap.post
        };
        let offset = copy as f64 * length;
        let is_back = mode == WrapMode::PING_PONG && copy % 2 != 0;
        let keys = match is_back {
            true => {
                let ends = f64::from(first) + f64::from(last) + offset;
                K::reversed(&curve.keys, &|time| (ends - f64::from(time)) as f32)
            }
            false => {
                let moved = |key: &K| key.moved((f64::from(key.time()) + offset) as f32);
                curve.keys.iter().map(moved).collect()
            }
        };
        let mut keys = keys.into_iter();
        // Where one copy ends as the next begins, one key is enough.
        if let Some(end) = all.last_mut()
            && let Some(start) = keys.next()
        {
            match end.time() == start.time() && end.value() == start.value() {
                true => *end = K::joined(*end, start),
                false => all.push(start),
            }
        }
        all.extend(keys);
    }
    Ok(Cow::Owned(all))
}

/// The keys from `start` to `end`, with segments cut that reach over them; all where there is no
/// bound.
fn clipped<K: Cut>(keys: &[K], start: Option<f32>, end: Option<f32>) -> Vec<K> {
    let mut clipped = Vec::with_capacity(keys.len() + 2);
    let first = match start {
        // Of several keys at the start, the last plays on.
        Some(start) => keys.partition_point(|key| key.time() <= start),
        None => 0,
    };
    let end = end.unwrap_or(f32::INFINITY);
    let until = keys.partition_point(|key| key.time() <= end);
    // What follows the keys so far; cutting before it may change it.
    let mut next = keys.get(first).copied();
    if let Some((start, &left)) = start.zip(first.checked_sub(1).and_then(|left| keys.get(left))) {
        let mut left = left;
        clipped.push(match &mut next {
            Some(right) if left.time() < start => K::split(&mut left, right, start),
            _ => left.moved(start),
        });
    }
    if until > first {
        clipped.extend(next);
        clipped.extend_from_slice(&keys[first + 1..until]);
        next = keys.get(until).copied();
    }
    if let (Some(left), Some(right)) = (clipped.last_mut(), &mut next)
        && left.time() < end
        && right.time() > end
    {
        let between = K::split(left, right, end);
        clipped.push(between);
    }
    clipped
}
