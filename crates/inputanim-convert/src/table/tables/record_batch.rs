//! Tables in memory as record batches of Arrow. Numbers are moved without copying them.

use std::collections::HashMap;
use std::iter::repeat_n;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use arrow_array::builder::StringBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, RecordBatch, RecordBatchOptions, StringArray, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType as ArrowType, Field as ArrowField, SchemaRef};

use super::batch::{Batch, Column, DataType, Field, TextRun, Values};

/// Returns the Arrow field of a column, with its unit as metadata. Words become dictionaries if `has_dictionaries` is
/// true, and texts otherwise.
pub fn arrow_field(field: &Field, has_dictionaries: bool) -> ArrowField {
    let data_type = match field.data_type {
        DataType::Float32 => ArrowType::Float32,
        DataType::Float64 => ArrowType::Float64,
        DataType::Int32 => ArrowType::Int32,
        DataType::Int64 => ArrowType::Int64,
        DataType::Boolean => ArrowType::Boolean,
        DataType::Words(words) if has_dictionaries => {
            // The names of 395 curves need indices of 16 bits, all other lists need 8.
            let indices = if words.len() <= 128 {
                ArrowType::Int8
            } else {
                ArrowType::Int16
            };
            ArrowType::Dictionary(Box::new(indices), Box::new(ArrowType::Utf8))
        }
        DataType::Text | DataType::Words(_) => ArrowType::Utf8,
    };
    let unit = Some(field.unit).filter(|unit| !unit.is_empty());
    let unit = unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
    ArrowField::new(&*field.name, data_type, field.is_nullable)
        .with_metadata(unit.into_iter().collect())
}

/// Converts a batch to a record batch of Arrow. [`arrow_field`] must have made the fields of the schema from the fields
/// of the batch.
///
/// # Errors
/// When the schema does not fit the columns of the batch.
pub fn record_batch(batch: Batch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let mut nulls = SharedNulls::default();
    let columns = batch.columns.into_iter().zip(schema.fields());
    let arrays = columns.map(|(column, field)| array(column, field.data_type(), &mut nulls));
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
}

/// Buffers that columns share: the validity of the last column, and columns of nulls.
#[derive(Default)]
struct SharedNulls {
    valid: Option<(Arc<Vec<bool>>, NullBuffer)>,
    missing: HashMap<ArrowType, ArrayRef>,
}

impl SharedNulls {
    fn of(&mut self, valid: Option<&Arc<Vec<bool>>>) -> Option<NullBuffer> {
        let valid = valid?;
        match &self.valid {
            Some((last, nulls)) if Arc::ptr_eq(last, valid) => Some(nulls.clone()),
            _ => {
                let nulls = NullBuffer::from(BooleanBuffer::from(&valid[..]));
                self.valid = Some((Arc::clone(valid), nulls.clone()));
                Some(nulls)
            }
        }
    }
}

fn array(
    column: Column,
    data_type: &ArrowType,
    nulls: &mut SharedNulls,
) -> Result<ArrayRef, ArrowError> {
    if let Values::Missing(rows) = column.values {
        let missing = nulls.missing.entry(data_type.clone());
        return Ok(Arc::clone(
            missing.or_insert_with(|| new_null_array(data_type, rows)),
        ));
    }
    let nulls = nulls.of(column.valid.as_ref());
    Ok(match column.values {
        Values::Float32(values) => Arc::new(Float32Array::try_new(values.into(), nulls)?),
        Values::Float64(values) => Arc::new(Float64Array::try_new(values.into(), nulls)?),
        Values::Int32(values) => Arc::new(Int32Array::try_new(values.into(), nulls)?),
        Values::Int64(values) => Arc::new(Int64Array::try_new(values.into(), nulls)?),
        Values::Boolean(values) => Arc::new(BooleanArray::new(values.into(), nulls)),
        Values::Text(runs) => Arc::new(texts(&runs)),
        Values::Words { indices, words } => words_array(indices, words, data_type, nulls)?,
        Values::Missing(rows) => new_null_array(data_type, rows),
    })
}

fn texts(runs: &[TextRun]) -> StringArray {
    let rows = runs.iter().map(|run| run.rows).sum();
    let bytes = runs.iter().map(|run| match &run.text {
        Some(text) => text.len() * run.rows,
        None => 0,
    });
    let mut builder = StringBuilder::with_capacity(rows, bytes.sum());
    for run in runs {
        builder.extend(repeat_n(run.text.as_deref(), run.rows));
    }
    builder.finish()
}

fn words_array(
    indices: Vec<i16>,
    words: &'static [String],
    data_type: &ArrowType,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let ArrowType::Dictionary(key, _) = data_type else {
        let word = |(row, index): (usize, &i16)| {
            let is_known = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
            words.get(*index as usize).filter(|_| is_known)
        };
        let texts: StringArray = indices.iter().enumerate().map(word).collect();
        return Ok(Arc::new(texts));
    };
    let words = dictionary(words);
    Ok(match **key {
        ArrowType::Int8 => {
            let indices = indices.into_iter().map(|index| index as i8);
            let indices = Int8Array::try_new(indices.collect(), nulls)?;
            Arc::new(DictionaryArray::try_new(indices, words)?)
        }
        _ => {
            let indices = Int16Array::try_new(indices.into(), nulls)?;
            Arc::new(DictionaryArray::try_new(indices, words)?)
        }
    })
}

/// Returns the words of a list as the values of an Arrow dictionary. All batches share them, because an Arrow file
/// cannot replace a dictionary.
fn dictionary(words: &'static [String]) -> ArrayRef {
    type Dictionaries = Vec<(&'static [String], ArrayRef)>;
    // A lock is not used: another thread might hold it during a fork, and it would then stay locked in the child
    // process.
    static DICTIONARIES: ArcSwapOption<Dictionaries> = ArcSwapOption::const_empty();
    let of_words = |known: &Dictionaries| {
        let found = known
            .iter()
            .find(|(other, _)| std::ptr::eq(*other, words))?;
        Some(Arc::clone(&found.1))
    };
    if let Some(array) = DICTIONARIES.load().as_deref().and_then(of_words) {
        return array;
    }
    let mut array: ArrayRef = Arc::new(StringArray::from_iter_values(words));
    DICTIONARIES.rcu(|known| {
        let mut known = known.as_deref().cloned().unwrap_or_default();
        // Another thread may have stored a dictionary in the meantime.
        if let Some(other) = of_words(&known) {
            array = other;
        } else {
            known.push((words, Arc::clone(&array)));
        }
        Some(Arc::new(known))
    });
    array
}
