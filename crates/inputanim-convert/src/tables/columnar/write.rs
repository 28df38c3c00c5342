//! Recordings as batches, whatever becomes of them.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::SchemaRef;
use inputanim::{Recording, sampler};

use super::{keys, schema, wide};
use crate::frames::Columns;
use crate::tables::keys_out::refuse_losses;
use crate::tables::pieces::pieces;
use crate::tables::{Error, Options, Shape, metadata};

/// A table that is to be written: its columns, and how rows become batches of them.
pub(crate) struct Table {
    pub(crate) options: Options,
    pub(crate) columns: Columns,
    pub(crate) schema: SchemaRef,
}

impl Table {
    /// Of one recording.
    pub(crate) fn of(recording: &Recording<'_>, options: &Options) -> Table {
        let metadata = metadata::of_recording(recording, options);
        Table::new(Columns::of(recording), options, false, metadata)
    }

    /// Of several, with a column that says which one a row is of.
    pub(crate) fn of_several(columns: &Columns, options: &Options) -> Table {
        let metadata = metadata::of_options(options);
        Table::new(columns.clone(), options, true, metadata)
    }

    fn new(
        columns: Columns,
        options: &Options,
        has_recordings: bool,
        metadata: metadata::Entries,
    ) -> Table {
        let schema = match options.shape {
            Shape::Wide => schema::wide(&columns, has_recordings, metadata),
            Shape::Keys => schema::keys(has_recordings, metadata),
        };
        Table {
            options: options.clone(),
            columns,
            schema,
        }
    }

    /// Calls `sink` with all rows of a recording, some thousand at a time. In a table of several it has
    /// a name.
    ///
    /// # Errors
    /// When the recording cannot be sampled (wide) or holds what its layout cannot (keys), and those of
    /// `sink`.
    pub(crate) fn batches(
        &self,
        name: Option<&str>,
        recording: &Recording<'_>,
        mut sink: impl FnMut(RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut push = |rows: usize, arrays: Vec<ArrayRef>| {
            let names = name.map(|name| {
                let names = StringArray::from_iter_values(std::iter::repeat_n(name, rows));
                Arc::new(names) as ArrayRef
            });
            let arrays = names.into_iter().chain(arrays).collect();
            sink(RecordBatch::try_new(Arc::clone(&self.schema), arrays)?)
        };
        if self.options.shape == Shape::Keys {
            refuse_losses(recording)?;
            return keys::batches(recording, push);
        }
        self.sampled(recording, |sampled| {
            let rows = sampled.times.len();
            push(rows, wide::arrays(&self.columns, sampled))
        })
    }

    /// Calls `sink` with all that plays, some thousand rows at a time: what a wide table is made of.
    ///
    /// # Errors
    /// When the recording cannot be sampled, and those of `sink`.
    pub(crate) fn sampled(
        &self,
        recording: &Recording<'_>,
        mut sink: impl FnMut(sampler::Columns) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for piece in pieces(recording, self.options.times)? {
            let piece = piece?;
            let mut sampled = piece.sampler.columns(piece.times);
            wide::turn(&mut sampled, self.options.space);
            sink(sampled)?;
        }
        Ok(())
    }
}
