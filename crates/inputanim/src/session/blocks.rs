//! Search for the blocks of a session in any bytes.
//!
//! Method: a block is recognised by the checksum of its header. Where no block begins, the search
//! continues at the next byte.
//!
//! Cost: linear in the size of the input. The checksum of a payload is computed only after an
//! intact header, and the search then skips the payload.

use std::ops::Range;

use crate::session_format::{BLOCK_HEADER, BlockHeader};

/// A byte range of a session file: a block, or bytes that are not part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment<'b> {
    /// An intact block.
    Block {
        number: u64,
        /// Byte range of the block, with its header.
        bytes: Range<usize>,
        payload: &'b [u8],
    },
    /// A block with an intact header and a damaged payload.
    Damaged { number: u64, bytes: Range<usize> },
    /// Bytes that are not part of a block.
    Unknown { bytes: Range<usize> },
}

/// Divides the bytes of a session file from the offset `start` on into segments, in order and without gaps: intact
/// blocks, damaged blocks and other bytes.
pub(super) fn segments(bytes: &[u8], start: usize) -> Segments<'_> {
    Segments {
        bytes,
        offset: start,
    }
}

/// Iterator over the segments of a session file.
pub(super) struct Segments<'b> {
    bytes: &'b [u8],
    offset: usize,
}

impl<'b> Segments<'b> {
    /// Returns the intact or damaged block that begins at a byte offset. `None` if no block begins there, or if it ends
    /// after the last byte.
    fn block_at(&self, offset: usize) -> Option<Segment<'b>> {
        let rest = self.bytes.get(offset..)?;
        let header = BlockHeader::read(rest)?;
        // A block that is truncated at the end of the file does not count as a block. Its bytes are
        // reported as unknown.
        let payload = rest[BLOCK_HEADER..].get(..header.length as usize)?;
        let bytes = offset..offset + BLOCK_HEADER + payload.len();
        let number = header.number;
        Some(if header.matches(payload) {
            Segment::Block {
                number,
                bytes,
                payload,
            }
        } else {
            Segment::Damaged { number, bytes }
        })
    }
}

impl<'b> Iterator for Segments<'b> {
    type Item = Segment<'b>;

    fn next(&mut self) -> Option<Segment<'b>> {
        let (start, end) = (self.offset, self.bytes.len());
        if start >= end {
            return None;
        }
        if let Some(block) = self.block_at(start) {
            self.offset = block.bytes().end;
            return Some(block);
        }
        let is_block = |&offset: &usize| self.block_at(offset).is_some();
        self.offset = (start + 1..end).find(is_block).unwrap_or(end);
        let bytes = start..self.offset;
        Some(Segment::Unknown { bytes })
    }
}

impl Segment<'_> {
    /// Returns the byte range of the segment in the file.
    pub(super) fn bytes(&self) -> Range<usize> {
        let (Segment::Block { bytes, .. }
        | Segment::Damaged { bytes, .. }
        | Segment::Unknown { bytes }) = self;
        bytes.clone()
    }
}
