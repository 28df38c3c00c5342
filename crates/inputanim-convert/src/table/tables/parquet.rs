//! Parquet files.
//!
//! Columns are compressed with Zstandard. The metadata of the file contain the shape, the layout, the axes
//! and the source of the table, and the types and units of the columns for readers of Arrow.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use inputanim::Recording;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use super::columnar::{BatchReader, catch_panics};
use super::keys::column;
use super::metadata::Entries;
use super::tidy;
use crate::shared::limits::check_limit;
use crate::shared::mapping::{RECORDING, TIME_S};
use crate::shared::{Error, ReadOptions, Report, TableShape};
use crate::table::table_error::TableError;

/// The most rows of a row group of a wide table, which takes about fifty megabytes of memory.
const GROUP_ROWS: usize = 1 << 15;

/// Writes batches to a file.
pub(super) struct BatchWriter<W: Write + Send> {
    file: ArrowWriter<W>,
    /// The least rows of a row group, except for the last one.
    min_group_rows: usize,
}

impl<W: Write + Send> BatchWriter<W> {
    /// Begins a Parquet file of a table of this shape. `labels` are the names of its columns of labels.
    pub(super) fn new(
        shape: TableShape,
        labels: &[&str],
        schema: &SchemaRef,
        output: W,
    ) -> Result<BatchWriter<W>, Error> {
        let group_rows = match shape {
            TableShape::Wide => GROUP_ROWS,
            TableShape::Tidy | TableShape::Keys => 16 * GROUP_ROWS,
        };
        let properties = properties(shape, labels, schema)
            .set_max_row_group_row_count(Some(group_rows))
            .build();
        let file = ArrowWriter::try_new(output, Arc::clone(schema), Some(properties));
        Ok(BatchWriter {
            file: file.map_err(output_error)?,
            min_group_rows: group_rows / 4,
        })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.file.write(batch).map_err(output_error)
    }

    /// Ends a recording, and the row group if it has enough rows.
    ///
    /// The description of a row group takes some hundred bytes for each column, in the file and in memory. Short recordings
    /// therefore share row groups.
    pub(super) fn end_recording(&mut self) -> Result<(), Error> {
        if self.file.in_progress_rows() < self.min_group_rows {
            return Ok(());
        }
        self.file.flush().map_err(output_error)
    }

    /// Adds an entry to the metadata of the file.
    pub(super) fn add_metadata(&mut self, name: &str, value: String) {
        let entry = KeyValue::new(name.to_owned(), value);
        self.file.append_key_value_metadata(entry);
    }

    /// Writes the end of the file.
    pub(super) fn finish(self) -> Result<(), Error> {
        finish(self.file)
    }
}

/// Writes the end of a Parquet file, and flushes its output.
pub(crate) fn finish<W: Write + Send>(mut file: ArrowWriter<W>) -> Result<(), Error> {
    file.finish().map_err(output_error)?;
    Ok(file.inner_mut().flush()?)
}

/// Returns the properties of a Parquet file: compression, dictionaries, statistics and metadata. `labels` are the names
/// of the columns of labels.
fn properties(shape: TableShape, labels: &[&str], schema: &SchemaRef) -> WriterPropertiesBuilder {
    let path = |name: &str| ColumnPath::new(vec![name.to_owned()]);
    // Entries are sorted by their names, so that equal tables give equal bytes.
    let entries: BTreeMap<&String, &String> = schema.metadata().iter().collect();
    let entry = |(name, value): (&String, &String)| KeyValue::new(name.clone(), value.clone());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // The entries are repeated for readers that do not decode the schema of Arrow.
        .set_key_value_metadata(Some(entries.into_iter().map(entry).collect()))
        // No query filters by the coordinates of a joint, but queries do filter by times and names.
        .set_statistics_enabled(EnabledStatistics::None)
        .set_column_statistics_enabled(path(TIME_S), EnabledStatistics::Chunk)
        .set_column_statistics_enabled(path(RECORDING), EnabledStatistics::Chunk)
        .set_column_statistics_enabled(path(column::CURVE), EnabledStatistics::Chunk);
    let properties = match shape {
        // Measured numbers do not repeat. BYTE_STREAM_SPLIT would save a fifth, but Spark does not read it.
        TableShape::Wide => properties
            .set_dictionary_enabled(false)
            .set_offset_index_disabled(true),
        TableShape::Tidy => [
            tidy::column::HAND,
            tidy::column::JOINT,
            tidy::column::PINCHING,
        ]
        .into_iter()
        .fold(properties.set_dictionary_enabled(false), |all, name| {
            all.set_column_dictionary_enabled(path(name), true)
        }),
        TableShape::Keys => properties.set_column_dictionary_enabled(path(column::VALUE), false),
    };
    labels.iter().fold(properties, |all, label| {
        all.set_column_dictionary_enabled(path(label), true)
    })
}

