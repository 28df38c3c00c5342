//! The cells of a column, of any type that other programs write.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};

use crate::table::frames::clock::Stamp;
use crate::table::frames::values;
use crate::table::table_error::Place;

use crate::table::table_error::TableError;

/// What the cells of a column contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    Text,
    Number,
    /// Several numbers: a list, a structure of x, y, z and w, or a text.
    Vector,
    /// Numbers, dates, times of day, or such times as text.
    Time,
}

fn is_word(found: &DataType) -> bool {
    use DataType::{LargeUtf8, Utf8, Utf8View};
    matches!(found, Utf8 | LargeUtf8 | Utf8View)
}

fn is_number(found: &DataType) -> bool {
    matches!(
        found,
        DataType::Float32 | DataType::Float64 | DataType::Boolean | DataType::Null
    ) || found.is_integer()
}

/// Fails if the type `found` of a column is not a type of this kind. Columns of nulls are always accepted.
pub(crate) fn check_type(column: &str, found: &DataType, kind: CellKind) -> Result<(), TableError> {
    use DataType::{Dictionary, FixedSizeList, LargeList, List, Struct, Time32, Time64, Timestamp};
    let (is_read, expected) = match (kind, found) {
        (CellKind::Text, Dictionary(_, words)) => (is_word(words), TEXT),
        (CellKind::Text, found) => (is_word(found), TEXT),
        (CellKind::Vector, List(of) | LargeList(of) | FixedSizeList(of, _)) => {
            (is_number(of.data_type()), VECTORS)
        }
        (CellKind::Vector, Struct(fields)) => {
            let axes = fields
                .iter()
                .filter(|field| AXES.contains(&&**field.name()));
            (
                axes.clone().count() >= 3 && axes.map(|field| field.data_type()).all(is_number),
                VECTORS,
            )
        }
        (CellKind::Vector, found) => (is_word(found), VECTORS),
        (CellKind::Time, Timestamp(..) | Time32(_) | Time64(_)) => (true, TIMES),
        (CellKind::Time, found) => (is_word(found) || is_number(found), TIMES),
        (CellKind::Number, found) => (is_number(found), NUMBERS),
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
const TIMES: &str = "numbers or times";
const VECTORS: &str = "lists of numbers";
/// The members of a structure that is a vector.
const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// Returns the numbers of vectors of `count` numbers, row by row; `None` for nulls. `first` is the number of rows before the
/// array, for errors. Fails if a cell has another count of numbers.
pub(crate) fn vectors(
    column: &str,
    array: &dyn Array,
    count: usize,
    first: u64,
) -> Result<Vec<Option<f64>>, TableError> {
    let place = |row: usize| Place::Row(first + row as u64 + 1);
    let mut numbers = vec![None; array.len() * count];
    if let Some(structure) = array.as_struct_opt() {
        for (part, axis) in AXES.iter().take(count).enumerate() {
            let Some(values) = structure.column_by_name(axis) else {
                return Err(wrong(column, VECTORS, array.data_type()));
            };
            for (row, number) in doubles(column, values)?.into_iter().enumerate() {
                numbers[row * count + part] = number.filter(|_| structure.is_valid(row));
            }
        }
        return Ok(numbers);
    }
    if is_word(array.data_type()) {
        for (row, text) in texts(column, array)?.into_iter().enumerate() {
            let mut vector = vec![0.0; count];
            let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
                continue;
            };
            if values::vector(place(row), column, text, &mut vector)? {
                let cells = &mut numbers[row * count..][..count];
                cells
                    .iter_mut()
                    .zip(vector)
                    .for_each(|(cell, number)| *cell = Some(number));
            }
        }
        return Ok(numbers);
    }
    for row in 0..array.len() {
        if array.is_null(row) {
            continue;
        }
        let list = match array.data_type() {
            DataType::List(_) => array.as_list::<i32>().value(row),
            DataType::LargeList(_) => array.as_list::<i64>().value(row),
            DataType::FixedSizeList(..) => array.as_fixed_size_list().value(row),
            // A column of nulls.
            _ => continue,
        };
        let found = doubles(column, &list)?;
        match found.len() {
            0 => {}
            length if length == count => numbers[row * count..][..count].copy_from_slice(&found),
            length => {
                let expected = if count == 4 {
                    "a list of four numbers"
                } else {
                    "a list of three numbers"
                };
                return Err(TableError::value(
                    place(row),
                    column,
                    expected,
                    format!("{length} numbers"),
                ));
            }
        }
    }
    Ok(numbers)
}

/// The cells of a column of times.
pub(crate) enum Times<'a> {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<&'a str>>),
    Stamps(Vec<Option<Stamp>>),
}

/// Returns the times of a column; `None` for nulls, and for times that nanoseconds since 1970 cannot hold.
pub(crate) fn times<'a>(column: &str, array: &'a dyn Array) -> Result<Times<'a>, TableError> {
    fn of<T: ArrowPrimitiveType>(
        array: &dyn Array,
        stamp: impl Fn(i64) -> Option<Stamp>,
    ) -> Times<'_>
    where
        T::Native: Into<i64>,
    {
        let times = array.as_primitive::<T>().iter();
        Times::Stamps(times.map(|time| stamp(time?.into())).collect())
    }
    let date = |unit: i64, has_zone: bool| {
        move |time: i64| {
            let nanoseconds = time.checked_mul(unit)?;
            Some(Stamp::Date {
                nanoseconds,
                has_zone,
            })
        }
    };
    let of_day = |unit: i64| move |time: i64| time.checked_mul(unit).map(Stamp::OfDay);
    Ok(match array.data_type() {
        DataType::Timestamp(unit, zone) => {
            let has_zone = zone.is_some();
            match unit {
                TimeUnit::Second => of::<TimestampSecondType>(array, date(1_000_000_000, has_zone)),
                TimeUnit::Millisecond => {
                    of::<TimestampMillisecondType>(array, date(1_000_000, has_zone))
                }
                TimeUnit::Microsecond => {
                    of::<TimestampMicrosecondType>(array, date(1000, has_zone))
                }
                TimeUnit::Nanosecond => of::<TimestampNanosecondType>(array, date(1, has_zone)),
            }
        }
        DataType::Time32(TimeUnit::Second) => of::<Time32SecondType>(array, of_day(1_000_000_000)),
        DataType::Time32(_) => of::<Time32MillisecondType>(array, of_day(1_000_000)),
        DataType::Time64(TimeUnit::Microsecond) => of::<Time64MicrosecondType>(array, of_day(1000)),
        DataType::Time64(_) => of::<Time64NanosecondType>(array, of_day(1)),
        found if is_word(found) => Times::Texts(texts(column, array)?),
        _ => Times::Numbers(doubles(column, array)?),
    })
}

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
