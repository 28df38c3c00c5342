//! A position in a byte slice.

use zerocopy::{FromBytes, Immutable, KnownLayout};

use super::error::{FilePart, ParseErrorKind};

/// The error at which reading stopped. It becomes a [`ParseError`](super::ParseError) once the
/// layout is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) kind: ParseErrorKind,
    pub(super) part: FilePart,
    pub(super) offset: usize,
}

/// A position in a byte slice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn at(bytes: &'a [u8], offset: usize) -> Cursor<'a> {
        Cursor { bytes, offset }
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.offset
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        // Two steps, because the sum of offset and count can overflow.
        let taken = self.bytes.get(self.offset..)?.get(..count)?;
        self.offset += count;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = self.bytes.get(self.offset..)?.first_chunk::<N>()?;
        self.offset += N;
        Some(*taken)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    /// Borrows the next `count` keys, and moves the cursor behind them. Returns `None` if fewer remain.
    pub(super) fn keys<K: FromBytes + Immutable + KnownLayout>(
        &mut self,
        count: usize,
    ) -> Option<&'a [K]> {
        let rest = self.bytes.get(self.offset..)?;
        let (keys, _) = <[K]>::ref_from_prefix_with_elems(rest, count).ok()?;
        self.offset += size_of_val(keys);
        Some(keys)
    }

    pub(super) fn end_of_file(&self, part: FilePart, needed: usize) -> Stop {
        Stop {
            kind: ParseErrorKind::EndOfFile {
                needed: needed as u64,
                remaining: self.remaining() as u64,
            },
            part,
            offset: self.offset,
        }
    }
}
