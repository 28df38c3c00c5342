//! Datasets of floats.

use std::borrow::Cow;
use std::fmt;

use super::chunk_index::{self, ChunkIndex};
use super::filters::{self, Filter};
use super::object::kind;
use super::{Cursor, File, Hdf5Error, Object};
use crate::shared::report::counted;

/// The largest number of dimensions that is read.
const MAX_RANK: usize = 8;

/// The shape of a dataset or attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dataspace(Option<Vec<u64>>);

impl Dataspace {
    /// Parses a dataspace message, which states the shape of a dataset or attribute.
    pub(super) fn read(cursor: &mut Cursor<'_, '_>) -> Result<Dataspace, Hdf5Error> {
        let version = cursor.u8()?;
        let (rank, flags) = (cursor.u8()?, cursor.u8()?);
        let has_data = match version {
            1 => {
                cursor.take(5)?;
                true
            }
            // Type 2 is an empty dataspace.
            2 => cursor.u8()? != 2,
            _ => return Err(cursor.unsupported("version", version)),
        };
        if usize::from(rank) > MAX_RANK {
            return Err(cursor.unsupported("rank", rank));
        }
        let shape: Result<Vec<u64>, Hdf5Error> = (0..rank).map(|_| cursor.length()).collect();
        let shape = shape?;
        // The largest dimensions, which an extension may reach.
        if flags & 0x01 != 0 {
            cursor.take(u64::from(rank) * cursor.length_size())?;
        }
        Ok(Dataspace(has_data.then_some(shape)))
    }

    /// Returns the number of elements; `None` if it exceeds 64 bits.
    pub(super) fn count(&self) -> Option<u64> {
        let Some(shape) = &self.0 else {
            return Some(0);
        };
        shape
            .iter()
            .try_fold(1_u64, |count, size| count.checked_mul(*size))
    }
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Datatype {
    Float(Float),
    /// A little-endian integer of a number of bytes.
    Integer {
        size: u32,
    },
    /// A text of a number of bytes.
    Text {
        size: u32,
    },
    /// A text in a global heap.
    VariableText,
    Other {
        class: u8,
        size: u32,
    },
}

/// An IEEE float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Float {
    /// 2, 4 or 8 bytes.
    size: usize,
    is_big_endian: bool,
}

impl Datatype {
    /// Parses a datatype message, which states the type of the elements of a dataset or attribute.
    pub(super) fn read(cursor: &mut Cursor<'_, '_>) -> Result<Datatype, Hdf5Error> {
        let class = cursor.u8()? & 0x0f;
        let bits = cursor.uint(3)?;
        let size = cursor.u32()?;
        let other = Datatype::Other { class, size };
        Ok(match class {
            // Bit 0 is the byte order.
            0 if bits & 0x01 == 0 => Datatype::Integer { size },
            1 => {
                let offset = cursor.u16()?;
                let precision = cursor.u16()?;
                let exponent = (cursor.u8()?, cursor.u8()?);
                // The exponent's position and size identify the floats of IEEE 754.
                let is_ieee = matches!(
                    (size, exponent),
                    (2, (10, 5)) | (4, (23, 8)) | (8, (52, 11))
                );
                let is_whole = offset == 0 && u32::from(precision) == size.saturating_mul(8);
                // Bit 6 is set for the mixed byte order of the VAX.
                if is_ieee && is_whole && bits & 0x40 == 0 {
                    Datatype::Float(Float {
                        size: size as usize,
                        is_big_endian: bits & 0x01 != 0,
                    })
                } else {
                    other
                }
            }
            3 => Datatype::Text { size },
            // Type 1 of variable-length data is text.
            9 if bits & 0x0f == 1 => Datatype::VariableText,
            _ => other,
        })
    }
}

impl fmt::Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |size: u32| counted(size as usize, "byte");
        match *self {
            Datatype::Float(Float { size, .. }) => write!(f, "a float of {size} bytes"),
            Datatype::Integer { size } => write!(f, "an integer of {}", bytes(size)),
            Datatype::Text { size } => write!(f, "a text of {}", bytes(size)),
            Datatype::VariableText => write!(f, "a text of variable length"),
            Datatype::Other { class, size } => {
                let kind = match class {
                    0 => "an integer",
                    1 => "another float",
                    2 => "a time",
                    4 => "a bit field",
                    5 => "opaque data",
                    6 => "a compound",
                    7 => "a reference",
                    8 => "an enumeration",
                    9 => "a list of variable length",
                    10 => "an array",
                    _ => return write!(f, "a type of the class {class}"),
                };
                write!(f, "{kind} of {}", bytes(size))
            }
        }
    }
}

