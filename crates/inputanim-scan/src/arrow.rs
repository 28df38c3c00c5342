//! The rows of a scan as record batches of Arrow.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use inputanim_convert::tables::{Batch, arrow_field, record_batch};

use crate::batches::{Ordered, Rows};
use crate::error::ScanError;
use crate::scan::Scan;

impl Scan {
    /// Returns the Arrow schema of the selected columns. The metadata of each field contain its `unit`, if it has one, and
    /// its `meaning`.
    pub fn schema(&self) -> SchemaRef {
        let fields = self.fields().iter().map(|field| {
            let arrow = arrow_field(field, false);
            let mut metadata = arrow.metadata().clone();
            metadata.insert("meaning".to_owned(), field.meaning.to_string());
            arrow.with_metadata(metadata)
        });
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// Converts a batch of a scan, such as one of a [`Task`](crate::Task), to a record batch of Arrow. `schema` is the
    /// [`schema`](Self::schema) of the same scan. The caller stores it, because making it takes time.
    ///
    /// # Errors
    /// When the columns of the batch do not match the fields of the schema.
    pub fn record_batch(batch: Batch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        record_batch(batch, schema)
    }

    /// Returns the rows in order as record batches of Arrow, computed by several threads; see
    /// [`batches`](Self::batches).
    ///
    /// ```
    /// use inputanim_scan::{Scan, ScanOptions};
    /// # use inputanim::{Layout, Recording};
    /// # use inputanim_scan::{FileBytes, Source};
    /// # let bytes = FileBytes::new(Recording::new(Layout::Mrtk1_1).to_bytes()?);
    /// # let source = Source::Bytes { name: "take.bin".to_owned(), bytes };
    /// let scan = Scan::new([source], ScanOptions::default())?;
    /// for batch in scan.record_batches() {
    ///     println!("{} rows", batch?.num_rows());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record_batches(&self) -> RecordBatches {
        let schema = self.schema();
        let of_threads = Arc::clone(&schema);
        RecordBatches {
            schema,
            batches: Ordered::new(&self.shared, move |batch| record_batch(batch, &of_threads)),
        }
    }
}

/// The rows of a scan in order, as record batches.
///
/// As a [`RecordBatchReader`] it becomes a stream of the C data interface. Its errors are
/// [`ArrowError::ExternalError`] with a [`ScanError`].
pub struct RecordBatches {
    schema: SchemaRef,
    batches: Ordered<Result<RecordBatch, ArrowError>>,
}

impl Rows for Result<RecordBatch, ArrowError> {
    fn rows(&self) -> usize {
        self.as_ref().map_or(0, RecordBatch::num_rows)
    }

    fn truncate(&mut self, rows: usize) {
        if let Ok(batch) = self
            && rows < batch.num_rows()
        {
            *batch = batch.slice(0, rows);
        }
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let external = |error: ScanError| ArrowError::ExternalError(Box::new(error));
        let batch = self.batches.next()?;
        Some(batch.map_err(external).flatten())
    }
}

impl RecordBatchReader for RecordBatches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
