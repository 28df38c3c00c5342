//! Columns of a scan as vectors of DuckDB.

use std::ops::Range;

use inputanim_scan::{Column, Values};
use libduckdb_sys::{duckdb_vector, duckdb_vector_get_data};
use quack_rs::vector::VectorWriter;

/// Writes some rows of a column to the start of a vector of DuckDB.
///
/// # Errors
/// When a string is too long for DuckDB, or the column has an unsupported type.
///
/// # Safety
/// The vector must have the type of the column, and a capacity of at least these rows.
pub(crate) unsafe fn write(
    column: &Column,
    rows: Range<usize>,
    vector: duckdb_vector,
) -> Result<(), String> {
    let count = rows.len();
    // SAFETY: the caller passes a vector of this type and capacity.
    unsafe {
        let mut writer = VectorWriter::from_vector(vector);
        match &column.values {
            Values::Float32(values) => copy(&values[rows.clone()], vector),
            Values::Float64(values) => copy(&values[rows.clone()], vector),
            Values::Int32(values) => copy(&values[rows.clone()], vector),
            Values::Int64(values) => copy(&values[rows.clone()], vector),
            Values::Boolean(values) => copy(&values[rows.clone()], vector),
            Values::Words { indices, words } => {
                for (row, &index) in indices[rows.clone()].iter().enumerate() {
                    let word = words.get(index as usize).map_or("", String::as_str);
                    write_text(&mut writer, row, word)?;
                }
            }
            Values::Text(runs) => {
                let mut start = 0;
                for run in runs {
                    let end = start + run.rows;
                    let wanted = start.max(rows.start)..end.min(rows.end);
                    start = end;
                    for row in wanted {
                        match &run.text {
                            Some(text) => write_text(&mut writer, row - rows.start, text)?,
                            None => writer.set_null(row - rows.start),
                        }
                    }
                    if end >= rows.end {
                        break;
                    }
                }
            }
            Values::Missing(_) => writer.set_null_range(0..count),
            _ => return Err("internal error: unsupported column type".to_owned()),
        }
        if let Some(valid) = &column.valid {
            for (row, &is_valid) in valid[rows].iter().enumerate() {
                if !is_valid {
                    writer.set_null(row);
                }
            }
        }
    }
    Ok(())
}

unsafe fn write_text(writer: &mut VectorWriter, row: usize, text: &str) -> Result<(), String> {
    // SAFETY: the caller passes the writer of a vector of texts, and a row of it.
    unsafe { writer.try_write_varchar(row, text) }.map_err(|error| error.to_string())
}

/// Copies numbers into a vector of DuckDB, which stores them with the same bytes.
unsafe fn copy<T: Copy>(values: &[T], vector: duckdb_vector) {
    // SAFETY: the caller passes a vector of this type with a capacity of at least these values.
    unsafe {
        let data = duckdb_vector_get_data(vector).cast::<T>();
        data.copy_from_nonoverlapping(values.as_ptr(), values.len());
    }
}
