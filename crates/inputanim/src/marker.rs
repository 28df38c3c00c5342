//! Named instants on the timeline.
//!
//! Specification: docs/format.md, sections 1.8 and 1.9.

use std::borrow::Cow;

/// A named instant of a recording (docs/format.md, section 1.8).
///
/// ```
/// use inputanim::Marker;
/// let marker = Marker::new(0.5, "start");
/// assert_eq!(marker.name, "start");
/// ```
#[derive(Clone, Debug)]
pub struct Marker<'a> {
    /// Seconds.
    pub time: f32,
    /// Any text, the empty one included.
    pub name: Cow<'a, str>,
}

impl<'a> Marker<'a> {
    /// A marker at `time` seconds.
    pub fn new(time: f32, name: impl Into<Cow<'a, str>>) -> Marker<'a> {
        Marker {
            time,
            name: name.into(),
        }
    }

    /// The same marker without the lifetime.
    pub fn into_owned(self) -> Marker<'static> {
        Marker {
            time: self.time,
            name: Cow::Owned(self.name.into_owned()),
        }
    }

    /// Bytes of the marker in a file.
    pub fn encoded_len(&self) -> u64 {
        let name = self.name.len() as u64;
        let prefix = length_prefix(name).count() as u64;
        size_of::<f32>() as u64 + prefix + name
    }
}

/// Markers are equal when their bytes are: NaN equals itself, 0 and -0 differ.
impl PartialEq for Marker<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.time.to_bits() == other.time.to_bits() && self.name == other.name
    }
}

impl Eq for Marker<'_> {}

/// The bytes that say a string's length: seven bits each, low bits first, the high bit set on
/// all but the last (docs/format.md, section 1.9).
pub(crate) fn length_prefix(length: u64) -> impl Iterator<Item = u8> {
    let mut rest = Some(length);
    std::iter::from_fn(move || {
        let value = rest?;
        let low = (value & 0x7f) as u8;
        let high = value >> 7;
        rest = (high != 0).then_some(high);
        Some(if high == 0 { low } else { low | 0x80 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_340_takes_two_bytes() {
        assert_eq!(length_prefix(0).collect::<Vec<_>>(), [0]);
        assert_eq!(length_prefix(127).collect::<Vec<_>>(), [127]);
        assert_eq!(length_prefix(340).collect::<Vec<_>>(), [0xd4, 0x02]);
    }

    #[test]
    fn a_marker_counts_its_bytes_not_its_letters() {
        assert_eq!(Marker::new(0.0, "グラブ").encoded_len(), 4 + 1 + 9);
    }
}
