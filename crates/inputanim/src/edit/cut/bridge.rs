//! Replacement of the path of a curve across a time range.

use std::borrow::Cow;

use crate::curve::{FloatCurve, Keys};
use crate::evaluate::{OrderedKeys, Wrap};
use crate::time_range::TimeRange;

use super::clipped;
use super::keys::Cut;

/// The path of a curve from the start of a time range to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::edit) enum GapPath {
    /// Linear interpolation.
    Linear,
    /// Linear interpolation to the negative of the value at the end of the range, where the curve
    /// jumps.
    LinearToOpposite,
    /// The value is held and jumps at the end.
    Held,
}

/// Returns the values of a curve at times in seconds, with both ends held. If several keys have the same time, the last
/// one counts. Here and below, no time may be NaN.
pub(in crate::edit) fn values_at(
    curve: &FloatCurve<'_>,
    times: impl Iterator<Item = f32>,
) -> Vec<f32> {
    fn at<K: Cut>(keys: &[K], times: impl Iterator<Item = f32>) -> Vec<f32> {
        let keys = in_order(keys);
        times.map(|time| value(&keys, time)).collect()
    }
    match &curve.keys {
        Keys::Full(keys) => at(keys, times),
        Keys::Simple(keys) => at(keys, times),
    }
}

/// Returns the values of a curve at times in seconds, as a player evaluates them with both ends held. If several keys
/// have the same time, the first one counts at the start of the curve, and the last one elsewhere. No time may be NaN.
pub(in crate::edit) fn played_at(curve: &FloatCurve<'_>, times: &[f32]) -> Vec<f32> {
    fn at<K: Cut>(keys: &[K], times: &[f32]) -> Vec<f32> {
        let keys = in_order(keys);
        times.iter().map(|&time| played(&keys, time)).collect()
    }
    match &curve.keys {
        Keys::Full(keys) => at(keys, times),
        Keys::Simple(keys) => at(keys, times),
    }
}

/// Returns `true` for each range in which the curve interpolates linearly between its values at both ends of the range.
/// The ranges must not have keys inside.
pub(in crate::edit) fn is_linear(curve: &FloatCurve<'_>, ranges: &[TimeRange]) -> Vec<bool> {
    fn on<K: Cut>(keys: &[K], ranges: &[TimeRange]) -> Vec<bool> {
        let keys = in_order(keys);
        let is_linear = |range: &TimeRange| {
            let right = keys.partition_point(|key| key.time() <= range.start);
            let (a, b) = (
                right.checked_sub(1).map(|left| &keys[left]),
                keys.get(right),
            );
            // If several keys have this time, another key may determine the value there.
            let plays = |key: &K| {
                let is_end = key.time() == range.start || key.time() == range.end;
                !is_end || key.value().to_bits() == played(&keys, key.time()).to_bits()
            };
            let is_line = a.zip(b).is_none_or(|(a, b)| K::is_linear(a, b));
            is_line && a.is_none_or(plays) && b.is_none_or(plays)
        };
        ranges.iter().map(is_linear).collect()
    }
    match &curve.keys {
        Keys::Full(keys) => on(keys, ranges),
        Keys::Simple(keys) => on(keys, ranges),
    }
}

/// Returns `true` for each range in which the curve does not follow the given path already.
pub(in crate::edit) fn differs(
    curve: &FloatCurve<'_>,
    ranges: &[(TimeRange, GapPath)],
) -> Vec<bool> {
    fn on<K: Cut>(keys: &[K], ranges: &[(TimeRange, GapPath)]) -> Vec<bool> {
        let keys = in_order(keys);
        let differs = |&(range, path): &(TimeRange, GapPath)| !follows(&keys, range, path);
        ranges.iter().map(differs).collect()
    }
    match &curve.keys {
        Keys::Full(keys) => on(keys, ranges),
        Keys::Simple(keys) => on(keys, ranges),
    }
}

/// Replaces the values of a curve within time ranges by the given paths. The ranges are in order and share at most
/// their ends. Keys within a range are removed, and keys are added at its ends. Values outside the ranges do not
/// change.
pub(in crate::edit) fn bridge(curve: &mut FloatCurve<'_>, ranges: &[(TimeRange, GapPath)]) {
    match &mut curve.keys {
        Keys::Full(keys) => bridge_keys(keys, ranges),
        Keys::Simple(keys) => bridge_keys(keys, ranges),
    }
}

