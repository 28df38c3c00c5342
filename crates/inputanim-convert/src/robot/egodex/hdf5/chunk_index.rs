//! The indexes of chunks: where each chunk of a dataset is.

use super::btree;
use super::filters::Filter;
use super::{Cursor, File, Hdf5Error};

/// The kinds of indexes.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChunkIndex {
    /// A B-tree of version 1, the only index of old files.
    Tree1 {
        address: Option<u64>,
    },
    /// One chunk contains the dataset. `packed` is its size and mask if it has filters.
    Single {
        address: Option<u64>,
        packed: Option<(u64, u32)>,
    },
    /// All chunks one after the other.
    Implicit {
        address: Option<u64>,
    },
    FixedArray {
        address: Option<u64>,
    },
    ExtensibleArray {
        address: Option<u64>,
    },
    Tree2 {
        address: Option<u64>,
    },
}

/// The chunks of a dataset.
pub(super) struct Grid<'f, 'a> {
    file: &'f File<'a>,
    /// The number of elements of a chunk in each dimension.
    chunk: Vec<u64>,
    /// The number of chunks in each dimension.
    counts: Vec<u64>,
    /// The size of a chunk without filters, in bytes.
    chunk_size: u64,
    is_filtered: bool,
}

/// A chunk in the file.
pub(super) struct Place {
    pub(super) address: u64,
    /// The size in the file, in bytes.
    pub(super) size: u64,
    /// The filters that were skipped.
    pub(super) mask: u32,
    /// The first element of the chunk in each dimension.
    pub(super) start: Vec<u64>,
}

type Visit<'v> = dyn FnMut(Place) -> Result<(), Hdf5Error> + 'v;

impl<'f, 'a> Grid<'f, 'a> {
    pub(super) fn new(
        file: &'f File<'a>,
        shape: &[u64],
        chunk: &[u64],
        chunk_size: u64,
        filters: &[Filter],
    ) -> Grid<'f, 'a> {
        let counts = shape.iter().zip(chunk);
        Grid {
            file,
            chunk: chunk.to_vec(),
            counts: counts.map(|(size, chunk)| size.div_ceil(*chunk)).collect(),
            chunk_size,
            is_filtered: !filters.is_empty(),
        }
    }

    /// Returns the number of chunks of the dataset.
    fn count(&self) -> u64 {
        let counts = self.counts.iter();
        counts.fold(1, |product: u64, count| product.saturating_mul(*count))
    }

    /// Returns the index of the first element of a chunk in each dimension. `number` counts the chunks from 0 in
    /// row-major order: the last dimension changes first.
    fn start(&self, mut number: u64) -> Vec<u64> {
        let mut scaled = vec![0; self.counts.len()];
        for (at, count) in scaled.iter_mut().zip(&self.counts).rev() {
            *at = number % count.max(&1);
            number /= count.max(&1);
        }
        self.scaled(scaled)
    }

    /// Converts the position of a chunk in the grid, counted in chunks, to the index of its first element in each
    /// dimension.
    fn scaled(&self, mut position: Vec<u64>) -> Vec<u64> {
        for (at, size) in position.iter_mut().zip(&self.chunk) {
            *at = at.saturating_mul(*size);
        }
        position
    }

    /// Reads the entry of a chunk from an array of entries: its address, its size and the filters that were skipped.
    /// `number` is the number of the chunk, and `bytes` is the size of an entry. Returns `None` for a chunk that was
    /// never written.
    fn element(
        &self,
        cursor: &mut Cursor<'_, '_>,
        bytes: u8,
        number: u64,
    ) -> Result<Option<Place>, Hdf5Error> {
        let mut element = cursor.part(bytes.into(), "element of a chunk index")?;
        let address = element.address()?;
        let (size, mask) = if self.is_filtered {
            let size = bytes.checked_sub(self.file.offset_size + 4);
            let size = size.ok_or_else(|| element.invalid("a larger element", bytes))?;
            (element.uint(size)?, element.u32()?)
        } else {
            (self.chunk_size, 0)
        };
        Ok(address.map(|address| Place {
            address,
            size,
            mask,
            start: self.start(number),
        }))
    }
}