/// The storage of the data of a dataset.
enum DataLayout<'a> {
    /// The data in the header or in one piece of the file.
    Plain { bytes: &'a [u8], offset: u64 },
    /// Data that were never written.
    Empty,
    Chunked {
        /// The size of a chunk in each dimension.
        chunk: Vec<u64>,
        index: ChunkIndex,
    },
}

/// A dataset of floats.
pub(in super::super) struct Dataset<'f, 'a> {
    file: &'f File<'a>,
    shape: Vec<u64>,
    float: Float,
    layout: DataLayout<'a>,
    filters: Vec<Filter>,
}

impl<'f, 'a> Object<'f, 'a> {
    /// Returns the object as a dataset; `None` if the object is a group. Fails if the elements are not IEEE floats.
    pub(in super::super) fn dataset(&self) -> Result<Option<Dataset<'f, 'a>>, Hdf5Error> {
        let space = self.message(kind::DATASPACE, "dataspace")?;
        let datatype = self.message(kind::DATATYPE, "datatype")?;
        let layout = self.message(kind::LAYOUT, "data layout")?;
        let (Some(mut space), Some(mut datatype), Some(mut layout)) = (space, datatype, layout)
        else {
            return Ok(None);
        };
        let float = match Datatype::read(&mut datatype)? {
            Datatype::Float(float) => float,
            other => return Err(datatype.invalid("an IEEE float", other)),
        };
        let shape = Dataspace::read(&mut space)?;
        let shape = shape.0.unwrap_or_default();
        let filters = match self.message(kind::FILTERS, "filter pipeline")? {
            Some(mut pipeline) => filters::filters(&mut pipeline)?,
            None => Vec::new(),
        };
        Ok(Some(Dataset {
            file: self.file,
            layout: read_layout(self.file, &mut layout, &shape)?,
            shape,
            float,
            filters,
        }))
    }
}

fn read_layout<'a>(
    file: &File<'a>,
    cursor: &mut Cursor<'_, 'a>,
    shape: &[u64],
) -> Result<DataLayout<'a>, Hdf5Error> {
    let version = cursor.u8()?;
    if !(3..=5).contains(&version) {
        return Err(cursor.unsupported("version", version));
    }
    let class = cursor.u8()?;
    match class {
        0 => {
            let size = cursor.u16()?;
            let offset = cursor.offset();
            let bytes = cursor.take(size.into())?;
            Ok(DataLayout::Plain { bytes, offset })
        }
        1 => {
            let address = cursor.address()?;
            let size = cursor.length()?;
            let Some(offset) = address else {
                return Ok(DataLayout::Empty);
            };
            let mut data = file.cursor(offset, "contiguous data")?;
            // Of a file that is cut off, the start of the data is left.
            let bytes = data.take(size.min(data.remaining() as u64))?;
            Ok(DataLayout::Plain { bytes, offset })
        }
        2 => {
            let flags = if version == 3 { 0 } else { cursor.u8()? };
            let rank = cursor.u8()?;
            // Version 3 has the address before the sizes.
            let (address, bytes) = match version {
                3 => (cursor.address()?, 4),
                _ => (None, cursor.u8()?),
            };
            let sizes: Result<Vec<u64>, Hdf5Error> =
                (0..rank).map(|_| cursor.uint(bytes)).collect();
            let mut chunk = sizes?;
            // The last size is the size of an element.
            chunk.pop();
            if chunk.len() != shape.len() || chunk.contains(&0) {
                let found = format!("{chunk:?} for the shape {shape:?}");
                return Err(cursor.invalid("a size above 0 for each dimension", found));
            }
            let index = match version {
                3 => ChunkIndex::Tree1 { address },
                _ => ChunkIndex::read(cursor, flags)?,
            };
            Ok(DataLayout::Chunked { chunk, index })
        }
        _ => Err(cursor.unsupported("class", class)),
    }
}

