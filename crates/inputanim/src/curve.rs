//! Animation curves: keys over time, and wrap modes outside them.
//!
//! Specification: docs/format.md, sections 1.4 and 4.1.

use std::borrow::Cow;
use std::fmt;

use crate::key::{BooleanKey, FullKey, SimpleKey};
use crate::time_range::TimeRange;

/// The behaviour of a curve before its first or after its last key (docs/format.md, section 4.1).
///
/// A file can contain any number, so this type can too. [`is_known`](Self::is_known) returns `true` if
/// Unity defines the number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct WrapMode(pub i32);

impl WrapMode {
    /// Unity's default; curves evaluate it as [`LOOP`](Self::LOOP).
    pub const DEFAULT: WrapMode = WrapMode(0);
    /// Holds the end value.
    pub const ONCE: WrapMode = WrapMode(1);
    /// Starts over.
    pub const LOOP: WrapMode = WrapMode(2);
    /// Runs back and forth.
    pub const PING_PONG: WrapMode = WrapMode(4);
    /// Holds the end value. MRTK writes this mode.
    pub const CLAMP_FOREVER: WrapMode = WrapMode(8);

    /// Returns `true` if Unity defines a wrap mode with this number.
    pub const fn is_known(self) -> bool {
        matches!(self.0, 0 | 1 | 2 | 4 | 8)
    }

    /// Returns `true` if a curve with this wrap mode keeps the value of its first or last key outside its keys.
    pub(crate) const fn holds(self) -> bool {
        // Unity evaluates Once like ClampForever (docs/evaluation.md, section 2).
        matches!(self, WrapMode::ONCE | WrapMode::CLAMP_FOREVER)
    }
}

impl fmt::Debug for WrapMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for WrapMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.pad("Default"),
            1 => f.pad("Once"),
            2 => f.pad("Loop"),
            4 => f.pad("PingPong"),
            8 => f.pad("ClampForever"),
            // `pad` applies the width and the alignment of the format string, which `write!`
            // ignores.
            other => f.pad(&format!("unknown ({other})")),
        }
    }
}

/// The form of the float keys of a curve or a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// [`FullKey`], 28 bytes.
    Full,
    /// [`SimpleKey`], 8 bytes.
    Simple,
}

impl KeyKind {
    /// Returns the size of one key of this form in a file, in bytes.
    pub const fn size(self) -> usize {
        match self {
            KeyKind::Full => size_of::<FullKey>(),
            KeyKind::Simple => size_of::<SimpleKey>(),
        }
    }

    /// Returns the name of this form of keys: `full` or `simple`.
    pub const fn name(self) -> &'static str {
        match self {
            KeyKind::Full => "full",
            KeyKind::Simple => "simple",
        }
    }
}

