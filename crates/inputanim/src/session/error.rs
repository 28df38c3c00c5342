//! Errors of writing and reading sessions.

use std::io;

use super::sync::SyncedData;
use crate::device::DeviceName;
use crate::record::RecordError;

/// A failure to write a session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionWriteError {
    /// The writer refused a frame, marker or option. The session continues without it.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A marker's name is longer than a recording can store. The session continues without the
    /// marker.
    #[error(
        "a name or text has {bytes} bytes: a file can store at most {}",
        i32::MAX
    )]
    NameTooLong {
        /// Size of the name in bytes.
        bytes: usize,
    },
    /// A frame or a haptic pulse has a device, and the [options](super::SessionOptions::devices) say that there are none. The
    /// session continues without the frame.
    #[error("unexpected device {0}: the options of the session say that frames have no devices")]
    Device(DeviceName),
    /// The output failed. The session is closed, because the state of the file after the synced
    /// data is unknown.
    #[error("cannot write the session: {synced}")]
    Output {
        /// Data that was synced before.
        synced: SyncedData,
        /// Error of the output.
        source: io::Error,
    },
    /// The output failed in an earlier call, which closed the session.
    #[error("the session is closed because its output failed: {synced}")]
    Closed {
        /// Data that was synced before.
        synced: SyncedData,
    },
}

/// A failure to read a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionReadError {
    /// The bytes have neither the header of a session nor one of its blocks.
    #[error("not a session file: found neither a session header nor a session block")]
    NotASession,
    /// The session has a version that this reader does not know.
    #[error("expected a session file of version 1 or 2, found version {version}")]
    Version {
        /// Version of the file.
        version: u32,
    },
    /// The session is larger than the [`Limits`](crate::Limits) allow.
    #[error("expected at most {limit} {unit} (the limit), found more")]
    Limit {
        /// Unit of the limit: `bytes`, `keys` or `markers`.
        unit: &'static str,
        /// The limit.
        limit: u64,
    },
}

/// Fails if `count` is above `limit`. `unit` is what is counted: `bytes`, `keys` or `markers`.
pub(super) fn check_limit(
    unit: &'static str,
    count: u64,
    limit: u64,
) -> Result<(), SessionReadError> {
    if count > limit {
        return Err(SessionReadError::Limit { unit, limit });
    }
    Ok(())
}
