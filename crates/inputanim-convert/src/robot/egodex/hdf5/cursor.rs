//! Checked reading of numbers and addresses.

use super::{File, Hdf5Error};

/// A position in a structure. Each read is checked against the end of the structure or file, and counts as work.
#[derive(Clone)]
pub(super) struct Cursor<'f, 'a> {
    file: &'f File<'a>,
    rest: &'a [u8],
    /// The offset of the next byte in the file.
    offset: u64,
    what: &'static str,
}

impl<'f, 'a> Cursor<'f, 'a> {
    /// Creates a cursor for the bytes `rest`, which begin at `offset` in the file. `what` names the structure in
    /// errors.
    pub(super) fn new(
        file: &'f File<'a>,
        rest: &'a [u8],
        offset: u64,
        what: &'static str,
    ) -> Cursor<'f, 'a> {
        Cursor {
            file,
            rest,
            offset,
            what,
        }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Returns all remaining bytes without moving the cursor.
    pub(super) fn peek(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads `count` bytes and moves the cursor behind them. Fails if fewer bytes remain.
    pub(super) fn take(&mut self, count: u64) -> Result<&'a [u8], Hdf5Error> {
        let taken = self.split(count)?;
        self.file.work(count)?;
        Ok(taken)
    }

    /// Moves the cursor over `count` bytes without reading them. It takes the same time for any number, and counts as
    /// one byte towards the limit of bytes that may be read. Fails if fewer bytes remain.
    pub(super) fn skip(&mut self, count: u64) -> Result<(), Hdf5Error> {
        self.split(count).map(|_| ())
    }

    fn split(&mut self, count: u64) -> Result<&'a [u8], Hdf5Error> {
        let split = usize::try_from(count)
            .ok()
            .and_then(|count| self.rest.split_at_checked(count));
        let Some((taken, rest)) = split else {
            return Err(Hdf5Error::Truncated {
                what: self.what,
                offset: self.offset,
                needed: count,
                available: self.rest.len() as u64,
            });
        };
        self.file.work(1)?;
        self.rest = rest;
        self.offset += count;
        Ok(taken)
    }

    /// Reads the next `count` bytes, and returns a cursor for them as a structure of its own, which `what` names in
    /// errors.
    pub(super) fn part(
        &mut self,
        count: u64,
        what: &'static str,
    ) -> Result<Cursor<'f, 'a>, Hdf5Error> {
        let offset = self.offset;
        Ok(Cursor::new(self.file, self.take(count)?, offset, what))
    }

    /// Reads a little-endian number of `bytes` bytes, at most 8.
    pub(super) fn uint(&mut self, bytes: u8) -> Result<u64, Hdf5Error> {
        if bytes > 8 {
            return Err(self.invalid("a number of at most 8 bytes", bytes));
        }
        let taken = self.take(bytes.into())?;
        let number = taken
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        Ok(number)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Hdf5Error> {
        Ok(self.uint(1)? as u8)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Hdf5Error> {
        Ok(self.uint(2)? as u16)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Hdf5Error> {
        Ok(self.uint(4)? as u32)
    }

    /// Returns the size in bytes that the superblock states for all lengths in the file.
    pub(super) fn length_size(&self) -> u64 {
        self.file.length_size.into()
    }

    /// Reads a length in the size that the superblock states.
    pub(super) fn length(&mut self) -> Result<u64, Hdf5Error> {
        self.uint(self.file.length_size)
    }

    /// Reads an address in the size that the superblock states; `None` if it is undefined.
    pub(super) fn address(&mut self) -> Result<Option<u64>, Hdf5Error> {
        let size = self.file.offset_size;
        let address = self.uint(size)?;
        let undefined = u64::MAX >> (64 - 8 * u32::from(size));
        Ok((address != undefined).then_some(address))
    }

    /// Reads an address. Fails if it is undefined.
    pub(super) fn defined_address(&mut self) -> Result<u64, Hdf5Error> {
        let undefined = self.invalid("an address", "the undefined address");
        self.address()?.ok_or(undefined)
    }

    /// Reads a signature of four bytes and a version of one byte. Fails if they are not the expected ones.
    pub(super) fn signature(
        &mut self,
        signature: &'static str,
        version: u8,
    ) -> Result<(), Hdf5Error> {
        let wrong = self.invalid(
            signature,
            format!("\"{}\"", start(self.rest).escape_ascii()),
        );
        if self.take(4)? != signature.as_bytes() {
            return Err(wrong);
        }
        let found = self.u8()?;
        if found != version {
            return Err(self.unsupported("version", found));
        }
        Ok(())
    }

    /// Reads a number that has the size of an address.
    pub(super) fn offset_number(&mut self) -> Result<u64, Hdf5Error> {
        self.uint(self.file.offset_size)
    }

    pub(super) fn invalid(&self, expected: &'static str, found: impl ToString) -> Hdf5Error {
        Hdf5Error::Invalid {
            what: self.what,
            offset: self.offset,
            expected,
            found: found.to_string(),
        }
    }

    pub(super) fn unsupported(&self, part: &'static str, found: impl ToString) -> Hdf5Error {
        Hdf5Error::Unsupported {
            what: self.what,
            offset: self.offset,
            found: format!("{part} {}", found.to_string()),
        }
    }
}

/// Returns the first four bytes, the length of a signature, or all bytes if there are fewer.
fn start(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(4)]
}
