//! The rows of a wide record batch.

use std::collections::HashMap;

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use inputanim::{Frame, InputName, InputValue};

use super::cells::{self, Times};
use crate::shared::Error;
use crate::shared::mapping::TIME_S;
use crate::table::frames::clock::{Stamp, TableClock};
use crate::table::frames::values::STATE;
use crate::table::frames::wide::{Cells, Column, WideColumns};
use crate::table::table_error::TableError;
use crate::table::tables::Place;
use crate::table::tables::recorder::TableRecorder;

/// The columns of a batch that are read, by their index in the table.
pub(super) struct WideRows<'r> {
    columns: &'r WideColumns,
    /// The numbers of each column, row by row. A row of a column of vectors has several.
    numbers: Vec<Option<Vec<Option<f64>>>>,
    times: Times<'r>,
    markers: Option<Vec<Option<&'r str>>>,
    /// The profiles of devices, by the index of their column.
    texts: HashMap<usize, Vec<Option<&'r str>>>,
    /// `true` for each column of truth values.
    are_states: Vec<bool>,
    /// `true` if this library wrote the table. A null in a pose then stands for a number that is not finite, because
    /// some programs replace such numbers by null.
    is_ours: bool,
    /// `true` if columns are null because they are damaged. Poses and rays with such a column are unknown.
    is_damaged: bool,
}

impl<'r> WideRows<'r> {
    /// Decodes the columns of a batch that are read. `position` returns the index in the batch of a column, given its
    /// index in the table. `first` is the number of rows before the batch. `is_ours` is `true` if this library wrote the table, and
    /// `is_damaged` if columns are null because they are damaged.
    pub(super) fn new(
        columns: &'r WideColumns,
        is_ours: bool,
        is_damaged: bool,
        batch: &'r RecordBatch,
        first: u64,
        position: impl Fn(usize) -> Option<usize>,
    ) -> Result<WideRows<'r>, TableError> {
        let array = |index: usize| position(index).map(|at| &**batch.column(at) as &dyn Array);
        let time = columns.time.index;
        let times = match array(time) {
            Some(array) => cells::times(&columns.names[time], array)?,
            None => Times::Numbers(vec![None; batch.num_rows()]),
        };
        let mut rows = WideRows {
            columns,
            times,
            numbers: vec![None; columns.names.len()],
            markers: None,
            texts: HashMap::new(),
            are_states: vec![false; columns.names.len()],
            is_ours,
            is_damaged,
        };
        for Column { index, part, .. } in columns.numbers() {
            // A mapping may give one column to several curves; it is decoded once.
            if let (None, Some(array)) = (&rows.numbers[index], array(index)) {
                let name = &columns.names[index];
                rows.are_states[index] = *array.data_type() == DataType::Boolean;
                rows.numbers[index] = Some(match part {
                    None => cells::doubles(name, array)?,
                    Some((_, count)) => cells::vectors(name, array, count, first)?,
                });
            }
        }
        for Column { index, .. } in columns.texts() {
            if let Some(array) = array(index) {
                let texts = cells::texts(&columns.names[index], array)?;
                rows.texts.insert(index, texts);
            }
        }
        if let Some(index) = columns.marker
            && let Some(array) = array(index)
        {
            rows.markers = Some(cells::texts(&columns.names[index], array)?);
        }
        Ok(rows)
    }

    /// Adds the frame and the marker of a row to `recorder`. `row` is the index of the row in the batch, and `place`
    /// its place in the table, for errors.
    pub(super) fn record(
        &self,
        place: Place,
        row: usize,
        clock: &mut TableClock,
        recorder: &mut TableRecorder<'_>,
    ) -> Result<(), Error> {
        let time = self.time(place, row, clock)?;
        let time = time.ok_or_else(|| TableError::missing(place, TIME_S))?;
        let marker = self.markers.as_ref().and_then(|markers| markers[row]);
        if let Some(name) = marker.filter(|name| !name.trim().is_empty()) {
            recorder.marker(place, time, name)?;
            let curves = self.columns.curves.iter().map(|(_, column)| *column);
            let mut values = curves.chain(self.columns.device_states());
            let is_empty = |number: Option<f64>| number.is_none_or(f64::is_nan);
            if values.all(|column| is_empty(self.number(column, row))) {
                return Ok(());
            }
        }
        let mut cells = BatchRow {
            rows: self,
            place,
            row,
            dropped: 0,
        };
        let frame = self.columns.frame(&mut cells)?;
        // The loss of damaged columns is known.
        for _ in 0..if self.is_damaged { 0 } else { cells.dropped } {
            recorder.drop_not_finite();
        }
        recorder.frame(place, Frame { time, ..frame })
    }

    fn time(
        &self,
        place: Place,
        row: usize,
        clock: &mut TableClock,
    ) -> Result<Option<f32>, TableError> {
        let Column { index, factor, .. } = self.columns.time;
        let name = &self.columns.names[index];
        match &self.times {
            Times::Numbers(times) => {
                let time = times[row].map(|time| clock.relative(time * factor) as f32);
                Ok(time)
            }
            Times::Texts(times) => match times[row] {
                Some(text) => clock.parse(place, name, text.trim(), factor),
                None => Ok(None),
            },
            Times::Stamps(times) => {
                let Some(stamp) = times[row] else {
                    return Ok(None);
                };
                let text = match stamp {
                    Stamp::Date { nanoseconds, .. } => {
                        format!("{} s since 1970", nanoseconds as f64 / 1e9)
                    }
                    Stamp::OfDay(nanoseconds) => {
                        format!("{} s since midnight", nanoseconds as f64 / 1e9)
                    }
                };
                clock.stamp(place, name, stamp, &text).map(Some)
            }
        }
    }

    /// Returns the number of a cell before the factor of its column is applied; `None` for a null.
    fn number(&self, column: Column, row: usize) -> Option<f64> {
        let (part, count) = column.part.unwrap_or((0, 1));
        self.numbers[column.index].as_ref()?[row * count + part]
    }
}

