//! Limits of what is read.

use inputanim::Limits;

use super::Error;

/// Returns the largest number of bytes to which a compressed file may unpack: 1024 times its size in bytes, plus 64
/// MiB. Data with many zeros may grow by a factor of thousands, but a small file must not become a large one. If the
/// limits allow files of any size, the result is `u64::MAX`.
pub(crate) fn unpacked_limit(bytes: u64, limits: &Limits) -> u64 {
    match limits.max_bytes {
        u64::MAX => u64::MAX,
        _ => bytes.saturating_mul(1024).saturating_add(64 << 20),
    }
}

/// Returns an error if `count` exceeds `limit`. `unit` is a plural noun for the message, such as `bytes`.
pub(crate) fn check_limit(count: u64, limit: u64, unit: &'static str) -> Result<(), Error> {
    if count <= limit {
        Ok(())
    } else {
        Err(Error::Limit { limit, unit })
    }
}

/// The largest number of curves of devices that is read from a file.
#[cfg(any(
    feature = "json",
    feature = "mcap-plain",
    feature = "isaac",
    feature = "tables"
))]
pub(crate) const MAX_DEVICE_CURVES: u64 = 2000;
