//! From a session to a recording.

use super::blocks::pieces;
use super::error::{RecoverError, check_limit};
use super::format::{BlockHeader, HEADER, Header, MAGIC, VERSION};
use super::reader::Reader;
use super::recovery::{LostPart, Recovery};
use crate::layout::Layout;
use crate::read::Limits;
use crate::record::{Recorder, Settings};

/// Whether bytes begin as a session file does, or have its first block where that begins.
pub fn is_session(bytes: &[u8]) -> bool {
    let first_block = bytes.get(HEADER..).and_then(BlockHeader::read);
    bytes.starts_with(&MAGIC) || first_block.is_some()
}

/// A recording of whatever is whole in a session, in the order in which it was written.
///
/// Holds the frames a second time and then their keys.
///
/// # Errors
/// When the bytes hold nothing of a session, one of another version, or more than the limits
/// allow.
pub fn recover(bytes: &[u8], limits: &Limits) -> Result<Recovery, RecoverError> {
    check_limit("bytes", bytes.len() as u64, limits.max_bytes)?;
    let header = Header::read(bytes);
    if let Some(Header { version, .. }) = header.filter(|header| header.version != VERSION) {
        return Err(RecoverError::Version { version });
    }
    let recorder = Recorder::of(Settings {
        from_zero: header.is_some_and(|header| header.from_zero),
        ..Settings::new(header.map_or(Layout::Mrtk1_1, |header| header.layout))
    });
    let mut reader = Reader::new(recorder, limits);
    let from = match is_session(bytes) {
        true => HEADER.min(bytes.len()),
        false => 0,
    };
    if header.is_none() && from > 0 {
        reader.lose(0..from, LostPart::Header);
    }
    for piece in pieces(bytes, from) {
        reader.read(piece)?;
    }
    match from == 0 && !reader.has_blocks() {
        true => Err(RecoverError::NotASession),
        false => Ok(reader.finish()),
    }
}
