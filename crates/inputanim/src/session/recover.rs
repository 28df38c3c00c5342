//! Recovery of a recording from a session file.

use super::blocks::segments;
use super::error::{SessionReadError, check_limit};
use super::reader::SessionReader;
use super::recovered::{RecoveredSession, SessionDamageKind};
use crate::layout::Layout;
use crate::pauses::Pauses;
use crate::read::Limits;
use crate::record::{Recorder, RecorderOptions};
use crate::session_format::{
    FILE_HEADER, FileHeader, VERSION, VERSION_WITH_DEVICES, VERSION_WITH_TEXTS, is_session,
};

/// Recovers a recording from the intact blocks of a session, in the order in which they were
/// written.
///
/// Memory holds a copy of the frames, and then their keys.
///
/// # Errors
/// When the bytes contain no part of a session, when the session has another version, or when it
/// is larger than the limits allow.
pub fn recover(bytes: &[u8], limits: &Limits) -> Result<RecoveredSession, SessionReadError> {
    recover_with(bytes, limits, Pauses::default())
}

/// Recovers a recording as [`recover`] does. Everything is unknown in the pauses that `pauses` defines.
///
/// # Errors
/// Returns the errors of [`recover`].
pub fn recover_with(
    bytes: &[u8],
    limits: &Limits,
    pauses: Pauses,
) -> Result<RecoveredSession, SessionReadError> {
    check_limit("bytes", bytes.len() as u64, limits.max_bytes)?;
    let is_known =
        |version: u32| matches!(version, VERSION | VERSION_WITH_TEXTS | VERSION_WITH_DEVICES);
    if let Some(version) = FileHeader::version(bytes).filter(|&version| !is_known(version)) {
        return Err(SessionReadError::Version { version });
    }
    let header = FileHeader::read(bytes);
    // A lost header also lost the layout. The default can represent everything that a session
    // contains.
    let recorder = Recorder::with_valid_options(RecorderOptions {
        from_zero: header.is_some_and(|header| header.from_zero),
        pauses,
        ..RecorderOptions::new(header.map_or(Layout::Mrtk1_1, |header| header.layout))
    });
    let mut reader = SessionReader::new(recorder, limits);
    // A file that lost its start may begin with a block, or with the rest of one.
    let start = if is_session(bytes) {
        FILE_HEADER.min(bytes.len())
    } else {
        0
    };
    if header.is_none() && start > 0 {
        reader.add_damage(0..start, SessionDamageKind::Header);
    }
    for segment in segments(bytes, start) {
        reader.read(segment)?;
    }
    if start == 0 && !reader.has_blocks() {
        return Err(SessionReadError::NotASession);
    }
    Ok(reader.finish())
}