/// The keys of a float curve, borrowed from a file or owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys<'a> {
    /// Keys with tangents and weights.
    Full(Cow<'a, [FullKey]>),
    /// Keys with time and value only.
    Simple(Cow<'a, [SimpleKey]>),
}

impl<'a> Keys<'a> {
    /// Returns an empty list of keys of the given form.
    pub const fn empty(kind: KeyKind) -> Keys<'a> {
        match kind {
            KeyKind::Full => Keys::Full(Cow::Borrowed(&[])),
            KeyKind::Simple => Keys::Simple(Cow::Borrowed(&[])),
        }
    }

    /// Returns the form of the keys: full (with tangents) or simple.
    pub const fn kind(&self) -> KeyKind {
        match self {
            Keys::Full(_) => KeyKind::Full,
            Keys::Simple(_) => KeyKind::Simple,
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        match self {
            Keys::Full(keys) => keys.len(),
            Keys::Simple(keys) => keys.len(),
        }
    }

    /// Returns `true` if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the time in seconds and the value of the key at `index`; `None` if there is no such key.
    pub fn point(&self, index: usize) -> Option<(f32, f32)> {
        match self {
            Keys::Full(keys) => keys.get(index).map(|key| (key.time(), key.value())),
            Keys::Simple(keys) => keys.get(index).map(|key| (key.time(), key.value())),
        }
    }

    /// Returns the time range from the first to the last stored key, in seconds; `None` if there are no keys, or if all
    /// key times are NaN.
    ///
    /// The keys between them are not read, because all known writers store keys in order of time
    /// ([`doctor`](crate::doctor) reports other curves). If one of the two times is not finite, all keys are read, NaN
    /// is ignored, and a bound may be infinite.
    ///
    /// ```
    /// use inputanim::{Curve, FloatCurve, TimeRange};
    /// let curve = FloatCurve::linear([(0.5, 1.0), (1.0, 2.0), (4.0, 3.0)]);
    /// let range = TimeRange { start: 0.5, end: 4.0 };
    /// assert_eq!(Curve::Float(&curve).time_range(), Some(range));
    /// ```
    pub fn time_range(&self) -> Option<TimeRange> {
        let time = |index: usize| self.point(index).map(|(time, _)| time);
        let (first, last) = (time(0)?, time(self.len() - 1)?);
        if first.is_finite() && last.is_finite() {
            let (start, end) = (first.min(last), first.max(last));
            return Some(TimeRange { start, end });
        }
        let times = self.points().map(|(time, _)| time);
        let times = times.filter(|time| !time.is_nan());
        times.map(TimeRange::instant).reduce(TimeRange::hull)
    }

    /// Returns the time in seconds and the value of every key, in file order.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (f32, f32)> + '_ {
        (0..self.len()).map(|index| match self {
            Keys::Full(keys) => (keys[index].time(), keys[index].value()),
            Keys::Simple(keys) => (keys[index].time(), keys[index].value()),
        })
    }

    /// Returns `true` if both lists have the same number of keys, and their times have equal bits.
    pub(crate) fn share_times(&self, other: &Keys<'_>) -> bool {
        fn same<K>(a: &[K], b: &[K], time: impl Fn(&K) -> f32) -> bool {
            let differ = |(a, b): (&K, &K)| time(a).to_bits() ^ time(b).to_bits();
            // There is no early exit, because it would prevent vectorisation, and the times are nearly always the same.
            a.len() == b.len() && a.iter().zip(b).map(differ).fold(0, |all, one| all | one) == 0
        }
        match (self, other) {
            (Keys::Full(a), Keys::Full(b)) => same(a, b, FullKey::time),
            (Keys::Simple(a), Keys::Simple(b)) => same(a, b, SimpleKey::time),
            _ => {
                let bits = |(time, _): (f32, f32)| time.to_bits();
                self.points().map(bits).eq(other.points().map(bits))
            }
        }
    }

    /// Appends a key at `time` seconds that is interpolated linearly. It gets the form of the existing keys: full or
    /// simple.
    pub fn push_linear(&mut self, time: f32, value: f32) {
        match self {
            Keys::Full(keys) => keys.to_mut().push(FullKey::linear(time, value)),
            Keys::Simple(keys) => keys.to_mut().push(SimpleKey::new(time, value)),
        }
    }

    /// Appends a key with tangents. Existing simple keys become full ones, without loss.
    pub fn push_full(&mut self, key: FullKey) {
        // A curve has one form of keys, so the first key with tangents converts all others. Simple
        // keys become linear full keys, which evaluate to the same values.
        if let Keys::Simple(keys) = self {
            *self = Keys::Full(keys.iter().map(|&key| key.into()).collect());
        }
        if let Keys::Full(keys) = self {
            keys.to_mut().push(key);
        }
    }

    /// Calls a function with the index of each key, and removes the keys for which it returns `false`.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut index = 0;
        let mut keep = || {
            index += 1;
            keep(index - 1)
        };
        match self {
            Keys::Full(keys) => keys.to_mut().retain(|_| keep()),
            Keys::Simple(keys) => keys.to_mut().retain(|_| keep()),
        }
    }

    /// Sets the value of the key at `index`, and makes the key linear: drops its tangents and weights. Does nothing if
    /// there is no such key.
    pub(crate) fn set_value(&mut self, index: usize, value: f32) {
        match self {
            // The new key has the tangents of a linear segment. Its old tangents are dropped.
            Keys::Full(keys) => {
                if let Some(key) = keys.to_mut().get_mut(index) {
                    *key = FullKey::linear(key.time(), value);
                }
            }
            Keys::Simple(keys) => {
                if let Some(key) = keys.to_mut().get_mut(index) {
                    *key = SimpleKey::new(key.time(), value);
                }
            }
        }
    }

    /// Multiplies the value and the tangents of the key at `index` by `factor`. Does nothing if there is no such key.
    pub(crate) fn scale(&mut self, index: usize, factor: f64) {
        match self {
            Keys::Full(keys) => {
                if let Some(key) = keys.to_mut().get_mut(index) {
                    *key = key.mapped(factor, 0.0);
                }
            }
            Keys::Simple(keys) => {
                if let Some(key) = keys.to_mut().get_mut(index) {
                    *key = key.mapped(factor, 0.0);
                }
            }
        }
    }

    /// Returns copies of the keys with every value multiplied by `factor` and then increased by `offset`, and with
    /// every tangent multiplied by `factor`.
    pub(crate) fn mapped(&self, factor: f64, offset: f64) -> Keys<'static> {
        match self {
            Keys::Full(keys) => {
                Keys::Full(keys.iter().map(|key| key.mapped(factor, offset)).collect())
            }
            Keys::Simple(keys) => {
                Keys::Simple(keys.iter().map(|key| key.mapped(factor, offset)).collect())
            }
        }
    }

    /// Copies borrowed keys, so that the result borrows nothing.
    pub fn into_owned(self) -> Keys<'static> {
        match self {
            Keys::Full(keys) => Keys::Full(Cow::Owned(keys.into_owned())),
            Keys::Simple(keys) => Keys::Simple(Cow::Owned(keys.into_owned())),
        }
    }
}

