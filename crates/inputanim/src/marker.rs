//! Named instants of a recording.
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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase")
)]
pub struct Marker<'a> {
    /// Time in seconds.
    pub time: f32,
    /// Name; may be empty.
    pub name: Cow<'a, str>,
}

impl<'a> Marker<'a> {
    /// Returns a marker at `time` seconds.
    pub fn new(time: f32, name: impl Into<Cow<'a, str>>) -> Marker<'a> {
        Marker {
            time,
            name: name.into(),
        }
    }

    /// Copies a borrowed name, so that the result borrows nothing.
    pub fn into_owned(self) -> Marker<'static> {
        Marker {
            time: self.time,
            name: Cow::Owned(self.name.into_owned()),
        }
    }

    /// Returns the size of the marker in a file, in bytes.
    pub fn encoded_len(&self) -> u64 {
        let name = self.name.len() as u64;
        let prefix = length_prefix(name).count() as u64;
        size_of::<f32>() as u64 + prefix + name
    }
}

/// Compares the bytes: NaN equals itself, 0 and −0 differ.
impl PartialEq for Marker<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.time.to_bits() == other.time.to_bits() && self.name == other.name
    }
}

impl Eq for Marker<'_> {}

/// Returns the bytes that encode the length of a string: seven bits each, low bits first, the high bit set on all but
/// the last (docs/format.md, section 1.9).
pub(crate) fn length_prefix(length: u64) -> impl Iterator<Item = u8> {
    // The length 0 takes one byte, so 0 cannot mean that all groups are written.
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
    fn the_length_of_a_marker_name_is_counted_in_bytes() {
        assert_eq!(Marker::new(0.0, "グラブ").encoded_len(), 4 + 1 + 9);
    }
}
