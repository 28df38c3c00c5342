//! A recording as batches, whatever becomes of them.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use inputanim::Recording;

use super::{keys, schema, wide};
use crate::frames::Columns;
use crate::tables::keys_out::refuse_losses;
use crate::tables::pieces::pieces;
use crate::tables::{Error, Options, Shape, metadata, recorded};

/// A table that is to be written: its columns, and what is in them.
pub(crate) struct Table<'r> {
    recording: &'r Recording<'r>,
    options: &'r Options,
    columns: Columns,
    pub(crate) schema: SchemaRef,
}

impl<'r> Table<'r> {
    /// # Errors
    /// Where nothing may be lost but would be: the recording holds what its layout cannot.
    pub(crate) fn new(
        recording: &'r Recording<'r>,
        options: &'r Options,
    ) -> Result<Table<'r>, Error> {
        let metadata = metadata::of_recording(recording, options);
        let columns = recorded::columns(recording);
        let schema = match options.shape {
            Shape::Wide => schema::wide(&columns, false, metadata),
            Shape::Keys => {
                refuse_losses(recording)?;
                schema::keys(metadata)
            }
        };
        Ok(Table {
            recording,
            options,
            columns,
            schema,
        })
    }

    /// Calls `sink` with all rows, some thousand at a time.
    pub(crate) fn batches(
        &self,
        mut sink: impl FnMut(RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.options.shape == Shape::Keys {
            return keys::batches(self.recording, &self.schema, sink);
        }
        for piece in pieces(self.recording, self.options.times)? {
            let piece = piece?;
            let mut sampled = piece.sampler.columns(piece.times);
            wide::turn(&mut sampled, self.options.space);
            sink(wide::batch(&self.schema, &self.columns, None, sampled)?)?;
        }
        Ok(())
    }
}
