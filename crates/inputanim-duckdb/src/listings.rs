//! Table functions that do not read recordings: `inputanim_columns()`, `inputanim_errors()`, `inputanim_damage()` and
//! `inputanim_notices()`.

use std::sync::Arc;

use quack_rs::data_chunk::DataChunk;
use quack_rs::error::ExtensionError;
use quack_rs::table::TableFunctionBuilder;
use quack_rs::types::TypeId;
use quack_rs::vector::vector_size;

use crate::parameters::default_options;
use crate::query_files;
use crate::scan::{FUNCTIONS, type_id};

/// A value of a row.
enum Cell {
    Text(String),
    Number(i64),
    Null,
}

/// Rows that are handed to DuckDB.
#[derive(Clone)]
struct Rows {
    rows: Arc<Vec<Vec<Cell>>>,
    next: usize,
}

/// Returns the table function `inputanim_columns()`, whose rows are the columns of each table function, with units and
/// meanings.
pub(crate) fn columns() -> Result<TableFunctionBuilder, ExtensionError> {
    let columns = ["function", "name", "type", "unit", "meaning"];
    let columns = columns.map(|name| (name, TypeId::Varchar));
    listing("inputanim_columns", &columns, || {
        let mut rows = Vec::new();
        for function in &FUNCTIONS {
            let fields = default_options(function.shape).fields();
            for field in fields.map_err(|error| ExtensionError::new(error.to_string()))? {
                rows.push(vec![
                    Cell::Text(function.name.to_owned()),
                    Cell::Text(field.name.to_string()),
                    Cell::Text(type_id(field.data_type).sql_name().to_owned()),
                    Cell::Text(field.unit.to_owned()),
                    Cell::Text(field.meaning.to_string()),
                ]);
            }
        }
        Ok(rows)
    })
}

/// Returns the table function `inputanim_errors()`, whose rows are the files that queries with `ignore_errors` skipped.
pub(crate) fn errors() -> Result<TableFunctionBuilder, ExtensionError> {
    let columns = [
        ("query", TypeId::BigInt),
        ("filename", TypeId::Varchar),
        ("message", TypeId::Varchar),
        ("curve", TypeId::Varchar),
        ("byte", TypeId::BigInt),
    ];
    listing("inputanim_errors", &columns, || {
        let rows = query_files::skipped().into_iter().map(|(query, error)| {
            let curve = error.curve();
            let byte = error.byte().and_then(|byte| i64::try_from(byte).ok());
            vec![
                Cell::Number(query as i64),
                Cell::Text(error.file.clone()),
                Cell::Text(error.problem.to_string()),
                curve.map_or(Cell::Null, |curve| Cell::Text(curve.to_string())),
                byte.map_or(Cell::Null, Cell::Number),
            ]
        });
        Ok(rows.collect())
    })
}

/// Returns the table function `inputanim_damage()`, whose rows are the files whose damage changed the columns of
/// queries.
pub(crate) fn damage() -> Result<TableFunctionBuilder, ExtensionError> {
    let columns = [
        ("query", TypeId::BigInt),
        ("filename", TypeId::Varchar),
        ("damage", TypeId::Varchar),
    ];
    listing("inputanim_damage", &columns, || {
        let rows = query_files::damaged().into_iter().map(|(query, file)| {
            vec![
                Cell::Number(query as i64),
                Cell::Text(file.file),
                Cell::Text(file.damage),
            ]
        });
        Ok(rows.collect())
    })
}

/// Returns the table function `inputanim_notices()`, whose rows are notices about the files of queries, such as a time
/// range that exceeds a recording.
pub(crate) fn notices() -> Result<TableFunctionBuilder, ExtensionError> {
    let columns = [
        ("query", TypeId::BigInt),
        ("filename", TypeId::Varchar),
        ("kind", TypeId::Varchar),
        ("detail", TypeId::Varchar),
    ];
    listing("inputanim_notices", &columns, || {
        let rows = query_files::notices().into_iter().map(|(query, file)| {
            vec![
                Cell::Number(query as i64),
                Cell::Text(file.file),
                Cell::Text(file.notice.kind().to_owned()),
                Cell::Text(file.notice.detail()),
            ]
        });
        Ok(rows.collect())
    })
}

/// Returns a table function with a name and columns. `make` returns its rows, and is called when a query starts.
fn listing(
    name: &str,
    columns: &[(&'static str, TypeId)],
    make: impl Fn() -> Result<Vec<Vec<Cell>>, ExtensionError> + Copy + Send + Sync + 'static,
) -> Result<TableFunctionBuilder, ExtensionError> {
    let columns = columns.to_vec();
    TableFunctionBuilder::new(name)
        .with_bind_init(
            move |bind| {
                for (name, type_id) in &columns {
                    bind.add_result_column(name, *type_id);
                }
                Ok(())
            },
            move |()| {
                Ok(Rows {
                    rows: Arc::new(make()?),
                    next: 0,
                })
            },
        )
        .scan(|rows: &mut Rows, chunk: &DataChunk| {
            let left = &rows.rows[rows.next..];
            let count = left.len().min(vector_size() as usize);
            for (row, cells) in left[..count].iter().enumerate() {
                for (column, cell) in cells.iter().enumerate() {
                    // SAFETY: the chunk has the columns of the listing, and a capacity of at least these rows.
                    unsafe {
                        let mut writer = chunk.writer(column);
                        match cell {
                            Cell::Text(text) => writer.try_write_varchar(row, text)?,
                            Cell::Number(number) => writer.write_i64(row, *number),
                            Cell::Null => writer.set_null(row),
                        }
                    }
                }
            }
            rows.next += count;
            // SAFETY: the rows were written.
            unsafe { chunk.set_size(count) };
            Ok(())
        })
        .build()
}
