//! Animation curves: keys over time and what happens outside them.
//!
//! Specification: docs/format.md, sections 1.4 and 4.1.

use std::borrow::Cow;
use std::fmt;

use crate::key::{BooleanKey, FullKey, SimpleKey};

/// What a curve does before its first or after its last key (docs/format.md, section 4.1).
///
/// Any number can stand in a file, so any number can stand here; [`is_known`](Self::is_known)
/// tells whether it is one that Unity defines.
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
    /// Holds the end value: what MRTK writes.
    pub const CLAMP_FOREVER: WrapMode = WrapMode(8);

    /// Whether Unity defines this number.
    pub const fn is_known(self) -> bool {
        matches!(self.0, 0 | 1 | 2 | 4 | 8)
    }

    /// Whether the end value is held.
    pub(crate) const fn holds(self) -> bool {
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
            other => f.pad(&format!("unknown ({other})")),
        }
    }
}

/// Which of the two float key forms a curve or a layout uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// [`FullKey`], 28 bytes.
    Full,
    /// [`SimpleKey`], 8 bytes.
    Simple,
}

impl KeyKind {
    /// Bytes of one key in a file.
    pub const fn size(self) -> usize {
        match self {
            KeyKind::Full => size_of::<FullKey>(),
            KeyKind::Simple => size_of::<SimpleKey>(),
        }
    }

    /// `full` or `simple`.
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
    /// Keys of time and value.
    Simple(Cow<'a, [SimpleKey]>),
}

impl<'a> Keys<'a> {
    /// No keys, of the given kind.
    pub const fn empty(kind: KeyKind) -> Keys<'a> {
        match kind {
            KeyKind::Full => Keys::Full(Cow::Borrowed(&[])),
            KeyKind::Simple => Keys::Simple(Cow::Borrowed(&[])),
        }
    }

    /// The form of the keys.
    pub const fn kind(&self) -> KeyKind {
        match self {
            Keys::Full(_) => KeyKind::Full,
            Keys::Simple(_) => KeyKind::Simple,
        }
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        match self {
            Keys::Full(keys) => keys.len(),
            Keys::Simple(keys) => keys.len(),
        }
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time and value of the key at `index`, if there is one.
    pub fn point(&self, index: usize) -> Option<(f32, f32)> {
        match self {
            Keys::Full(keys) => keys.get(index).map(|key| (key.time(), key.value())),
            Keys::Simple(keys) => keys.get(index).map(|key| (key.time(), key.value())),
        }
    }

    /// Time and value of every key in file order.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (f32, f32)> + '_ {
        (0..self.len()).map(|index| match self {
            Keys::Full(keys) => (keys[index].time(), keys[index].value()),
            Keys::Simple(keys) => (keys[index].time(), keys[index].value()),
        })
    }

    /// Whether other keys are at the same times, to the bit.
    pub(crate) fn share_times(&self, other: &Keys<'_>) -> bool {
        fn same<K>(a: &[K], b: &[K], time: impl Fn(&K) -> f32) -> bool {
            let differ = |(a, b): (&K, &K)| time(a).to_bits() ^ time(b).to_bits();
            // All of them, since nearly always all are the same.
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

    /// Appends a point that is joined to its neighbours by straight lines, in the form the
    /// curve already has.
    pub fn push_linear(&mut self, time: f32, value: f32) {
        match self {
            Keys::Full(keys) => keys.to_mut().push(FullKey::linear(time, value)),
            Keys::Simple(keys) => keys.to_mut().push(SimpleKey::new(time, value)),
        }
    }

    /// Appends a key with tangents. Simple keys that are already there become full ones, which
    /// loses nothing.
    pub fn push_full(&mut self, key: FullKey) {
        if let Keys::Simple(keys) = self {
            *self = Keys::Full(keys.iter().map(|&key| key.into()).collect());
        }
        if let Keys::Full(keys) = self {
            keys.to_mut().push(key);
        }
    }

    /// Keeps the keys whose index the function says.
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

    /// Gives a key of straight lines another value.
    pub(crate) fn set_value(&mut self, index: usize, value: f32) {
        match self {
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

    /// Multiplies the value of a key and its tangents.
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

    /// The same keys with every value multiplied and moved; tangents are multiplied.
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

    /// The same keys without the lifetime.
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
    /// Before the first key.
    pub pre_wrap: WrapMode,
    /// After the last key.
    pub post_wrap: WrapMode,
    /// The keys in file order.
    pub keys: Keys<'a>,
}

impl<'a> FloatCurve<'a> {
    /// Straight lines through points of (time in seconds, value), held at both ends.
    pub fn linear(points: impl IntoIterator<Item = (f32, f32)>) -> FloatCurve<'a> {
        let keys = points.into_iter().map(|(t, v)| SimpleKey::new(t, v));
        FloatCurve {
            keys: Keys::Simple(keys.collect()),
            ..FloatCurve::default()
        }
    }

    /// Full keys, held at both ends.
    pub fn full(keys: impl IntoIterator<Item = FullKey>) -> FloatCurve<'a> {
        FloatCurve {
            keys: Keys::Full(keys.into_iter().collect()),
            ..FloatCurve::default()
        }
    }

    /// The same curve with keys of the given form; from full to simple, tangents are dropped.
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

    /// The same curve without the lifetime.
    pub fn into_owned(self) -> FloatCurve<'static> {
        FloatCurve {
            pre_wrap: self.pre_wrap,
            post_wrap: self.post_wrap,
            keys: self.keys.into_owned(),
        }
    }
}

/// A curve that is on or off (docs/format.md, section 1.7): each value holds until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooleanCurve<'a> {
    /// Before the first key.
    pub pre_wrap: WrapMode,
    /// After the last key.
    pub post_wrap: WrapMode,
    /// The keys in file order.
    pub keys: Cow<'a, [BooleanKey]>,
}

