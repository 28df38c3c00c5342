//! The records of a file, in order.

use inputanim::Limits;
use mcap::records::{AttachmentHeader, Record, op};
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use mcap::{MAGIC, McapError, parse_record};

use super::damage::{Cause, Damage};
use crate::shared::Error;
use crate::shared::limits::check_limit;
use crate::shared::limits::unpacked_limit;

/// The size limit of compressed chunks, so that a length in a file cannot ask for more memory.
const MAX_CHUNK: usize = 256 << 20;

/// Calls `handle` with the header, and with every schema, channel, message, metadata and attachment record in the data section
/// of an MCAP file.
/// Returns the first damage, or `None` if the file is intact. Chunks that are intact are read even after a damaged one.
///
/// # Errors
/// Returns `not_mcap` if the bytes are not an MCAP file, the error of a limit, and the errors of `handle`. If damage
/// concerns only one record, `handle` returns it as a value.
pub(crate) fn each(
    bytes: &[u8],
    limits: &Limits,
    not_mcap: impl Into<Error>,
    mut handle: impl FnMut(Record<'_>) -> Result<Option<Cause>, Error>,
) -> Result<Option<Damage>, Error> {
    if !bytes.starts_with(MAGIC) {
        return Err(not_mcap.into());
    }
    let size = bytes.len() as u64;
    check_limit(size, limits.max_bytes, "bytes")?;
    let mut budget = unpacked_limit(size, limits);
    let mut first: Option<Damage> = None;
    let mut is_finished = false;
    let mut has_chunk = false;
    let options = LinearReaderOptions::default()
        // Chunks are unpacked below, each with its own reader, so that reading continues after a damaged
        // one.
        .with_emit_chunks(true)
        .with_record_length_limit(bytes.len());
    let mut offset = MAGIC.len();
    let stop = read(&bytes[offset..], options, |opcode, data| {
        let start = offset;
        offset += HEADER + data.len();
        let cause = match opcode {
            op::CHUNK => {
                has_chunk = true;
                let record = &bytes[start..offset];
                read_chunk(record, data, &mut budget, &mut handle)?
            }
            // The summary that follows contains only copies and indexes.
            op::DATA_END | op::FOOTER => {
                is_finished = true;
                return Ok(false);
            }
            _ => read_record(opcode, data, &mut handle)?,
        };
        if first.is_none() {
            first = cause.map(|cause| Damage::new(start, cause));
        }
        Ok(true)
    })?;
    let cause = match stop {
        _ if is_finished => return Ok(first),
        // A record that is larger than the file ends after the file, too.
        Some(McapError::UnexpectedEof | McapError::RecordTooLarge { .. }) => {
            if !has_chunk && bytes.get(offset) == Some(&op::CHUNK) {
                Cause::FirstChunkCutOff
            } else {
                Cause::CutOff
            }
        }
        Some(error) => Cause::Container(error),
        None => Cause::Unfinished,
    };
    Ok(first.or(Some(Damage::new(offset, cause))))
}

/// Bytes before the content of a record: its opcode and length.
const HEADER: usize = 1 + 8;

/// Unpacks a chunk, calls `handle` with its records, and returns the first damage in it. `record` is the complete
/// record of the chunk, and `data` is the content of this record. `budget` is the number of bytes that the file may
/// still unpack to, and is reduced.
fn read_chunk(
    record: &[u8],
    data: &[u8],
    budget: &mut u64,
    mut handle: impl FnMut(Record<'_>) -> Result<Option<Cause>, Error>,
) -> Result<Option<Cause>, Error> {
    let (header, data) = match parse(op::CHUNK, data) {
        Ok(Record::Chunk { header, data }) => (header, data),
        Ok(_) => return Ok(None),
        Err(cause) => return Ok(Some(cause)),
    };
    let Some(rest) = budget.checked_sub(header.uncompressed_size) else {
        return Ok(Some(Cause::TooLarge(header.uncompressed_size)));
    };
    *budget = rest;
    // An uncompressed chunk is read as a sequence of records. If it were read as a chunk, mcap 0.26 would subtract the
    // length of a damaged record from the smaller rest of the chunk, and overflow.
    let (content, options) = if header.compression.is_empty() {
        let (saved, calculated) = (header.uncompressed_crc, crc32fast::hash(&data));
        // A checksum of 0 means that the writer did not compute one.
        if saved != 0 && saved != calculated {
            let error = McapError::BadChunkCrc { saved, calculated };
            return Ok(Some(Cause::Container(error)));
        }
        let options = LinearReaderOptions::default()
            .with_emit_chunks(true)
            .with_record_length_limit(data.len());
        (&*data, options)
    } else {
        let options = LinearReaderOptions::default()
            // The checksum is tested before any record of the chunk is used.
            .with_prevalidate_chunk_crcs(true)
            .with_record_length_limit(MAX_CHUNK);
        (record, options)
    };
    let mut first = None;
    let stop = read(content, options, |opcode, data| {
        let cause = read_record(opcode, data, &mut handle)?;
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

/// Parses a record, and calls `handle` with it if it is a header, schema, channel, message, metadata or attachment. Returns the
/// damage if the record cannot be parsed, or the damage that `handle` returns.
fn read_record(
    opcode: u8,
    data: &[u8],
    mut handle: impl FnMut(Record<'_>) -> Result<Option<Cause>, Error>,
) -> Result<Option<Cause>, Error> {
    if opcode == op::ATTACHMENT {
        // mcap 0.26 panics at a truncated attachment.
        let attachment = attachment(data);
        return attachment.map_or(Ok(Some(Cause::TooShort)), handle);
    }
    if !matches!(
        opcode,
        op::HEADER | op::SCHEMA | op::CHANNEL | op::MESSAGE | op::METADATA
    ) {
        return Ok(None);
    }
    match parse(opcode, data) {
        Ok(record) => handle(record),
        Err(cause) => Ok(Some(cause)),
    }
}

/// Parses the content of a header, schema, channel, message or chunk record. Fails if it is too short for its texts, or
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
        op::CHUNK => (28, 1),
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
            assert_eq!(damage, expected, "{opcode} {content:?}");
        }
        let header = damage(op::HEADER, &[0; 8]).unwrap().to_string();
        assert!(header.ends_with("without a data end record"), "{header}");
    }
}