struct BatchRow<'r> {
    rows: &'r WideRows<'r>,
    place: Place,
    row: usize,
    /// The number of poses and rays that are not finite.
    dropped: usize,
}

impl Cells for BatchRow<'_> {
    fn place(&self) -> Place {
        self.place
    }

    /// Returns only `None` for a pose or ray with a number that is not finite, and counts it as dropped.
    fn numbers<const N: usize>(
        &mut self,
        columns: [Column; N],
    ) -> Result<[Option<f32>; N], TableError> {
        let cells = columns.map(|column| {
            let number = self.rows.number(column, self.row)?;
            Some((number * column.factor) as f32)
        });
        let is_null = cells.iter().any(Option::is_none);
        let is_finite = cells.iter().flatten().all(|number| number.is_finite());
        let is_known = |number: &f32| !number.is_nan();
        let is_empty = !cells.iter().flatten().any(is_known);
        // In a table of another program, a pose of numbers and nulls is incomplete. The caller reports it.
        let drops_null = self.rows.is_ours || self.rows.is_damaged;
        if is_empty || (is_finite && !(is_null && drops_null)) {
            return Ok(cells.map(|cell| cell.filter(is_known)));
        }
        self.dropped += 1;
        Ok([None; N])
    }

    fn state(&mut self, column: Column) -> Result<Option<bool>, TableError> {
        match self.rows.number(column, self.row) {
            None => Ok(None),
            Some(number) if number.is_nan() => Ok(None),
            Some(0.0) => Ok(Some(false)),
            Some(1.0) => Ok(Some(true)),
            Some(other) => {
                let name = &self.rows.columns.names[column.index];
                Err(TableError::value(self.place, name, STATE, other))
            }
        }
    }

    /// Returns `None` for a number that is not finite, and counts an infinite one as dropped.
    fn input(&mut self, column: Column, _: InputName) -> Result<Option<InputValue>, TableError> {
        let number = self.rows.number(column, self.row);
        let Some(number) = number.filter(|number| !number.is_nan()) else {
            return Ok(None);
        };
        if self.rows.are_states[column.index] && column.factor == 1.0 {
            return Ok(Some(InputValue::Boolean(number != 0.0)));
        }
        let number = (number * column.factor) as f32;
        if number.is_finite() {
            return Ok(Some(InputValue::Float(number)));
        }
        self.dropped += 1;
        Ok(None)
    }

    fn text(&mut self, column: Column) -> Result<Option<&str>, TableError> {
        let texts = self.rows.texts.get(&column.index);
        let text = texts.and_then(|texts| texts[self.row]);
        Ok(text.filter(|text| !text.is_empty()))
    }
}
