//! Keys as record batches.

use std::iter;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{
    Float32Builder, Int8Builder, Int16Builder, Int32Builder, StringBuilder,
};
use arrow_array::{ArrayRef, DictionaryArray};
use arrow_schema::ArrowError;
use inputanim::{Curve, CurvePath, Keys, Recording};

use super::schema::{curve_names, kind_names};
use super::write::output_error;
use crate::Error;
use crate::tables::keys::{FLAGS, Kind, curve_index, needs_row};

/// The rows of a batch.
const ROWS: usize = 1 << 16;

/// Calls `sink` with the rows of a recording: their number, and their arrays in the order of
/// [`super::schema::keys`].
pub(crate) fn batches(
    recording: &Recording<'_>,
    mut sink: impl FnMut(usize, Vec<ArrayRef>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut batch = KeyBatch::new();
    batch.about(Kind::Layout, None, None, recording.layout.name());
    if recording.layout.has_flags() {
        for (name, byte) in FLAGS.into_iter().zip(recording.flag_bytes()) {
            batch.about(Kind::Flag, None, Some(byte.into()), name);
        }
    }
    for (path, curve) in recording.curves() {
        let mut first = 0;
        while first < curve.len() {
            // A curve may be longer than a batch, and a batch may contain many curves.
            let end = curve.len().min(first + ROWS - batch.rows);
            batch.keys(path, curve, first..end);
            first = end;
            if batch.rows == ROWS {
                sink(batch.rows, batch.finish()?)?;
            }
        }
        if curve.is_empty() && needs_row(curve, recording.layout) {
            batch.no_keys(path, curve);
        }
    }
    for marker in &recording.markers {
        batch.about(Kind::Marker, Some(marker.time), None, &marker.name);
        if batch.rows >= ROWS {
            sink(batch.rows, batch.finish()?)?;
        }
    }
    sink(batch.rows, batch.finish()?)
}

/// The builders of the arrays of a batch.
struct KeyBatch {
    // All batches share these dictionaries: an Arrow file cannot replace one.
    curve_names: ArrayRef,
    kind_names: ArrayRef,
    rows: usize,
    curve: Int16Builder,
    /// Time, value, tangents and weights.
    floats: [Float32Builder; 6],
    weighted_mode: Int32Builder,
    kind: Int8Builder,
    wrap: [Int32Builder; 2],
    name: StringBuilder,
}

impl KeyBatch {
    fn new() -> KeyBatch {
        KeyBatch {
            curve_names: Arc::new(curve_names()),
            kind_names: Arc::new(kind_names()),
            rows: 0,
            curve: Int16Builder::new(),
            floats: Default::default(),
            weighted_mode: Int32Builder::new(),
            kind: Int8Builder::new(),
            wrap: Default::default(),
            name: StringBuilder::new(),
        }
    }

    /// Appends keys of a curve.
    fn keys(&mut self, path: CurvePath, curve: Curve<'_, '_>, range: Range<usize>) {
        let count = range.len();
        self.of_curve(path, curve, count);
        let [time, value, slopes @ ..] = &mut self.floats;
        match curve {
            Curve::Float(curve) => match &curve.keys {
                Keys::Full(keys) => {
                    let [in_tangent, out_tangent, in_weight, out_weight] = slopes;
                    for key in &keys[range] {
                        time.append_value(key.time());
                        value.append_value(key.value());
                        in_tangent.append_value(key.in_tangent());
                        out_tangent.append_value(key.out_tangent());
                        in_weight.append_value(key.in_weight());
                        out_weight.append_value(key.out_weight());
                        self.weighted_mode.append_value(key.weighted_mode().0);
                    }
                    return;
                }
                Keys::Simple(keys) => {
                    for key in &keys[range] {
                        time.append_value(key.time());
                        value.append_value(key.value());
                    }
                }
            },
            Curve::Boolean(curve) => {
                for key in &curve.keys[range] {
                    time.append_value(key.time());
                    value.append_value(key.value());
                }
            }
        }
        for slope in slopes {
            slope.append_nulls(count);
        }
        self.weighted_mode.append_nulls(count);
    }

    /// Appends a row for a curve without keys.
    fn no_keys(&mut self, path: CurvePath, curve: Curve<'_, '_>) {
        self.of_curve(path, curve, 1);
        for float in &mut self.floats {
            float.append_null();
        }
        self.weighted_mode.append_null();
    }

    /// Appends the cells that all keys of a curve have in common.
    fn of_curve(&mut self, path: CurvePath, curve: Curve<'_, '_>, count: usize) {
        self.rows += count;
        let kind = Kind::of_curve(curve);
        let (pre, post) = curve.wrap();
        let curve = curve_index(path) as i16;
        self.curve.extend(iter::repeat_n(Some(curve), count));
        self.kind.extend(iter::repeat_n(Some(kind as i8), count));
        for (column, mode) in self.wrap.iter_mut().zip([pre, post]) {
            column.extend(iter::repeat_n(Some(mode.0), count));
        }
        self.name.extend(iter::repeat_n(None::<&str>, count));
    }

    /// Appends a row that is not a key.
    fn about(&mut self, kind: Kind, time: Option<f32>, value: Option<f32>, name: &str) {
        self.rows += 1;
        self.curve.append_null();
        let [of_time, of_value, slopes @ ..] = &mut self.floats;
        of_time.append_option(time);
        of_value.append_option(value);
        for slope in slopes {
            slope.append_null();
        }
        self.weighted_mode.append_null();
        self.kind.append_value(kind as i8);
        for mode in &mut self.wrap {
            mode.append_null();
        }
        self.name.append_value(name);
    }

    /// Returns the arrays of the rows so far, and starts a new batch.
    fn finish(&mut self) -> Result<Vec<ArrayRef>, Error> {
        self.arrays().map_err(output_error)
    }

    fn arrays(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
        self.rows = 0;
        let curve = DictionaryArray::try_new(self.curve.finish(), Arc::clone(&self.curve_names))?;
        let kind = DictionaryArray::try_new(self.kind.finish(), Arc::clone(&self.kind_names))?;
        let mut arrays: Vec<ArrayRef> = vec![Arc::new(curve)];
        for float in &mut self.floats {
            arrays.push(Arc::new(float.finish()));
        }
        arrays.push(Arc::new(self.weighted_mode.finish()));
        arrays.push(Arc::new(kind));
        for mode in &mut self.wrap {
            arrays.push(Arc::new(mode.finish()));
        }
        arrays.push(Arc::new(self.name.finish()));
        Ok(arrays)
    }
}
