//! What ends a session, or is none.

use std::io;

use super::durable::Safe;
use crate::record::RecordError;

/// A session that does not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A frame, marker or setting that is refused; the session goes on without it.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A name that a recording cannot hold; the session goes on without the marker.
    #[error(
        "a marker's name has {bytes} bytes: a file can count at most {}",
        i32::MAX
    )]
    NameTooLong {
        /// Bytes of the name.
        bytes: usize,
    },
    /// The output failed, and the session is over: what it holds behind what is safe is not
    /// known.
    #[error("cannot write the session: {safe}")]
    Output {
        /// What had been synced before.
        safe: Safe,
        /// Why.
        source: io::Error,
    },
    /// The output failed before.
    #[error("the session is over since its output failed, start another: {safe}")]
    Over {
        /// What had been synced before.
        safe: Safe,
    },
}

/// Bytes that are no session, or one that is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecoverError {
    /// Neither the header of a session nor a block of one.
    #[error("not a session file: it neither begins as one nor holds a block of one")]
    NotASession,
    /// A version that this reader does not know.
    #[error(
        "expected a session file of version 1, found version {version}: a newer release may read it"
    )]
    Version {
        /// The version.
        version: u32,
    },
    /// More than the [`Limits`](crate::Limits) allow.
    #[error("expected at most {limit} {what} (the limit), found more")]
    Limit {
        /// `bytes`, `keys` or `markers`.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}

pub(super) fn check_limit(what: &'static str, count: u64, limit: u64) -> Result<(), RecoverError> {
    match count <= limit {
        true => Ok(()),
        false => Err(RecoverError::Limit { what, limit }),
    }
}
