//! Arrow IPC files, which are also called Feather.
//!
//! Columns are compressed with Zstandard. The metadata of the schema contain the shape, the layout, the axes and the
//! source of the table. The metadata of the columns contain their units.

use std::io::Write;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_ipc::{Block, CompressionType, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use inputanim::Recording;

use super::columnar::{BatchReader, catch_panics};
use crate::shared::limits::check_limit;
use crate::shared::{Error, ReadOptions, Report};
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
    catch_panics(FORMAT, || read_file(bytes, options))
}

const FORMAT: &str = "Arrow";

fn damaged(message: impl ToString) -> TableError {
    TableError::Container {
        format: FORMAT,
        message: message.to_string(),
    }
}

fn read_file(bytes: &[u8], options: &ReadOptions) -> Result<(Recording<'static>, Report), Error> {
    // The blocks are read one by one instead of with `FileReader`, so that the size of each block is checked before it
    // is unpacked.
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
        return Err(damaged("its byte order is not that of this machine").into());
    }
    let schema = Arc::new(fb_to_schema(schema));
    let mut entries = schema.metadata().clone();
    // `TableWriter` can write the entry of its recordings only at the end, so it adds the entry to the footer.
    for entry in footer.custom_metadata().into_iter().flatten() {
        if let (Some(name), Some(value)) = (entry.key(), entry.value()) {
            entries.insert(name.to_owned(), value.to_owned());
        }
    }
    let mut reader = BatchReader::new(&schema, &entries, options)?;
    let mut decoder = FileDecoder::new(schema, footer.version()).with_projection(reader.columns());
    for block in footer.dictionaries().into_iter().flatten() {
        let buffer = read_block(bytes, block, options)?;
        decoder.read_dictionary(block, &buffer).map_err(damaged)?;
    }
    for block in footer.recordBatches().into_iter().flatten() {
        let buffer = read_block(bytes, block, options)?;
        let batch = decoder.read_record_batch(block, &buffer);
        if let Some(batch) = batch.map_err(damaged)? {
            reader.push(&batch)?;
        }
    }
    reader.finish()
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