impl ChunkIndex {
    /// Reads the kind and the address of a chunk index from a data layout message of version 4 or 5. `flags` are the
    /// flags of this message.
    pub(super) fn read(cursor: &mut Cursor<'_, '_>, flags: u8) -> Result<ChunkIndex, Hdf5Error> {
        let kind = cursor.u8()?;
        Ok(match kind {
            1 => {
                // The bit of a single chunk with filters.
                let packed = if flags & 0x02 != 0 {
                    Some((cursor.length()?, cursor.u32()?))
                } else {
                    None
                };
                ChunkIndex::Single {
                    address: cursor.address()?,
                    packed,
                }
            }
            2 => ChunkIndex::Implicit {
                address: cursor.address()?,
            },
            // The numbers before the address are in the header of the index, too.
            3 => {
                cursor.take(1)?;
                ChunkIndex::FixedArray {
                    address: cursor.address()?,
                }
            }
            4 => {
                cursor.take(5)?;
                ChunkIndex::ExtensibleArray {
                    address: cursor.address()?,
                }
            }
            5 => {
                cursor.take(6)?;
                ChunkIndex::Tree2 {
                    address: cursor.address()?,
                }
            }
            _ => return Err(cursor.unsupported("chunk index", kind)),
        })
    }

    /// Calls `visit` with the place of each chunk that was written. Fails if the index is damaged, or if `visit` fails.
    pub(super) fn chunks(
        &self,
        grid: &Grid<'_, '_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Hdf5Error> {
        // A dataset without an index has no chunks.
        match *self {
            ChunkIndex::Tree1 {
                address: Some(address),
            } => tree1(grid, address, visit),
            ChunkIndex::Single {
                address: Some(address),
                packed,
            } => {
                let (size, mask) = packed.unwrap_or((grid.chunk_size, 0));
                visit(Place {
                    address,
                    size,
                    mask,
                    start: grid.start(0),
                })
            }
            ChunkIndex::Implicit {
                address: Some(address),
            } => {
                for number in 0..grid.count() {
                    grid.file.work(1)?;
                    let address = number
                        .checked_mul(grid.chunk_size)
                        .and_then(|offset| address.checked_add(offset));
                    visit(Place {
                        address: address.unwrap_or(u64::MAX),
                        size: grid.chunk_size,
                        mask: 0,
                        start: grid.start(number),
                    })?;
                }
                Ok(())
            }
            ChunkIndex::FixedArray {
                address: Some(address),
            } => fixed_array(grid, address, visit),
            ChunkIndex::ExtensibleArray {
                address: Some(address),
            } => extensible_array(grid, address, visit),
            ChunkIndex::Tree2 {
                address: Some(address),
            } => tree2(grid, address, visit),
            _ => Ok(()),
        }
    }
}

fn tree1(grid: &Grid<'_, '_>, root: u64, visit: &mut Visit<'_>) -> Result<(), Hdf5Error> {
    let rank = grid.counts.len();
    // The offset in the element follows the offsets in the dimensions.
    let key_bytes = 8 + 8 * (rank as u64 + 1);
    btree::children(grid.file, root, 1, key_bytes, |mut key, address| {
        let (size, mask) = (key.u32()?.into(), key.u32()?);
        let offsets: Result<Vec<u64>, Hdf5Error> = (0..rank).map(|_| key.uint(8)).collect();
        visit(Place {
            address,
            size,
            mask,
            start: offsets?,
        })
    })
}

fn tree2(grid: &Grid<'_, '_>, header: u64, visit: &mut Visit<'_>) -> Result<(), Hdf5Error> {
    let rank = grid.counts.len();
    btree::records(grid.file, header, |mut record| {
        let address = record.address()?;
        let (size, mask) = if grid.is_filtered {
            let offsets = 8 * rank + 4;
            let size = record.remaining().checked_sub(offsets);
            let size = size.and_then(|size| u8::try_from(size).ok());
            let size = size.ok_or_else(|| record.invalid("a larger record", "a smaller one"))?;
            (record.uint(size)?, record.u32()?)
        } else {
            (grid.chunk_size, 0)
        };
        let scaled: Result<Vec<u64>, Hdf5Error> = (0..rank).map(|_| record.uint(8)).collect();
        match address {
            Some(address) => visit(Place {
                address,
                size,
                mask,
                start: grid.scaled(scaled?),
            }),
            None => Ok(()),
        }
    })
}

fn fixed_array(grid: &Grid<'_, '_>, header: u64, visit: &mut Visit<'_>) -> Result<(), Hdf5Error> {
    const WHAT: &str = "fixed array";
    let mut header = grid.file.cursor(header, WHAT)?;
    header.signature("FAHD", 0)?;
    header.u8()?;
    let (element, page_bits) = (header.u8()?, header.u8()?);
    let count = header.length()?.min(grid.count());
    let Some(block) = header.address()? else {
        return Ok(());
    };
    let page = 1_u64.checked_shl(page_bits.into()).unwrap_or(u64::MAX);
    let mut block = grid.file.cursor(block, WHAT)?;
    block.signature("FADB", 0)?;
    block.u8()?;
    block.address()?;
    let mut elements = Elements {
        grid,
        bytes: element,
        number: 0,
        visit,
    };
    if count <= page {
        return elements.read(&mut block, count);
    }
    let pages = count.div_ceil(page);
    let bitmap = block.take(pages.div_ceil(8))?;
    // The checksum of the block.
    block.take(4)?;
    for number in 0..pages {
        // The last page may be smaller.
        let page = page.min(count - number * page);
        let mut part = block.part(page.saturating_mul(element.into()), WHAT)?;
        if is_set(bitmap, number) {
            elements.read(&mut part, page)?
        } else {
            elements.number += page
        }
        block.take(4)?;
    }
    Ok(())
}

/// The elements of an array of chunks, in the order of the chunks.
struct Elements<'g, 'v, 'f, 'a> {
    grid: &'g Grid<'f, 'a>,
    /// The size of an element.
    bytes: u8,
    /// The number of the next chunk.
    number: u64,
    visit: &'g mut Visit<'v>,
}

impl Elements<'_, '_, '_, '_> {
    fn read(&mut self, cursor: &mut Cursor<'_, '_>, count: u64) -> Result<(), Hdf5Error> {
        for _ in 0..count {
            let place = self.grid.element(cursor, self.bytes, self.number)?;
            // The array may be longer than the dataset.
            if self.number < self.grid.count()
                && let Some(place) = place
            {
                (self.visit)(place)?;
            }
            self.number += 1;
        }
        Ok(())
    }
}

/// Calls `visit` with each chunk of an extensible array, the index of a dataset with one dimension that can grow.
/// `header` is the address of the array.
fn extensible_array(
    grid: &Grid<'_, '_>,
    header: u64,
    visit: &mut Visit<'_>,
) -> Result<(), Hdf5Error> {
    const WHAT: &str = "extensible array";
    let mut header = grid.file.cursor(header, WHAT)?;
    header.signature("EAHD", 0)?;
    header.u8()?;
    let element = header.u8()?;
    let max_bits = header.u8()?;
    let in_index = header.u8()?;
    let (least_elements, least_pointers) = (header.u8()?, header.u8()?);
    let page_bits = header.u8()?;
    // Statistics.
    for _ in 0..6 {
        header.length()?;
    }
    let index = header.address()?;
    let is_power = |number: u8| number.is_power_of_two();
    if max_bits > 64 || !is_power(least_elements) || !is_power(least_pointers) || page_bits > 32 {
        let found = format!("{max_bits}, {least_elements}, {least_pointers}, {page_bits}");
        return Err(header.invalid("at most 64 bits and powers of 2", found));
    }
    let Some(index) = index else {
        return Ok(());
    };
    let mut index = grid.file.cursor(index, WHAT)?;
    index.signature("EAIB", 0)?;
    index.u8()?;
    index.address()?;
    let mut array = ExtensibleArray {
        elements: Elements {
            grid,
            bytes: element,
            number: 0,
            visit,
        },
        offset_bytes: max_bits.div_ceil(8),
        page: 1 << page_bits,
    };
    array.elements.read(&mut index, in_index.into())?;
    // Super block n has 2^(n/2) data blocks with 2^((n+1)/2) times the least number of elements.
    let blocks = |level: u32| 1_u64 << (level / 2).min(32);
    let sizes = |level: u32| (1_u64 << level.div_ceil(2).min(32)) * u64::from(least_elements);
    let levels = 1 + u32::from(max_bits).saturating_sub(least_elements.ilog2());
    // The first super blocks are in the index block itself.
    let direct = 2 * least_pointers.ilog2();
    for level in 0..levels {
        if array.is_done() {
            break;
        }
        let (count, size) = (blocks(level), sizes(level));
        if level < direct {
            array.data_blocks(&mut index, count, size, &[])?;
        } else if let Some(block) = index.address()? {
            let mut block = grid.file.cursor(block, WHAT)?;
            block.signature("EASB", 0)?;
            block.u8()?;
            block.address()?;
            block.uint(array.offset_bytes)?;
            let bitmap = if size > array.page {
                count.saturating_mul((size / array.page).div_ceil(8))
            } else {
                0
            };
            let bitmap = block.take(bitmap)?;
            array.data_blocks(&mut block, count, size, bitmap)?;
        } else {
            array.skip(count.saturating_mul(size));
        }
    }
    Ok(())
}

struct ExtensibleArray<'g, 'v, 'f, 'a> {
    elements: Elements<'g, 'v, 'f, 'a>,
    offset_bytes: u8,
    /// The number of elements in a page of a large data block.
    page: u64,
}

impl ExtensibleArray<'_, '_, '_, '_> {
    fn is_done(&self) -> bool {
        self.elements.number >= self.elements.grid.count()
    }

