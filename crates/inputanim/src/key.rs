//! Keyframes as views of a file's bytes.
//!
//! Each key type is a view of its bytes: unaligned, little endian, without padding. A curve can
//! therefore borrow its keys from the file, and writing them gives the same bytes again, with NaN
//! payloads and negative zeros. Two keys are equal when their bytes are equal.
//!
//! Specification: docs/format.md, sections 1.5 to 1.7 and 4.2.

use std::fmt;
use std::hash::{Hash, Hasher};

use zerocopy::little_endian::{F32, I32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The weighted sides of a full key (docs/format.md, section 4.2).
///
/// A file can contain any number, so this type can too. [`is_known`](Self::is_known) returns `true` if
/// Unity defines the number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct WeightedMode(pub i32);

impl WeightedMode {
    /// Neither side is weighted: a plain cubic Hermite segment.
    pub const NONE: WeightedMode = WeightedMode(0);
    /// The side of the previous key is weighted.
    pub const IN: WeightedMode = WeightedMode(1);
    /// The side of the next key is weighted.
    pub const OUT: WeightedMode = WeightedMode(2);
    /// Both sides are weighted.
    pub const BOTH: WeightedMode = WeightedMode(3);

    /// Returns `true` if Unity defines a weighted mode with this number.
    pub const fn is_known(self) -> bool {
        matches!(self.0, 0..=3)
    }
}

impl fmt::Debug for WeightedMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for WeightedMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.pad("None"),
            1 => f.pad("In"),
            2 => f.pad("Out"),
            3 => f.pad("Both"),
            other => f.pad(&format!("unknown ({other})")),
        }
    }
}

/// A keyframe with tangents and weights: 28 bytes (docs/format.md, section 1.5).
///
/// ```
/// use inputanim::{FullKey, WeightedMode};
/// let key = FullKey::hermite(0.5, 1.0, 0.0, 2.0);
/// assert_eq!(key.out_tangent(), 2.0);
/// assert_eq!(key.weighted_mode(), WeightedMode::NONE);
/// assert!(FullKey::linear(0.5, 1.0).is_linear());
/// ```
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FullKey {
    time: F32,
    value: F32,
    in_tangent: F32,
    out_tangent: F32,
    in_weight: F32,
    out_weight: F32,
    weighted_mode: I32,
}

impl FullKey {
    /// Returns a key as MRTK writes it: tangents 0, weights 0, mode Both. The segment between two
    /// such keys is exactly linear.
    pub const fn linear(time: f32, value: f32) -> FullKey {
        FullKey::weighted(time, value, [0.0, 0.0], [0.0, 0.0], WeightedMode::BOTH)
    }

    /// Returns a key at `time` seconds without weights. Tangents are slopes in value per second.
    pub const fn hermite(time: f32, value: f32, in_tangent: f32, out_tangent: f32) -> FullKey {
        FullKey::weighted(
            time,
            value,
            [in_tangent, out_tangent],
            [0.0, 0.0],
            WeightedMode::NONE,
        )
    }

    /// Returns a key with all fields; `tangents` and `weights` are `[in, out]`.
    pub const fn weighted(
        time: f32,
        value: f32,
        tangents: [f32; 2],
        weights: [f32; 2],
        mode: WeightedMode,
    ) -> FullKey {
        FullKey {
            time: le(time),
            value: le(value),
            in_tangent: le(tangents[0]),
            out_tangent: le(tangents[1]),
            in_weight: le(weights[0]),
            out_weight: le(weights[1]),
            weighted_mode: I32::from_bytes(mode.0.to_le_bytes()),
        }
    }

    /// Returns the time of the key in seconds.
    #[inline]
    pub const fn time(&self) -> f32 {
        ne(self.time)
    }

    /// Returns the value of the curve at [`time`](Self::time).
    #[inline]
    pub const fn value(&self) -> f32 {
        ne(self.value)
    }

    /// Returns the slope on the side of the previous key, in value per second.
    #[inline]
    pub const fn in_tangent(&self) -> f32 {
        ne(self.in_tangent)
    }

    /// Returns the slope on the side of the next key, in value per second.
    #[inline]
    pub const fn out_tangent(&self) -> f32 {
        ne(self.out_tangent)
    }