fn in_order<K: Cut>(keys: &[K]) -> Cow<'_, [K]> {
    let ordered = OrderedKeys::new(keys, Wrap::CLAMP);
    // Callers have refused keys at NaN, which are the only error.
    ordered.map_or(Cow::Borrowed(keys), |ordered| ordered.keys)
}

fn bridge_keys<K: Cut>(keys: &mut Cow<'_, [K]>, ranges: &[(TimeRange, GapPath)]) {
    if keys.is_empty() || ranges.is_empty() {
        return;
    }
    let ordered = in_order(keys);
    let mut bridged: Vec<K> = Vec::with_capacity(ordered.len() + 3 * ranges.len());
    let mut from = None;
    for &(range, path) in ranges {
        // Each part is cut from the original keys, because a cut may change the tangents of a key.
        bridged.append(&mut between(&ordered, from, Some(range.start)));
        cross(&mut bridged, range, path, value(&ordered, range.end));
        from = Some(range.end);
    }
    bridged.append(&mut between(&ordered, from, None));
    *keys = Cow::Owned(bridged);
}

/// Returns the keys from `from` to `until`, with a key at each of these bounds; `None` stands for no bound. A bound
/// beyond the end of the curve gets a key too, which holds the end value. The segment between `from` and a later first
/// key is linear.
fn between<K: Cut>(keys: &[K], from: Option<f32>, until: Option<f32>) -> Vec<K> {
    let mut between = clipped(keys, from, until);
    if let (true, Some(bound)) = (between.is_empty(), from.or(until)) {
        between.push(K::held(bound, value(keys, bound)));
    }
    if let (Some(from), Some(first)) = (from, between.first_mut()) {
        let start = K::lead_in(first, from);
        if first.time() > from {
            between.insert(0, start);
        }
    }
    if let (Some(until), Some(last)) = (until, between.last_mut())
        && last.time() < until
    {
        let end = K::lead_out(last, until);
        between.push(end);
    }
    between
}

/// Adds the keys that follow `path` from the last key of `bridged`, which is at the start of the range, to just before
/// the end of the range. `end` is the value of the curve at the end.
fn cross<K: Cut>(bridged: &mut Vec<K>, range: TimeRange, path: GapPath, end: f32) {
    let Some(last) = bridged.last_mut() else {
        return;
    };
    // The jump is not made of two keys at one time, because programs differ in which of them they
    // use.
    let before = range.end.next_down();
    let held = K::lead_out(last, before);
    let key = match path {
        GapPath::Linear => return,
        GapPath::Held => held,
        GapPath::LinearToOpposite => K::held(before, -end),
    };
    if last.time() < before {
        bridged.push(key);
    }
}

/// Returns `true` if a curve has no key within a range and crosses it on the given path.
fn follows<K: Cut>(keys: &[K], range: TimeRange, path: GapPath) -> bool {
    let left = keys.partition_point(|key| key.time() <= range.start);
    let right = keys.partition_point(|key| key.time() < range.end);
    if left != right {
        return false;
    }
    let before = left.checked_sub(1).and_then(|left| keys.get(left));
    let Some((a, b)) = before.zip(keys.get(right)) else {
        // An end is held, or there are no keys.
        return true;
    };
    let is_constant = a.value().to_bits() == b.value().to_bits();
    match path {
        GapPath::Linear => K::is_linear(a, b),
        GapPath::LinearToOpposite => false,
        GapPath::Held => is_constant && K::is_linear(a, b),
    }
}

fn value<K: Cut>(keys: &[K], time: f32) -> f32 {
    let right = keys.partition_point(|key| key.time() <= time);
    let left = right.checked_sub(1).and_then(|left| keys.get(left));
    match (left, keys.get(right)) {
        (Some(left), Some(right)) if left.time() < time => K::between(left, right, time),
        (Some(key), _) | (None, Some(key)) => key.value(),
        (None, None) => 0.0,
    }
}

fn played<K: Cut>(keys: &[K], time: f32) -> f32 {
    match keys.first() {
        Some(first) if time <= first.time() => first.value(),
        _ => value(keys, time),
    }
}
