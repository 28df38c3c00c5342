//! Other ways across a span of a curve than those that its keys take.

use std::borrow::Cow;

use crate::curve::{FloatCurve, Keys};
use crate::evaluate::{OrderedKeys, Wrap};
use crate::span::Span;

use super::clipped;
use super::keys::Cut;

/// How a curve gets from the start of a span to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::edit) enum Way {
    /// On a straight line.
    Straight,
    /// On a straight line to the negative of the value at the end, from where it jumps.
    Opposite,
    /// It holds its value and jumps at the end.
    Held,
}

/// The values at some times, both ends held; at the time of a key that key's own, and of several
/// the last one's. Here and below, all times must be numbers.
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

/// The values at some times as they play where both ends are held: of several keys at the start of
/// the curve the first one's, of several elsewhere the last one's.
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

/// Of each span, which has no keys within, whether a straight line from what plays at its start to
/// what plays at its end is what plays in it.
pub(in crate::edit) fn is_straight(curve: &FloatCurve<'_>, spans: &[Span]) -> Vec<bool> {
    fn on<K: Cut>(keys: &[K], spans: &[Span]) -> Vec<bool> {
        let keys = in_order(keys);
        let is_straight = |span: &Span| {
            let right = keys.partition_point(|key| key.time() <= span.start);
            let (a, b) = (
                right.checked_sub(1).map(|left| &keys[left]),
                keys.get(right),
            );
            // Of several keys at one time, another one may play there.
            let plays = |key: &K| {
                let is_end = key.time() == span.start || key.time() == span.end;
                !is_end || key.value().to_bits() == played(&keys, key.time()).to_bits()
            };
            let is_line = a.zip(b).is_none_or(|(a, b)| K::is_straight(a, b));
            is_line && a.is_none_or(plays) && b.is_none_or(plays)
        };
        spans.iter().map(is_straight).collect()
    }
    match &curve.keys {
        Keys::Full(keys) => on(keys, spans),
        Keys::Simple(keys) => on(keys, spans),
    }
}

/// Of each span, whether a curve crosses it in another way than is said.
pub(in crate::edit) fn differs(curve: &FloatCurve<'_>, spans: &[(Span, Way)]) -> Vec<bool> {
    fn on<K: Cut>(keys: &[K], spans: &[(Span, Way)]) -> Vec<bool> {
        let keys = in_order(keys);
        let differs = |&(span, way): &(Span, Way)| !takes(&keys, span, way);
        spans.iter().map(differs).collect()
    }
    match &curve.keys {
        Keys::Full(keys) => on(keys, spans),
        Keys::Simple(keys) => on(keys, spans),
    }
}

/// Leads a curve across spans, which are in order and share no more than their ends. Keys strictly
/// within a span go; there are keys at its ends then, and outside it plays what it did.
pub(in crate::edit) fn bridge(curve: &mut FloatCurve<'_>, spans: &[(Span, Way)]) {
    match &mut curve.keys {
        Keys::Full(keys) => bridge_keys(keys, spans),
        Keys::Simple(keys) => bridge_keys(keys, spans),
    }
}

fn in_order<K: Cut>(keys: &[K]) -> Cow<'_, [K]> {
    let ordered = OrderedKeys::new(keys, Wrap::CLAMP);
    ordered.map_or(Cow::Borrowed(keys), |ordered| ordered.keys)
}

fn bridge_keys<K: Cut>(keys: &mut Cow<'_, [K]>, spans: &[(Span, Way)]) {
    if keys.is_empty() || spans.is_empty() {
        return;
    }
    let ordered = in_order(keys);
    let mut bridged: Vec<K> = Vec::with_capacity(ordered.len() + 3 * spans.len());
    let mut from = None;
    for &(span, way) in spans {
        bridged.append(&mut between(&ordered, from, Some(span.start)));
        cross(&mut bridged, span, way, value(&ordered, span.end));
        from = Some(span.end);
    }
    bridged.append(&mut between(&ordered, from, None));
    *keys = Cow::Owned(bridged);
}

/// The keys from one bound to the other, with keys at both, also where an end of the curve is
/// held; at the first a straight line arrives.
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

/// Adds what leads from the last key to just before the end of a span, where `end` is the value.
fn cross<K: Cut>(bridged: &mut Vec<K>, span: Span, way: Way, end: f32) {
    let Some(last) = bridged.last_mut() else {
        return;
    };
    // Not at the same time: programs differ in which of two keys they take, or take but one.
    let before = span.end.next_down();
    let held = K::lead_out(last, before);
    let key = match way {
        Way::Straight => return,
        Way::Held => held,
        Way::Opposite => K::held(before, -end),
    };
    if last.time() < before {
        bridged.push(key);
    }
}

/// Whether a curve has no key within a span and takes that way across it.
fn takes<K: Cut>(keys: &[K], span: Span, way: Way) -> bool {
    let left = keys.partition_point(|key| key.time() <= span.start);
    let right = keys.partition_point(|key| key.time() < span.end);
    if left != right {
        return false;
    }
    let before = left.checked_sub(1).and_then(|left| keys.get(left));
    let Some((a, b)) = before.zip(keys.get(right)) else {
        // An end that is held, or no key at all.
        return true;
    };
    let is_constant = a.value().to_bits() == b.value().to_bits();
    match way {
        Way::Straight => K::is_straight(a, b),
        Way::Opposite => false,
        Way::Held => is_constant && K::is_straight(a, b),
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
