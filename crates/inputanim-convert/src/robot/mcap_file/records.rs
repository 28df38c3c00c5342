//! The records of a file, in order.
//!
//! A damaged record costs only itself, or its chunk. Reading continues at the next chunk that the summary lists, or else at
//! the next bytes that are records. The summary at the end of the file also has copies of schemas and channels, which
//! replace damaged ones.

use std::collections::HashSet;

use inputanim::Limits;
use mcap::records::{AttachmentHeader, Record, op};
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use mcap::{MAGIC, McapError, parse_record};

use super::damage::{Cause, Damage};
use super::summary::Summary;
use crate::shared::Error;
use crate::shared::limits::check_limit;
use crate::shared::limits::unpacked_limit;

/// The size limit of compressed chunks, so that a length in a file cannot ask for more memory.
const MAX_CHUNK: usize = 256 << 20;

/// Calls `handle` with the header, and with every schema, channel, message, metadata and attachment record in the data section
/// of an MCAP file.
/// Returns the damage, or `None` if the file is intact. Records and chunks that are intact are read even after damaged ones.
///
/// # Errors
/// Returns `not_mcap` if the bytes are not an MCAP file, the error of a limit, and the errors of `handle`. If damage
/// concerns only one record, `handle` returns it as a value.
pub(crate) fn each(
    bytes: &[u8],
    limits: &Limits,
    not_mcap: impl Into<Error>,
    handle: impl FnMut(Record<'_>) -> Result<Option<Cause>, Error>,
) -> Result<Option<Damage>, Error> {
    let is_marked = bytes.starts_with(MAGIC);
    // The same bytes end the file, so a file whose first bytes are damaged is still recognised.
    let is_ended = bytes.ends_with(MAGIC) && bytes.get(MAGIC.len()) == Some(&op::HEADER);
    if !is_marked && !is_ended {
        return Err(not_mcap.into());
    }
    let size = bytes.len() as u64;
    check_limit(size, limits.max_bytes, "bytes")?;
    let mut walk = Walk {
        bytes,
        summary: Summary::read(bytes),
        budget: unpacked_limit(size, limits),
        handle,
        schemas: HashSet::new(),
        channels: HashSet::new(),
        messages: 0,
        has_chunk: false,
        damage: None,
    };
    if !is_marked {
        walk.damaged(0, Some(Cause::Magic));
    }
    walk.data_section()?;
    Ok(walk.finish())
}

/// Bytes before the content of a record: its opcode and length.
const HEADER: usize = 1 + 8;

/// The number of records in a row that must be possible where reading continues after damage.
const CHAIN: usize = 3;

/// The opcodes from which on records belong to programs. MCAP reserves the others.
const PRIVATE: u8 = 0x80;

/// Reads the records of the data section of a file in order.
struct Walk<'b, F> {
    bytes: &'b [u8],
    summary: Summary<'b>,
    /// The number of bytes that the file may still unpack to.
    budget: u64,
    handle: F,
    /// The numbers of the schemas and channels that `handle` got.
    schemas: HashSet<u16>,
    channels: HashSet<u16>,
    /// The number of messages on known channels.
    messages: u64,
    /// `true` after the first complete chunk.
    has_chunk: bool,
    damage: Option<Damage>,
}

