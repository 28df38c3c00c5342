//! The bytes of the recording, split into messages that fit into chunks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use inputanim::{Limits, Recording};

use crate::shared::Error;
use crate::shared::limits::check_limit;

/// The number of bytes in a piece. Several messages fit into a chunk.
const PIECE: usize = 1 << 18;

/// A part of the file of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece {
    /// The offset of the part in the file.
    pub(crate) offset: u64,
    /// The size of the file in bytes.
    pub(crate) size: u64,
    pub(crate) data: Vec<u8>,
}

/// Encodes a recording as an input animation file, splits the file into pieces, and calls `put` with each piece in
/// order. Fails if `put` fails.
pub(crate) fn write(
    recording: &Recording<'_>,
    put: impl FnMut(&Piece) -> io::Result<()>,
) -> Result<(), Error> {
    let layout = recording.layout;
    let mut pieces = PieceWriter {
        put,
        piece: Piece {
            offset: 0,
            size: recording.encoded_len_as(layout),
            data: Vec::new(),
        },
    };
    // The gaps and texts are in the metadata, and the keys stay as they are.
    let mut bare = Cow::Borrowed(recording);
    if !recording.known.is_complete() {
        bare.to_mut().take_parts();
    }
    bare.write_as(&mut pieces, layout)?;
    pieces.flush()?;
    Ok(())
}

struct PieceWriter<F> {
    put: F,
    piece: Piece,
}

impl<F: FnMut(&Piece) -> io::Result<()>> Write for PieceWriter<F> {
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
        (self.put)(&self.piece)?;
        self.piece.offset += self.piece.data.len() as u64;
        self.piece.data.clear();
        Ok(())
    }
}

/// The pieces of one recording, in any order.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// The size of the recording, which all pieces state.
    size: Option<u64>,
    pieces: BTreeMap<u64, Vec<u8>>,
    /// The memory of the pieces.
    bytes: u64,
}

/// The bytes of a recording of which a part is missing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Missing {
    /// The offset of the first missing byte.
    pub(crate) offset: u64,
    /// The size of the recording in bytes.
    pub(crate) size: u64,
}

/// The memory of a piece without its bytes, so that tiny pieces count too.
const COST: u64 = 64;

impl Assembly {
    /// Adds a piece of the recording. Returns `false` and ignores the piece if it belongs to another recording: the
    /// pieces of one recording have one size and different offsets. Fails if the pieces exceed the limit of bytes.
    pub(crate) fn add(&mut self, piece: Piece, limits: &Limits) -> Result<bool, Error> {
        let size = *self.size.get_or_insert(piece.size);
        if size != piece.size || self.pieces.contains_key(&piece.offset) {
            return Ok(false);
        }
        self.bytes += COST + piece.data.len() as u64;
        check_limit(self.bytes, limits.max_bytes, "bytes")?;
        self.pieces.insert(piece.offset, piece.data);
        Ok(true)
    }

    /// Joins the pieces to the bytes of the recording. If pieces are missing, returns the offset of the first missing
    /// byte and the expected size.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Missing> {
        let size = self.size.unwrap_or(0);
        let mut bytes = Vec::new();
        for (offset, data) in self.pieces {
            // The map sorts the pieces, so this one does not continue the bytes before it.
            if offset != bytes.len() as u64 {
                break;
            }
            bytes.extend(data);
        }
        let offset = bytes.len() as u64;
        if offset == size {
            Ok(bytes)
        } else {
            Err(Missing { offset, size })
        }
    }
}
