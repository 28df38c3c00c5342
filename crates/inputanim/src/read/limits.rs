//! Bounds for untrusted input.

use std::io::{self, Read};

/// How much a reader accepts before it gives up.
///
/// Counts in a file are always checked against the bytes that remain, so no limit is needed to
/// stay within the size of the input; these bound the input itself. The [default](Self::default)
/// holds a take of two hands at 60 Hz of six hours with simple keys, or one and three quarters with
/// full ones.
///
/// ```
/// use inputanim::{Limits, Recording};
/// let upload = Limits { max_bytes: 16 << 20, ..Limits::default() };
/// assert!(Recording::parse_with(b"not a recording", &upload).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of input.
    pub max_bytes: u64,
    /// Most keys over all curves.
    pub max_keys: u64,
    /// Most markers.
    pub max_markers: u64,
}

impl Limits {
    /// No limits, for files that you made yourself.
    pub const NONE: Limits = Limits {
        max_bytes: u64::MAX,
        max_keys: u64::MAX,
        max_markers: u64::MAX,
    };
}

impl Default for Limits {
    /// 4 GiB, 512 Mi keys, 1 Mi markers.
    fn default() -> Self {
        Limits {
            max_bytes: 4 << 30,
            max_keys: 512 << 20,
            max_markers: 1 << 20,
        }
    }
}

/// Reads a stream such as a pipe to its end, at most [`Limits::max_bytes`] and one byte more, so
/// that [`Recording::parse_with`](crate::Recording::parse_with) can tell that there was more.
///
/// # Errors
/// Whatever the stream reports.
pub fn read_bytes(input: impl Read, limits: &Limits) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input
        .take(limits.max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
