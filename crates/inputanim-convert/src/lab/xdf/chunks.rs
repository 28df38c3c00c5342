//! The chunks of a file, and its damage.
//!
//! A chunk is a length, a tag of two bytes, and its content. The number of bytes of the length comes first: 1, 4 or 8.
//! All integers are little-endian. After damage, reading continues behind the next boundary chunk.

use std::fmt;

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 4] = *b"XDF:";

/// The content of a boundary chunk.
pub(super) const BOUNDARY: [u8; 16] = [
    0x43, 0xa5, 0x46, 0xdc, 0xcb, 0xf5, 0x41, 0x0f, 0xb3, 0x0e, 0xd5, 0x46, 0x73, 0x83, 0xcb, 0xe4,
];

/// The tags of chunks.
pub(super) mod tag {
    pub(in super::super) const FILE_HEADER: u16 = 1;
    pub(in super::super) const STREAM_HEADER: u16 = 2;
    pub(in super::super) const SAMPLES: u16 = 3;
    pub(in super::super) const CLOCK_OFFSET: u16 = 4;
    pub(in super::super) const BOUNDARY: u16 = 5;
    pub(in super::super) const STREAM_FOOTER: u16 = 6;
}

/// A chunk whose length is valid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    /// The offset of the chunk in the file.
    pub(super) offset: usize,
    pub(super) tag: u16,
    /// The bytes after the tag.
    pub(super) content: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// Returns the id of a stream, with which the content begins, and the rest of the content. Returns `None` if the
    /// content is too short.
    pub(super) fn split_id(&self) -> Option<(u32, &'a [u8])> {
        let (id, rest) = self.content.split_first_chunk()?;
        Some((u32::from_le_bytes(*id), rest))
    }
}

/// Reads the chunks of a file in order.
#[derive(Debug)]
pub(super) struct Chunks<'a> {
    bytes: &'a [u8],
    position: usize,
    damage: Damage,
    /// The number of bytes that rejected chunks may still have.
    patience: usize,
}

impl<'a> Chunks<'a> {
    /// Creates a reader of the chunks of a file. `bytes` is the complete file, with the magic bytes before the first
    /// chunk.
    pub(super) fn new(bytes: &'a [u8]) -> Chunks<'a> {
        Chunks {
            bytes,
            position: MAGIC.len().min(bytes.len()),
            damage: Damage::default(),
            // Chunks that are rejected one after the other could overlap, and each could be as long as the file.
            patience: bytes.len().saturating_mul(8),
        }
    }

    /// Returns the next chunk; `None` at the end of the file. After damage, reading continues behind the next boundary
    /// chunk.
    pub(super) fn next(&mut self) -> Option<Chunk<'a>> {
        while self.position < self.bytes.len() {
            let offset = self.position;
            match self.chunk_at(offset) {
                Ok((chunk, end)) => {
                    self.position = end;
                    return Some(chunk);
                }
                Err(cause) => self.skip(offset, offset + 1, cause),
            }
        }
        None
    }

    /// Counts damage in the content of a chunk, and continues reading behind the next boundary chunk. Reading ends if
    /// too many bytes were rejected.
    pub(super) fn reject(&mut self, chunk: &Chunk<'a>, cause: Cause) {
        match self.patience.checked_sub(chunk.content.len()) {
            Some(patience) => {
                self.patience = patience;
                // The length itself may be wrong, so that the boundary may be within the content.
                let from = self.position.saturating_sub(chunk.content.len());
                self.skip(chunk.offset, from, cause);
            }
            None => {
                self.note(chunk.offset, cause);
                self.position = self.bytes.len();
                self.damage.is_at_end = true;
            }
        }
    }

    /// Counts damage at an offset of the file that does not affect the chunks after it.
    pub(super) fn note(&mut self, offset: usize, cause: Cause) {
        self.damage.places += 1;
        self.damage.first.get_or_insert((offset, cause));
    }

    /// Returns the damage that was found so far.
    pub(super) fn into_damage(self) -> Damage {
        self.damage
    }

    fn skip(&mut self, offset: usize, from: usize, cause: Cause) {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let found = rest
            .windows(BOUNDARY.len())
            .position(|part| part == BOUNDARY);
        match found {
            Some(index) => {
                self.note(offset, cause);
                self.position = from + index + BOUNDARY.len();
            }
            None => {
                let is_too_long = matches!(cause, Cause::TooLong);
                self.note(offset, if is_too_long { Cause::CutOff } else { cause });
                self.position = self.bytes.len();
                self.damage.is_at_end = true;
            }
        }
    }

