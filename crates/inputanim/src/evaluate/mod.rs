//! Evaluation of a single curve, as Unity does it.
//!
//! Method: the wrap modes map a time outside the keys to an end of the curve or to a time inside it
//! ([`wrap`]). A binary search finds the two keys around that time, and the segment between them
//! gives the value ([`segment`], [`bezier`]).
//!
//! Guarantee: the order of decisions, the wrap modes, linear segments, held values and unweighted
//! tangents agree with measurements of Unity, in single precision. Wrapped times and
//! weighted segments are computed in double precision.
//!
//! Cost: one pass over the keys that checks their order, then a binary search for each value.
//!
//! Specification: docs/evaluation.md.

mod bezier;
mod segment;
mod split;
mod wrap;

use std::borrow::Cow;

use crate::curve::{BooleanCurve, FloatCurve, Keys};
use crate::key::{BooleanKey, FullKey, SimpleKey};
use crate::order;
use crate::time_range::TimeRange;

pub(crate) use segment::{Cubic, Keyframe, fraction, lerp};
pub(crate) use split::SplitSegment;
pub(crate) use wrap::{Resolved, Wrap};

/// A curve with a key at NaN. Unity refuses such keys, so the curve has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the time of key {index} is not a number")]
#[non_exhaustive]
pub struct TimeNotANumber {
    /// Index of the first such key, counted from 0 in file order.
    pub index: usize,
}

/// Keys sorted by time, with their wrap modes.
#[derive(Clone, Debug)]
pub(crate) struct OrderedKeys<'r, K: Clone> {
    pub(crate) keys: Cow<'r, [K]>,
    pub(crate) wrap: Wrap,
}

impl<'r, K: Keyframe> OrderedKeys<'r, K> {
    pub(crate) fn new(keys: &'r [K], wrap: Wrap) -> Result<OrderedKeys<'r, K>, TimeNotANumber> {
        Ok(OrderedKeys {
            keys: in_order(keys)?,
            wrap,
        })
    }

    pub(crate) fn at(&self, time: f32) -> f32 {
        self.at_near(self.wrap, time, &mut 0)
    }

    /// Copies borrowed keys, so that the result has no lifetime.
    fn into_owned(self) -> OrderedKeys<'static, K> {
        OrderedKeys {
            keys: Cow::Owned(self.keys.into_owned()),
            wrap: self.wrap,
        }
    }

    /// Returns the value at a time in seconds, with the given wrap modes. `right` is a hint for the search, for which
    /// any number is valid. If the time is between two keys, it becomes the index of the second one, so that a call for
    /// a nearby time is faster.
    fn at_near(&self, wrap: Wrap, time: f32, right: &mut usize) -> f32 {
        let keys = &self.keys[..];
        let (first, last) = match keys {
            [] => return 0.0,
            // A curve with one key has its value at all times, NaN included (docs/evaluation.md,
            // section 1).
            [only] => return only.value(),
            [first, .., last] => (first, last),
        };
        match wrap.resolve(first.time(), last.time(), time) {
            Resolved::First => first.value(),
            Resolved::Last => last.value(),
            Resolved::NotANumber => f32::NAN,
            Resolved::Inside(time) => {
                // The time is after the first key and before the last one, so both neighbours exist.
                let is_between = |right: usize| {
                    let left = right.checked_sub(1).and_then(|left| keys.get(left));
                    left.is_some_and(|left| left.time() <= time)
                        && keys.get(right).is_some_and(|key| time < key.time())
                };
                if !is_between(*right) {
                    *right = keys.partition_point(|key| key.time() <= time);
                }
                K::between(&keys[*right - 1], &keys[*right], time)
            }
        }
    }
}

/// Returns keys sorted by time; equal times stay in file order. Copies the keys only if they are not sorted. Returns an
/// error if the time of a key is NaN.
fn in_order<K: Keyframe>(keys: &[K]) -> Result<Cow<'_, [K]>, TimeNotANumber> {
    // NaN in a longer list fails the comparison with its neighbour. A single key has no neighbour, so it is tested
    // separately.
    if keys.is_sorted_by(|a, b| a.time() <= b.time()) && keys.first().is_none_or(has_time) {
        return Ok(Cow::Borrowed(keys));
    }
    if let Some(index) = keys.iter().position(|key| !has_time(key)) {
        return Err(TimeNotANumber { index });
    }
    let mut sorted = keys.to_vec();
    order::sort_for_playback(&mut sorted, Keyframe::time);
    Ok(Cow::Owned(sorted))
}

