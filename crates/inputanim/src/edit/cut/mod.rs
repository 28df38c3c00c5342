//! Cutting of one curve to a time range.
//!
//! Method: a curve that loops or runs back and forth is written out, copy by copy. Then keys
//! outside the range are removed, and segments across an end are divided there. Guarantee: within
//! the range the curve has the same values except for rounding, and exactly the same values at the
//! ends.

mod bridge;
mod keys;

use std::borrow::Cow;

use crate::curve::{BooleanCurve, FloatCurve, Keys, WrapMode};
use crate::evaluate::{OrderedKeys, Wrap};
use crate::path::CurvePath;
use crate::time_range::TimeRange;

use super::budget::KeyBudget;
use super::error::EditError;
pub(super) use bridge::{GapPath, bridge, differs, is_linear, played_at, values_at};
pub(super) use keys::Cut;

/// The ends of a range at which a curve gets a key if it has none there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndKeys {
    pub(super) start: bool,
    pub(super) end: bool,
    /// `true` to add a key also at an end beyond which the curve loops. The end is held afterwards.
    pub(super) where_it_loops: bool,
}

impl EndKeys {
    /// A key at the end of the range for every curve.
    pub(super) const END: EndKeys = EndKeys {
        start: false,
        end: true,
        where_it_loops: true,
    };

    /// Keys only at ends beyond which a curve has keys.
    pub(super) const NONE: EndKeys = EndKeys {
        start: false,
        end: false,
        where_it_loops: false,
    };
}

/// Cuts a float curve to a time range. A curve without keys outside the range stays unchanged, unless `end_keys` adds
/// keys. Returns an error if the time of a key is not finite, or if the copies of a loop take more keys than the budget
/// has.
pub(super) fn cut_float(
    path: CurvePath,
    curve: &mut FloatCurve<'_>,
    range: TimeRange,
    end_keys: EndKeys,
    budget: &mut KeyBudget,
) -> Result<(), EditError> {
    let mut wrap = Wrap::of_float(curve);
    match &mut curve.keys {
        Keys::Full(keys) => cut(path, keys, &mut wrap, range, end_keys, budget)?,
        Keys::Simple(keys) => cut(path, keys, &mut wrap, range, end_keys, budget)?,
    }
    (curve.pre_wrap, curve.post_wrap) = (wrap.pre, wrap.post);
    Ok(())
}

/// Cuts a boolean curve to a time range, like [`cut_float`].
pub(super) fn cut_boolean(
    path: CurvePath,
    curve: &mut BooleanCurve<'_>,
    range: TimeRange,
    end_keys: EndKeys,
    budget: &mut KeyBudget,
) -> Result<(), EditError> {
    let mut wrap = Wrap {
        pre: curve.pre_wrap,
        post: curve.post_wrap,
    };
    cut(path, &mut curve.keys, &mut wrap, range, end_keys, budget)?;
    (curve.pre_wrap, curve.post_wrap) = (wrap.pre, wrap.post);
    Ok(())
}

fn cut<K: Cut>(
    path: CurvePath,
    keys: &mut Cow<'_, [K]>,
    wrap: &mut Wrap,
    range: TimeRange,
    end_keys: EndKeys,
    budget: &mut KeyBudget,
) -> Result<(), EditError> {
    let is_finite = |key: &K| key.time().is_finite();
    if let Some(index) = keys.iter().position(|key| !is_finite(key)) {
        return Err(EditError::TimeNotFinite { curve: path, index });
    }
    let end_keys = EndKeys {
        start: end_keys.start || end_keys.where_it_loops && !wrap.pre.holds(),
        end: end_keys.end || end_keys.where_it_loops && !wrap.post.holds(),
        ..end_keys
    };
    let is_inside = |key: &K| key.time() >= range.start && key.time() <= range.end;
    let pinned = |time: f32| keys.iter().any(|key| key.time() == time);
    let is_pinned =
        (!end_keys.start || pinned(range.start)) && (!end_keys.end || pinned(range.end));
    let is_within = keys.iter().all(is_inside);
    if keys.is_empty() {
        return Ok(());
    }
    // The curve has the requested form already, so its keys stay byte for byte.
    if is_within && is_pinned {
        if end_keys.where_it_loops {
            *wrap = held(*wrap);
        }
        return Ok(());
    }
    let ordered = OrderedKeys::new(keys, *wrap).map_err(|error| EditError::TimeNotFinite {
        curve: path,
        index: error.index,
    })?;
    let mut cut = if is_within && wrap.pre.holds() && wrap.post.holds() {
        ordered.keys.into_owned()
    } else {
        within(path, &ordered, range, budget)?
    };
    if end_keys.start {
        lead_in(&mut cut, range.start);
    }
    if end_keys.end {
        lead_out(&mut cut, range.end);
    }
    *keys = Cow::Owned(cut);
    *wrap = held(*wrap);
    Ok(())
}

