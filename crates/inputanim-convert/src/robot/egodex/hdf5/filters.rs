//! Filters of chunks.

use std::borrow::Cow;
use std::io::Read;

use super::{Cursor, Hdf5Error};

/// The largest number of filters that HDF5 allows. The mask of a chunk has a bit for each of them.
const MAX_FILTERS: usize = 32;

/// The largest number of bytes of a filter's name in an error.
const MAX_NAME: usize = 40;

/// The number of the filter LZF, which the HDF Group registered for h5py.
const LZF: u16 = 32000;

/// A filter that writers apply to chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    Deflate,
    /// The bytes of an element.
    Shuffle(usize),
    Fletcher32,
    /// The compression of h5py: <https://docs.h5py.org/en/stable/high/dataset.html#lossless-compression-filters>.
    Lzf,
}

/// Parses a filter pipeline message, and returns the filters in the order in which they were applied to each chunk.
/// Fails if a filter is not supported.
pub(super) fn filters(cursor: &mut Cursor<'_, '_>) -> Result<Vec<Filter>, Hdf5Error> {
    let version = cursor.u8()?;
    if !(1..=2).contains(&version) {
        return Err(cursor.unsupported("version", version));
    }
    let count = cursor.u8()?;
    if usize::from(count) > MAX_FILTERS {
        return Err(cursor.invalid("at most 32 filters", count));
    }
    cursor.take(if version == 1 { 6 } else { 0 })?;
    let mut filters = Vec::new();
    for _ in 0..count {
        let id = cursor.u16()?;
        // Version 2 has no names of the filters that the library defines.
        let name = if version == 1 || id >= 256 {
            cursor.u16()?
        } else {
            0
        };
        cursor.u16()?;
        let values = cursor.u16()?;
        let name = match version {
            1 => u64::from(name).next_multiple_of(8),
            _ => name.into(),
        };
        let name = cursor.take(name)?;
        let mut first = 0;
        for value in 0..values {
            let number = cursor.u32()?;
            first = if value == 0 { number } else { first };
        }
        // Version 1 pads the values to a multiple of 8 bytes.
        cursor.take(if version == 1 && values % 2 == 1 {
            4
        } else {
            0
        })?;
        filters.push(match id {
            1 => Filter::Deflate,
            2 => Filter::Shuffle(first as usize),
            3 => Filter::Fletcher32,
            LZF => Filter::Lzf,
            _ => {
                let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
                let name = &name[..name.len().min(MAX_NAME)];
                let found = format!("{id} {}", name.escape_ascii());
                return Err(cursor.unsupported("filter", found.trim_end()));
            }
        });
    }
    Ok(filters)
}

/// Reverses the filters of a chunk, from the last one to the first one. Bit n of `mask` is set if filter n was not
/// applied. `size` is the size of the unpacked chunk in bytes. Returns the problem as text if the chunk is damaged or
/// has another size.
pub(super) fn unpack<'a>(
    packed: &'a [u8],
    filters: &[Filter],
    mask: u32,
    size: usize,
) -> Result<Cow<'a, [u8]>, String> {
    let mut bytes = Cow::Borrowed(packed);
    for (index, filter) in filters.iter().enumerate().rev() {
        if mask >> index & 1 == 1 {
            continue;
        }
        bytes = match filter {
            Filter::Fletcher32 => fletcher32(bytes)?,
            Filter::Shuffle(element) => unshuffle(&bytes, *element).into(),
            // Filters before this one may have added a checksum.
            Filter::Deflate => inflate(&bytes, size.saturating_add(16))?.into(),
            Filter::Lzf => unpack_lzf(&bytes, size.saturating_add(16))?.into(),
        };
    }
    if bytes.len() == size {
        Ok(bytes)
    } else {
        let found = bytes.len();
        Err(format!("expected {size} bytes, found {found}"))
    }
}

