//! A checksum of results that must not depend on the platform. Other programs that compare results use it too.

/// An FNV-1a hash of 64 bits.
pub(crate) struct Hash(pub(crate) u64);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(crate) fn add_number(&mut self, value: f32) {
        // NaNs of different platforms differ in their bits; nothing else may.
        let bits = if value.is_nan() {
            u32::MAX
        } else {
            value.to_bits()
        };
        self.add(&bits.to_le_bytes());
    }
}
