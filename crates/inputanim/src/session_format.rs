//! Headers of a session file as bytes. `read` and `session` both use them: the former to recognise
//! a session, the latter to write and read one.
//!
//! Specification: docs/session.md.

use crate::layout::Layout;

/// The first eight bytes of a session file.
pub(crate) const MAGIC: [u8; 8] = *b"\x89IASES\x1a\n";
/// The version of a session without texts and devices.
pub(crate) const VERSION: u32 = 1;
/// The version of a session with texts about it, and without devices.
pub(crate) const VERSION_WITH_TEXTS: u32 = 2;
/// The version of a session whose frames may have devices.
pub(crate) const VERSION_WITH_DEVICES: u32 = 3;
/// Size of the file header in bytes.
pub(crate) const FILE_HEADER: usize = 24;
/// Size of a block header in bytes.
pub(crate) const BLOCK_HEADER: usize = 24;
/// Size of the counts before a payload's frames, in bytes.
pub(crate) const COUNTS: usize = 8;

/// As an `f32` it is NaN, so that no number of a frame can be mistaken for it.
const BLOCK_MAGIC: [u8; 4] = [0x42, 0x4c, 0xcb, 0xff];
const FROM_ZERO: u32 = 1;

/// The layouts in the order of their numbers in the header.
const LAYOUTS: [Layout; 6] = [
    // The position of a layout is its number in files, so this order must not change.
    Layout::Mrtk1_0,
    Layout::Mrtk1_1,
    Layout::Documented1_0,
    Layout::Documented1_1,
    Layout::SimpleWithoutMarkers1_1,
    Layout::FullWithMarkers1_1,
];

/// Returns `true` if bytes are a session file: it begins with the file header's magic number, or an
/// intact block header is where the first block begins.
pub fn is_session(bytes: &[u8]) -> bool {
    // A session with a damaged file header is recognised by its first block.
    let first_block = bytes.get(FILE_HEADER..).and_then(BlockHeader::read);
    bytes.starts_with(&MAGIC) || first_block.is_some()
}

/// Returns `true` if bytes are the start of a session file whose frames may have devices.
///
/// ```
/// assert!(!inputanim::session::has_devices(b"no session"));
/// ```
pub fn has_devices(bytes: &[u8]) -> bool {
    FileHeader::version(bytes).is_some_and(|version| version >= VERSION_WITH_DEVICES)
}

/// The header of a session file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileHeader {
    pub(crate) version: u32,
    pub(crate) layout: Layout,
    pub(crate) from_zero: bool,
}

impl FileHeader {
    pub(crate) fn to_bytes(self) -> [u8; FILE_HEADER] {
        let layout = LAYOUTS.iter().position(|&layout| layout == self.layout);
        let mut bytes = [0; FILE_HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[12..16].copy_from_slice(&(layout.unwrap_or_default() as u32).to_le_bytes());
        bytes[16..20].copy_from_slice(&u32::from(self.from_zero).to_le_bytes());
        seal(&mut bytes);
        bytes
    }

    /// Reads the file header at the start of `bytes`. Returns `None` when it is missing or damaged, or has a layout that this
    /// version does not know.
    pub(crate) fn read(bytes: &[u8]) -> Option<FileHeader> {
        let layout = usize::try_from(u32_at(bytes, 12)?).ok()?;
        Some(FileHeader {
            version: FileHeader::version(bytes)?,
            layout: *LAYOUTS.get(layout)?,
            from_zero: u32_at(bytes, 16)? & FROM_ZERO != 0,
        })
    }

    /// Reads the version in the file header at the start of `bytes`. Another version may have other layouts. Returns `None`
    /// when the header is missing or damaged.
    pub(crate) fn version(bytes: &[u8]) -> Option<u32> {
        let bytes: &[u8; FILE_HEADER] = bytes.first_chunk()?;
        let is_header = bytes.starts_with(&MAGIC) && is_sealed(bytes);
        is_header.then_some(u32_at(bytes, 8)?)
    }
}

/// The header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockHeader {
    pub(crate) number: u64,
    /// Size of the payload in bytes.
    pub(crate) length: u32,
    crc: u32,
}

impl BlockHeader {
    pub(crate) fn of(number: u64, length: u32, payload: &[u8]) -> BlockHeader {
        BlockHeader {
            number,
            length,
            crc: checksum(payload),
        }
    }

