//! The records of MCAP (<https://mcap.dev/spec>) that a pack has: an opcode, the length of the content in 8 bytes, the content.
//! Numbers are little-endian. A text has its length in 4 bytes before it.

pub(super) const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";

pub(super) mod op {
    pub(in crate::packs) const HEADER: u8 = 0x01;
    pub(in crate::packs) const FOOTER: u8 = 0x02;
    pub(in crate::packs) const ATTACHMENT: u8 = 0x09;
    pub(in crate::packs) const ATTACHMENT_INDEX: u8 = 0x0a;
    pub(in crate::packs) const STATISTICS: u8 = 0x0b;
    pub(in crate::packs) const METADATA: u8 = 0x0c;
    pub(in crate::packs) const METADATA_INDEX: u8 = 0x0d;
    pub(in crate::packs) const SUMMARY_OFFSET: u8 = 0x0e;
    pub(in crate::packs) const DATA_END: u8 = 0x0f;
}

/// The bytes of an opcode and a length.
pub(super) const PREFIX: usize = 1 + 8;

/// The bytes of the footer: its prefix, two offsets and a checksum.
pub(super) const FOOTER: usize = PREFIX + 8 + 8 + 4;

/// The bytes of an attachment besides its name, its media type and its data: the prefix, two times, two lengths of texts, the
/// length of the data, and the checksum.
pub(super) const ATTACHMENT: u64 = (PREFIX + 8 + 8 + 4 + 4 + 8 + 4) as u64;

/// Content of a record that is not read yet.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.u32()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        str::from_utf8(text).ok()
    }
}

/// Returns the opcode and the content of the first record, and the bytes after it. Returns `None` if it is not complete.
pub(super) fn first_record(records: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (opcode, rest) = records.split_first()?;
    let mut rest = Fields(rest);
    let length = usize::try_from(rest.u64()?).ok()?;
    let (content, rest) = rest.0.split_at_checked(length)?;
    Some((*opcode, content, rest))
}

/// Returns a record.
pub(super) fn record(opcode: u8, content: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(PREFIX + content.len());
    record.push(opcode);
    record.extend((content.len() as u64).to_le_bytes());
    record.extend(content);
    record
}

/// Returns a text with its length. The caller has checked that it is shorter than 4 GiB.
pub(super) fn text(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}