impl Default for Keys<'_> {
    fn default() -> Self {
        Keys::empty(KeyKind::Simple)
    }
}

/// A curve of real numbers (docs/format.md, section 1.4).
///
/// ```
/// use inputanim::{FloatCurve, WrapMode};
/// let curve = FloatCurve::linear([(0.0, 1.0), (2.0, 3.0)]);
/// assert_eq!(curve.keys.point(1), Some((2.0, 3.0)));
/// assert_eq!(curve.post_wrap, WrapMode::CLAMP_FOREVER);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatCurve<'a> {
    /// Wrap mode before the first key.
    pub pre_wrap: WrapMode,
    /// Wrap mode after the last key.
    pub post_wrap: WrapMode,
    /// The keys in file order.
    pub keys: Keys<'a>,
}

impl<'a> FloatCurve<'a> {
    /// Returns a curve without keys. `kind` is the form of its keys: full (with tangents) or simple.
    pub(crate) const fn empty(kind: KeyKind) -> FloatCurve<'a> {
        FloatCurve {
            pre_wrap: WrapMode::CLAMP_FOREVER,
            post_wrap: WrapMode::CLAMP_FOREVER,
            keys: Keys::empty(kind),
        }
    }

    /// Returns a curve of linear segments through points of (time in seconds, value). Before its first and after its
    /// last point, it keeps the value of that point.
    pub fn linear(points: impl IntoIterator<Item = (f32, f32)>) -> FloatCurve<'a> {
        let keys = points.into_iter().map(|(t, v)| SimpleKey::new(t, v));
        FloatCurve {
            keys: Keys::Simple(keys.collect()),
            ..FloatCurve::default()
        }
    }

    /// Returns a curve of full keys, which have tangents. Before its first and after its last key, it keeps the value
    /// of that key.
    pub fn full(keys: impl IntoIterator<Item = FullKey>) -> FloatCurve<'a> {
        FloatCurve {
            keys: Keys::Full(keys.into_iter().collect()),
            ..FloatCurve::default()
        }
    }

    /// Converts the keys to the given form. From full to simple, this drops the tangents.
    pub(crate) fn into_kind(self, kind: KeyKind) -> FloatCurve<'a> {
        let keys = match (self.keys, kind) {
            (Keys::Full(keys), KeyKind::Simple) => {
                Keys::Simple(keys.iter().map(|key| key.to_simple()).collect())
            }
            (Keys::Simple(keys), KeyKind::Full) => {
                Keys::Full(keys.iter().map(|&key| key.into()).collect())
            }
            (keys, _) => keys,
        };
        FloatCurve { keys, ..self }
    }

    /// Returns a curve that borrows the keys of this one.
    pub(crate) fn borrowed(&self) -> FloatCurve<'_> {
        FloatCurve {
            keys: match &self.keys {
                Keys::Full(keys) => Keys::Full(Cow::Borrowed(keys)),
                Keys::Simple(keys) => Keys::Simple(Cow::Borrowed(keys)),
            },
            ..*self
        }
    }

    /// Copies borrowed keys, so that the result borrows nothing.
    pub fn into_owned(self) -> FloatCurve<'static> {
        FloatCurve {
            pre_wrap: self.pre_wrap,
            post_wrap: self.post_wrap,
            keys: self.keys.into_owned(),
        }
    }
}