    pub(crate) fn to_bytes(self) -> [u8; BLOCK_HEADER] {
        let mut bytes = [0; BLOCK_HEADER];
        bytes[..4].copy_from_slice(&BLOCK_MAGIC);
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.crc.to_le_bytes());
        seal(&mut bytes);
        bytes
    }

    /// Reads the block header at the start of `bytes`. Returns `None` when it is missing or damaged.
    pub(crate) fn read(bytes: &[u8]) -> Option<BlockHeader> {
        let bytes: &[u8; BLOCK_HEADER] = bytes.first_chunk()?;
        let is_header = bytes.starts_with(&BLOCK_MAGIC) && is_sealed(bytes);
        is_header.then_some(BlockHeader {
            length: u32_at(bytes, 4)?,
            number: u64::from(u32_at(bytes, 12)?) << 32 | u64::from(u32_at(bytes, 8)?),
            crc: u32_at(bytes, 16)?,
        })
    }

    /// Returns `true` if the payload of the block has the checksum in this header.
    pub(crate) fn matches(self, payload: &[u8]) -> bool {
        checksum(payload) == self.crc
    }
}

/// Returns the CRC-32 of bytes.
#[cfg(not(target_family = "wasm"))]
fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

// The tables of crc32fast would be a seventh of the module in a browser, which only recognises sessions.
#[cfg(target_family = "wasm")]
fn checksum(bytes: &[u8]) -> u32 {
    crc::Crc::<u32, crc::NoTable>::new(&crc::CRC_32_ISO_HDLC).checksum(bytes)
}

/// Writes the CRC-32 of the first 20 bytes into the last four bytes, in little-endian order.
fn seal(bytes: &mut [u8; 24]) {
    let crc = checksum(&bytes[..20]);
    bytes[20..].copy_from_slice(&crc.to_le_bytes());
}

fn is_sealed(bytes: &[u8; 24]) -> bool {
    u32_at(bytes, 20) == Some(checksum(&bytes[..20]))
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_the_documented_bytes() {
        let header = FileHeader {
            version: VERSION,
            layout: Layout::Mrtk1_1,
            from_zero: true,
        };
        let bytes = header.to_bytes();
        let expected = [
            0x89, 0x49, 0x41, 0x53, 0x45, 0x53, 0x1a, 0x0a, // magic
            1, 0, 0, 0, // version
            1, 0, 0, 0, // mrtk-1.1
            1, 0, 0, 0, // from zero
        ];
        assert_eq!(bytes[..20], expected);
        assert_eq!(FileHeader::read(&bytes), Some(header));

        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        let block = BlockHeader::of(7, 9, b"123456789");
        let bytes = block.to_bytes();
        let expected = [
            0x42, 0x4c, 0xcb, 0xff, // block
            9, 0, 0, 0, // bytes of the payload
            7, 0, 0, 0, 0, 0, 0, 0, // number
            0x26, 0x39, 0xf4, 0xcb, // CRC of the payload
        ];
        assert_eq!(bytes[..20], expected);
        assert_eq!(BlockHeader::read(&bytes), Some(block));
        assert!(block.matches(b"123456789") && !block.matches(b"123456780"));
        assert!(!f32::from_le_bytes(BLOCK_MAGIC).is_finite());
    }

    #[test]
    fn a_header_with_any_bit_flipped_is_refused() {
        let header = FileHeader {
            version: VERSION,
            layout: Layout::FullWithMarkers1_1,
            from_zero: false,
        };
        let block = BlockHeader::of(u64::MAX, u32::MAX, b"");
        for bit in 0..24 * 8 {
            let flipped = |mut bytes: [u8; 24]| {
                bytes[bit / 8] ^= 1 << (bit % 8);
                bytes
            };
            assert_eq!(FileHeader::read(&flipped(header.to_bytes())), None);
            assert_eq!(BlockHeader::read(&flipped(block.to_bytes())), None);
        }
    }

    #[test]
    fn every_layout_has_its_own_number() {
        for &layout in Layout::ALL {
            let header = FileHeader {
                version: VERSION,
                layout,
                from_zero: false,
            };
            assert_eq!(FileHeader::read(&header.to_bytes()), Some(header));
        }
    }

    #[test]
    fn the_version_of_a_header_with_an_unknown_layout_is_read() {
        let header = FileHeader {
            version: VERSION + 1,
            layout: Layout::Mrtk1_1,
            from_zero: false,
        };
        let mut bytes = header.to_bytes();
        bytes[12] = 99;
        seal(&mut bytes);
        assert_eq!(FileHeader::read(&bytes), None);
        assert_eq!(FileHeader::version(&bytes), Some(VERSION + 1));
    }
}
