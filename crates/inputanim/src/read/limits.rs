//! Bounds for untrusted input, and for samples.

use std::fmt;
use std::io::{self, Read};

use crate::recording::Recording;

/// Bounds on what a reader accepts.
///
/// The readers compare every count in a file with the bytes that remain, so memory stays in
/// proportion to the input without any limit. These limits bound the input itself. The
/// [default](Self::default) accepts a recording of two hands at 60 Hz that lasts six hours with
/// simple keys, or one hour and three quarters with full keys.
///
/// Samples are not in proportion to the input: two keys may be years apart. Functions that return samples therefore
/// have their own limit.
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
    /// Maximum size of samples in bytes, in single precision. [`check_samples`](Self::check_samples) checks it.
    /// [`for_rate`](Self::for_rate) lowers it for a short recording.
    pub max_sample_bytes: u64,
}

/// Samples that would need more memory than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "too many samples: {} times with {bytes} bytes each exceed the limit of {}",
    Count(*.times), Limit(*.limit)
)]
pub struct TooManySamples {
    /// The number of times. It is infinite if the time of a key is infinite.
    pub times: f64,
    /// The size of the samples of one time, in bytes.
    pub bytes: u64,
    /// The limit, in bytes.
    pub limit: u64,
}

/// A number of bytes for a message.
struct Limit(u64);

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("all computers"),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

/// An integer for a message, short if it is very large.
struct Count(f64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            small if small < 1e15 => write!(f, "{small:.0}"),
            large => write!(f, "{large:.1e}"),
        }
    }
}

impl Limits {
    /// No limits, for files from a trusted source.
    pub const NONE: Limits = Limits {
        max_bytes: u64::MAX,
        max_keys: u64::MAX,
        max_markers: u64::MAX,
        max_sample_bytes: u64::MAX,
    };

    /// Returns these limits for samples of a recording at a steady rate: the samples may have at most 128 MiB, or 64 times the
    /// bytes of the recording if that is more. One damaged time may be hours after all other keys, and samples up to it
    /// would fill a disk. [`Limits::NONE`] stays without limits.
    ///
    /// ```
    /// use inputanim::{Layout, Limits, Pose, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(0.0, &Pose::IDENTITY);
    /// recording.head_mut().push(100_000.0, &Pose::IDENTITY);
    /// let limits = Limits::default().for_rate(&recording);
    /// assert_eq!(limits.max_sample_bytes, 128 << 20);
    /// assert_eq!(Limits::NONE.for_rate(&recording), Limits::NONE);
    /// ```
    pub fn for_rate(&self, recording: &Recording<'_>) -> Limits {
        self.for_rate_of_bytes(recording.content_len())
    }

    /// Returns the same limits for a recording of this many bytes, of which perhaps only some curves were read.
    ///
    /// ```
    /// use inputanim::Limits;
    /// let limits = Limits::default().for_rate_of_bytes(10 << 20);
    /// assert_eq!(limits.max_sample_bytes, 640 << 20);
    /// ```
    pub fn for_rate_of_bytes(&self, bytes: u64) -> Limits {
        const ALWAYS: u64 = 128 << 20;
        const FACTOR: u64 = 64;
        if self.max_sample_bytes == u64::MAX {
            return *self;
        }
        let relative = bytes.saturating_mul(FACTOR).max(ALWAYS);
        Limits {
            max_sample_bytes: self.max_sample_bytes.min(relative),
            ..*self
        }
    }

    /// Checks the size of samples before they are allocated. `times` is the number of times, and `bytes` is the size of
    /// the samples of one time.
    ///
    /// ```
    /// use inputanim::Limits;
    /// // 60,000 s at 60 Hz with all joints of both hands.
    /// let error = Limits::default().check_samples(60_000.0 * 60.0, 1512).unwrap_err();
    /// assert_eq!(error.limit, 4 << 30);
    /// assert!(Limits::NONE.check_samples(60_000.0 * 60.0, 1512).is_ok());
    /// assert!(Limits::NONE.check_samples(f64::INFINITY, 1512).is_err());
    /// ```
    ///
    /// # Errors
    /// When the samples need more than [`max_sample_bytes`](Self::max_sample_bytes), or more than a 64-bit number of
    /// bytes; when the number of times is not finite.
    pub fn check_samples(&self, times: f64, bytes: u64) -> Result<(), TooManySamples> {
        let limit = self.max_sample_bytes;
        // NaN and an infinite number of times fail this comparison too.
        if times * bytes as f64 <= limit as f64 {
            return Ok(());
        }
        Err(TooManySamples {
            times,
            bytes,
            limit,
        })
    }
}

impl Default for Limits {
    /// Returns limits of 4 GiB of input, 512 Mi keys, 1 Mi markers, and 4 GiB of samples.
    fn default() -> Self {
        Limits {
            max_bytes: 4 << 30,
            max_keys: 512 << 20,
            max_markers: 1 << 20,
            // Twelve hours of two hands at 60 Hz, as large as the largest file.
            max_sample_bytes: 4 << 30,
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
