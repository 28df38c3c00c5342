//! The rows of a tidy table as record batches.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float32Builder, Int8Builder};
use arrow_array::{ArrayRef, DictionaryArray};
use arrow_schema::ArrowError;
use inputanim::Recording;

use super::schema::{hand_names, joint_names};
use super::write::output_error;
use crate::frames::Columns;
use crate::tables::tidy::{self, TidyRow, has_pinching, parts};
use crate::{Error, Report, WriteOptions};

/// The rows of a batch.
const ROWS: usize = 1 << 16;

/// Calls `sink` with the rows of a recording: their number, and their arrays in the order of
/// [`super::schema::tidy`].
pub(crate) fn batches(
    recording: &Recording<'_>,
    options: &WriteOptions,
    columns: &Columns,
    report: &mut Report,
    mut sink: impl FnMut(usize, Vec<ArrayRef>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut batch = TidyBatch::new();
    tidy::rows(recording, options, columns, report, |row| {
        batch.push(row);
        if batch.rows == ROWS {
            sink(ROWS, batch.arrays(columns).map_err(output_error)?)?;
        }
        Ok(())
    })?;
    sink(batch.rows, batch.arrays(columns).map_err(output_error)?)
}

/// The builders of the arrays of a batch.
struct TidyBatch {
    // All batches share these dictionaries: an Arrow file cannot replace one.
    hand_names: ArrayRef,
    joint_names: ArrayRef,
    rows: usize,
    hand: Int8Builder,
    joint: Int8Builder,
    /// Time, position and rotation.
    floats: [Float32Builder; 8],
    pinching: BooleanBuilder,
    direction: [Float32Builder; 3],
}

impl TidyBatch {
    fn new() -> TidyBatch {
        TidyBatch {
            hand_names: Arc::new(hand_names()),
            joint_names: Arc::new(joint_names()),
            rows: 0,
            hand: Int8Builder::new(),
            joint: Int8Builder::new(),
            floats: Default::default(),
            pinching: BooleanBuilder::new(),
            direction: Default::default(),
        }
    }

    fn push(&mut self, row: &TidyRow) {
        self.rows += 1;
        self.hand.append_option(row.side.map(|side| side as i8));
        self.joint.append_value(row.joint as i8);
        let numbers = [row.time].into_iter().chain(row.position).map(Some);
        let numbers = numbers.chain(parts(row.rotation));
        for (column, number) in self.floats.iter_mut().zip(numbers) {
            column.append_option(number);
        }
        self.pinching.append_option(row.pinching);
        for (column, number) in self.direction.iter_mut().zip(parts(row.direction)) {
            column.append_option(number);
        }
    }

    /// Returns the arrays of the rows so far, and starts a new batch.
    fn arrays(&mut self, columns: &Columns) -> Result<Vec<ArrayRef>, ArrowError> {
        self.rows = 0;
        let hand = DictionaryArray::try_new(self.hand.finish(), Arc::clone(&self.hand_names))?;
        let joint = DictionaryArray::try_new(self.joint.finish(), Arc::clone(&self.joint_names))?;
        let [time, vectors @ ..] = &mut self.floats;
        let mut arrays: Vec<ArrayRef> =
            vec![Arc::new(time.finish()), Arc::new(hand), Arc::new(joint)];
        for column in vectors {
            arrays.push(Arc::new(column.finish()));
        }
        let pinching = Arc::new(self.pinching.finish());
        if has_pinching(columns) {
            arrays.push(pinching);
        }
        for column in &mut self.direction {
            let column = Arc::new(column.finish());
            if columns.gaze {
                arrays.push(column);
            }
        }
        Ok(arrays)
    }
}
