//! Finding the blocks of a session, whatever is between them.
//!
//! Cost: each byte is looked at a few times at the most, whatever the bytes are: a payload is
//! summed up only behind a header that is whole, and then passed over.

use std::ops::Range;

use super::format::{BLOCK, BlockHeader};

/// A stretch of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'b> {
    /// A block as it was written.
    Block {
        number: u64,
        /// Where it is, its header included.
        bytes: Range<usize>,
        payload: &'b [u8],
    },
    /// A block with a whole header, whose payload is not what was written.
    Damaged { number: u64, bytes: Range<usize> },
    /// No block.
    Unknown { bytes: Range<usize> },
}

/// The pieces of the bytes from an offset on, in order and without a gap.
pub(super) fn pieces(bytes: &[u8], from: usize) -> Pieces<'_> {
    Pieces { bytes, at: from }
}

pub(super) struct Pieces<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Pieces<'b> {
    /// The block that begins at an offset, unless it ends behind the last byte.
    fn block_at(&self, at: usize) -> Option<Piece<'b>> {
        let rest = self.bytes.get(at..)?;
        let header = BlockHeader::read(rest)?;
        let payload = rest[BLOCK..].get(..header.length as usize)?;
        let bytes = at..at + BLOCK + payload.len();
        let number = header.number;
        Some(match header.is_of(payload) {
            true => Piece::Block {
                number,
                bytes,
                payload,
            },
            false => Piece::Damaged { number, bytes },
        })
    }
}

impl<'b> Iterator for Pieces<'b> {
    type Item = Piece<'b>;

    fn next(&mut self) -> Option<Piece<'b>> {
        let (start, end) = (self.at, self.bytes.len());
        if start >= end {
            return None;
        }
        if let Some(block) = self.block_at(start) {
            self.at = block.bytes().end;
            return Some(block);
        }
        let is_block = |&at: &usize| self.block_at(at).is_some();
        self.at = (start + 1..end).find(is_block).unwrap_or(end);
        let bytes = start..self.at;
        Some(Piece::Unknown { bytes })
    }
}

impl Piece<'_> {
    pub(super) fn bytes(&self) -> Range<usize> {
        let (Piece::Block { bytes, .. } | Piece::Damaged { bytes, .. } | Piece::Unknown { bytes }) =
            self;
        bytes.clone()
    }
}