impl<F: FnMut(Record<'_>) -> Result<Option<Cause>, Error>> Walk<'_, F> {
    /// Reads all records up to the record that ends the data section.
    fn data_section(&mut self) -> Result<(), Error> {
        let bytes = self.bytes;
        let mut offset = MAGIC.len();
        while offset < bytes.len() {
            let Some((opcode, end)) = self.record_at(offset) else {
                match self.next_record(offset + 1) {
                    Some(next) => {
                        self.damaged(offset, Some(Cause::Length));
                        offset = next;
                        continue;
                    }
                    None => return self.cut_record(offset),
                }
            };
            let data = &bytes[offset + HEADER..end];
            let cause = match opcode {
                op::CHUNK => {
                    self.has_chunk = true;
                    self.chunk(&bytes[offset..end], data, false)?
                }
                // The summary that follows contains only copies and indexes.
                op::DATA_END if data.len() >= 4 => {
                    self.check_data_section(offset, data);
                    return Ok(());
                }
                op::FOOTER if data.len() >= 20 => return Ok(()),
                op::DATA_END | op::FOOTER => Some(Cause::Length),
                _ => self.record(opcode, data)?,
            };
            self.damaged(offset, cause);
            offset = end;
        }
        self.damaged(offset, Some(Cause::Unfinished));
        Ok(())
    }

    /// Returns the opcode and the end of the record at `offset`. Returns `None` if it has an impossible opcode, does not end
    /// within the file, or ends after the start of a chunk that the summary lists. A chunk also contains its own size, which
    /// counts if the size of the record is impossible.
    fn record_at(&mut self, offset: usize) -> Option<(u8, usize)> {
        let is_listed = self.summary.is_chunk(offset);
        let next = self.summary.next_chunk(offset + 1);
        let found = record_at(self.bytes, offset);
        let found = found.filter(|(opcode, end)| {
            (*opcode != 0 || is_listed) && next.is_none_or(|next| *end <= next)
        });
        if !is_listed && self.bytes[offset] != op::CHUNK {
            return found;
        }
        let own_end = chunk_end(self.bytes, offset);
        let own_end = own_end.filter(|end| next.is_none_or(|next| *end <= next));
        // Other bytes may follow the records of a chunk.
        let stated_end = found.map(|(_, end)| end);
        let is_possible = |end: &usize| own_end.is_none_or(|own_end| own_end <= *end);
        let end = stated_end.filter(is_possible).or(own_end)?;
        let cause = match found {
            Some((opcode, _)) if opcode != op::CHUNK => Some(Cause::Opcode(opcode)),
            _ => (stated_end != Some(end)).then_some(Cause::Length),
        };
        self.damaged(offset, cause);
        Some((op::CHUNK, end))
    }

    /// Returns the offset of the next record, at or after `from`, from which on the bytes are records: of the next chunk that
    /// the summary lists or, without one, of several records in a row.
    fn next_record(&self, from: usize) -> Option<usize> {
        let listed = self.summary.next_chunk(from);
        let end = listed.unwrap_or(self.bytes.len());
        (from..end).find(|&offset| self.is_chain(offset)).or(listed)
    }

    /// Returns `true` if the bytes from `offset` on are several records in a row, or the last records of the data section.
    fn is_chain(&self, mut offset: usize) -> bool {
        for _ in 0..CHAIN {
            let Some((opcode, end)) = record_at(self.bytes, offset) else {
                return false;
            };
            let data = &self.bytes[offset + HEADER..end];
            let is_possible = match opcode {
                op::MESSAGE => message_channel(data).is_some_and(|id| {
                    self.channels.contains(&id) || self.summary.channels.contains_key(&id)
                }),
                op::CHUNK => chunk_end(self.bytes, offset) == Some(end),
                op::DATA_END => return data.len() == 4,
                op::SCHEMA | op::CHANNEL | op::METADATA | op::MESSAGE_INDEX | op::ATTACHMENT => {
                    data.len() >= 6 && after_texts(opcode, data).is_some()
                }
                _ => false,
            };
            if !is_possible {
                return false;
            }
            offset = end;
        }
        true
    }

    /// Reads the messages of a chunk that is cut off, up to the end of the file. Other records that are cut off are lost.
    fn cut_record(&mut self, offset: usize) -> Result<(), Error> {
        let is_chunk = self.bytes[offset] == op::CHUNK;
        let before = self.messages;
        if is_chunk && let Some(data) = self.bytes.get(offset + HEADER..) {
            self.chunk(&self.bytes[offset..], data, true)?;
        }
        let cause = match is_chunk && !self.has_chunk && self.messages == before {
            true => Cause::FirstChunkCutOff,
            false => Cause::CutOff,
        };
        self.damaged(offset, Some(cause));
        Ok(())
    }

    /// Adds damage of the record at `offset`, if there is any.
    fn damaged(&mut self, offset: usize, cause: Option<Cause>) {
        match (&mut self.damage, cause) {
            (_, None) => {}
            (Some(damage), Some(_)) => damage.more += 1,
            (damage, Some(cause)) => *damage = Some(Damage::new(offset, cause)),
        }
    }

    /// Compares the checksum in the record at `offset`, which ends the data section, with the bytes before it. It covers
    /// records that are not in chunks.
    fn check_data_section(&mut self, offset: usize, data: &[u8]) {
        let saved = data.first_chunk().map_or(0, |crc| u32::from_le_bytes(*crc));
        let is_same = || crc32fast::hash(&self.bytes[..offset]) == saved;
        // A checksum of 0 means that the writer did not compute one. Other damage explains a different checksum.
        if saved != 0 && self.damage.is_none() && !is_same() {
            self.damaged(offset, Some(Cause::DataChecksum));
        }
    }

    /// Returns the damage with the number of missing messages, if the summary states the number of all.
    fn finish(mut self) -> Option<Damage> {
        if let Some(total) = self.summary.messages
            && let Some(missing) = total
                .checked_sub(self.messages)
                .filter(|&missing| missing > 0)
        {
            let end = self.bytes.len();
            let damage = &mut self.damage;
            let damage = damage.get_or_insert_with(|| Damage::new(end, Cause::MissingMessages));
            damage.missing = Some((missing, total));
        }
        self.damage
    }

    /// Unpacks a chunk, reads its records, and returns the first damage in it. `record` is the complete record of the chunk,
    /// and `data` is the content of this record. The end of both may be missing if `is_cut`.
    fn chunk(&mut self, record: &[u8], data: &[u8], is_cut: bool) -> Result<Option<Cause>, Error> {
        let Some(chunk) = Chunk::parse(data) else {
            return Ok(Some(Cause::TooShort));
        };
        // Such a file is not damaged.
        let is_known = [b"lz4".as_slice(), b"zstd"].contains(&chunk.compression);
        if is_known && !cfg!(feature = "mcap") {
            let name = String::from_utf8_lossy(chunk.compression).into_owned();
            return Err(Error::CompressionNotInBuild(name));
        }
        if !is_cut && chunk.missing > 0 {
            let available = chunk.records.len() as u64;
            let error = McapError::BadChunkLength {
                header: available + chunk.missing,
                available,
            };
            return Ok(Some(Cause::Container(error)));
        }
        let Some(rest) = self.budget.checked_sub(chunk.unpacked_size) else {
            return Ok(Some(Cause::TooLarge(chunk.unpacked_size)));
        };
        self.budget = rest;
        // An uncompressed chunk is read as a sequence of records. If it were read as a chunk, mcap 0.26 would subtract the
        // length of a damaged record from the smaller rest of the chunk, and overflow.
        let repaired: Vec<u8>;
        let (content, options) = if chunk.compression.is_empty() {
            let (saved, calculated) = (chunk.checksum, crc32fast::hash(chunk.records));
            // A checksum of 0 means that the writer did not compute one.
            if saved != 0 && saved != calculated && !is_cut {
                let error = McapError::BadChunkCrc { saved, calculated };
                return Ok(Some(Cause::Container(error)));
            }
            let options = LinearReaderOptions::default()
                .with_emit_chunks(true)
                .with_record_length_limit(chunk.records.len());
            (chunk.records, options)
        } else {
            let length = record.get(1..HEADER).and_then(<[u8]>::first_chunk);
            let length = length.map_or(0, |length| u64::from_le_bytes(*length));
            let is_damaged = record.first() != Some(&op::CHUNK) || length != data.len() as u64;
            let record = if is_damaged && !is_cut {
                let length = (data.len() as u64).to_le_bytes();
                repaired = [&[op::CHUNK], length.as_slice(), data].concat();
                &repaired
            } else {
                record
            };
            let options = LinearReaderOptions::default()
                // The checksum is tested before any record of the chunk is used. The start of a chunk has none.
                .with_prevalidate_chunk_crcs(!is_cut)
                .with_record_length_limit(MAX_CHUNK);
            (record, options)
        };
        let mut first = None;
        let stop = read(content, options, |opcode, data| {
            let cause = self.record(opcode, data)?;
            first = first.take().or(cause);
            Ok(true)
        })?;
        Ok(first.or(stop.map(|error| {
            Cause::Container(match error {
                // The record of the chunk is complete. The content of the chunk ends too early, not the file.
                McapError::UnexpectedEof => McapError::UnexpectedEoc,
                error => error,
            })
        })))
    }

    /// Parses a record, and calls `handle` with it if it is a header, schema, channel, message, metadata or attachment. Returns
    /// the damage if the record cannot be parsed, or the damage that `handle` returns.
    fn record(&mut self, opcode: u8, data: &[u8]) -> Result<Option<Cause>, Error> {
        match opcode {
            // mcap 0.26 panics at a truncated attachment.
            op::ATTACHMENT => match attachment(data) {
                Some(attachment) => (self.handle)(attachment),
                None => Ok(Some(Cause::TooShort)),
            },
            op::HEADER | op::METADATA => self.parsed(opcode, data),
            op::SCHEMA => self.schema(data),
            op::CHANNEL => self.channel(data),
            op::MESSAGE => self.message(data),
            op::MESSAGE_INDEX | op::CHUNK_INDEX..=op::SUMMARY_OFFSET | PRIVATE.. => Ok(None),
            other => Ok(Some(Cause::Opcode(other))),
        }
    }

    fn parsed(&mut self, opcode: u8, data: &[u8]) -> Result<Option<Cause>, Error> {
        match parse(opcode, data) {
            Ok(record) => (self.handle)(record),
            Err(cause) => Ok(Some(cause)),
        }
    }

    /// Reads a schema. The copy in the summary counts if it differs and has a checksum.
    fn schema(&mut self, data: &[u8]) -> Result<Option<Cause>, Error> {
        let id = first_number(data);
        let copy = id.and_then(|id| self.summary.schemas.get(&id).copied());
        let is_damaged = copy.is_some_and(|copy| copy != data && self.summary.is_checked);
        let cause = self.parsed(
            op::SCHEMA,
            if is_damaged {
                copy.unwrap_or(data)
            } else {
                data
            },
        )?;
        if cause.is_none() {
            self.schemas.extend(id);
        }
        Ok(cause.or(is_damaged.then_some(Cause::Differs)))
    }

    /// Reads a channel, as [`schema`](Self::schema) reads a schema. First reads its schema if this is missing.
    fn channel(&mut self, data: &[u8]) -> Result<Option<Cause>, Error> {
        let id = first_number(data);
        let copy = id.and_then(|id| self.summary.channels.get(&id).copied());
        let is_damaged = copy.is_some_and(|copy| copy != data && self.summary.is_checked);
        let data = if is_damaged {
            copy.unwrap_or(data)
        } else {
            data
        };
        let mut cause = is_damaged.then_some(Cause::Differs);
        // The number 0 stands for a channel without a schema.
        let schema = data.get(2..).and_then(first_number).filter(|&id| id != 0);
        if let Some(schema) = schema
            && !self.schemas.contains(&schema)
        {
            cause = match self.summary.schemas.get(&schema).copied() {
                Some(copy) => cause.or(self.schema(copy)?),
                None => cause.or(Some(Cause::UnknownSchema(schema))),
            };
        }
        let parsed = self.parsed(op::CHANNEL, data)?;
        if parsed.is_none() {
            self.channels.extend(id);
        }
        Ok(parsed.or(cause))
    }

    /// Reads a message. First reads its channel in the summary if this channel is missing in the data section.
    fn message(&mut self, data: &[u8]) -> Result<Option<Cause>, Error> {
        let mut cause = None;
        if let Some(id) = message_channel(data)
            && !self.channels.contains(&id)
            && let Some(copy) = self.summary.channels.get(&id).copied()
        {
            cause = self.channel(copy)?;
        }
        let message = self.parsed(op::MESSAGE, data)?;
        self.messages += u64::from(message.is_none());
        Ok(message.or(cause))
    }
}

/// Returns the opcode and the end of the record at `offset`; `None` if it does not end within the bytes.
pub(super) fn record_at(bytes: &[u8], offset: usize) -> Option<(u8, usize)> {
    let (&opcode, rest) = bytes.get(offset..)?.split_first()?;
    let length = usize::try_from(u64::from_le_bytes(*rest.first_chunk()?)).ok()?;
    let end = (offset + HEADER).checked_add(length)?;
    (end <= bytes.len()).then_some((opcode, end))
}

/// Returns the 16-bit number at the start of a schema, a channel or a message.
fn first_number(data: &[u8]) -> Option<u16> {
    data.first_chunk().map(|id| u16::from_le_bytes(*id))
}

/// Returns the number of the channel of a message; `None` if the message is too short for its numbers.
fn message_channel(data: &[u8]) -> Option<u16> {
    // A channel, a sequence number and two times.
    first_number(data).filter(|_| data.len() >= 2 + 4 + 8 + 8)
}

/// A chunk.
struct Chunk<'c> {
    unpacked_size: u64,
    /// The checksum of the unpacked records; 0 if the writer did not compute one.
    checksum: u32,
    compression: &'c [u8],
    /// The records, as they are packed.
    records: &'c [u8],
    /// The number of bytes that are missing at the end of the records.
    missing: u64,
}

