//! What the pages of a column say of themselves, before any of them is unpacked.
//!
//! The crate that reads Parquet makes room for a page by what its header says, and for the words of a
//! dictionary by how many there are said to be, and shows neither. A header is a struct of Thrift's
//! compact protocol.

use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::damaged;
use crate::tables::take::within;
use crate::tables::{Error, ReadOptions};
use crate::unpacked::due;

/// What there is to know of the pages of a file that are read.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Bytes of the largest dictionary, unpacked: no word is longer.
    pub(super) largest_dictionary: u64,
}

/// Makes sure that all pages of the columns that are read can be unpacked, and take no more memory than
/// is due.
pub(super) fn check(
    bytes: &[u8],
    file: &ParquetMetaData,
    is_read: impl Fn(usize) -> bool,
    options: &ReadOptions,
) -> Result<Pages, Error> {
    let due = due(bytes.len() as u64, &options.limits);
    let mut pages = Pages::default();
    let mut unpacked = 0_u64;
    for group in file.row_groups() {
        let columns = group.columns().iter().enumerate();
        for (_, column) in columns.filter(|(index, _)| is_read(*index)) {
            check_codec(column)?;
            let outside = || damaged("a column lies outside of it");
            let mut rest = part(bytes, column).ok_or_else(outside)?;
            while !rest.is_empty() {
                let page = Page::take(&mut rest);
                let page = page.ok_or_else(|| damaged("the header of a page cannot be read"))?;
                unpacked = unpacked.saturating_add(page.size);
                within(page.size, options.limits.max_bytes, "bytes")?;
                within(unpacked, due, "bytes")?;
                page.check_encoding()?;
                if let Some(words) = page.words {
                    if words > page.size {
                        return Err(damaged("a dictionary has more words than bytes"));
                    }
                    pages.largest_dictionary = pages.largest_dictionary.max(page.size);
                }
            }
        }
    }
    Ok(pages)
}

fn part<'b>(bytes: &'b [u8], column: &ColumnChunkMetaData) -> Option<&'b [u8]> {
    let (start, length) = column.byte_range();
    let start = usize::try_from(start).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(length).ok()?)?)
}

fn check_codec(column: &ColumnChunkMetaData) -> Result<(), Error> {
    let codec = match column.compression() {
        Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_) => return Ok(()),
        Compression::GZIP(_) => "gzip",
        Compression::BROTLI(_) => "brotli",
        Compression::LZO => "lzo",
        Compression::LZ4 | Compression::LZ4_RAW => "lz4",
    };
    Err(Error::Unread {
        found: format!("compressed with {codec}"),
        instead: "zstd, snappy or without",
    })
}

/// The header of a page.
#[derive(Debug, Default, PartialEq)]
struct Page {
    /// Bytes of the page, unpacked.
    size: u64,
    /// Bytes in the file.
    packed: u64,
    /// Words, if it is a dictionary.
    words: Option<u64>,
    /// How its values are encoded.
    encoding: Option<i64>,
}

impl Page {
    /// The page that bytes begin with, which are those behind it then; none if it is not well formed.
    fn take(bytes: &mut &[u8]) -> Option<Page> {
        let mut page = Page::default();
        let mut is_sound = true;
        let mut header = Thrift(bytes);
        header.fields(DEEPEST, None, &mut |path, number| {
            let mut set = |size: &mut u64| match u64::try_from(number) {
                Ok(number) => *size = number,
                Err(_) => is_sound = false,
            };
            match path {
                (None, 2) => set(&mut page.size),
                (None, 3) => set(&mut page.packed),
                (Some(7), 1) => set(page.words.insert(0)),
                // Of data pages, whose headers have two versions.
                (Some(5), 2) | (Some(8), 4) => page.encoding = Some(number),
                _ => {}
            }
        })?;
        *bytes = header.0.get(usize::try_from(page.packed).ok()?..)?;
        is_sound.then_some(page)
    }

    /// Some say within the packed bytes how many values there are, and room is made for as many.
    fn check_encoding(&self) -> Result<(), Error> {
        let encoding = match self.encoding {
            Some(6) => "DELTA_LENGTH_BYTE_ARRAY",
            Some(7) => "DELTA_BYTE_ARRAY",
            _ => return Ok(()),
        };
        Err(Error::Unread {
            found: format!("encoded as {encoding}"),
            instead: "dictionaries or plain",
        })
    }
}

/// How many structs may lie in each other: statistics in the header of a data page in that of a page.
const DEEPEST: u8 = 3;

/// Bytes of Thrift's compact protocol.
struct Thrift<'b>(&'b [u8]);

impl Thrift<'_> {
    /// Hands on all whole numbers of a struct, each with the struct that it is in and its own place.
    fn fields(
        &mut self,
        depth: u8,
        within: Option<u8>,
        found: &mut impl FnMut((Option<u8>, u8), i64),
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let mut id = 0_u8;
        loop {
            let head = self.byte()?;
            if head & 15 == 0 {
                return Some(());
            }
            // Places grow; nobody writes those of a page in another way.
            id = id.checked_add(Some(head >> 4).filter(|&step| step > 0)?)?;
            match head & 15 {
                // On and off are types of their own.
                1 | 2 => {}
                3 => {
                    self.byte()?;
                }
                4..=6 => {
                    let number = self.number()?;
                    found((within, id), (number >> 1) as i64 ^ -((number & 1) as i64));
                }
                7 => self.skip(8)?,
                8 => {
                    let length = self.number()?;
                    self.skip(length)?;
                }
                12 if within.is_none() => self.fields(depth, Some(id), found)?,
                // Statistics: nothing in them matters.
                12 => self.fields(depth, Some(u8::MAX), found)?,
                _ => return None,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn skip(&mut self, length: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(length).ok()?..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_what_its_page_takes() {
        let header = [
            0x15, 0x00, // 1: a data page
            0x15, 0x80, 0x02, // 2: 128 bytes
            0x15, 0x04, // 3: packed into 2
            0x2c, // 5: of version 1
            0x15, 0x08, // 1: 4 values
            0x15, 0x0c, // 2: encoded as 6
            0x3c, // 5: statistics
            0x18, 0x01, 0xff, // 1: a byte
            0x00, 0x00, 0x00,
        ];
        let bytes = [&header[..], &[1, 2, 3]].concat();
        let mut rest = &*bytes;
        let page = Page::take(&mut rest).unwrap();
        let expected = Page {
            size: 128,
            packed: 2,
            words: None,
            encoding: Some(6),
        };
        assert_eq!((page, rest), (expected, &[3][..]));
        for length in 0..bytes.len() - 1 {
            assert_eq!(Page::take(&mut &bytes[..length]), None);
        }
        // Structs in structs without an end.
        assert_eq!(Page::take(&mut &[0x1c; 1 << 20][..]), None);
    }
}
