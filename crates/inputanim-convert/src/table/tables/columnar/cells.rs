//! The cells of a column, of any type that other programs write.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::DataType;

use crate::table::table_error::TableError;

/// Fails if the type `found` of a column is not a type of texts (if `is_text` is true) or of numbers (otherwise).
/// Columns of nulls are always accepted.
pub(crate) fn check_type(column: &str, found: &DataType, is_text: bool) -> Result<(), TableError> {
    let is_word = |found: &DataType| {
        use DataType::{LargeUtf8, Utf8, Utf8View};
        matches!(found, Utf8 | LargeUtf8 | Utf8View)
    };
    let (is_read, expected) = match (is_text, found) {
        (true, DataType::Dictionary(_, words)) => (is_word(words), TEXT),
        (true, found) => (is_word(found), TEXT),
        (false, DataType::Float32 | DataType::Float64 | DataType::Boolean) => (true, NUMBERS),
        (false, found) => (found.is_integer(), NUMBERS),
    };
    // Some programs give a column without any value the type null.
    if is_read || *found == DataType::Null {
        Ok(())
    } else {
        Err(wrong(column, expected, found))
    }
}

const NUMBERS: &str = "numbers";
const TEXT: &str = "text";

/// Returns the numbers of a column as 32-bit floats; `None` for nulls. Numbers that are 32-bit floats already keep all
/// of their bits. Fails if the column is not numeric.
pub(crate) fn floats(column: &str, array: &dyn Array) -> Result<Vec<Option<f32>>, TableError> {
    if let Some(array) = array.as_primitive_opt::<Float32Type>() {
        return Ok(array.iter().collect());
    }
    let numbers = doubles(column, array)?;
    Ok(numbers
        .into_iter()
        .map(|number| number.map(|n| n as f32))
        .collect())
}

/// Returns the numbers of a column in double precision; `None` for nulls. Truth values become 0 and 1. Fails if the
/// column is not numeric.
pub(crate) fn doubles(column: &str, array: &dyn Array) -> Result<Vec<Option<f64>>, TableError> {
    fn of<T: ArrowPrimitiveType>(
        array: &dyn Array,
        number: impl Fn(T::Native) -> f64,
    ) -> Vec<Option<f64>> {
        let numbers = array.as_primitive::<T>().iter();
        numbers.map(|value| value.map(&number)).collect()
    }
    Ok(match array.data_type() {
        DataType::Float32 => of::<Float32Type>(array, f64::from),
        DataType::Float64 => of::<Float64Type>(array, |n| n),
        DataType::Int8 => of::<Int8Type>(array, f64::from),
        DataType::Int16 => of::<Int16Type>(array, f64::from),
        DataType::Int32 => of::<Int32Type>(array, f64::from),
        DataType::Int64 => of::<Int64Type>(array, |n| n as f64),
        DataType::UInt8 => of::<UInt8Type>(array, f64::from),
        DataType::UInt16 => of::<UInt16Type>(array, f64::from),
        DataType::UInt32 => of::<UInt32Type>(array, f64::from),
        DataType::UInt64 => of::<UInt64Type>(array, |n| n as f64),
        DataType::Boolean => {
            let states = array.as_boolean().iter();
            states
                .map(|state| state.map(|on| f64::from(u8::from(on))))
                .collect()
        }
        DataType::Null => vec![None; array.len()],
        _ => return Err(wrong(column, NUMBERS, array.data_type())),
    })
}

/// Returns the numbers of a column as 32-bit integers; `None` for nulls. A number that is not a 32-bit integer is
/// returned as `Err`. Fails if the column is not numeric.
pub(crate) fn integers(
    column: &str,
    array: &dyn Array,
) -> Result<Vec<Option<Result<i32, f64>>>, TableError> {
    // Programs that represent missing numbers as NaN store integers as floats.
    let exact = |number: f64| match number as i32 {
        integer if f64::from(integer) == number => Ok(integer),
        _ => Err(number),
    };
    let numbers = doubles(column, array)?.into_iter();
    Ok(numbers.map(|number| number.map(exact)).collect())
}

/// Returns the texts of a column; `None` for nulls. Fails if the column is not text.
pub(crate) fn texts<'a>(
    column: &str,
    array: &'a dyn Array,
) -> Result<Vec<Option<&'a str>>, TableError> {
    fn words<'a, K: ArrowDictionaryKeyType>(
        column: &str,
        array: &'a dyn Array,
    ) -> Result<Vec<Option<&'a str>>, TableError> {
        let array = array.as_dictionary::<K>();
        let words = texts(column, array.values())?;
        let word = |index: usize| words.get(index).copied().flatten();
        Ok((0..array.len())
            .map(|row| array.key(row).and_then(word))
            .collect())
    }
    Ok(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        DataType::Utf8View => array.as_string_view().iter().collect(),
        DataType::Null => vec![None; array.len()],
        DataType::Dictionary(key, _) => match **key {
            DataType::Int8 => words::<Int8Type>(column, array)?,
            DataType::Int16 => words::<Int16Type>(column, array)?,
            DataType::Int32 => words::<Int32Type>(column, array)?,
            DataType::Int64 => words::<Int64Type>(column, array)?,
            DataType::UInt8 => words::<UInt8Type>(column, array)?,
            DataType::UInt16 => words::<UInt16Type>(column, array)?,
            DataType::UInt32 => words::<UInt32Type>(column, array)?,
            _ => words::<UInt64Type>(column, array)?,
        },
        _ => return Err(wrong(column, TEXT, array.data_type())),
    })
}

fn wrong(column: &str, expected: &'static str, found: &DataType) -> TableError {
    TableError::Type {
        column: column.to_owned(),
        expected,
        found: found.to_string(),
    }
}
