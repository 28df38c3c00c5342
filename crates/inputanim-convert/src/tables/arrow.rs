//! Arrow IPC files, which are also called Feather.
//!
//! Columns are compressed with Zstandard. In the metadata of the schema stand the shape, the layout,
//! the axes and where the table is from; in those of the columns their units.

use std::io::Write;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_ipc::{Block, CompressionType, RecordBatch, root_as_footer, root_as_message};
use inputanim::Recording;

use super::columnar::read::{Import, shielded};
use super::columnar::write::Table;
use super::metadata::{RECORDINGS, Recordings};
use super::take::within;
use super::{Error, Options, ReadOptions, Reading};
use crate::frames::Columns;

/// Writes a recording as a table, with bounded memory.
///
/// # Errors
/// When `output` fails, the recording cannot be played (wide), or it holds what its own layout cannot
/// (keys).
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::Format;
/// use inputanim_convert::tables::{Options, arrow};
/// let mut bytes = Vec::new();
/// arrow::write(&Recording::new(Layout::Mrtk1_1), &Options::default(), &mut bytes)?;
/// assert_eq!(Format::of_content(&bytes), Format::Arrow);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    output: impl Write,
) -> Result<(), Error> {
    let table = Table::of(recording, options);
    let mut file = file(&table, output)?;
    table.batches(None, recording, |batch| Ok(file.write(&batch)?))?;
    Ok(file.finish()?)
}

/// Writes several recordings as one table: its first column, `recording`, says which one a row is of.
/// Batches are of one recording each.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::frames::Columns;
/// use inputanim_convert::tables::{Options, ReadOptions, arrow};
/// let take = Recording::new(Layout::Mrtk1_1);
/// let mut bytes = Vec::new();
/// let mut table = arrow::Writer::new(&Columns::of(&take), &Options::default(), &mut bytes)?;
/// table.push("a", &take)?;
/// table.finish()?;
/// let reading = arrow::read(&bytes, &ReadOptions::default())?;
/// assert_eq!(reading.recording.layout, take.layout);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub struct Writer<W: Write> {
    table: Table,
    recordings: Recordings,
    file: FileWriter<W>,
}

impl<W: Write> Writer<W> {
    /// Begins a table: a wide one has these columns, whatever of them a recording has. Its
    /// [`source`](Options::source) is the name of each.
    ///
    /// # Errors
    /// When `output` fails.
    pub fn new(columns: &Columns, options: &Options, output: W) -> Result<Writer<W>, Error> {
        let table = Table::of_several(columns, options);
        Ok(Writer {
            file: file(&table, output)?,
            table,
            recordings: Recordings::default(),
        })
    }

    /// Adds a recording under a name, with bounded memory.
    ///
    /// # Errors
    /// As [`write()`]; the table cannot be finished then.
    pub fn push(&mut self, name: &str, recording: &Recording<'_>) -> Result<(), Error> {
        let sink = |batch| Ok(self.file.write(&batch)?);
        self.table.batches(Some(name), recording, sink)?;
        self.recordings.push(name, recording, &self.table.options);
        Ok(())
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> Result<(), Error> {
        self.file.write_metadata(RECORDINGS, self.recordings.text());
        Ok(self.file.finish()?)
    }
}

fn file<W: Write>(table: &Table, output: W) -> Result<FileWriter<W>, Error> {
    let compression = Some(CompressionType::ZSTD);
    let settings = IpcWriteOptions::default().try_with_compression(compression)?;
    Ok(FileWriter::try_new_with_options(
        output,
        &table.schema,
        settings,
    )?)
}

/// Reads a recording from a table of either shape.
///
/// # Errors
/// When the bytes are no whole file, its columns are of neither shape, or a row cannot be part of a
/// recording; the error says which one.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::tables::{Options, ReadOptions, Shape, arrow};
/// let take = Recording::new(Layout::Mrtk1_1);
/// let mut bytes = Vec::new();
/// arrow::write(&take, &Options { shape: Shape::Keys, ..Options::default() }, &mut bytes)?;
/// assert_eq!(arrow::read(&bytes, &ReadOptions::default())?.recording, take);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Reading, Error> {
    within(bytes.len() as u64, options.limits.max_bytes, "bytes")?;
    let options = options.of_packed(bytes.len());
    shielded(FORMAT, || read_file(bytes, &options))
}

