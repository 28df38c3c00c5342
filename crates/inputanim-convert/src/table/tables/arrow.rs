//! Arrow IPC files, which are also called Feather.
//!
//! Columns are compressed with Zstandard. The metadata of the schema contain the shape, the layout, the axes and the
//! source of the table. The metadata of the columns contain their units.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_ipc::{Block, CompressionType, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use inputanim::Recording;

use super::columnar::{BatchReader, catch_panics};
use crate::shared::limits::check_limit;
use crate::shared::{Error, LossKind, ReadOptions, Report};
use crate::table::table_error::TableError;

/// Creates a writer of an Arrow IPC file, which compresses columns with Zstandard.
pub(super) fn writer<W: Write>(schema: &SchemaRef, output: W) -> Result<FileWriter<W>, ArrowError> {
    let compression = Some(CompressionType::ZSTD);
    let options = IpcWriteOptions::default().try_with_compression(compression)?;
    FileWriter::try_new_with_options(output, schema, options)
}

/// Reads a recording from an Arrow IPC file that contains a wide table or a table of keys.
pub(super) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    catch_panics(FORMAT, || read_file(bytes, options, None))
}

const FORMAT: &str = "Arrow";

fn damaged(message: impl ToString) -> TableError {
    TableError::Container {
        format: FORMAT,
        message: message.to_string(),
    }
}

/// The bytes at the start of a file.
const ARROW_MAGIC: &[u8] = b"ARROW1";
/// The bytes before the length of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// The largest offset of the first message. Writers align messages to at most 64 bytes.
const MAX_START: usize = 64;

/// The parts of a file.
struct Parts {
    schema: SchemaRef,
    entries: HashMap<String, String>,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
}