    /// Returns the fraction of the previous segment on which the in tangent acts.
    #[inline]
    pub const fn in_weight(&self) -> f32 {
        ne(self.in_weight)
    }

    /// Returns the fraction of the next segment on which the out tangent acts.
    #[inline]
    pub const fn out_weight(&self) -> f32 {
        ne(self.out_weight)
    }

    /// Returns the sides of the key whose weight is used: neither, the previous, the next or both.
    #[inline]
    pub const fn weighted_mode(&self) -> WeightedMode {
        WeightedMode(i32::from_le_bytes(self.weighted_mode.to_bytes()))
    }

    /// Returns `true` if tangents, weights and mode have the bits of a [`FullKey::linear`] key. Only such a key can
    /// become a [`SimpleKey`] without loss.
    #[inline]
    pub fn is_linear(&self) -> bool {
        // There is no branch for each field, because callers check all keys of a recording.
        let slopes = self.in_tangent().to_bits() | self.out_tangent().to_bits();
        let weights = self.in_weight().to_bits() | self.out_weight().to_bits();
        let mode = self.weighted_mode().0 ^ WeightedMode::BOTH.0;
        slopes | weights | mode as u32 == 0
    }
}

/// A keyframe with a time and a value: 8 bytes, linear between keys (docs/format.md, section 1.6).
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SimpleKey {
    time: F32,
    value: F32,
}

impl SimpleKey {
    /// Returns a key at `time` seconds.
    #[inline]
    pub const fn new(time: f32, value: f32) -> SimpleKey {
        SimpleKey {
            time: le(time),
            value: le(value),
        }
    }

    /// Returns the time of the key in seconds.
    #[inline]
    pub const fn time(&self) -> f32 {
        ne(self.time)
    }

    /// Returns the value of the curve at [`time`](Self::time).
    #[inline]
    pub const fn value(&self) -> f32 {
        ne(self.value)
    }
}

impl From<SimpleKey> for FullKey {
    /// Converts a key without loss: both keys are interpolated linearly, and give the same values.
    fn from(key: SimpleKey) -> FullKey {
        FullKey {
            // The bytes are copied, so that NaN keeps its payload.
            time: key.time,
            value: key.value,
            ..FullKey::linear(0.0, 0.0)
        }
    }
}

impl FullKey {
    /// Returns a simple key with the time and the value of this key. This drops tangents and weights unless the key [is
    /// linear](Self::is_linear).
    pub const fn to_simple(self) -> SimpleKey {
        SimpleKey {
            time: self.time,
            value: self.value,
        }
    }
}

/// A keyframe of a boolean curve: 8 bytes (docs/format.md, section 1.7). It means on when its value is
/// above 0.5, and holds until the next key.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BooleanKey {
    time: F32,
    value: F32,
}

impl BooleanKey {
    /// Returns a key at `time` seconds with the stored value 0 or 1.
    pub const fn new(time: f32, on: bool) -> BooleanKey {
        BooleanKey::from_value(time, if on { 1.0 } else { 0.0 })
    }

    /// Returns a key at `time` seconds with any stored value.
    pub const fn from_value(time: f32, value: f32) -> BooleanKey {
        BooleanKey {
            time: le(time),
            value: le(value),
        }
    }

    /// Returns the time of the key in seconds.
    #[inline]
    pub const fn time(&self) -> f32 {
        ne(self.time)
    }

    /// Returns the stored value: 0 or 1 in practice.
    #[inline]
    pub const fn value(&self) -> f32 {
        ne(self.value)
    }

    /// Returns `true` if the value of the key is above 0.5, which means on.
    #[inline]
    pub const fn is_on(&self) -> bool {
        self.value() > 0.5
    }
}

const fn le(value: f32) -> F32 {
    F32::from_bytes(value.to_le_bytes())
}

#[inline]
const fn ne(value: F32) -> f32 {
    f32::from_le_bytes(value.to_bytes())
}

macro_rules! equal_as_bytes {
    ($($key:ty),*) => {$(
        impl PartialEq for $key {
            fn eq(&self, other: &Self) -> bool {
                self.as_bytes() == other.as_bytes()
            }
        }

        impl Eq for $key {}

        impl Hash for $key {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.as_bytes().hash(state);
            }
        }
    )*};
}

