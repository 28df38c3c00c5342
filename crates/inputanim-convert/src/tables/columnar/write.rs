//! Writes recordings as record batches.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, SchemaRef};
use inputanim::Recording;

use super::{keys, schema, tidy, wide};
use crate::frames::Columns;
use crate::tables::keys_out::refuse_losses;
#[cfg(feature = "parquet")]
use crate::tables::parquet;
use crate::tables::{arrow, metadata};
use crate::{Error, Format, Report, TableShape, WriteOptions};

/// An Arrow or Parquet table that is written batch by batch.
pub(crate) struct ColumnarTable<W: Write + Send> {
    columns: Columns,
    schema: SchemaRef,
    file: BatchFile<W>,
}

impl<W: Write + Send> ColumnarTable<W> {
    /// Begins a table.
    pub(crate) fn new(
        format: Format,
        columns: &Columns,
        options: &WriteOptions,
        metadata: metadata::Entries,
        output: W,
    ) -> Result<ColumnarTable<W>, Error> {
        let labels: Vec<&str> = options.labels.iter().map(|(name, _)| &**name).collect();
        let schema = match options.shape {
            TableShape::Wide => schema::wide(columns, &labels, metadata),
            TableShape::Tidy => schema::tidy(columns, &labels, metadata),
            TableShape::Keys => schema::keys(&labels, metadata),
        };
        Ok(ColumnarTable {
            columns: columns.clone(),
            file: BatchFile::new(format, options.shape, &labels, &schema, output)?,
            schema,
        })
    }

    /// Writes all rows of a recording, some thousand at a time.
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
        let put = |rows: usize, arrays: Vec<ArrayRef>| {
            total += rows as u64;
            let labels = options.labels.iter().map(|(_, text)| {
                let texts = StringArray::from_iter_values(std::iter::repeat_n(text, rows));
                Arc::new(texts) as ArrayRef
            });
            let arrays = labels.chain(arrays).collect();
            let batch = RecordBatch::try_new(Arc::clone(schema), arrays);
            file.write(&batch.map_err(output_error)?)
        };
        match options.shape {
            TableShape::Keys => {
                refuse_losses(recording)?;
                keys::batches(recording, put)?;
            }
            TableShape::Wide => wide::batches(recording, options, columns, put)?,
            TableShape::Tidy => tidy::batches(recording, options, columns, report, put)?,
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
            Format::Parquet => Ok(BatchFile::Parquet(parquet::writer(
                shape, labels, schema, output,
            )?)),
            _ => Err(Error::NotInBuild(format)),
        }
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match self {
            BatchFile::Arrow(file) => file.write(batch).map_err(output_error),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => file.write(batch).map_err(parquet::output_error),
        }
    }

    fn end_recording(&mut self) -> Result<(), Error> {
        match self {
            // Each batch is of one recording.
            BatchFile::Arrow(_) => Ok(()),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => file.flush().map_err(parquet::output_error),
        }
    }

    fn add_metadata(&mut self, name: &str, value: String) {
        match self {
            BatchFile::Arrow(file) => file.write_metadata(name, value),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => parquet::add_metadata(file, name, value),
        }
    }

    fn finish(self) -> Result<(), Error> {
        match self {
            BatchFile::Arrow(mut file) => file.finish().map_err(output_error),
            #[cfg(feature = "parquet")]
            BatchFile::Parquet(file) => parquet::finish(file),
        }
    }
}

/// Returns the error of an output. Writing cannot fail otherwise: the batches have the types of the schema.
pub(super) fn output_error(error: ArrowError) -> Error {
    Error::Io(match error {
        ArrowError::IoError(_, error) => error,
        other => std::io::Error::other(other),
    })
}