impl Parts {
    /// Reads the footer at the end of a file.
    fn of_footer(bytes: &[u8]) -> Result<Parts, TableError> {
        let (body, end) = bytes
            .split_last_chunk()
            .ok_or_else(|| damaged("the file is too short"))?;
        let length = read_footer_length(*end).map_err(damaged)?;
        let footer = body.len().checked_sub(length).map(|start| &body[start..]);
        let footer = footer.ok_or_else(|| damaged("the file is cut off"))?;
        let footer = root_as_footer(footer).map_err(damaged)?;
        let schema = footer
            .schema()
            .ok_or_else(|| damaged("the file has no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(damaged("its byte order is not that of this machine"));
        }
        let schema = Arc::new(fb_to_schema(schema));
        let mut entries = schema.metadata().clone();
        // `TableWriter` can write the entry of its recordings only at the end, so it adds the entry to the footer.
        for entry in footer.custom_metadata().into_iter().flatten() {
            if let (Some(name), Some(value)) = (entry.key(), entry.value()) {
                entries.insert(name.to_owned(), value.to_owned());
            }
        }
        Ok(Parts {
            schema,
            entries,
            version: footer.version(),
            dictionaries: footer
                .dictionaries()
                .into_iter()
                .flatten()
                .copied()
                .collect(),
            batches: footer
                .recordBatches()
                .into_iter()
                .flatten()
                .copied()
                .collect(),
        })
    }

    /// Reads the messages of a file without its footer, from the start up to the first one that is not complete. Returns
    /// `None` if there is no batch of rows.
    fn of_messages(bytes: &[u8]) -> Option<Parts> {
        if !bytes.starts_with(ARROW_MAGIC) {
            return None;
        }
        // Zeros fill the magic bytes up to a multiple of 8.
        let is_start = |&offset: &usize| bytes.get(offset..offset + 4) == Some(&CONTINUATION);
        let mut offset = (8..=MAX_START).step_by(8).find(is_start)?;
        let mut parts: Option<Parts> = None;
        while bytes.get(offset..).and_then(<[u8]>::first_chunk) == Some(&CONTINUATION) {
            let Some(length) = bytes.get(offset + 4..).and_then(<[u8]>::first_chunk) else {
                break;
            };
            let length = i32::from_le_bytes(*length);
            let head = usize::try_from(length).ok().filter(|&head| head > 0);
            let head = head.and_then(|head| bytes.get(offset + 8..)?.get(..head));
            let Some(message) = head.and_then(|head| root_as_message(head).ok()) else {
                break;
            };
            let block = Block::new(offset as i64, length + 8, message.bodyLength());
            let end = usize::try_from(message.bodyLength()).ok();
            let end = end.and_then(|body| (offset + 8 + length as usize).checked_add(body));
            let Some(end) = end.filter(|&end| end <= bytes.len()) else {
                break;
            };
            match &mut parts {
                None => {
                    let schema = message.header_as_schema()?;
                    if !schema.endianness().equals_to_target_endianness() {
                        return None;
                    }
                    let schema = Arc::new(fb_to_schema(schema));
                    parts = Some(Parts {
                        entries: schema.metadata().clone(),
                        schema,
                        version: message.version(),
                        dictionaries: Vec::new(),
                        batches: Vec::new(),
                    });
                }
                Some(parts) if message.header_as_dictionary_batch().is_some() => {
                    parts.dictionaries.push(block);
                }
                Some(parts) => parts.batches.push(block),
            }
            offset = end;
        }
        parts.filter(|parts| !parts.batches.is_empty())
    }
}

/// Reads a file, of which only the frames in `keep` are recorded.
fn read_file(
    bytes: &[u8],
    options: &ReadOptions,
    keep: Option<Vec<bool>>,
) -> Result<(Recording<'static>, Report), Error> {
    // The blocks are read one by one instead of with `FileReader`, so that the size of each block is checked before it
    // is unpacked.
    let (parts, end_damage) = match Parts::of_footer(bytes) {
        Ok(parts) => (parts, None),
        // The messages before the footer have the same content.
        Err(error) => match Parts::of_messages(bytes) {
            Some(parts) => (parts, Some(error)),
            None => return Err(error.into()),
        },
    };
    let mut reader = BatchReader::new(&parts.schema, &parts.entries, options)?;
    reader.keep(keep);
    let columns = reader.columns();
    let mut decoder = parts.decoder(bytes, &columns, options)?;
    for block in &parts.batches {
        let buffer = match read_block(bytes, block, options) {
            Ok(buffer) => buffer,
            Err(Error::Format(error)) => {
                reader.push_lost(rows_of(bytes, block), error.to_string());
                continue;
            }
            Err(error) => return Err(error),
        };
        if let Ok(batch) = decode(&mut decoder, block, &buffer) {
            reader.push(&batch)?;
            continue;
        }
        // A column is damaged. The others are read one by one.
        let mut arrays = Vec::new();
        for &column in &columns {
            let mut decoder = parts.decoder(bytes, &[column], options)?;
            let batch = decode(&mut decoder, block, &buffer);
            arrays.push(batch.map(|batch| Arc::clone(batch.column(0))));
        }
        let lengths = arrays.iter().flatten().map(|array| array.len());
        let count = lengths.max();
        match count {
            Some(count) if arrays.iter().flatten().all(|array| array.len() == count) => {
                reader.push_arrays(count, arrays)?;
            }
            _ => {
                let cause = arrays.into_iter().find_map(Result::err).unwrap_or_default();
                reader.push_lost(rows_of(bytes, block), cause);
            }
        }
    }
    if let Some(keep) = reader.in_order() {
        return read_file(bytes, options, Some(keep));
    }
    let rows = reader.rows();
    let (recording, mut report) = reader.finish()?;
    if let Some(error) = end_damage {
        let message = format!("the rows after row {rows}, and metadata at the end: {error}");
        report.lose(LossKind::Damage, 1, message);
    }
    Ok((recording, report))
}

impl Parts {
    /// Returns a decoder of some columns. Columns whose dictionary is damaged fail later.
    fn decoder(
        &self,
        bytes: &[u8],
        columns: &[usize],
        options: &ReadOptions,
    ) -> Result<FileDecoder, Error> {
        let decoder = FileDecoder::new(Arc::clone(&self.schema), self.version);
        let mut decoder = decoder.with_projection(columns.to_vec());
        for block in &self.dictionaries {
            match read_block(bytes, block, options) {
                Ok(buffer) => {
                    let read = || Ok(decoder.read_dictionary(block, &buffer).is_ok());
                    let _ = catch_panics(FORMAT, read);
                }
                Err(Error::Format(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(decoder)
    }
}

/// Decodes a block of rows. Returns the damage as text, also if the crate that reads the file panics.
fn decode(
    decoder: &mut FileDecoder,
    block: &Block,
    buffer: &Buffer,
) -> Result<RecordBatch, String> {
    let batch = catch_panics(FORMAT, || {
        Ok(decoder.read_record_batch(block, buffer).map_err(damaged)?)
    });
    match batch {
        Ok(Some(batch)) => Ok(batch),
        Ok(None) => Err("no rows".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the number of rows that a damaged block states, at least 1.
fn rows_of(bytes: &[u8], block: &Block) -> u64 {
    let start = usize::try_from(block.offset()).ok();
    let head = start.and_then(|start| bytes.get(start + 8..));
    let message = head.and_then(|head| root_as_message(head).ok());
    let batch = message.and_then(|message| message.header_as_record_batch());
    let rows = batch.and_then(|batch| u64::try_from(batch.length()).ok());
    rows.unwrap_or(1).clamp(1, 1 << 24)
}

/// Returns the bytes of a block of the file. Fails if the block is damaged or outside of the file, or if its unpacked
/// size exceeds the limit of bytes.
fn read_block(bytes: &[u8], block: &Block, options: &ReadOptions) -> Result<Buffer, Error> {
    let outside = || damaged("a block is outside of the file");
    let range = |start: i64, length: i64| {
        // The offsets of a damaged file may be negative, and their sum may overflow.
        let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
        bytes.get(start..start.checked_add(length)?)
    };
    let head = i64::from(block.metaDataLength());
    let length = head.checked_add(block.bodyLength()).ok_or_else(outside)?;
    let contents = range(block.offset(), length).ok_or_else(outside)?;
    let (head, body) = contents
        .split_at_checked(head as usize)
        .ok_or_else(outside)?;
    let size = unpacked_size(head, body).ok_or_else(outside)?;
    check_limit(size, options.limits.max_bytes, "bytes")?;
    Ok(Buffer::from(contents))
}

/// Returns the total size of the compressed buffers of a block after unpacking, in bytes, as the buffers state it.
/// Returns `None` if the block is damaged. `head` is the metadata of the block, and `body` contains its buffers.
fn unpacked_size(head: &[u8], body: &[u8]) -> Option<u64> {
    let (prefix, rest) = head.split_at_checked(4)?;
    let message = match prefix {
        // Since version 0.15 of Arrow, a continuation marker precedes the length of a message.
        [0xff, 0xff, 0xff, 0xff] => rest.get(4..)?,
        _ => rest,
    };
    let message = root_as_message(message).ok()?;
    let dictionary = message.header_as_dictionary_batch();
    let batch = match dictionary {
        Some(dictionary) => dictionary.data()?,
        None => message.header_as_record_batch()?,
    };
    let is_packed = batch.compression().is_some();
    let mut size = 0_u64;
    for buffer in batch.buffers()? {
        // arrow-ipc panics at a buffer that is outside of the block.
        let start = usize::try_from(buffer.offset()).ok()?;
        let length = usize::try_from(buffer.length()).ok()?;
        let bytes = body.get(start..)?.get(..length)?;
        // The size of the file limits a buffer that is not compressed, and an empty buffer states no size.
        if !is_packed || bytes.is_empty() {
            continue;
        }
        let length: &[u8; 8] = bytes.first_chunk()?;
        // -1 stands for a buffer that is not compressed.
        let length = i64::from_le_bytes(*length).max(0);
        size = size.checked_add(length as u64)?;
    }
    Some(size)
}
