//! Fractal heaps, which hold the links and attributes of large groups.

use super::btree::bytes_for;
use super::{Cursor, File, Hdf5Error};

const WHAT: &str = "fractal heap";

/// The header of a fractal heap.
pub(super) struct FractalHeap<'f, 'a> {
    file: &'f File<'a>,
    /// The bytes of an offset in the heap.
    offset_bytes: u8,
    /// The bytes of the length of an object.
    length_bytes: u8,
    /// The number of blocks in a row.
    width: u64,
    /// The size of the blocks in the first two rows. Each later row has blocks of twice the size.
    first_size: u64,
    /// The size of the largest block with objects. Larger blocks contain blocks.
    max_direct_size: u64,
    root: Option<u64>,
    /// The number of rows in the root. It is 0 if the root is a block with objects.
    root_rows: u64,
}

impl<'f, 'a> FractalHeap<'f, 'a> {
    pub(super) fn open(file: &'f File<'a>, address: u64) -> Result<FractalHeap<'f, 'a>, Hdf5Error> {
        let mut header = file.cursor(address, WHAT)?;
        header.signature("FRHP", 0)?;
        header.u16()?;
        let filters = header.u16()?;
        if filters != 0 {
            return Err(header.unsupported("filter", "in the heap"));
        }
        header.u8()?;
        let max_object = header.u32()?;
        // Numbers of objects that are stored elsewhere, and of free space.
        header.length()?;
        header.address()?;
        header.length()?;
        header.address()?;
        for _ in 0..8 {
            header.length()?;
        }
        let width = header.u16()?;
        let first_size = header.length()?;
        let max_direct_size = header.length()?;
        let heap_bits = header.u16()?;
        header.u16()?;
        let root = header.address()?;
        let root_rows = header.u16()?;
        if width == 0 || first_size == 0 || heap_bits == 0 || heap_bits > 64 {
            let found = format!("{width}, {first_size}, {heap_bits}");
            return Err(header.invalid("a width, a size and at most 64 bits", found));
        }
        Ok(FractalHeap {
            file,
            offset_bytes: heap_bits.div_ceil(8) as u8,
            length_bytes: bytes_for(max_direct_size.min(max_object.into())),
            width: width.into(),
            first_size,
            max_direct_size,
            root,
            root_rows: root_rows.into(),
        })
    }

    /// Returns a cursor for the object with the heap ID `id`. `offset` is the offset of the ID in the file, and `what`
    /// names the object in errors. Returns `None` for an object that is larger than blocks, because it is not in the
    /// heap.
    pub(super) fn object(
        &self,
        id: &'a [u8],
        offset: u64,
        what: &'static str,
    ) -> Result<Option<Cursor<'f, 'a>>, Hdf5Error> {
        let mut id = Cursor::new(self.file, id, offset, WHAT);
        let flags = id.u8()?;
        match flags >> 4 & 0x03 {
            0 => {
                let (at, length) = (id.uint(self.offset_bytes)?, id.uint(self.length_bytes)?);
                let block = self.block(at)?;
                let mut block = block.ok_or_else(|| id.invalid("an offset in the heap", at))?;
                block.cursor.skip(at - block.start)?;
                block.cursor.part(length, what).map(Some)
            }
            1 => Ok(None),
            2 => id.part(u64::from(flags & 0x0f) + 1, what).map(Some),
            _ => Err(id.invalid("a managed, huge or tiny object", flags)),
        }
    }

    /// Returns the block with objects that contains the offset `at` in the heap; `None` if no block contains it.
    fn block(&self, at: u64) -> Result<Option<Block<'f, 'a>>, Hdf5Error> {
        let Some(mut address) = self.root else {
            return Ok(None);
        };
        let (mut rows, mut start) = (self.root_rows, 0_u64);
        // Each step goes to a smaller block, or stops.
        while rows > 0 {
            let Some((entry, size, offset)) = self.entry(at - start, rows) else {
                return Ok(None);
            };
            let mut table = self.file.cursor(address, WHAT)?;
            table.signature("FHIB", 0)?;
            table.address()?;
            table.uint(self.offset_bytes)?;
            table.skip(entry.saturating_mul(self.file.offset_size.into()))?;
            address = match table.address()? {
                Some(address) => address,
                None => return Ok(None),
            };
            start += offset;
            rows = if size > self.max_direct_size {
                let inner = size / self.first_size.saturating_mul(self.width).max(1);
                let inner = u64::from(inner.max(1).ilog2()) + 1;
                if inner >= rows {
                    return Err(table.invalid("fewer rows than in the parent", inner));
                }
                inner
            } else {
                0
            };
        }
        let cursor = self.file.cursor(address, WHAT)?;
        if !cursor.peek().starts_with(b"FHDB") {
            return Err(cursor.invalid("FHDB", "another signature"));
        }
        // Offsets count from the signature, not from the first object.
        Ok(Some(Block { start, cursor }))
    }

    /// Finds the entry for an offset in a block that contains blocks. Returns the number of the entry, the size of its
    /// block, and the offset of its block. `rows` is the number of rows of entries. Both offsets count from the start
    /// of the containing block. Returns `None` if the offset is beyond the last row.
    fn entry(&self, at: u64, rows: u64) -> Option<(u64, u64, u64)> {
        let mut row_start = 0_u64;
        for row in 0..rows.min(64) {
            let shift = u32::try_from(row.saturating_sub(1)).ok()?;
            let size = self.first_size.checked_mul(1_u64.checked_shl(shift)?)?;
            let row_size = size.checked_mul(self.width)?;
            if at - row_start < row_size {
                let column = (at - row_start) / size;
                return Some((row * self.width + column, size, row_start + column * size));
            }
            row_start = row_start.checked_add(row_size)?;
        }
        None
    }
}

/// A block with objects.
struct Block<'f, 'a> {
    /// The offset of the block in the heap.
    start: u64,
    cursor: Cursor<'f, 'a>,
}
