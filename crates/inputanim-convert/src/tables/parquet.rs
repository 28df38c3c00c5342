//! Parquet files.
//!
//! Columns are compressed with Zstandard. The metadata of the file say the shape, the layout, the axes
//! and where the table is from, and keep the types and units of the columns for readers of Arrow.

use std::collections::HashMap;
use std::io::Write;

use bytes::Bytes;
use inputanim::Recording;
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::columnar::read::{Import, shielded};
use super::columnar::write::Table;
use super::keys::column;
use super::take::within;
use super::{Error, Options, ReadOptions, Shape};
use crate::frames::TIME_S;

/// Whether bytes look like such a file.
pub fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

/// Writes a recording as a table, with bounded memory.
///
/// # Errors
/// When `output` fails, the recording cannot be played (wide), or it holds what its own layout cannot
/// (keys).
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::tables::{Options, parquet};
/// let mut bytes = Vec::new();
/// parquet::write(&Recording::new(Layout::Mrtk1_1), &Options::default(), &mut bytes)?;
/// assert!(parquet::is_parquet(&bytes));
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    output: impl Write + Send,
) -> Result<(), Error> {
    let table = Table::new(recording, options)?;
    let mut writer = ArrowWriter::try_new(
        output,
        table.schema.clone(),
        Some(properties(options.shape)),
    )?;
    table.batches(|batch| Ok(writer.write(&batch)?))?;
    writer.close()?;
    Ok(())
}

/// Rows of a group: what is kept in memory until it is written, some fifty megabytes of a wide table.
const ROWS: usize = 1 << 15;

fn properties(shape: Shape) -> WriterProperties {
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
    properties.set_max_row_group_row_count(Some(rows)).build()
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
    let metadata: HashMap<String, String> = entries
        .filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?)))
        .collect();
    let mut import = Import::new(file.schema(), metadata, options)?;
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