/// Returns wrap modes that hold both ends. Modes that hold stay as they are.
fn held(wrap: Wrap) -> Wrap {
    let held = |mode: WrapMode| {
        if mode.holds() {
            mode
        } else {
            WrapMode::CLAMP_FOREVER
        }
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

/// Returns keys for a curve that holds both ends and has the same values as `curve` within a range. There is at least
/// one key if the curve has keys. Returns an error if the copies of a loop take more keys than the budget has.
fn within<K: Cut>(
    path: CurvePath,
    curve: &OrderedKeys<'_, K>,
    range: TimeRange,
    budget: &mut KeyBudget,
) -> Result<Vec<K>, EditError> {
    let keys = &curve.keys[..];
    let (first, last) = match keys {
        [] => return Ok(Vec::new()),
        [first, .., last] => (first.time(), last.time()),
        [only] => (only.time(), only.time()),
    };
    // A curve whose keys are all at one time has no loop to write out.
    let holds = |mode: WrapMode| mode.holds() || first == last;
    let lower = if holds(curve.wrap.pre) {
        range.start.max(first)
    } else {
        range.start
    };
    let upper = if holds(curve.wrap.post) {
        range.end.min(last)
    } else {
        range.end
    };
    if lower >= upper {
        // The value is constant, or the range is one instant.
        let time = lower.clamp(range.start, range.end);
        return Ok(vec![K::held(time, curve.at(time))]);
    }
    let all = written_out(path, curve, [first, last], [lower, upper], budget)?;
    // The wrap mode already applies at the time of the last key, so only a held curve ends there
    // with its last key.
    let is_natural_end = upper == last && holds(curve.wrap.post);
    let start = (lower != first).then_some(lower);
    let end = (!is_natural_end).then_some(upper);
    let mut cut = clipped(&all, start, end);
    // A segment that was divided twice is rounded twice, but the ends must be exact. Where the curve jumps, its value
    // at the end may be a value from the other side of the jump, because times are rounded too. A key with this value
    // would change the segment.
    if let (Some(start), Some(key)) = (start, cut.first_mut()) {
        let value = curve.at(start);
        if is_rounded(key.value(), value) {
            *key = key.with_value(value);
        }
    }
    if let (Some(end), Some(key)) = (end, cut.last_mut()) {
        let value = curve.at(end);
        if key.time() < end {
            // A reversed state has no key at the end of its copy, so there is no segment to divide.
            let last = K::lead_out(key, end).with_value(value);
            cut.push(last);
        } else if is_rounded(key.value(), value) {
            *key = key.with_value(value);
        } else {
            cut.push(K::held(end, value));
        }
    }
    Ok(cut)
}

/// Returns `true` if two values may differ only by rounding, or if their difference is not finite.
fn is_rounded(value: f32, exact: f32) -> bool {
    let difference = (value - exact).abs();
    // A value at the end that is not finite counts too.
    difference <= 1e-3 * exact.abs().max(1.0) || !difference.is_finite()
}

/// Returns the keys of all copies of a loop that reach into the time range from `lower` to `upper`. `first` and `last`
/// are the times of the curve's first and last key. Returns an error if they are more keys than the budget has.
fn written_out<'k, K: Cut>(
    path: CurvePath,
    curve: &'k OrderedKeys<'_, K>,
    [first, last]: [f32; 2],
    [lower, upper]: [f32; 2],
    budget: &mut KeyBudget,
) -> Result<Cow<'k, [K]>, EditError> {
    if lower >= first && upper <= last && (upper != last || curve.wrap.post.holds()) {
        return Ok(Cow::Borrowed(&curve.keys));
    }
    let length = f64::from(last) - f64::from(first);
    let copy_of = |time: f32| ((f64::from(time) - f64::from(first)) / length).floor();
    let (from, to) = (copy_of(lower), copy_of(upper));
    let from = if curve.wrap.pre.holds() {
        // A held end has no copies before it.
        from.max(0.0)
    } else {
        from
    };
    let to = if curve.wrap.post.holds() {
        // A held end has no copies after it.
        to.min(0.0)
    } else {
        to
    };
    // The keys are counted before any of them is created, so that memory stays bounded.
    budget.take((to - from + 1.0) * curve.keys.len() as f64, path)?;
    let mut all: Vec<K> = Vec::new();
    for copy in from as i64..=to as i64 {
        let mode = if copy < 0 {
            curve.wrap.pre
        } else {
            curve.wrap.post
        };
        let offset = copy as f64 * length;
        let is_back = mode == WrapMode::PING_PONG && copy % 2 != 0;
        let keys = if is_back {
            let ends = f64::from(first) + f64::from(last) + offset;
            K::reversed(&curve.keys, &|time| (ends - f64::from(time)) as f32)
        } else {
            let moved = |key: &K| key.moved((f64::from(key.time()) + offset) as f32);
            curve.keys.iter().map(moved).collect()
        };
        let mut keys = keys.into_iter();
        // If one copy ends where the next begins, one key is enough.
        if let Some(end) = all.last_mut()
            && let Some(start) = keys.next()
        {
            if end.time() == start.time() && end.value() == start.value() {
                *end = K::joined(*end, start);
            } else {
                all.push(start);
            }
        }
        all.extend(keys);
    }
    Ok(Cow::Owned(all))
}

/// Returns the keys from `start` to `end`, in seconds, with segments divided at these bounds. `None` stands for no
/// bound.
fn clipped<K: Cut>(keys: &[K], start: Option<f32>, end: Option<f32>) -> Vec<K> {
    let mut clipped = Vec::with_capacity(keys.len() + 2);
    let first = match start {
        // Among several keys at the start, the last one counts.
        Some(start) => keys.partition_point(|key| key.time() <= start),
        None => 0,
    };
    let end = end.unwrap_or(f32::INFINITY);
    let until = keys.partition_point(|key| key.time() <= end);
    // The next key to copy. A division before it may change it.
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