impl<'c> Chunk<'c> {
    /// Parses the content of a record. Returns `None` if it ends before the records of the chunk.
    fn parse(data: &'c [u8]) -> Option<Chunk<'c>> {
        // The times of the first and the last message.
        let rest = data.get(8 + 8..)?;
        let (unpacked_size, rest) = rest.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (compression, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let (size, rest) = rest.split_first_chunk()?;
        let size = u64::from_le_bytes(*size);
        let available = (rest.len() as u64).min(size);
        Some(Chunk {
            unpacked_size: u64::from_le_bytes(*unpacked_size),
            checksum: u32::from_le_bytes(*checksum),
            compression,
            records: &rest[..available as usize],
            missing: size - available,
        })
    }
}

/// Returns the end of the chunk at `offset` by the sizes inside of it; `None` if they are impossible.
fn chunk_end(bytes: &[u8], offset: usize) -> Option<usize> {
    let data = bytes.get(offset + HEADER..)?;
    let chunk = Chunk::parse(data)?;
    let is_known = [b"".as_slice(), b"lz4", b"zstd"].contains(&chunk.compression);
    let header = 8 + 8 + 8 + 4 + 4 + chunk.compression.len() + 8;
    (is_known && chunk.missing == 0).then_some(offset + HEADER + header + chunk.records.len())
}

/// Parses the content of a header, schema, channel, message or metadata record. Fails if it is too short for its texts, or
/// if it is damaged.
fn parse(opcode: u8, data: &[u8]) -> Result<Record<'_>, Cause> {
    // mcap 0.26 allocates memory for a text before it reads the text, up to 4 GiB.
    after_texts(opcode, data).ok_or(Cause::TooShort)?;
    parse_record(opcode, data).map_err(Cause::Container)
}

/// Reads an attachment, whose data may be cut off. Returns `None` if its name does not end within the record.
fn attachment(record: &[u8]) -> Option<Record<'_>> {
    // Two times of 64 bits, the name, the type, and the size of the data in 64 bits.
    let (_, rest) = record.split_at_checked(16)?;
    let (length, texts) = rest.split_first_chunk()?;
    let name = texts.get(..u32::from_le_bytes(*length) as usize)?;
    let (_, data) = without_texts(rest, 2)?.split_at_checked(8)?;
    let header = AttachmentHeader {
        log_time: 0,
        create_time: 0,
        name: String::from_utf8_lossy(name).into_owned(),
        media_type: String::new(),
    };
    Some(Record::Attachment {
        header,
        // A checksum of 32 bits follows.
        data: data[..data.len().saturating_sub(4)].into(),
        crc: 0,
    })
}

