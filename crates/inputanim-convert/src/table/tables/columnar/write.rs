//! Writes recordings as record batches.

use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use inputanim::Recording;

use crate::shared::{Error, Format, Report, TableShape, WriteOptions};
use crate::table::frames::Columns;
use crate::table::tables::batch::{Batch, Column, DataType, Field};
use crate::table::tables::instants::{WindowPart, windows};
use crate::table::tables::keys_out::refuse_losses;
#[cfg(feature = "parquet")]
use crate::table::tables::parquet;
use crate::table::tables::record_batch::{arrow_field, record_batch};
use crate::table::tables::recorder::report_not_finite;
use crate::table::tables::table_columns::TableColumns;
use crate::table::tables::{arrow, metadata};

/// The rows of a batch of a tidy table or of keys.
const ROWS: usize = 1 << 16;

/// An Arrow or Parquet table that is written batch by batch.
pub(crate) struct ColumnarTable<W: Write + Send> {
    columns: TableColumns,
    schema: SchemaRef,
    file: BatchFile<W>,
}

impl<W: Write + Send> ColumnarTable<W> {
    /// Begins an Arrow or Parquet table with the columns of the labels and the `columns` of recordings. `metadata`
    /// becomes the metadata of the file.
    pub(crate) fn new(
        format: Format,
        columns: &Columns,
        options: &WriteOptions,
        metadata: metadata::Entries,
        output: W,
    ) -> Result<ColumnarTable<W>, Error> {
        let labels: Vec<&str> = options.labels.iter().map(|(name, _)| &**name).collect();
        let columns = TableColumns::new(options.shape, columns, options.space);
        let of_labels = labels.iter().map(|name| {
            let name = (*name).to_owned();
            arrow_field(&Field::new(name, DataType::Text, "").required(), true)
        });
        let fields = columns.fields().iter();
        let fields = of_labels.chain(fields.map(|field| arrow_field(field, true)));
        let fields: Vec<_> = fields.collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
        Ok(ColumnarTable {
            columns,
            file: BatchFile::new(format, options.shape, &labels, &schema, output)?,
            schema,
        })
    }

    /// Writes all rows of a recording in batches of some thousand rows. Adds the losses and the number of rows to
    /// `report`.
    pub(crate) fn push(
        &mut self,
        recording: &Recording<'_>,
        options: &WriteOptions,
        report: &mut Report,
    ) -> Result<(), Error> {
        let ColumnarTable {
            columns,
            schema,
            file,
        } = self;
        let mut total = 0;
        let mut put = |batch: Batch| {
            total += batch.rows as u64;
            let rows = batch.rows;
            let labels = options.labels.iter();
            let labels = labels.map(|(_, text)| Column::text(text.as_str(), rows));
            let batch = Batch::new(rows, labels.chain(batch.columns).collect());
            file.write(&record_batch(batch, schema).map_err(output_error)?)
        };
        if options.shape == TableShape::Keys {
            refuse_losses(recording)?;
            let rows = TableColumns::key_rows(recording);
            for first in (0..rows).step_by(ROWS) {
                let rows = first..rows.min(first + ROWS);
                put(columns.keys(recording, rows, options.time, None))?;
            }
        } else {
            let mut dropped = 0;
            for part in windows(recording, options)? {
                let WindowPart { sampler, times } = part?;
                let instants = (ROWS / columns.rows_per_instant()).max(1);
                for times in times.chunks(instants) {
                    let rows = columns.sample(&sampler, times.to_vec());
                    dropped += rows.dropped;
                    put(rows.batch)?;
                }
            }
            report_not_finite(report, dropped);
        }
        report.rows += total;
        self.file.end_recording()
    }

    pub(crate) fn add_metadata(&mut self, name: &str, value: String) {
        self.file.add_metadata(name, value);
    }

    /// Writes the end of the file.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.file.finish()
    }
}

/// An Arrow or Parquet file that is being written.
enum BatchFile<W: Write + Send> {
    Arrow(FileWriter<W>),
    #[cfg(feature = "parquet")]
    Parquet(parquet::BatchWriter<W>),
}

impl<W: Write + Send> BatchFile<W> {
    fn new(
        format: Format,
        #[cfg_attr(not(feature = "parquet"), expect(unused_variables))] shape: TableShape,
        #[cfg_attr(not(feature = "parquet"), expect(unused_variables))] labels: &[&str],
        schema: &SchemaRef,
        output: W,
    ) -> Result<BatchFile<W>, Error> {
        match format {
            Format::Arrow => Ok(BatchFile::Arrow(
                arrow::writer(schema, output).map_err(output_error)?,
            )),
            #[cfg(feature = "parquet")]
            Format::Parquet => Ok(BatchFile::Parquet(parquet::BatchWriter::new(
                shape, labels, schema, output,
            )?)),
            _ => Err(Error::NotInBuild(format)),
        }
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match self {
            BatchFile::Arrow(file) => file.write(batch).map_err(output_error),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => file.write(batch),
        }
    }

    fn end_recording(&mut self) -> Result<(), Error> {
        match self {
            // Each batch already contains only one recording.
            BatchFile::Arrow(_) => Ok(()),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => file.end_recording(),
        }
    }

    fn add_metadata(&mut self, name: &str, value: String) {
        match self {
            BatchFile::Arrow(file) => file.write_metadata(name, value),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => file.add_metadata(name, value),
        }
    }

    fn finish(self) -> Result<(), Error> {
        match self {
            BatchFile::Arrow(mut file) => file.finish().map_err(output_error),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => file.finish(),
        }
    }
}

/// Converts an error of the Arrow writer to an I/O error. Only the output can fail, because the batches have the types
/// of the schema.
pub(super) fn output_error(error: ArrowError) -> Error {
    Error::Io(match error {
        ArrowError::IoError(_, error) => error,
        other => std::io::Error::other(other),
    })
}