fn has_time<K: Keyframe>(key: &K) -> bool {
    !key.time().is_nan()
}

/// A float curve prepared for evaluation (docs/evaluation.md).
///
/// ```
/// use inputanim::{FloatCurve, FullKey};
/// let curve = FloatCurve::full([
///     FullKey::hermite(0.0, 1.0, 0.0, 2.0),
///     FullKey::hermite(1.0, 3.0, 2.0, 0.0),
/// ]);
/// assert_eq!(curve.evaluator()?.at(0.25), 1.5);
/// # Ok::<(), inputanim::TimeNotANumber>(())
/// ```
#[derive(Clone, Debug)]
pub struct FloatEvaluator<'r>(FloatKeys<'r>);

#[derive(Clone, Debug)]
enum FloatKeys<'r> {
    Full(OrderedKeys<'r, FullKey>),
    Simple(OrderedKeys<'r, SimpleKey>),
}

impl FloatEvaluator<'_> {
    /// Returns the value at `time` seconds, as in Unity: 0 without keys. At NaN it returns NaN if the
    /// curve has two or more keys.
    pub fn at(&self, time: f32) -> f32 {
        match &self.0 {
            FloatKeys::Full(keys) => keys.at(time),
            FloatKeys::Simple(keys) => keys.at(time),
        }
    }

    /// Returns the value at a time in seconds. If `is_clamped`, both ends are held instead of the wrap modes of the curve.
    pub(crate) fn at_with(&self, is_clamped: bool, time: f32) -> f32 {
        let wrap = |own: Wrap| if is_clamped { Wrap::CLAMP } else { own };
        match &self.0 {
            FloatKeys::Full(keys) => keys.at_near(wrap(keys.wrap), time, &mut 0),
            FloatKeys::Simple(keys) => keys.at_near(wrap(keys.wrap), time, &mut 0),
        }
    }

    /// Copies borrowed keys, so that the result has no lifetime.
    pub(crate) fn into_owned(self) -> FloatEvaluator<'static> {
        FloatEvaluator(match self.0 {
            FloatKeys::Full(keys) => FloatKeys::Full(keys.into_owned()),
            FloatKeys::Simple(keys) => FloatKeys::Simple(keys.into_owned()),
        })
    }
}

/// A boolean curve prepared for evaluation (docs/evaluation.md).
///
/// ```
/// use inputanim::BooleanCurve;
/// let pinching = BooleanCurve::new([(0.0, false), (1.5, true)]);
/// assert!(!pinching.evaluator()?.at(1.4));
/// assert!(pinching.evaluator()?.at(1.5));
/// # Ok::<(), inputanim::TimeNotANumber>(())
/// ```
#[derive(Clone, Debug)]
pub struct BooleanEvaluator<'r>(pub(crate) OrderedKeys<'r, BooleanKey>);

impl BooleanEvaluator<'_> {
    /// Returns `true` if the curve is on at `time` seconds: each value holds until the next key. It is
    /// off without keys, and off at NaN if the curve has two or more keys.
    pub fn at(&self, time: f32) -> bool {
        self.0.at(time) > 0.5
    }

    /// Returns `true` if the curve is on at a time in seconds. If `is_clamped`, both ends are held instead of its wrap
    /// modes. `right` is a hint for the search, for which any number is valid. The call updates it, so that a call for
    /// a nearby time is faster.
    pub(crate) fn at_near(&self, is_clamped: bool, time: f32, right: &mut usize) -> bool {
        let wrap = if is_clamped { Wrap::CLAMP } else { self.0.wrap };
        self.0.at_near(wrap, time, right) > 0.5
    }

    /// Returns the time range from the first to the last key; `None` without keys.
    pub(crate) fn range(&self) -> Option<TimeRange> {
        Some(TimeRange {
            start: self.0.keys.first()?.time(),
            end: self.0.keys.last()?.time(),
        })
    }

    /// Returns the keys, sorted by time.
    pub(crate) fn keys(&self) -> &[BooleanKey] {
        &self.0.keys
    }

    /// Returns the wrap modes of both ends.
    pub(crate) fn wrap(&self) -> Wrap {
        self.0.wrap
    }

    /// Returns the evaluator of a curve without keys.
    pub(crate) fn empty() -> BooleanEvaluator<'static> {
        BooleanEvaluator(OrderedKeys {
            keys: Cow::Borrowed(&[]),
            wrap: Wrap::CLAMP,
        })
    }

    /// Copies borrowed keys, so that the result has no lifetime.
    pub(crate) fn into_owned(self) -> BooleanEvaluator<'static> {
        BooleanEvaluator(self.0.into_owned())
    }
}