impl<'a> Dataset<'_, 'a> {
    /// Returns the number of elements in each dimension.
    pub(in super::super) fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the largest number of elements that the file and the limit of unpacked bytes allow.
    pub(in super::super) fn max_elements(&self) -> u64 {
        let bytes = match &self.layout {
            DataLayout::Plain { bytes, .. } => bytes.len() as u64,
            DataLayout::Empty | DataLayout::Chunked { .. } => self.file.max_unpacked,
        };
        bytes / self.float.size as u64
    }

    /// Reads all elements of the dataset, in row-major order, and decompresses its chunks. Elements that are missing or damaged
    /// are stated by the [damage](Floats::take_damage) of the result.
    ///
    /// Fails if the elements exceed the limit of unpacked bytes.
    pub(in super::super) fn read(&self) -> Result<Floats<'a>, Hdf5Error> {
        let size = self.size_of(&self.shape)?;
        let float = self.float;
        let (bytes, damage) = match &self.layout {
            DataLayout::Plain { bytes, offset } => {
                let available = bytes.len() as u64;
                let whole = usize::try_from(size).ok();
                match whole.and_then(|size| bytes.get(..size)) {
                    Some(whole) => (Cow::Borrowed(whole), None),
                    None => {
                        let what = "data";
                        let (offset, needed) = (*offset, size);
                        let error = Hdf5Error::Truncated {
                            what,
                            offset,
                            needed,
                            available,
                        };
                        let is_lost = Vec::new();
                        (Cow::Borrowed(*bytes), Some(Damage { error, is_lost }))
                    }
                }
            }
            DataLayout::Empty => (Cow::Owned(vec![0; self.file.unpack(size)?]), None),
            DataLayout::Chunked { chunk, index } => {
                let mut bytes = vec![0; self.file.unpack(size)?];
                let damage = self.read_chunks(chunk, index, &mut bytes)?;
                (Cow::Owned(bytes), damage)
            }
        };
        Ok(Floats {
            bytes,
            float,
            damage,
        })
    }

    /// Returns the size in bytes of an array of elements with this shape. Fails if it exceeds 64 bits.
    fn size_of(&self, shape: &[u64]) -> Result<u64, Hdf5Error> {
        let size = self.float.size as u64;
        let size = shape
            .iter()
            .try_fold(size, |size, &length| size.checked_mul(length));
        let limit = self.file.max_unpacked;
        size.ok_or(Hdf5Error::Unpacked { limit })
    }

    /// Reads all chunks into `bytes`, which has all elements of the dataset. Returns the first damage, and the rows that it
    /// costs: those of damaged chunks, and all that were not read if the index is damaged.
    fn read_chunks(
        &self,
        chunk: &[u64],
        index: &ChunkIndex,
        bytes: &mut [u8],
    ) -> Result<Option<Damage>, Hdf5Error> {
        let size = self.size_of(chunk)?;
        let grid = chunk_index::Grid::new(self.file, &self.shape, chunk, size, &self.filters);
        // The buffer has all rows, so their number fits in memory, unless they have no elements.
        let rows = self.shape.first().copied().unwrap_or(1);
        let rows = (rows as usize).min(bytes.len());
        let (mut is_read, mut is_lost) = (vec![false; rows], vec![false; rows]);
        let mut first = None;
        let result = index.chunks(&grid, &mut |place| {
            let start = place.start.first().copied().unwrap_or(0);
            let end = start.saturating_add(chunk.first().copied().unwrap_or(1));
            let read = self.read_chunk(chunk, size, &place, bytes);
            let of_chunk = (start as usize).min(rows)..(end as usize).min(rows);
            is_read[of_chunk.clone()].fill(true);
            match read {
                // The limit concerns all chunks, and not only this one.
                Err(error @ Hdf5Error::Unpacked { .. }) => return Err(error),
                Err(error) => {
                    is_lost[of_chunk].fill(true);
                    first.get_or_insert(error);
                }
                Ok(()) => {}
            }
            Ok(())
        });
        if let Err(error) = result {
            if let Hdf5Error::Unpacked { .. } = error {
                return Err(error);
            }
            first.get_or_insert(error);
            for (is_lost, is_read) in is_lost.iter_mut().zip(is_read) {
                *is_lost |= !is_read;
            }
        }
        Ok(first.map(|error| Damage { error, is_lost }))
    }

    fn read_chunk(
        &self,
        chunk: &[u64],
        size: u64,
        place: &chunk_index::Place,
        bytes: &mut [u8],
    ) -> Result<(), Hdf5Error> {
        let start = &place.start;
        // A file may contain chunks that are outside of a dataset that was made smaller.
        if start.iter().zip(&self.shape).any(|(at, end)| at >= end) {
            return Ok(());
        }
        let packed = self.file.cursor(place.address, "chunk")?.take(place.size)?;
        let count = self.file.unpack(size)?;
        let problem = |problem| Hdf5Error::Chunk {
            offset: place.address,
            problem,
        };
        let plain = filters::unpack(packed, &self.filters, place.mask, count);
        self.copy_chunk(&plain.map_err(problem)?, chunk, start, bytes);
        Ok(())
    }

    /// Copies the elements of a chunk that are within the dataset. `plain` has all elements of the unpacked chunk, and
    /// `bytes` has all elements of the dataset. `chunk` is the number of elements of the chunk in each dimension, and
    /// `start` is the index of its first element.
    fn copy_chunk(&self, plain: &[u8], chunk: &[u64], start: &[u64], bytes: &mut [u8]) {
        let Some(last) = self.shape.len().checked_sub(1) else {
            bytes.copy_from_slice(plain);
            return;
        };
        let element = self.float.size as u64;
        // All products are at most the sizes of both buffers, which fit in memory.
        let length = |axis: usize| chunk[axis].min(self.shape[axis] - start[axis]);
        let row = (length(last) * element) as usize;
        let mut at = vec![0_u64; last];
        loop {
            let (mut from, mut to) = (0, 0);
            for axis in 0..=last {
                let within = at.get(axis).copied().unwrap_or(0);
                from = from * chunk[axis] + within;
                to = to * self.shape[axis] + start[axis] + within;
            }
            let (from, to) = ((from * element) as usize, (to * element) as usize);
            if let (Some(from), Some(to)) =
                (plain.get(from..from + row), bytes.get_mut(to..to + row))
            {
                to.copy_from_slice(from);
            }
            // The next row: the last axis changes first.
            let Some(axis) = (0..last).rev().find(|&axis| at[axis] + 1 < length(axis)) else {
                return;
            };
            at[axis] += 1;
            at[axis + 1..].fill(0);
        }
    }
}

