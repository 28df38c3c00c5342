//! Parquet files.
//!
//! Columns are compressed with Zstandard. The metadata of the file say the shape, the layout, the axes
//! and where the table is from, and keep the types and units of the columns for readers of Arrow.

mod groups;
mod packer;
mod pages;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_schema::ArrowError;
use bytes::Bytes;
use inputanim::Recording;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{
    ArrowSchemaConverter, ArrowWriter, ProjectionMask, add_encoded_arrow_schema_to_metadata,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use self::groups::Rows;
use self::packer::Packer;
use super::columnar::read::{Import, shielded};
use super::columnar::schema::RECORDING;
use super::columnar::write::Table;
use super::error::without_name;
use super::keys::column;
use super::metadata::{Entries, RECORDINGS, Recordings};
use super::take::within;
use super::{Error, Options, ReadOptions, Reading, Shape};
use crate::frames::{Columns, TIME_S};

/// Writes a recording as a table, with bounded memory.
///
/// # Errors
/// When `output` fails, the recording cannot be played (wide), or it holds what its own layout cannot
/// (keys).
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::Format;
/// use inputanim_convert::tables::{Options, parquet};
/// let mut bytes = Vec::new();
/// parquet::write(&Recording::new(Layout::Mrtk1_1), &Options::default(), &mut bytes)?;
/// assert_eq!(Format::of_content(&bytes), Format::Parquet);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    output: impl Write + Send,
) -> Result<(), Error> {
    let mut table = Output::new(Table::of(recording, options), output)?;
    table.push(None, recording)?;
    table.finish()
}

/// Writes several recordings as one table: its first column, `recording`, says which one a row is of.
///
/// Row groups are of one recording each, so that a reader that wants one passes over the others.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::frames::Columns;
/// use inputanim_convert::tables::{Options, ReadOptions, parquet};
/// let takes = [("a", Recording::new(Layout::Mrtk1_0)), ("b", Recording::new(Layout::Mrtk1_1))];
/// let mut columns = Columns::default();
/// for (_, take) in &takes {
///     columns.add(&Columns::of(take));
/// }
/// let mut bytes = Vec::new();
/// let mut table = parquet::Writer::new(&columns, &Options::default(), &mut bytes)?;
/// for (name, take) in &takes {
///     table.push(name, take)?;
/// }
/// table.finish()?;
///
/// let options = ReadOptions { recording: Some("b".to_owned()), ..ReadOptions::default() };
/// let reading = parquet::read(bytes.into(), &options)?;
/// assert_eq!(reading.recording.layout, Layout::Mrtk1_1);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub struct Writer<W: Write + Send> {
    output: Output<W>,
    recordings: Recordings,
}

impl<W: Write + Send> Writer<W> {
    /// Begins a table: a wide one has these columns, whatever of them a recording has. Its
    /// [`source`](Options::source) is the name of each.
    ///
    /// # Errors
    /// When `output` fails.
    pub fn new(columns: &Columns, options: &Options, output: W) -> Result<Writer<W>, Error> {
        Ok(Writer {
            output: Output::new(Table::of_several(columns, options), output)?,
            recordings: Recordings::default(),
        })
    }

    /// Adds a recording under a name, with bounded memory.
    ///
    /// # Errors
    /// As [`write()`]; the table cannot be finished then.
    pub fn push(&mut self, name: &str, recording: &Recording<'_>) -> Result<(), Error> {
        self.output.push(Some(name), recording)?;
        let options = &self.output.table.options;
        self.recordings.push(name, recording, options);
        Ok(())
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> Result<(), Error> {
        self.output.say(RECORDINGS, self.recordings.text());
        self.output.finish()
    }
}

/// A file that is being written.
struct Output<W: Write + Send> {
    table: Table,
    file: File<W>,
}

enum File<W: Write + Send> {
    Wide(SerializedFileWriter<Gathered<W>>, Packer),
    Keys(ArrowWriter<Gathered<W>>),
}

/// An output that is not flushed before the end: the crate would after each column, and a file be
/// written in pieces of some kilobytes.
struct Gathered<W>(W);

impl<W: Write> Write for Gathered<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write + Send> Output<W> {
    fn new(table: Table, output: W) -> Result<Output<W>, Error> {
        // Entries stand twice, in the schema for readers of Arrow, and for all others.
        let settings = properties(table.options.shape);
        let output = Gathered(output);
        let settings = settings.set_key_value_metadata(Some(entries(table.schema.metadata())));
        let mut settings = settings.build();
        let file = match table.options.shape {
            Shape::Wide => {
                add_encoded_arrow_schema_to_metadata(&table.schema, &mut settings);
                let schema = ArrowSchemaConverter::new().convert(&table.schema)?;
                let root = schema.root_schema_ptr();
                let packer =
                    Packer::new(properties_of_numbers(Shape::Wide), properties(Shape::Wide))?;
                let file = SerializedFileWriter::new(output, root, Arc::new(settings))?;
                File::Wide(file, packer)
            }
            Shape::Keys => {
                let schema = Arc::clone(&table.schema);
                File::Keys(ArrowWriter::try_new(output, schema, Some(settings))?)
            }
        };
        Ok(Output { table, file })
    }