/// Skips the texts of a record, each of which follows its length, and returns the bytes after them. Returns `None` if a
/// text does not end within the record.
fn after_texts(opcode: u8, data: &[u8]) -> Option<&[u8]> {
    // The bytes before the first text, and the number of texts.
    let (start, texts) = match opcode {
        op::HEADER => (0, 2),
        op::SCHEMA => (2, 2),
        op::CHANNEL => (4, 2),
        op::METADATA => (0, 1),
        _ => return Some(data),
    };
    let rest = without_texts(data.get(start..)?, texts)?;
    if !matches!(opcode, op::CHANNEL | op::METADATA) {
        return Some(rest);
    }
    // The entries of a channel and of metadata are pairs of texts. Their size is stated before them.
    let (size, mut rest) = rest.split_first_chunk()?;
    let end = rest
        .len()
        .saturating_sub(u32::from_le_bytes(*size) as usize);
    while rest.len() > end {
        rest = without_texts(rest, 2)?;
    }
    Some(rest)
}

/// Skips `texts` texts, each of which follows its 32-bit length, and returns the bytes after them. Returns `None` if a
/// text does not end within the bytes.
fn without_texts(mut bytes: &[u8], texts: usize) -> Option<&[u8]> {
    for _ in 0..texts {
        let (length, rest) = bytes.split_first_chunk()?;
        bytes = rest.get(u32::from_le_bytes(*length) as usize..)?;
    }
    Some(bytes)
}

