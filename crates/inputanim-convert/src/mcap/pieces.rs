//! The recording's own bytes, in pieces that fit into chunks.

use std::collections::BTreeMap;
use std::io::{self, Write};

use inputanim::{Limits, Recording, WriteError};
use mcap::McapError;

use super::clock::Moment;
use super::damage::Damage;
use super::error::Error;
use super::messages::RecordingPiece;
use super::output::{Output, Topic};

/// Bytes of a piece: some fit into a chunk.
const PIECE: usize = 1 << 18;

/// Writes the file of a recording as messages.
pub(super) fn write(
    recording: &Recording<'_>,
    time: Moment,
    output: &mut Output<impl Write>,
    topic: &mut Topic<RecordingPiece>,
) -> Result<(), WriteError> {
    let layout = recording.layout;
    let mut pieces = Pieces {
        output,
        topic,
        time,
        piece: RecordingPiece {
            offset: 0,
            size: recording.encoded_len(layout),
            layout: layout.to_string(),
            data: Vec::new(),
        },
    };
    recording.write(&mut pieces, layout)?;
    pieces.flush()?;
    Ok(())
}

struct Pieces<'o, W: Write> {
    output: &'o mut Output<W>,
    topic: &'o mut Topic<RecordingPiece>,
    time: Moment,
    piece: RecordingPiece,
}

impl<W: Write> Write for Pieces<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = PIECE - self.piece.data.len();
        let fitting = &bytes[..room.min(bytes.len())];
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
            McapError::Io(error) => error,
            error => io::Error::other(error),
        })?;
        self.piece.offset += self.piece.data.len() as u64;
        self.piece.data.clear();
        Ok(())
    }
}

/// The pieces of one recording, in whatever order they come.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    /// Of the whole, as all pieces say.
    size: Option<u64>,
    pieces: BTreeMap<u64, Vec<u8>>,
    /// In memory.
    bytes: u64,
}

/// Bytes of memory that a piece takes beside its own, so that tiny ones count too.
const COST: u64 = 64;

impl Assembly {
    pub(super) fn add(&mut self, piece: RecordingPiece, limits: &Limits) -> Result<(), Error> {
        let size = *self.size.get_or_insert(piece.size);
        if size != piece.size || self.pieces.contains_key(&piece.offset) {
            return Err(Error::SeveralRecordings);
        }
        self.bytes += COST + piece.data.len() as u64;
        if self.bytes > limits.max_bytes {
            return Err(Error::Limit {
                limit: limits.max_bytes,
                things: "bytes",
            });
        }
        self.pieces.insert(piece.offset, piece.data);
        Ok(())
    }

    /// The recording, if all of it is there; else what is wrong, with the damage that may be why.
    pub(super) fn finish(
        self,
        damage: &mut Option<Damage>,
        limits: &Limits,
    ) -> Result<Recording<'static>, Error> {
        let size = self.size.unwrap_or(0);
        let mut bytes = Vec::new();
        for (offset, data) in self.pieces {
            if offset != bytes.len() as u64 {
                break;
            }
            bytes.extend(data);
        }
        let missing = bytes.len() as u64;
        if missing != size {
            return Err(Error::Incomplete {
                missing,
                size,
                damage: damage.take(),
            });
        }
        let recording = Recording::parse_with(&bytes, limits)?;
        Ok(recording.into_owned())
    }
}