    /// Adds row groups of one recording.
    fn push(&mut self, name: Option<&str>, recording: &Recording<'_>) -> Result<(), Error> {
        match &mut self.file {
            File::Keys(file) => {
                let sink = |batch| Ok(file.write(&batch)?);
                self.table.batches(name, recording, sink)?;
                Ok(file.flush()?)
            }
            File::Wide(file, packer) => {
                let columns = &self.table.columns;
                let mut group: Vec<Rows> = Vec::new();
                self.table.sampled(recording, |sampled| {
                    group.push(Rows::new(sampled));
                    if group.iter().map(Rows::len).sum::<usize>() >= ROWS {
                        groups::write(file, packer, columns, name, &group)?;
                        group.clear();
                    }
                    Ok(())
                })?;
                match group.is_empty() {
                    true => Ok(()),
                    false => Ok(groups::write(file, packer, columns, name, &group)?),
                }
            }
        }
    }

    /// Adds an entry to the metadata.
    fn say(&mut self, name: &str, value: String) {
        let entry = KeyValue::new(name.to_owned(), value);
        match &mut self.file {
            File::Wide(file, _) => file.append_key_value_metadata(entry),
            File::Keys(file) => file.append_key_value_metadata(entry),
        }
    }

    fn finish(self) -> Result<(), Error> {
        match self.file {
            File::Wide(mut file, _) => {
                file.finish()?;
                file.inner_mut().0.flush()?;
            }
            File::Keys(mut file) => {
                file.finish()?;
                file.inner_mut().0.flush()?;
            }
        }
        Ok(())
    }
}

/// Entries in order, so that the same table is the same bytes.
fn entries(metadata: &Entries) -> Vec<KeyValue> {
    let entries: BTreeMap<&String, &String> = metadata.iter().collect();
    let entry = |(name, value): (&String, &String)| KeyValue::new(name.clone(), value.clone());
    entries.into_iter().map(entry).collect()
}

/// Rows from which on a group is written: until then it is in memory, some fifty megabytes of a wide
/// table.
const ROWS: usize = 1 << 15;

/// Of columns with numbers that were measured.
fn properties_of_numbers(shape: Shape) -> WriterPropertiesBuilder {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None);
    match shape {
        // They do not repeat. BYTE_STREAM_SPLIT would take a fifth less, but Spark does not read it.
        Shape::Wide => properties
            .set_dictionary_enabled(false)
            .set_offset_index_disabled(true)
            .set_write_batch_size(ROWS),
        Shape::Keys => properties.set_max_row_group_row_count(Some(16 * ROWS)),
    }
}

/// Of all columns.
fn properties(shape: Shape) -> WriterPropertiesBuilder {
    let path = |name: &str| ColumnPath::new(vec![name.to_owned()]);
    // Statistics of where a joint is help no query, but those of times and names do.
    let properties = properties_of_numbers(shape)
        .set_column_statistics_enabled(path(TIME_S), EnabledStatistics::Chunk)
        .set_column_statistics_enabled(path(RECORDING), EnabledStatistics::Chunk)
        .set_column_statistics_enabled(path(column::CURVE), EnabledStatistics::Chunk);
    match shape {
        Shape::Wide => properties.set_column_dictionary_enabled(path(RECORDING), true),
        Shape::Keys => properties.set_column_dictionary_enabled(path(column::VALUE), false),
    }
}

/// Reads a recording from a table of either shape.
///
/// # Errors
/// When the bytes are no whole file, its columns are of neither shape, or a row cannot be part of a
/// recording; the error says which one.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::tables::{Options, ReadOptions, Shape, parquet};
/// let take = Recording::new(Layout::Mrtk1_1);
/// let mut bytes = Vec::new();
/// parquet::write(&take, &Options { shape: Shape::Keys, ..Options::default() }, &mut bytes)?;
/// assert_eq!(parquet::read(bytes.into(), &ReadOptions::default())?.recording, take);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn read(bytes: Bytes, options: &ReadOptions) -> Result<Reading, Error> {
    within(bytes.len() as u64, options.limits.max_bytes, "bytes")?;
    let options = options.of_packed(bytes.len());
    shielded(FORMAT, || read_file(bytes, &options))
}

const FORMAT: &str = "Parquet";

fn damaged(message: impl ToString) -> Error {
    Error::Damaged {
        format: FORMAT,
        message: message.to_string(),
    }
}

/// Rows of a batch, and bytes of the texts in one column of it.
const BATCH: u64 = 8192;
const TEXTS: u64 = 64 << 20;

fn read_file(bytes: Bytes, options: &ReadOptions) -> Result<Reading, Error> {
    // Types as Parquet has them: fewer.
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let file = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes.clone(), plain)?;
    let entries = file.metadata().file_metadata().key_value_metadata();
    let entries = entries.into_iter().flatten();
    let entries: Entries = entries
        .filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?)))
        .collect();
    let mut import = Import::new(file.schema(), &entries, options)?;
    let columns = ProjectionMask::roots(file.parquet_schema(), import.columns());
    let is_read = |column| columns.leaf_included(column);
    let pages = pages::check(&bytes, file.metadata(), is_read, options)?;
    // Each row of a batch may have the longest word of a dictionary.
    let rows = BATCH.min(TEXTS / pages.largest_dictionary.max(1)).max(1);
    let batches = file.with_projection(columns).with_batch_size(rows as usize);
    for batch in batches.build()? {
        // What is wrong is wrong with Parquet, whatever the crate makes of it.
        import.push(&batch.map_err(|error| match error {
            ArrowError::ParquetError(message) => damaged(without_name(&message)),
            error => damaged(error),
        })?)?;
    }
    import.finish()
}