/// Calls `handle` with the opcode and the content of each record until `handle` returns `false`. Returns the error of
/// the MCAP reader at which reading stopped, if there is one. Fails with the errors of `handle`.
fn read(
    mut bytes: &[u8],
    options: LinearReaderOptions,
    mut handle: impl FnMut(u8, &[u8]) -> Result<bool, Error>,
) -> Result<Option<McapError>, Error> {
    let options = options
        .with_skip_start_magic(true)
        .with_skip_end_magic(true);
    let mut reader = LinearReader::new_with_options(options);
    while let Some(event) = reader.next_event() {
        match event {
            Ok(LinearReadEvent::ReadRequest(length)) => {
                // At the end of the bytes nothing is inserted. The reader then assumes the end of the file.
                let (now, later) = bytes.split_at(length.min(bytes.len()));
                reader.insert(now.len()).copy_from_slice(now);
                reader.notify_read(now.len());
                bytes = later;
            }
            Ok(LinearReadEvent::Record { data, opcode }) => {
                if !handle(opcode, data)? {
                    return Ok(None);
                }
            }
            Err(error) => return Ok(Some(error)),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::Format;

    /// Returns the damage of a file with one record.
    fn damage(opcode: u8, content: &[u8]) -> Option<Damage> {
        let length = (content.len() as u64).to_le_bytes();
        let file = [MAGIC, &[opcode], &length, content].concat();
        each(
            &file,
            &Limits::default(),
            Error::NotInBuild(Format::Mcap),
            |_| Ok(None),
        )
        .unwrap()
    }

    #[test]
    fn records_that_are_too_short_for_their_texts_are_damage() {
        let long = u32::MAX.to_le_bytes();
        let empty = [0; 4];
        let entries = 1_000_u32.to_le_bytes();
        for (opcode, content) in [
            (op::HEADER, long.to_vec()),
            (op::HEADER, [empty, long].concat()),
            (op::SCHEMA, [&[1, 0], &long[..]].concat()),
            (op::CHANNEL, [&[1, 0, 0, 0], &empty[..], &long].concat()),
            (
                op::CHANNEL,
                [[1, 0, 0, 0], empty, empty, entries, empty, long].concat(),
            ),
            (op::CHUNK, [&[0; 28], &long[..]].concat()),
        ] {
            let damage = damage(opcode, &content).unwrap().to_string();
            let expected =
                "the MCAP file is damaged at byte 8: a record is too short for its texts";
            assert!(
                damage.starts_with(expected),
                "{opcode} {content:?}: {damage}"
            );
        }
        let header = damage(op::HEADER, &[0; 8]).unwrap().to_string();
        assert!(header.ends_with("without a data end record"), "{header}");
    }
}
