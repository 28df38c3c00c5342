//! Keys as arrays.

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
use crate::tables::Error;
use crate::tables::keys::{FLAGS, Kind, is_worth_a_row, place_of};

/// Rows of a batch.
const ROWS: usize = 1 << 16;

/// Calls `sink` with all rows of a recording: how many, and as [`super::schema::keys`] has them.
pub(crate) fn batches(
    recording: &Recording<'_>,
    mut sink: impl FnMut(usize, Vec<ArrayRef>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut draft = Draft::new();
    draft.about(Kind::Layout, None, None, recording.layout.name());
    if recording.layout.has_flags() {
        for (name, byte) in FLAGS.into_iter().zip(recording.flag_bytes()) {
            draft.about(Kind::Flag, None, Some(byte.into()), name);
        }
    }
    for (path, curve) in recording.curves() {
        let mut first = 0;
        while first < curve.len() {
            let end = curve.len().min(first + ROWS - draft.rows);
            draft.keys(path, curve, first..end);
            first = end;
            if draft.rows == ROWS {
                sink(draft.rows, draft.take()?)?;
            }
        }
        if curve.is_empty() && is_worth_a_row(curve, recording.layout) {
            draft.no_keys(path, curve);
        }
    }
    for marker in &recording.markers {
        draft.about(Kind::Marker, Some(marker.time), None, &marker.name);
        if draft.rows >= ROWS {
            sink(draft.rows, draft.take()?)?;
        }
    }
    sink(draft.rows, draft.take()?)
}

/// Rows that are to become arrays.
struct Draft {
    curve_names: ArrayRef,
    kind_names: ArrayRef,
    rows: usize,
    curve: Int16Builder,
    /// Time, value, tangents, weights.
    floats: [Float32Builder; 6],
    weighted_mode: Int32Builder,
    kind: Int8Builder,
    wrap: [Int32Builder; 2],
    name: StringBuilder,
}

impl Draft {
    fn new() -> Draft {
        Draft {
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

    /// Keys of a curve.
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

    /// A curve without keys.
    fn no_keys(&mut self, path: CurvePath, curve: Curve<'_, '_>) {
        self.of_curve(path, curve, 1);
        for float in &mut self.floats {
            float.append_null();
        }
        self.weighted_mode.append_null();
    }

    /// What all keys of a curve have in common.
    fn of_curve(&mut self, path: CurvePath, curve: Curve<'_, '_>, count: usize) {
        self.rows += count;
        let kind = Kind::of_curve(curve);
        let (pre, post) = curve.wrap();
        let curve = place_of(path) as i16;
        self.curve.extend(iter::repeat_n(Some(curve), count));
        self.kind.extend(iter::repeat_n(Some(kind as i8), count));
        for (column, mode) in self.wrap.iter_mut().zip([pre, post]) {
            column.extend(iter::repeat_n(Some(mode.0), count));
        }
        self.name.extend(iter::repeat_n(None::<&str>, count));
    }

    /// A row that is no key.
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

    /// The rows up to now.
    fn take(&mut self) -> Result<Vec<ArrayRef>, ArrowError> {
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
