//! The summary at the end of a file: copies of schemas and channels, the places of chunks, and the number of messages.

use std::collections::HashMap;

use mcap::MAGIC;
use mcap::records::op;

use super::records::record_at;

/// The bytes of the last record: an opcode, a length, two offsets and a checksum.
const FOOTER: usize = 1 + 8 + 8 + 8 + 4;
/// The size of a checksum.
const CHECKSUM: usize = 4;
/// The start of the record that ends the data section: its opcode and the length of its checksum.
const DATA_END: [u8; 9] = [op::DATA_END, CHECKSUM as u8, 0, 0, 0, 0, 0, 0, 0];
/// The number of places at which the data section may end.
const MAX_ENDS: usize = 8;

/// The content of a summary; empty if the file has none, or if it is damaged.
#[derive(Debug, Default)]
pub(super) struct Summary<'b> {
    /// The content of the records of schemas, by their numbers.
    pub(super) schemas: HashMap<u16, &'b [u8]>,
    /// The content of the records of channels, by their numbers.
    pub(super) channels: HashMap<u16, &'b [u8]>,
    /// The offsets of the chunks in the file, in order.
    chunks: Vec<usize>,
    /// The number of messages in the file.
    pub(super) messages: Option<u64>,
    /// `true` if the summary has a checksum, which is right.
    pub(super) is_checked: bool,
}

impl<'b> Summary<'b> {
    /// Reads the summary of a file. Ignores a summary that is damaged.
    ///
    /// If bytes are missing in the data section, the summary is not where the footer states it. It is then searched by the
    /// record that ends the data section, if it has a checksum, and its offsets of chunks do not count.
    pub(super) fn read(bytes: &'b [u8]) -> Summary<'b> {
        Summary::try_read(bytes).unwrap_or_default()
    }

    fn try_read(bytes: &'b [u8]) -> Option<Summary<'b>> {
        let footer = bytes.len().checked_sub(MAGIC.len() + FOOTER)?;
        let (opcode, end) = record_at(bytes, footer)?;
        if opcode != op::FOOTER || footer + FOOTER != end {
            return None;
        }
        let content = bytes.get(footer + 1 + 8..end)?;
        let saved = u32::from_le_bytes(*content.last_chunk()?);
        let is_checked = |start: usize| {
            let checked = bytes.get(start..end - CHECKSUM);
            start <= footer && checked.is_some_and(|bytes| crc32fast::hash(bytes) == saved)
        };
        let start = u64::from_le_bytes(*content.first_chunk()?);
        let start = usize::try_from(start)
            .ok()
            .filter(|&start| start >= MAGIC.len());
        // A checksum of 0 means that the writer did not compute one.
        let start =
            match start.filter(|&start| start <= footer && (saved == 0 || is_checked(start))) {
                Some(start) => Some((start, true)),
                None if saved != 0 => {
                    let ends = bytes[..footer].windows(DATA_END.len()).enumerate().rev();
                    let mut ends = ends.filter(|(_, part)| *part == DATA_END).take(MAX_ENDS);
                    let start = ends.find_map(|(place, _)| {
                        let start = place + DATA_END.len() + CHECKSUM;
                        is_checked(start).then_some(start)
                    });
                    start.map(|start| (start, false))
                }
                None => None,
            };
        let (start, is_in_place) = start?;
        let mut summary = Summary {
            is_checked: saved != 0,
            ..Summary::default()
        };
        let mut offset = start;
        while offset < footer {
            let (opcode, end) = record_at(&bytes[..footer], offset)?;
            summary.add(opcode, &bytes[offset + 1 + 8..end]);
            offset = end;
        }
        if !is_in_place {
            summary.chunks.clear();
        }
        summary.chunks.sort_unstable();
        Some(summary)
    }

    fn add(&mut self, opcode: u8, content: &'b [u8]) {
        match opcode {
            op::SCHEMA | op::CHANNEL => {
                if let Some(id) = content.first_chunk() {
                    let id = u16::from_le_bytes(*id);
                    let copies = match opcode {
                        op::SCHEMA => &mut self.schemas,
                        _ => &mut self.channels,
                    };
                    copies.entry(id).or_insert(content);
                }
            }
            op::CHUNK_INDEX => {
                // The offset comes after two times.
                let offset = content.get(8 + 8..).and_then(<[u8]>::first_chunk);
                let offset = offset.map(|offset| u64::from_le_bytes(*offset));
                self.chunks
                    .extend(offset.and_then(|offset| usize::try_from(offset).ok()));
            }
            op::STATISTICS => {
                self.messages = content
                    .first_chunk()
                    .map(|count| u64::from_le_bytes(*count));
            }
            _ => {}
        }
    }

    /// Returns `true` if the summary lists a chunk at `offset`.
    pub(super) fn is_chunk(&self, offset: usize) -> bool {
        self.chunks.binary_search(&offset).is_ok()
    }

    /// Returns the offset of the first listed chunk at or after `from`.
    pub(super) fn next_chunk(&self, from: usize) -> Option<usize> {
        let next = self.chunks.partition_point(|&offset| offset < from);
        self.chunks.get(next).copied()
    }
}