/// The floats of a dataset, in the order of C: the last dimension changes first.
pub(in super::super) struct Floats<'a> {
    bytes: Cow<'a, [u8]>,
    float: Float,
    damage: Option<Damage>,
}

/// The damage of the data of a dataset.
pub(in super::super) struct Damage {
    /// The first error.
    pub(in super::super) error: Hdf5Error,
    /// For each index of the first dimension, `true` if elements are lost. Empty if the elements up to the damage are complete,
    /// and the others are missing.
    pub(in super::super) is_lost: Vec<bool>,
}

impl Floats<'_> {
    /// Returns the number of elements.
    pub(in super::super) fn len(&self) -> u64 {
        (self.bytes.len() / self.float.size) as u64
    }

    /// Returns the damage of the data, and removes it; `None` if the data is complete.
    pub(in super::super) fn take_damage(&mut self) -> Option<Damage> {
        self.damage.take()
    }

    /// Returns the elements as 64-bit floats in groups of `N`. A last group that is not complete is dropped.
    pub(in super::super) fn groups<const N: usize>(&self) -> impl Iterator<Item = [f64; N]> {
        let Float {
            size,
            is_big_endian,
        } = self.float;
        let groups = self.bytes.chunks_exact(N * size);
        groups.map(move |group| {
            let mut floats = [0.0; N];
            let parts = group.chunks_exact(size);
            for (float, part) in floats.iter_mut().zip(parts) {
                *float = to_f64(part, is_big_endian);
            }
            floats
        })
    }
}

#[inline]
fn to_f64(part: &[u8], is_big_endian: bool) -> f64 {
    match (part, is_big_endian) {
        (&[a, b, c, d], false) => f32::from_le_bytes([a, b, c, d]).into(),
        (&[a, b, c, d], true) => f32::from_be_bytes([a, b, c, d]).into(),
        (&[a, b], false) => half(u16::from_le_bytes([a, b])),
        (&[a, b], true) => half(u16::from_be_bytes([a, b])),
        (part, _) => {
            let mut bytes = [0; 8];
            bytes
                .iter_mut()
                .zip(part)
                .for_each(|(to, from)| *to = *from);
            if is_big_endian {
                f64::from_be_bytes(bytes)
            } else {
                f64::from_le_bytes(bytes)
            }
        }
    }
}

/// Converts the bits of an IEEE float of 16 bits to a float of 64 bits.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let mantissa = f64::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => mantissa * 2_f64.powi(-14),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + mantissa) * 2_f64.powi(exponent - 15),
    }
}