    /// Parses the chunk at an offset of the file. Returns the chunk and the offset of its end. Fails if its length is
    /// not valid or reaches beyond the end of the file.
    fn chunk_at(&self, offset: usize) -> Result<(Chunk<'a>, usize), Cause> {
        let bytes = self.bytes.get(offset..).unwrap_or_default();
        let (length, rest) = match split_length(bytes) {
            Some(found) => found,
            None if matches!(bytes.first(), Some(1 | 4 | 8)) => return Err(Cause::TooLong),
            None => return Err(Cause::Length),
        };
        if length < 2 {
            return Err(Cause::Length);
        }
        let length = usize::try_from(length).map_err(|_| Cause::TooLong)?;
        let body = rest.get(..length).ok_or(Cause::TooLong)?;
        let (tag, content) = body.split_first_chunk().ok_or(Cause::Length)?;
        let chunk = Chunk {
            offset,
            tag: u16::from_le_bytes(*tag),
            content,
        };
        Ok((chunk, self.bytes.len() - rest.len() + length))
    }
}

/// Reads an integer of variable size from the start of `bytes`: first the number of its bytes (1, 4 or 8), then these
/// bytes. Returns the integer and the rest of `bytes`. Returns `None` if they do not begin with such an integer.
pub(super) fn split_length(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (&size, rest) = bytes.split_first()?;
    match size {
        1 => {
            let (&length, rest) = rest.split_first()?;
            Some((length.into(), rest))
        }
        4 => {
            let (length, rest) = rest.split_first_chunk()?;
            Some((u32::from_le_bytes(*length).into(), rest))
        }
        8 => {
            let (length, rest) = rest.split_first_chunk()?;
            Some((u64::from_le_bytes(*length), rest))
        }
        _ => None,
    }
}

/// The damage of a file.
#[derive(Debug, Default)]
pub(super) struct Damage {
    /// The number of damaged chunks.
    pub(super) places: usize,
    /// `true` if no intact chunk follows the last damage.
    pub(super) is_at_end: bool,
    first: Option<(usize, Cause)>,
}

/// Writes the place and the cause of the first damage.
impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.first {
            Some((offset, cause)) => write!(f, "byte {offset}: {cause}"),
            None => Ok(()),
        }
    }
}

/// The cause of damage.
#[derive(Debug)]
pub(super) enum Cause {
    /// The first byte of a chunk is not 1, 4 or 8, or its length is too short for a tag.
    Length,
    /// A chunk reaches beyond the end of the file, and no boundary follows.
    CutOff,
    /// A chunk reaches beyond the end of the file, although a boundary follows.
    TooLong,
    /// The content of a chunk is too short for the id of a stream.
    NoId,
    /// No intact header of the stream precedes the chunk.
    UnknownStream(u32),
    /// The samples do not fill their chunk exactly.
    Samples(u32),
    /// A clock offset does not consist of two finite numbers.
    ClockOffset(u32),
    /// The header of a stream cannot be read.
    Header(u32, String),
    /// The footer of a stream cannot be read.
    Footer(u32, String),
    /// A stream has a second header.
    SecondHeader(u32),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Length => f.write_str("expected a chunk, found an invalid length"),
            Cause::CutOff => f.write_str("the file is cut off"),
            Cause::TooLong => {
                f.write_str("expected a chunk, found a length beyond the end of the file")
            }
            Cause::NoId => f.write_str("a chunk is too short for the id of a stream"),
            Cause::UnknownStream(id) => {
                write!(f, "a chunk of stream {id}, which has no intact header")
            }
            Cause::Samples(id) => write!(f, "samples of stream {id} do not fill their chunk"),
            Cause::ClockOffset(id) => {
                write!(f, "a clock offset of stream {id} is not two finite numbers")
            }
            Cause::Header(id, problem) => write!(f, "header of stream {id}: {problem}"),
            Cause::Footer(id, problem) => write!(f, "footer of stream {id}: {problem}"),
            Cause::SecondHeader(id) => write!(f, "a second header of stream {id}"),
        }
    }
}
