//! Reads the parts of HDF5 that files with matrices and texts use: groups, datasets of floats, attributes.
//!
//! Specification: HDF5 File Format Specification, version 3.0 and 4.0 (<https://support.hdfgroup.org/documentation/>).
//! The names of structures and messages are the names of the specification.
//!
//! Read are all forms that h5py and the HDF5 library write for such files, from their oldest to their latest format:
//! superblocks 0 to 3, both forms of object headers, groups as symbol tables, as link messages and as dense links,
//! attributes in headers and dense attributes, contiguous, compact and chunked datasets with every kind of chunk index,
//! the filters deflate, LZF, shuffle and Fletcher-32, floats of 2, 4 and 8 bytes in both byte orders, a user block. Soft and external
//! links, external data, committed datatypes and other filters are not read. A chunk that was never written is zero.
//!
//! Guarantee: input may be hostile. Every offset and size is checked against the bytes of the file. Names and values
//! are slices of the file and not copies, because thousands of names in a small file may share one long text. Each read
//! counts as work, and the work is limited to a multiple of the file's size, so circles and structures that overlap
//! end with [`Hdf5Error::Repeats`]. Unpacked data are limited separately.
//!
//! This module exists because the crates for HDF5 copy each name: with them, a file of 260 KB needs 400 to 800 MB.

mod attribute;
mod btree;
mod chunk_index;
mod cursor;
mod dataset;
mod error;
mod filters;
mod fractal_heap;
mod links;
mod object;

use std::cell::Cell;

use crate::shared::hdf5_start::{HDF5_SIGNATURE, hdf5_start};

pub(super) use attribute::{Attribute, Attributes, MAX_ATTRIBUTES};
use cursor::Cursor;
pub(super) use dataset::{Dataset, Floats};
pub use error::Hdf5Error;
pub(super) use links::Link;
pub(super) use object::Object;

/// The number of times that the bytes of a file may be read as metadata. Every structure is needed once.
const PASSES: u64 = 16;
/// The bytes of metadata that may be read of the smallest file.
const MIN_WORK: u64 = 1 << 16;

/// An HDF5 file in memory.
pub(super) struct File<'a> {
    bytes: &'a [u8],
    offset_size: u8,
    length_size: u8,
    root: u64,
    /// The bytes that may still be read.
    work: Cell<u64>,
    /// The bytes that may still be unpacked, and their limit.
    unpacked: Cell<u64>,
    max_unpacked: u64,
    /// The length of the file that its superblock states.
    stated: u64,
}

impl<'a> File<'a> {
    /// Reads the superblock of an HDF5 file. `max_unpacked` is the limit for the sizes of all unpacked datasets
    /// together, in bytes.
    pub(super) fn open(bytes: &'a [u8], max_unpacked: u64) -> Result<File<'a>, Hdf5Error> {
        File::read_superblock(bytes, max_unpacked).map_err(|error| match error {
            // The superblock is at the start, so only the end of the file can cut it off.
            Hdf5Error::Truncated { offset, needed, .. } => Hdf5Error::CutOff {
                expected: offset.saturating_add(needed),
                found: bytes.len() as u64,
            },
            error => error,
        })
    }

    fn read_superblock(bytes: &'a [u8], max_unpacked: u64) -> Result<File<'a>, Hdf5Error> {
        // A file may begin with a block of any content, which other programs use. All addresses count from the superblock.
        let start = hdf5_start(bytes, bytes.len());
        let start = start.ok_or_else(|| Hdf5Error::Signature {
            found: bytes[..bytes.len().min(HDF5_SIGNATURE.len())].to_vec(),
        })?;
        let bytes = &bytes[start..];
        let mut file = File {
            bytes,
            offset_size: 8,
            length_size: 8,
            root: 0,
            work: Cell::new(
                (bytes.len() as u64)
                    .saturating_mul(PASSES)
                    .saturating_add(MIN_WORK),
            ),
            unpacked: Cell::new(max_unpacked),
            max_unpacked,
            stated: 0,
        };
        let mut cursor = file.cursor(HDF5_SIGNATURE.len() as u64, "superblock")?;
        let version = cursor.u8()?;
        if version > 3 {
            return Err(cursor.unsupported("version", version));
        }
        let is_old = version < 2;
        if is_old {
            // Versions of other structures.
            cursor.take(4)?;
        }
        let (offset_size, length_size) = (cursor.u8()?, cursor.u8()?);
        if ![2, 4, 8].contains(&offset_size) || ![2, 4, 8].contains(&length_size) {
            let found = format!("{offset_size} and {length_size}");
            return Err(cursor.invalid("sizes of 2, 4 or 8 bytes", found));
        }
        // Ranks of B-trees and flags, which a reader does not need.
        cursor.take(match version {
            0 => 9,
            1 => 13,
            _ => 1,
        })?;
        let offset = cursor.offset();
        file.offset_size = offset_size;
        file.length_size = length_size;
        let mut cursor = file.cursor(offset, "superblock")?;
        // The HDF5 library takes the place of the superblock instead, if the two differ.
        let base = cursor.address()?.unwrap_or(0);
        // Version 0 and 1: free space. Others: extension.
        cursor.address()?;
        let end = cursor.address()?.unwrap_or(0);
        let stated = end.saturating_sub(base);
        // Driver, and name of the root.
        for _ in 0..if is_old { 2 } else { 0 } {
            cursor.address()?;
        }
        let root = cursor.defined_address()?;
        file.root = root;
        file.stated = stated;
        Ok(file)
    }

    /// Returns the error that the file is shorter than it states; `None` if it is not. Parts before the end can be read.
    pub(super) fn cut_off(&self) -> Option<Hdf5Error> {
        let found = self.bytes.len() as u64;
        let expected = self.stated;
        (expected > found).then_some(Hdf5Error::CutOff { expected, found })
    }

    /// Reads the object header of the root group.
    pub(super) fn root(&self) -> Result<Object<'_, 'a>, Hdf5Error> {
        self.object(self.root)
    }

    /// Returns a cursor from an address to the end of the file. `what` names the structure at the address in errors.
    /// Fails if the address is outside of the file.
    fn cursor(&self, address: u64, what: &'static str) -> Result<Cursor<'_, 'a>, Hdf5Error> {
        let rest = usize::try_from(address)
            .ok()
            .and_then(|start| self.bytes.get(start..));
        let rest = rest.ok_or(Hdf5Error::Truncated {
            what,
            offset: address,
            needed: 1,
            available: 0,
        })?;
        Ok(Cursor::new(self, rest, address, what))
    }

    /// Counts bytes of metadata that are read. Fails if more bytes were read than a multiple of the file's size,
    /// because then structures repeat or overlap.
    fn work(&self, bytes: u64) -> Result<(), Hdf5Error> {
        let left = self.work.get().checked_sub(bytes);
        self.work.set(left.ok_or(Hdf5Error::Repeats)?);
        Ok(())
    }

    /// Counts bytes of unpacked data before they are allocated, and returns their number as a size in memory. Fails if
    /// all unpacked data together exceed the limit.
    fn unpack(&self, bytes: u64) -> Result<usize, Hdf5Error> {
        let limit = self.max_unpacked;
        let left = self.unpacked.get().checked_sub(bytes);
        self.unpacked
            .set(left.ok_or(Hdf5Error::Unpacked { limit })?);
        usize::try_from(bytes).map_err(|_| Hdf5Error::Unpacked { limit })
    }
}