/// Converts an error of the Parquet writer to an I/O error. Only the output can fail, because the batches have the
/// types of the schema.
pub(crate) fn output_error(error: ParquetError) -> Error {
    Error::Io(match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => *error,
            Err(other) => std::io::Error::other(other),
        },
        other => std::io::Error::other(other),
    })
}

/// Reads a recording from a Parquet file that contains a wide table or a table of keys.
pub(super) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let bytes = Bytes::copy_from_slice(bytes);
    catch_panics("Parquet", || read_file(bytes, options, None))
}

/// The rows of a batch.
const BATCH_ROWS: usize = 8192;

/// Reads a file, of which only the frames in `keep` are recorded.
fn read_file(
    bytes: Bytes,
    options: &ReadOptions,
    keep: Option<Vec<bool>>,
) -> Result<(Recording<'static>, Report), Error> {
    let damaged = |error: ParquetError| {
        let message = error.to_string();
        // Some messages name the format themselves.
        let message = message.strip_prefix("Parquet error: ").unwrap_or(&message);
        Error::from(TableError::Container {
            format: "Parquet",
            message: message.to_owned(),
        })
    };
    // The Arrow schema in the metadata is skipped, because Parquet has fewer types than Arrow.
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load(&bytes, plain.clone()).map_err(damaged)?;
    // Texts are read as views of their dictionary. If a short dictionary has long texts, rows then do not take the
    // memory of a text.
    let fields = metadata.schema().fields().iter().map(|field| {
        let is_text = *field.data_type() == DataType::Utf8;
        let data_type = if is_text {
            DataType::Utf8View
        } else {
            field.data_type().clone()
        };
        Field::new(field.name(), data_type, field.is_nullable())
    });
    let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let plain = plain.with_schema(schema);
    let metadata = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), plain);
    let metadata = metadata.map_err(damaged)?;
    let file = |metadata: &ArrowReaderMetadata| {
        ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone())
    };
    let header = metadata.metadata();
    let entries = header.file_metadata().key_value_metadata();
    let entries = entries.into_iter().flatten();
    let entries: Entries = entries
        .filter_map(|entry| Some((entry.key.clone(), entry.value.clone()?)))
        .collect();
    let mut reader = BatchReader::new(metadata.schema(), &entries, options)?;
    reader.keep(keep);
    let columns = reader.columns();
    let mask = |columns: &[usize]| {
        ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied())
    };
    let all = mask(&columns);
    let groups = header.row_groups().iter();
    let chunks = groups.flat_map(|group| group.columns().iter().enumerate());
    let chunks = chunks.filter(|(index, _)| all.leaf_included(*index));
    let sizes = chunks.map(|(_, chunk)| chunk.uncompressed_size().max(0) as u64);
    // The sizes that the file states are checked before anything is unpacked.
    let size = sizes.fold(0, u64::saturating_add);
    check_limit(size, options.limits.max_bytes, "bytes")?;
    for (index, group) in header.row_groups().iter().enumerate() {
        let total = usize::try_from(group.num_rows()).unwrap_or(0);
        let mut done = 0;
        let group = |columns: &[usize], from: usize| {
            let part = file(&metadata)
                .with_row_groups(vec![index])
                .with_projection(mask(columns))
                .with_batch_size(BATCH_ROWS)
                .with_offset(from);
            part.build().map_err(|error| error.to_string())
        };
        // Damage shows only when the values are unpacked.
        if let Ok(mut batches) = group(&columns, 0) {
            while let Some(Ok(batch)) = next(&mut batches) {
                done += batch.num_rows();
                reader.push(&batch)?;
            }
        }
        if done >= total {
            continue;
        }
        // A column of the row group is damaged. The others are read one by one.
        let mut parts: Vec<Result<_, String>> = columns
            .iter()
            .map(|&column| group(&[column], done))
            .collect();
        while done < total {
            let count = BATCH_ROWS.min(total - done);
            let arrays = parts.iter_mut().map(|part| {
                let batches = part.as_mut().map_err(|cause| cause.clone())?;
                let error = match next(batches) {
                    Some(Ok(batch)) if batch.num_rows() == count => {
                        return Ok(Arc::clone(batch.column(0)));
                    }
                    Some(Ok(_)) | None => "values are missing".to_owned(),
                    Some(Err(error)) => error,
                };
                // The values after damage cannot be read.
                *part = Err(error.clone());
                Err(error)
            });
            let arrays = arrays.collect();
            reader.push_arrays(count, arrays)?;
            done += count;
        }
    }
    match reader.in_order() {
        Some(keep) => read_file(bytes, options, Some(keep)),
        None => reader.finish(),
    }
}

/// Returns the next batch, or an error that states the damage, also if the crate that reads the file panics.
fn next(batches: &mut ParquetRecordBatchReader) -> Option<Result<RecordBatch, String>> {
    let next = catch_panics("Parquet", || Ok(batches.next()));
    match next {
        Ok(batch) => batch.map(|batch| batch.map_err(|error| error.to_string())),
        Err(error) => Some(Err(error.to_string())),
    }
}
