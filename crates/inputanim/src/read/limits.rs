//! Bounds for untrusted input.

use std::io::{self, Read};

/// Bounds on what a reader accepts.
///
/// The readers compare every count in a file with the bytes that remain, so memory stays in
/// proportion to the input without any limit. These limits bound the input itself. The
/// [default](Self::default) accepts a recording of two hands at 60 Hz that lasts six hours with
/// simple keys, or one hour and three quarters with full keys.
///
/// ```
/// use inputanim::{Limits, Recording};
/// let mut limits = Limits::default();
/// limits.max_bytes = 16 << 20;
/// assert!(Recording::parse_with(b"not a recording", &limits).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum size of the input in bytes.
    pub max_bytes: u64,
    /// Maximum number of keys over all curves.
    pub max_keys: u64,
    /// Maximum number of markers.
    pub max_markers: u64,
}

impl Limits {
    /// No limits, for files from a trusted source.
    pub const NONE: Limits = Limits {
        max_bytes: u64::MAX,
        max_keys: u64::MAX,
        max_markers: u64::MAX,
    };
}

impl Default for Limits {
    /// Returns limits of 4 GiB, 512 Mi keys and 1 Mi markers.
    fn default() -> Self {
        Limits {
            max_bytes: 4 << 30,
            max_keys: 512 << 20,
            max_markers: 1 << 20,
        }
    }
}

/// Reads a stream such as a pipe to its end, but at most [`Limits::max_bytes`] + 1 bytes. The
/// additional byte lets [`Recording::parse_with`](crate::Recording::parse_with) see that the
/// stream is too long.
///
/// # Errors
/// When the stream fails.
pub fn read_bytes(input: impl Read, limits: &Limits) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input
        // Without limits, the maximum is the largest integer already.
        .take(limits.max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
