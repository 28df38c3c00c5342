//! Parquet files.
//!
//! Columns are compressed with Zstandard. The metadata of the file say the shape, the layout, the axes
//! and where the table is from, and keep the types and units of the columns for readers of Arrow.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use arrow_schema::Schema;
use bytes::Bytes;
use inputanim::Recording;
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::columnar::read::{Import, shielded};
use super::columnar::write::Table;
use super::keys::column;
use super::metadata::{Entries, RECORDINGS, Recordings};
use super::take::within;
use super::{Error, Options, ReadOptions, Shape};
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
    let table = Table::of(recording, options);
    let mut file = file(&table, output)?;
    table.batches(None, recording, |batch| Ok(file.write(&batch)?))?;
    file.close()?;
    Ok(())
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
/// assert_eq!(parquet::read(bytes.into(), &options)?.layout, Layout::Mrtk1_1);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub struct Writer<W: Write + Send> {
    table: Table,
    recordings: Recordings,
    file: ArrowWriter<W>,
}

impl<W: Write + Send> Writer<W> {
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
    /// As [`write`]; the table cannot be finished then.
    pub fn push(&mut self, name: &str, recording: &Recording<'_>) -> Result<(), Error> {
        let sink = |batch| Ok(self.file.write(&batch)?);
        self.table.batches(Some(name), recording, sink)?;
        self.file.flush()?;
        self.recordings.push(name, recording, &self.table.options);
        Ok(())
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> Result<(), Error> {
        let entry = KeyValue::new(RECORDINGS.to_owned(), self.recordings.text());
        self.file.append_key_value_metadata(entry);
        self.file.close()?;
        Ok(())
    }
}

fn file<W: Write + Send>(table: &Table, output: W) -> Result<ArrowWriter<W>, Error> {
    let settings = properties(table.options.shape)
        .set_key_value_metadata(Some(entries(table.schema.metadata())))
        .build();
    // All its readers look for entries in one place, so they stand there alone.
    let columns = Schema::new(table.schema.fields().clone());
    Ok(ArrowWriter::try_new(
        output,
        Arc::new(columns),
        Some(settings),
    )?)
}

/// Entries in order, so that the same table is the same bytes.
fn entries(metadata: &Entries) -> Vec<KeyValue> {
    let entries: BTreeMap<&String, &String> = metadata.iter().collect();
    let entry = |(name, value): (&String, &String)| KeyValue::new(name.clone(), value.clone());
    entries.into_iter().map(entry).collect()
}

/// Rows of a group: what is kept in memory until it is written, some fifty megabytes of a wide table.
const ROWS: usize = 1 << 15;

fn properties(shape: Shape) -> WriterPropertiesBuilder {
    let is_wide = shape == Shape::Wide;
    let path = |name: &str| ColumnPath::from(name);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // Numbers that were measured do not repeat.
        .set_dictionary_enabled(!is_wide)
        .set_column_dictionary_enabled(path(column::VALUE), false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(path(TIME_S), EnabledStatistics::Page)
        .set_column_statistics_enabled(path(column::CURVE), EnabledStatistics::Page);
    let rows = if is_wide { ROWS } else { 16 * ROWS };
    properties.set_max_row_group_row_count(Some(rows))
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
/// assert_eq!(parquet::read(bytes.into(), &ReadOptions::default())?, take);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn read(bytes: Bytes, options: &ReadOptions) -> Result<Recording<'static>, Error> {
    within(bytes.len() as u64, options.limits.max_bytes, "bytes")?;
    shielded(FORMAT, || read_file(bytes, options))
}

const FORMAT: &str = "Parquet";

fn read_file(bytes: Bytes, options: &ReadOptions) -> Result<Recording<'static>, Error> {
    // Types as Parquet has them: fewer.
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let file = ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, plain)?;
    let entries = file.metadata().file_metadata().key_value_metadata();
    let entries = entries.into_iter().flatten();
    let entries: Entries = entries
        .filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?)))
        .collect();
    let mut import = Import::new(file.schema(), &entries, options)?;
    let columns = ProjectionMask::roots(file.parquet_schema(), import.columns());
    for batch in file
        .with_projection(columns)
        .with_batch_size(8192)
        .build()?
    {
        import.push(&batch?)?;
    }
    import.finish()
}