    fn skip(&mut self, count: u64) {
        self.elements.number = self.elements.number.saturating_add(count);
    }

    /// Visits the chunks in `count` data blocks of `size` elements each, whose addresses are read from `table`. A block
    /// with more elements than a page consists of pages; `bitmap` has a bit for each page of these blocks, which is set
    /// if the page was written.
    fn data_blocks(
        &mut self,
        table: &mut Cursor<'_, '_>,
        count: u64,
        size: u64,
        bitmap: &[u8],
    ) -> Result<(), Hdf5Error> {
        const WHAT: &str = "extensible array";
        let file = self.elements.grid.file;
        for number in 0..count {
            let address = table.address()?;
            let Some(address) = address.filter(|_| !self.is_done()) else {
                self.skip(size);
                continue;
            };
            let mut block = file.cursor(address, WHAT)?;
            block.signature("EADB", 0)?;
            block.u8()?;
            block.address()?;
            block.uint(self.offset_bytes)?;
            if size <= self.page {
                self.elements.read(&mut block, size)?;
                continue;
            }
            block.take(4)?;
            let pages = size / self.page;
            for page in 0..pages {
                let bytes = self.page.saturating_mul(self.elements.bytes.into());
                let mut part = block.part(bytes, WHAT)?;
                block.take(4)?;
                if is_set(bitmap, number.saturating_mul(pages).saturating_add(page))
                    && !self.is_done()
                {
                    self.elements.read(&mut part, self.page)?
                } else {
                    self.skip(self.page)
                }
            }
        }
        Ok(())
    }
}

/// Returns `true` if a bit of a bitmap is set. Bit 0 is the highest bit of the first byte. Bits beyond the bitmap are
/// not set.
fn is_set(bitmap: &[u8], bit: u64) -> bool {
    let byte = usize::try_from(bit / 8)
        .ok()
        .and_then(|byte| bitmap.get(byte));
    byte.is_some_and(|byte| byte >> (7 - bit % 8) & 1 == 1)
}