impl<'a> BooleanCurve<'a> {
    /// Flips at the given times in seconds, held at both ends.
    pub fn new(flips: impl IntoIterator<Item = (f32, bool)>) -> BooleanCurve<'a> {
        let keys = flips.into_iter().map(|(t, on)| BooleanKey::new(t, on));
        BooleanCurve {
            keys: keys.collect(),
            ..BooleanCurve::default()
        }
    }

    /// Appends a key.
    pub fn push(&mut self, time: f32, on: bool) {
        self.keys.to_mut().push(BooleanKey::new(time, on));
    }

    /// The same curve without the lifetime.
    pub fn into_owned(self) -> BooleanCurve<'static> {
        BooleanCurve {
            pre_wrap: self.pre_wrap,
            post_wrap: self.post_wrap,
            keys: Cow::Owned(self.keys.into_owned()),
        }
    }
}

impl Default for FloatCurve<'_> {
    /// No keys, held at both ends as MRTK writes it.
    fn default() -> Self {
        FloatCurve {
            pre_wrap: WrapMode::CLAMP_FOREVER,
            post_wrap: WrapMode::CLAMP_FOREVER,
            keys: Keys::default(),
        }
    }
}

impl Default for BooleanCurve<'_> {
    /// No keys, held at both ends as MRTK writes it.
    fn default() -> Self {
        BooleanCurve {
            pre_wrap: WrapMode::CLAMP_FOREVER,
            post_wrap: WrapMode::CLAMP_FOREVER,
            keys: Cow::Borrowed(&[]),
        }
    }
}

/// Any curve of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve<'r, 'a> {
    /// A float curve.
    Float(&'r FloatCurve<'a>),
    /// A boolean curve.
    Boolean(&'r BooleanCurve<'a>),
}

/// Does something with the keys of a curve as a slice, whatever they are: a loop over one kind of
/// key takes a fraction of the time of one that asks for the kind at each.
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
    /// Whether keys have these times, bit for bit but for the sign of zero.
    pub(crate) fn times_are(&self, times: &[f32]) -> bool {
        with_keys!(self, keys => {
            keys.len() == times.len()
                && keys.iter().zip(times).fold(true, |same, (key, &time)| same & (key.time() == time))
        })
    }

    /// Whether every key has a finite time, later than that of the one before, and a finite value:
    /// nearly all curves.
    pub(crate) fn is_orderly(&self) -> bool {
        with_keys!(self, keys => {
            let mut before = f32::NEG_INFINITY;
            keys.iter().fold(true, |orderly, key| {
                let time = key.time();
                let later = time > before;
                before = time;
                orderly & later & (time < f32::INFINITY) & key.value().is_finite()
            })
        })
    }

    /// Wrap modes before the first and after the last key.
    pub fn wrap(&self) -> (WrapMode, WrapMode) {
        match self {
            Curve::Float(curve) => (curve.pre_wrap, curve.post_wrap),
            Curve::Boolean(curve) => (curve.pre_wrap, curve.post_wrap),
        }
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        match self {
            Curve::Float(curve) => curve.keys.len(),
            Curve::Boolean(curve) => curve.keys.len(),
        }
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `full`, `simple` or `boolean`.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Curve::Float(curve) => curve.keys.kind().name(),
            Curve::Boolean(_) => "boolean",
        }
    }

    /// Bytes of one key in a file.
    pub fn key_size(&self) -> usize {
        match self {
            Curve::Float(curve) => curve.keys.kind().size(),
            Curve::Boolean(_) => size_of::<BooleanKey>(),
        }
    }

    /// Time and value of the key at `index`, if there is one.
    pub fn point(&self, index: usize) -> Option<(f32, f32)> {
        match self {
            Curve::Float(curve) => curve.keys.point(index),
            Curve::Boolean(curve) => curve.keys.get(index).map(|key| (key.time(), key.value())),
        }
    }

    /// Time and value of every key in file order.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (f32, f32)> + '_ {
        (0..self.len()).map(|index| self.point(index).unwrap_or_default())
    }
}

/// Any curve of a recording, for change.
#[derive(Debug, PartialEq)]
pub enum CurveMut<'r, 'a> {
    /// A float curve.
    Float(&'r mut FloatCurve<'a>),
    /// A boolean curve.
    Boolean(&'r mut BooleanCurve<'a>),
}