equal_as_bytes!(FullKey, SimpleKey, BooleanKey);

/// Returns `number * factor + offset`, rounded once. The factors 1 and −1 without an offset keep all bits except the
/// sign, NaN payloads included.
fn mapped(number: f32, factor: f64, offset: f64) -> f32 {
    match (factor, offset) {
        (1.0, 0.0) => number,
        (-1.0, 0.0) => -number,
        _ => (f64::from(number) * factor + offset) as f32,
    }
}

impl FullKey {
    /// Returns the key with its value multiplied by `factor` and then increased by `offset`, and with its tangents
    /// multiplied by `factor`. An infinite tangent does not change, because it means that the value holds. A tangent of
    /// 0 keeps its sign, so that a linear key stays linear.
    pub(crate) fn mapped(self, factor: f64, offset: f64) -> FullKey {
        let tangent = |tangent: f32| {
            if tangent.is_infinite() || tangent == 0.0 {
                tangent
            } else {
                mapped(tangent, factor, 0.0)
            }
        };
        FullKey::weighted(
            self.time(),
            mapped(self.value(), factor, offset),
            [tangent(self.in_tangent()), tangent(self.out_tangent())],
            [self.in_weight(), self.out_weight()],
            self.weighted_mode(),
        )
    }
}

impl SimpleKey {
    /// Returns the key with its value multiplied by `factor` and then increased by `offset`.
    pub(crate) fn mapped(self, factor: f64, offset: f64) -> SimpleKey {
        SimpleKey::new(self.time(), mapped(self.value(), factor, offset))
    }
}

impl fmt::Debug for FullKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FullKey")
            .field("time", &self.time())
            .field("value", &self.value())
            .field("in_tangent", &self.in_tangent())
            .field("out_tangent", &self.out_tangent())
            .field("in_weight", &self.in_weight())
            .field("out_weight", &self.out_weight())
            .field("weighted_mode", &self.weighted_mode())
            .finish()
    }
}

impl fmt::Debug for SimpleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimpleKey({:?}, {:?})", self.time(), self.value())
    }
}

impl fmt::Debug for BooleanKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BooleanKey({:?}, {:?})", self.time(), self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_key_has_28_bytes() {
        let key = FullKey::weighted(0.5, -2.0, [1.0, -1.0], [0.25, 2.0], WeightedMode::OUT);
        let bytes = [
            0x00, 0x00, 0x00, 0x3f, // time 0.5
            0x00, 0x00, 0x00, 0xc0, // value -2
            0x00, 0x00, 0x80, 0x3f, // in tangent 1
            0x00, 0x00, 0x80, 0xbf, // out tangent -1
            0x00, 0x00, 0x80, 0x3e, // in weight 0.25
            0x00, 0x00, 0x00, 0x40, // out weight 2
            0x02, 0x00, 0x00, 0x00, // weighted mode Out
        ];
        assert_eq!(key.as_bytes(), bytes);
    }

    #[test]
    fn a_negative_zero_tangent_is_not_linear() {
        let key = FullKey::weighted(0.0, 1.0, [-0.0, 0.0], [0.0, 0.0], WeightedMode::BOTH);
        assert!(!key.is_linear());
        assert_ne!(key, FullKey::linear(0.0, 1.0));
    }

    #[test]
    fn keys_compare_by_their_bytes() {
        let nan = f32::from_bits(0x7fc0_0001);
        assert_eq!(SimpleKey::new(0.0, nan), SimpleKey::new(0.0, nan));
        assert_ne!(SimpleKey::new(0.0, 0.0), SimpleKey::new(0.0, -0.0));
    }

    #[test]
    fn a_boolean_key_is_on_above_one_half() {
        assert!(BooleanKey::new(0.0, true).is_on());
        assert!(!BooleanKey::from_value(0.0, 0.5).is_on());
        assert!(BooleanKey::from_value(0.0, 0.500_1).is_on());
        assert!(!BooleanKey::from_value(0.0, f32::NAN).is_on());
    }
}
