//! The pieces of a session file as bytes.
//!
//! Specification: docs/session.md.

use crate::layout::Layout;

/// The first eight bytes of a session file.
pub(crate) const MAGIC: [u8; 8] = *b"\x89IASES\x1a\n";
pub(super) const VERSION: u32 = 1;
/// Bytes of the header.
pub(super) const HEADER: usize = 24;
/// Bytes of a block before its payload.
pub(super) const BLOCK: usize = 24;
/// Bytes of a payload before its frames.
pub(super) const COUNTS: usize = 8;

const BLOCK_MAGIC: [u8; 4] = [0x42, 0x4c, 0xcb, 0xff];
const FROM_ZERO: u32 = 1;

/// The layouts by their numbers.
const LAYOUTS: [Layout; 6] = [
    Layout::Mrtk1_0,
    Layout::Mrtk1_1,
    Layout::Documented1_0,
    Layout::Documented1_1,
    Layout::SimpleWithoutMarkers1_1,
    Layout::FullWithMarkers1_1,
];

/// What stands before the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) layout: Layout,
    pub(super) from_zero: bool,
}

impl Header {
    pub(super) fn to_bytes(self) -> [u8; HEADER] {
        let layout = LAYOUTS.iter().position(|&layout| layout == self.layout);
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[12..16].copy_from_slice(&(layout.unwrap_or_default() as u32).to_le_bytes());
        bytes[16..20].copy_from_slice(&u32::from(self.from_zero).to_le_bytes());
        seal(&mut bytes);
        bytes
    }

    /// `None` where there is none, or a damaged one.
    pub(super) fn read(bytes: &[u8]) -> Option<Header> {
        let bytes: &[u8; HEADER] = bytes.first_chunk()?;
        let is_header = bytes.starts_with(&MAGIC) && is_sealed(bytes);
        let layout = usize::try_from(u32_at(bytes, 12)?).ok()?;
        is_header.then_some(Header {
            version: u32_at(bytes, 8)?,
            layout: *LAYOUTS.get(layout)?,
            from_zero: u32_at(bytes, 16)? & FROM_ZERO != 0,
        })
    }
}

/// What stands before the payload of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHeader {
    pub(super) number: u64,
    /// Bytes of the payload.
    pub(super) length: u32,
    crc: u32,
}

impl BlockHeader {
    pub(super) fn of(number: u64, length: u32, payload: &[u8]) -> BlockHeader {
        BlockHeader {
            number,
            length,
            crc: crc32fast::hash(payload),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; BLOCK] {
        let mut bytes = [0; BLOCK];
        bytes[..4].copy_from_slice(&BLOCK_MAGIC);
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.number.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.crc.to_le_bytes());
        seal(&mut bytes);
        bytes
    }

    /// `None` where no block begins, or one whose header is damaged.
    pub(super) fn read(bytes: &[u8]) -> Option<BlockHeader> {
        let bytes: &[u8; BLOCK] = bytes.first_chunk()?;
        let is_header = bytes.starts_with(&BLOCK_MAGIC) && is_sealed(bytes);
        is_header.then_some(BlockHeader {
            length: u32_at(bytes, 4)?,
            number: u64::from(u32_at(bytes, 12)?) << 32 | u64::from(u32_at(bytes, 8)?),
            crc: u32_at(bytes, 16)?,
        })
    }

    /// Whether the payload is the one that was written.
    pub(super) fn is_of(self, payload: &[u8]) -> bool {
        crc32fast::hash(payload) == self.crc
    }
}

/// Writes the CRC of what stands before it into the last four bytes.
fn seal(bytes: &mut [u8; 24]) {
    let crc = crc32fast::hash(&bytes[..20]);
    bytes[20..].copy_from_slice(&crc.to_le_bytes());
}

fn is_sealed(bytes: &[u8; 24]) -> bool {
    u32_at(bytes, 20) == Some(crc32fast::hash(&bytes[..20]))
}

pub(super) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_as_documented() {
        let header = Header {
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
        assert_eq!(Header::read(&bytes), Some(header));

        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
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
        assert!(block.is_of(b"123456789") && !block.is_of(b"123456780"));
        assert!(!f32::from_le_bytes(BLOCK_MAGIC).is_finite());
    }

    #[test]
    fn a_header_with_any_bit_flipped_is_none() {
        let header = Header {
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
            assert_eq!(Header::read(&flipped(header.to_bytes())), None);
            assert_eq!(BlockHeader::read(&flipped(block.to_bytes())), None);
        }
    }

    #[test]
    fn every_layout_has_a_number_of_its_own() {
        for layout in Layout::ALL {
            let header = Header {
                version: VERSION,
                layout,
                from_zero: false,
            };
            assert_eq!(Header::read(&header.to_bytes()), Some(header));
        }
    }
}
