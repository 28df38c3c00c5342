//! The bytes of the recording, split into messages that fit into chunks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use inputanim::{Limits, ParseError, Recording};

use crate::shared::limits::check_limit;
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report};

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
    // The gaps and texts are in the metadata, devices in messages of their own, and the keys stay as they are.
    let mut bare = Cow::Borrowed(recording);
    if !recording.known.is_complete() || !recording.devices.is_empty() {
        let bare = bare.to_mut();
        bare.take_parts();
        bare.devices.clear();
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

/// The first bytes of a recording that cannot be read completely.
#[derive(Debug)]
pub(crate) struct Partial {
    bytes: Vec<u8>,
    /// The size of the recording in bytes.
    size: u64,
    /// The error of the complete bytes; `None` if some are missing.
    error: Option<ParseError>,
}

impl Partial {
    /// Returns the offset of the first missing byte, and the size of the recording; `None` if no bytes are missing.
    #[cfg(feature = "mcap-plain")]
    pub(crate) fn missing(&self) -> Option<(u64, u64)> {
        let offset = self.bytes.len() as u64;
        self.error.is_none().then_some((offset, self.size))
    }

    /// Returns the error of the recording if no bytes are missing.
    #[cfg(feature = "mcap-plain")]
    pub(crate) fn into_error(self) -> Option<ParseError> {
        self.error
    }

    /// Returns the intact curves and markers, and adds the loss of the others on `topic` to the report. Returns `None` if
    /// no curve is intact.
    pub(crate) fn recover(
        &self,
        topic: &str,
        limits: &Limits,
        report: &mut Report,
    ) -> Option<Recording<'static>> {
        let recovered = Recording::recover_with(&self.bytes, limits)
            .ok()?
            .into_owned();
        let is_empty = recovered
            .recording
            .curves()
            .all(|(_, curve)| curve.is_empty());
        if is_empty {
            return None;
        }
        let count = recovered.damaged.len().max(1);
        let parts = counted(count, "part");
        let message = format!("{parts} of the recording on {topic}, which is {self}");
        report.lose(LossKind::Damage, count, message);
        Some(recovered.recording)
    }
}

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(error) => write!(f, "damaged: {error}"),
            None => {
                let (size, offset) = (self.size, self.bytes.len());
                write!(
                    f,
                    "incomplete: expected {size} bytes, missing from byte {offset} on"
                )
            }
        }
    }
}

/// The memory of a piece without its bytes, so that tiny pieces count too.
const COST: u64 = 64;

impl Assembly {
    /// Adds a piece of the recording. Returns `false` and ignores the piece if it belongs to another recording: the
    /// pieces of one recording have one size, and different offsets unless a message is repeated. Fails if the pieces exceed the
    /// limit of bytes.
    pub(crate) fn add(&mut self, piece: Piece, limits: &Limits) -> Result<bool, Error> {
        let size = *self.size.get_or_insert(piece.size);
        if size != piece.size {
            return Ok(false);
        }
        if let Some(known) = self.pieces.get(&piece.offset) {
            return Ok(*known == piece.data);
        }
        self.bytes += COST + piece.data.len() as u64;
        check_limit(self.bytes, limits.max_bytes, "bytes")?;
        self.pieces.insert(piece.offset, piece.data);
        Ok(true)
    }

    /// Joins the pieces to the bytes of the recording, and reads them. If this fails, returns the bytes before the first missing
    /// one.
    pub(crate) fn finish(self, limits: &Limits) -> Result<Recording<'static>, Partial> {
        let size = self.size.unwrap_or(0);
        let mut bytes = Vec::new();
        for (offset, data) in self.pieces {
            // The map sorts the pieces, so this one does not continue the bytes before it.
            if offset != bytes.len() as u64 {
                break;
            }
            bytes.extend(data);
        }
        let error = if bytes.len() as u64 == size {
            match Recording::parse_with(&bytes, limits) {
                Ok(recording) => return Ok(recording.into_owned()),
                Err(error) => Some(error),
            }
        } else {
            None
        };
        Err(Partial { bytes, size, error })
    }
}