impl FloatCurve<'_> {
    /// Prepares the curve for evaluation. Sorts the keys if necessary, as Unity does.
    ///
    /// # Errors
    /// When the time of a key is NaN.
    pub fn evaluator(&self) -> Result<FloatEvaluator<'_>, TimeNotANumber> {
        let wrap = Wrap::of_float(self);
        Ok(FloatEvaluator(match &self.keys {
            Keys::Full(keys) => FloatKeys::Full(OrderedKeys::new(keys, wrap)?),
            Keys::Simple(keys) => FloatKeys::Simple(OrderedKeys::new(keys, wrap)?),
        }))
    }
}

impl BooleanCurve<'_> {
    /// Prepares the curve for evaluation. Sorts the keys if necessary, as Unity does.
    ///
    /// # Errors
    /// When the time of a key is NaN.
    pub fn evaluator(&self) -> Result<BooleanEvaluator<'_>, TimeNotANumber> {
        let wrap = Wrap {
            pre: self.pre_wrap,
            post: self.post_wrap,
        };
        Ok(BooleanEvaluator(OrderedKeys::new(&self.keys, wrap)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::WrapMode;

    #[test]
    fn keys_out_of_order_are_sorted_and_equal_times_keep_their_order() {
        let curve = FloatCurve::linear([(2.0, 4.0), (1.0, 1.0), (0.0, 0.0), (1.0, 2.0)]);
        let curve = curve.evaluator().unwrap();
        assert_eq!(curve.at(0.5), 0.5);
        assert_eq!(
            curve.at(1.0),
            2.0,
            "the last of equal times starts the next segment"
        );
        assert_eq!(curve.at(1.5), 3.0);
    }

    #[test]
    fn at_equal_start_times_the_first_key_counts_at_the_time_and_the_last_key_after_it() {
        let curve = FloatCurve::linear([(1.0, 5.0), (1.0, 0.0), (2.0, 1.0)]);
        let curve = curve.evaluator().unwrap();
        assert_eq!(curve.at(1.0), 5.0);
        assert_eq!(curve.at(1.25), 0.25);
    }

    #[test]
    fn a_key_at_nan_is_refused_with_its_index() {
        let curve = FloatCurve::linear([(0.0, 1.0), (f32::NAN, 1.0)]);
        assert_eq!(curve.evaluator().unwrap_err(), TimeNotANumber { index: 1 });
        let curve = BooleanCurve::new([(f32::NAN, true)]);
        assert_eq!(curve.evaluator().unwrap_err(), TimeNotANumber { index: 0 });
    }

    #[test]
    fn the_value_at_nan_is_nan() {
        let curve = FloatCurve::linear([(0.0, 1.0), (1.0, 1.0)]);
        assert!(curve.evaluator().unwrap().at(f32::NAN).is_nan());
        let on = BooleanCurve::new([(0.0, true), (1.0, true)]);
        assert!(!on.evaluator().unwrap().at(f32::NAN));
    }

    #[test]
    fn a_boolean_curve_flips_exactly_at_its_key() {
        let mut curve = BooleanCurve::new([(0.0, false), (1.5, true), (2.0, false)]);
        let at = |curve: &BooleanCurve<'_>, time| curve.evaluator().unwrap().at(time);
        assert!(!at(&curve, 1.5_f32.next_down()));
        assert!(at(&curve, 1.5));
        assert!(at(&curve, 2.0_f32.next_down()));
        assert!(!at(&curve, 2.0));
        curve.post_wrap = WrapMode::LOOP;
        assert!(at(&curve, 3.5));
    }
}