/// A curve of on and off values (docs/format.md, section 1.7): each value holds until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooleanCurve<'a> {
    /// Wrap mode before the first key.
    pub pre_wrap: WrapMode,
    /// Wrap mode after the last key.
    pub post_wrap: WrapMode,
    /// The keys in file order.
    pub keys: Cow<'a, [BooleanKey]>,
}

impl<'a> BooleanCurve<'a> {
    /// Returns a curve from pairs of a time in seconds and the value from that time on. The first value also holds
    /// before its time.
    pub fn new(flips: impl IntoIterator<Item = (f32, bool)>) -> BooleanCurve<'a> {
        let keys = flips.into_iter().map(|(t, on)| BooleanKey::new(t, on));
        BooleanCurve {
            keys: keys.collect(),
            ..BooleanCurve::default()
        }
    }

    /// Appends a key at a time in seconds.
    pub fn push(&mut self, time: f32, on: bool) {
        self.keys.to_mut().push(BooleanKey::new(time, on));
    }

    /// Copies borrowed keys, so that the result borrows nothing.
    pub fn into_owned(self) -> BooleanCurve<'static> {
        BooleanCurve {
            pre_wrap: self.pre_wrap,
            post_wrap: self.post_wrap,
            keys: Cow::Owned(self.keys.into_owned()),
        }
    }
}

impl Default for FloatCurve<'_> {
    /// Returns a curve without keys, with the wrap modes that MRTK writes: before its first and after its last key, the
    /// curve keeps the value of that key.
    fn default() -> Self {
        FloatCurve {
            pre_wrap: WrapMode::CLAMP_FOREVER,
            post_wrap: WrapMode::CLAMP_FOREVER,
            keys: Keys::default(),
        }
    }
}

impl Default for BooleanCurve<'_> {
    /// Returns a curve without keys, with the wrap modes that MRTK writes: before its first and after its last key, the
    /// curve keeps the value of that key.
    fn default() -> Self {
        BooleanCurve {
            pre_wrap: WrapMode::CLAMP_FOREVER,
            post_wrap: WrapMode::CLAMP_FOREVER,
            keys: Cow::Borrowed(&[]),
        }
    }
}

/// A reference to a curve of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve<'r, 'a> {
    /// A float curve.
    Float(&'r FloatCurve<'a>),
    /// A boolean curve.
    Boolean(&'r BooleanCurve<'a>),
}

/// Evaluates an expression with the keys of a curve as a slice of their own type. A loop over one
/// type of key is several times as fast as one that matches on the type for each key.
macro_rules! with_keys {
    ($curve:expr, $keys:ident => $result:expr) => {
        match $curve {
            Curve::Float(FloatCurve {
                keys: Keys::Full($keys),
                ..
            }) => $result,
            Curve::Float(FloatCurve {
                keys: Keys::Simple($keys),
                ..
            }) => $result,
            Curve::Boolean(BooleanCurve { keys: $keys, .. }) => $result,
        }
    };
}

impl Curve<'_, '_> {
    /// Returns `true` if the times of the keys equal `times`, one by one. 0 equals −0, and NaN equals nothing.
    pub(crate) fn times_are(&self, times: &[f32]) -> bool {
        with_keys!(self, keys => {
            keys.len() == times.len()
                && keys.iter().zip(times).fold(0, |other, (key, &time)| other | u32::from(key.time() != time)) == 0
        })
    }

    /// Returns the number of keys whose time `is_counted`.
    pub(crate) fn count_times(&self, is_counted: impl Fn(f32) -> bool) -> usize {
        with_keys!(self, keys => keys.iter().filter(|key| is_counted(key.time())).count())
    }

