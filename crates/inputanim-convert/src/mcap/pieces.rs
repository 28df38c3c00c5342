//! The bytes of the recording, split into messages that fit into chunks.

use std::collections::BTreeMap;
use std::io::{self, Write};

use inputanim::{Limits, Recording};
use mcap::McapError as ContainerError;

use super::clock::Moment;
use super::damage::Damage;
use super::error::McapError;
use super::messages::RecordingPiece;
use super::output::{Output, Topic};
use crate::Error;
use crate::error::check_limit;

/// The number of bytes in a message. Several messages fit into a chunk.
const PIECE: usize = 1 << 18;

/// Writes the file of a recording as messages.
pub(super) fn write(
    recording: &Recording<'_>,
    time: Moment,
    output: &mut Output<impl Write>,
    topic: &mut Topic<RecordingPiece>,
) -> Result<(), Error> {
    let layout = recording.layout;
    let mut pieces = PieceWriter {
        output,
        topic,
        time,
        piece: RecordingPiece {
            offset: 0,
            size: recording.encoded_len_as(layout),
            layout: layout.to_string(),
            data: Vec::new(),
        },
    };
    recording.write_as(&mut pieces, layout)?;
    pieces.flush()?;
    Ok(())
}

struct PieceWriter<'o, W: Write> {
    output: &'o mut Output<W>,
    topic: &'o mut Topic<RecordingPiece>,
    time: Moment,
    piece: RecordingPiece,
}

impl<W: Write> Write for PieceWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A writer may take fewer bytes than it gets; the caller repeats the call with the rest.
        let free = PIECE - self.piece.data.len();
        let fitting = &bytes[..free.min(bytes.len())];
        self.piece.data.extend_from_slice(fitting);
        if self.piece.data.len() == PIECE {
            self.flush()?;
        }
        Ok(fitting.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.data.is_empty() {
            return Ok(());
        }
        let written = self.output.write(self.topic, self.time, &self.piece);
        written.map_err(|error| match error {
            ContainerError::Io(error) => error,
            error => io::Error::other(error),
        })?;
        self.piece.offset += self.piece.data.len() as u64;
        self.piece.data.clear();
        Ok(())
    }
}

/// The pieces of one recording, in any order.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// The size of the recording, which all pieces state.
    size: Option<u64>,
    pieces: BTreeMap<u64, Vec<u8>>,
    /// The memory of the pieces.
    bytes: u64,
}

/// The memory of a piece without its bytes, so that tiny pieces count too.
const COST: u64 = 64;

impl Assembly {
    pub(super) fn add(&mut self, piece: RecordingPiece, limits: &Limits) -> Result<(), Error> {
        let size = *self.size.get_or_insert(piece.size);
        // The pieces of one recording have one size and different offsets.
        if size != piece.size || self.pieces.contains_key(&piece.offset) {
            return Err(McapError::SeveralRecordings.into());
        }
        self.bytes += COST + piece.data.len() as u64;
        check_limit(self.bytes, limits.max_bytes, "bytes")?;
        self.pieces.insert(piece.offset, piece.data);
        Ok(())
    }

    /// Returns the recording.
    ///
    /// # Errors
    /// When bytes are missing, with the damage that may be the reason.
    pub(super) fn finish(
        self,
        damage: &mut Option<Damage>,
        limits: &Limits,
    ) -> Result<Recording<'static>, Error> {
        let size = self.size.unwrap_or(0);
        let mut bytes = Vec::new();
        for (offset, data) in self.pieces {
            // The map sorts the pieces, so this one does not continue the bytes before it.
            if offset != bytes.len() as u64 {
                break;
            }
            bytes.extend(data);
        }
        let missing = bytes.len() as u64;
        if missing != size {
            return Err(McapError::Incomplete {
                missing,
                size,
                damage: damage.take(),
            }
            .into());
        }
        let recording = Recording::parse_with(&bytes, limits)?;
        Ok(recording.into_owned())
    }
}