const FORMAT: &str = "Arrow";

fn damaged(message: impl ToString) -> Error {
    Error::Damaged {
        format: FORMAT,
        message: message.to_string(),
    }
}

fn read_file(bytes: &[u8], options: &ReadOptions) -> Result<Reading, Error> {
    let (body, end) = bytes
        .split_last_chunk()
        .ok_or_else(|| damaged("it is too short"))?;
    let length = read_footer_length(*end)?;
    let footer = body.len().checked_sub(length).map(|start| &body[start..]);
    let footer = footer.ok_or_else(|| damaged("it is cut off"))?;
    let footer = root_as_footer(footer).map_err(damaged)?;
    let schema = footer.schema().ok_or_else(|| damaged("it has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(damaged("it is of a machine with another order of bytes"));
    }
    let schema = Arc::new(fb_to_schema(schema));
    let mut entries = schema.metadata().clone();
    for entry in footer.custom_metadata().into_iter().flatten() {
        if let (Some(name), Some(value)) = (entry.key(), entry.value()) {
            entries.insert(name.to_owned(), value.to_owned());
        }
    }
    let mut import = Import::new(&schema, &entries, options)?;
    let mut decoder = FileDecoder::new(schema, footer.version()).with_projection(import.columns());
    for block in footer.dictionaries().into_iter().flatten() {
        decoder.read_dictionary(block, &block_of(bytes, block, options)?)?;
    }
    for block in footer.recordBatches().into_iter().flatten() {
        let batch = decoder.read_record_batch(block, &block_of(bytes, block, options)?)?;
        if let Some(batch) = batch {
            import.push(&batch)?;
        }
    }
    import.finish()
}

/// The bytes of a block, once it is clear that unpacking it takes no more memory than is due.
fn block_of(bytes: &[u8], block: &Block, options: &ReadOptions) -> Result<Buffer, Error> {
    let outside = || damaged("a block lies outside of it");
    let part = |start: i64, length: i64| {
        let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
        bytes.get(start..start.checked_add(length)?)
    };
    let head = i64::from(block.metaDataLength());
    let length = head.checked_add(block.bodyLength()).ok_or_else(outside)?;
    let whole = part(block.offset(), length).ok_or_else(outside)?;
    let (head, body) = whole.split_at_checked(head as usize).ok_or_else(outside)?;
    let size = unpacked_size(head, body).ok_or_else(outside)?;
    within(size, options.limits.max_bytes, "bytes")?;
    Ok(Buffer::from(whole))
}

/// What the buffers of a block take when they are unpacked, as they say themselves.
fn unpacked_size(head: &[u8], body: &[u8]) -> Option<u64> {
    let (prefix, rest) = head.split_at_checked(4)?;
    let message = match prefix {
        [0xff, 0xff, 0xff, 0xff] => rest.get(4..)?,
        _ => rest,
    };
    let message = root_as_message(message).ok()?;
    let dictionary = message.header_as_dictionary_batch();
    let batch: RecordBatch<'_> = match dictionary {
        Some(dictionary) => dictionary.data()?,
        None => message.header_as_record_batch()?,
    };
    let is_packed = batch.compression().is_some();
    let mut size = 0_u64;
    for buffer in batch.buffers()? {
        // The crate panics at what lies outside.
        let start = usize::try_from(buffer.offset()).ok()?;
        let length = usize::try_from(buffer.length()).ok()?;
        let bytes = body.get(start..)?.get(..length)?;
        if !is_packed || bytes.is_empty() {
            continue;
        }
        let length: &[u8; 8] = bytes.first_chunk()?;
        // -1 says that it is not packed.
        let length = i64::from_le_bytes(*length).max(0);
        size = size.checked_add(length as u64)?;
    }
    Some(size)
}