    /// Returns `true` if all values and times are finite and each time is greater than the time before it. Nearly all
    /// curves are like this.
    pub(crate) fn is_orderly(&self) -> bool {
        with_keys!(self, keys => {
            let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
                return true;
            };
            // Only infinities and NaN have all exponent bits set.
            let is_finite = |value: f32| value.to_bits() & 0x7f80_0000 != 0x7f80_0000;
            // Without an early return, the compiler vectorises the loop.
            let pairs = keys.iter().zip(keys.iter().skip(1));
            let disorder = pairs.fold(0, |disorder, (a, b)| {
                disorder | (u32::from(a.time() < b.time()) ^ 1) | u32::from(!is_finite(b.value()))
            });
            // If the times increase and both ends are finite, all times between are finite too.
            let are_ends_finite = first.time().is_finite() && last.time().is_finite();
            disorder == 0 && are_ends_finite && is_finite(first.value())
        })
    }

    /// Returns the wrap modes before the first and after the last key.
    pub fn wrap(&self) -> (WrapMode, WrapMode) {
        match self {
            Curve::Float(curve) => (curve.pre_wrap, curve.post_wrap),
            Curve::Boolean(curve) => (curve.pre_wrap, curve.post_wrap),
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        match self {
            Curve::Float(curve) => curve.keys.len(),
            Curve::Boolean(curve) => curve.keys.len(),
        }
    }

    /// Returns `true` if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the name of the form of the keys: `full`, `simple` or `boolean`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Curve::Float(curve) => curve.keys.kind().name(),
            Curve::Boolean(_) => "boolean",
        }
    }

    /// Returns the size of one key in a file, in bytes.
    pub fn key_size(&self) -> usize {
        match self {
            Curve::Float(curve) => curve.keys.kind().size(),
            Curve::Boolean(_) => size_of::<BooleanKey>(),
        }
    }

    /// Returns the time in seconds and the value of the key at `index`; `None` if there is no such key.
    pub fn point(&self, index: usize) -> Option<(f32, f32)> {
        match self {
            Curve::Float(curve) => curve.keys.point(index),
            Curve::Boolean(curve) => curve.keys.get(index).map(|key| (key.time(), key.value())),
        }
    }

    /// Returns the time range from the first to the last stored key, in seconds; `None` if there are no keys, or if all
    /// key times are NaN.
    ///
    /// The keys between them are not read, because all known writers store keys in order of time
    /// ([`doctor`](crate::doctor) reports other curves). If one of the two times is not finite, all keys are read, NaN
    /// is ignored, and a bound may be infinite.
    ///
    /// ```
    /// use inputanim::{Curve, FloatCurve, TimeRange};
    /// let curve = FloatCurve::linear([(0.5, 1.0), (1.0, 2.0), (4.0, 3.0)]);
    /// let range = TimeRange { start: 0.5, end: 4.0 };
    /// assert_eq!(Curve::Float(&curve).time_range(), Some(range));
    /// ```
    pub fn time_range(&self) -> Option<TimeRange> {
        let time = |index: usize| self.point(index).map(|(time, _)| time);
        let (first, last) = (time(0)?, time(self.len() - 1)?);
        if first.is_finite() && last.is_finite() {
            let (start, end) = (first.min(last), first.max(last));
            return Some(TimeRange { start, end });
        }
        let times = self.points().map(|(time, _)| time);
        let times = times.filter(|time| !time.is_nan());
        times.map(TimeRange::instant).reduce(TimeRange::hull)
    }

    /// Returns the [time range](Self::time_range) of the finite key times, in seconds; `None` if there are none.
    pub(crate) fn finite_time_range(&self) -> Option<TimeRange> {
        let is_finite = |range: &TimeRange| range.start.is_finite() && range.end.is_finite();
        self.time_range().filter(is_finite).or_else(|| {
            let times = self.points().map(|(time, _)| TimeRange::instant(time));
            times.filter(is_finite).reduce(TimeRange::hull)
        })
    }

    /// Returns the time in seconds and the value of every key, in file order.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (f32, f32)> + '_ {
        // Every index is below the length, so the default is never used.
        (0..self.len()).map(|index| self.point(index).unwrap_or_default())
    }
}

/// A mutable reference to a curve of a recording.
#[derive(Debug, PartialEq)]
pub enum CurveMut<'r, 'a> {
    /// A float curve.
    Float(&'r mut FloatCurve<'a>),
    /// A boolean curve.
    Boolean(&'r mut BooleanCurve<'a>),
}
