//! Unique ids of streams.

use inputanim::Recording;

use crate::shared::WriteOptions;

/// A hash of a recording and of its place in a file. Equal conversions give equal files, so that the ids are not random.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fingerprint(u128);

impl Fingerprint {
    /// Returns the fingerprint of a recording. `zero` is the time stamp, in seconds, of the time 0 of the recording,
    /// and `first` is the id of its first stream. This id differs if a recording is appended twice at one time.
    pub(super) fn of(
        recording: &Recording<'_>,
        options: &WriteOptions,
        zero: f64,
        first: u32,
    ) -> Fingerprint {
        // The start value of FNV-1a with 128 bits.
        let mut hash = Fingerprint(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        hash.add(options.source.as_deref().unwrap_or_default().as_bytes());
        hash.add(&zero.to_le_bytes());
        hash.add(&first.to_le_bytes());
        hash.add(&options.start_time.as_nanos().to_le_bytes());
        for (_, curve) in recording.curves() {
            hash.add(&curve.len().to_le_bytes());
            for index in [0, curve.len() / 2, curve.len().saturating_sub(1)] {
                let (time, value) = curve.point(index).unwrap_or_default();
                hash.add(&time.to_le_bytes());
                hash.add(&value.to_le_bytes());
            }
        }
        for marker in &recording.markers {
            hash.add(&marker.time.to_le_bytes());
            hash.add(marker.name.as_bytes());
        }
        hash
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            // The prime of FNV-1a with 128 bits.
            const PRIME: u128 = (1 << 88) + 0x13b;
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Returns an id that depends on the fingerprint and on the text `part`, in the form of a UUID of version 8.
    pub(super) fn uuid(mut self, part: &str) -> String {
        self.add(part.as_bytes());
        let bits = self.0 & !(0xf << 76) & !(0b11 << 62) | 0x8 << 76 | 0b10 << 62;
        let group = |shift: u32, bits_of_group: u32| bits >> shift & ((1 << bits_of_group) - 1);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            group(96, 32),
            group(80, 16),
            group(64, 16),
            group(48, 16),
            group(0, 48)
        )
    }
}