fn inflate(packed: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    // The chunk may be smaller than it claims, so memory grows with the bytes that are really there.
    let mut bytes = Vec::new();
    let mut decoder = flate2::read::ZlibDecoder::new(packed).take(limit as u64 + 1);
    let read = decoder.read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Unpacks LZF, the format of LibLZF (<http://software.schmorp.de/pkg/liblzf.html>). A byte below 32 is the number of the bytes that follow,
/// minus one. Any other byte begins a copy of earlier bytes: its three high bits are the length minus two, or 7 if a byte with
/// the rest of the length follows, and its five low bits are the high bits of the distance minus one, whose low bits are
/// the next byte. Returns the problem as text if the data are damaged or longer than `limit`.
fn unpack_lzf(packed: &[u8], limit: usize) -> Result<Vec<u8>, String> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = packed;
    let cut = || "the compressed data end too early".to_owned();
    let next = |rest: &mut &[u8]| {
        let (&byte, others) = rest.split_first().ok_or_else(cut)?;
        *rest = others;
        Ok::<usize, String>(byte.into())
    };
    while !rest.is_empty() {
        let control = next(&mut rest)?;
        if control < 32 {
            let (literal, others) = rest.split_at_checked(control + 1).ok_or_else(cut)?;
            bytes.extend_from_slice(literal);
            rest = others;
        } else {
            let mut length = (control >> 5) + 2;
            if control >> 5 == 7 {
                length += next(&mut rest)?;
            }
            let distance = ((control & 31) << 8 | next(&mut rest)?) + 1;
            let start = bytes.len().checked_sub(distance);
            let start = start.ok_or_else(|| {
                format!(
                    "expected a distance of at most {}, found {distance}",
                    bytes.len()
                )
            })?;
            // A copy may contain bytes that it writes itself.
            for index in start..start + length {
                bytes.push(bytes[index]);
            }
        }
        if bytes.len() > limit {
            return Err(format!("expected at most {limit} bytes"));
        }
    }
    Ok(bytes)
}

/// Reverses the shuffle filter, which writes the first bytes of all elements, then the second bytes, and so on.
/// `element` is the number of bytes of an element.
fn unshuffle(bytes: &[u8], element: usize) -> Vec<u8> {
    let count = bytes.len().checked_div(element).unwrap_or(0);
    let mut plain = bytes.to_vec();
    if count < 2 || element < 2 {
        return plain;
    }
    for (place, column) in bytes[..count * element].chunks_exact(count).enumerate() {
        let slots = plain.iter_mut().skip(place).step_by(element);
        for (slot, byte) in slots.zip(column) {
            *slot = *byte;
        }
    }
    plain
}

/// Checks the Fletcher-32 checksum at the end of a chunk, and returns the bytes before it. Returns the problem as text
/// if the checksum is missing or wrong.
fn fletcher32(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>, String> {
    let Some((data, stored)) = bytes.split_last_chunk::<4>() else {
        return Err("expected a checksum".to_owned());
    };
    let stored = u32::from_le_bytes(*stored);
    let (mut first, mut second) = (0_u64, 0_u64);
    // Sums of this many bytes fit in 64 bits.
    for block in data.chunks(1 << 16) {
        for pair in block.chunks(2) {
            first += u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
            second += first;
        }
        (first, second) = (first % 65535, second % 65535);
    }
    // 65,535 and 0 are the same sum.
    let halves = [stored >> 16, stored & 0xffff].map(|half| u64::from(half) % 65535);
    if halves != [second, first] {
        return Err(format!(
            "expected the checksum {stored:#010x}, found {:#010x}",
            second << 16 | first
        ));
    }
    let length = data.len();
    Ok(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..length]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(length);
            Cow::Owned(bytes)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lzf_copies_literals_and_earlier_bytes() {
        // Four bytes, a copy of 5 bytes at the distance 4, and a copy of 20 bytes at the distance 1.
        let packed = [3, b'a', b'b', b'c', b'd', 3 << 5, 3, 7 << 5, 11, 0];
        let expected = format!("abcdabcda{}", "a".repeat(20));
        assert_eq!(unpack_lzf(&packed, 100).unwrap(), expected.as_bytes());
        assert_eq!(unpack_lzf(&[], 0).unwrap(), b"");
    }

    #[test]
    fn damaged_lzf_is_an_error() {
        for (packed, expected) in [
            (&[3, b'a'][..], "the compressed data end too early"),
            (&[0, b'a', 7 << 5][..], "the compressed data end too early"),
            (
                &[0, b'a', 1 << 5, 1][..],
                "expected a distance of at most 1, found 2",
            ),
            (&[0, b'a', 7 << 5, 255, 0][..], "expected at most 100 bytes"),
        ] {
            assert_eq!(unpack_lzf(packed, 100).unwrap_err(), expected);
        }
    }
}
