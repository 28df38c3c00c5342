//! A DuckDB extension: `SELECT … FROM 'study/**/*.bin'`.
//!
//! Table functions read recordings with `inputanim-scan`, each in one of its shapes. DuckDB's threads take the tasks of
//! a scan one by one, and only the columns of the query are computed. Scalar functions compute with quaternions.
//!
//! docs/sql.md describes the functions. The values are equal to the values of the program `inputanim`, to the last bit.
//!
//! Unsafe code is limited to calls of DuckDB's C API. No panic crosses it: each callback catches panics, and the query
//! ends with an error.

mod listings;
mod parameters;
mod quaternions;
mod query_files;
mod replacement;
mod scan;
mod vectors;

use quack_rs::connection::{Connection, Registrar};
use quack_rs::error::ExtensionError;

quack_rs::entry_point_v2!(inputanim_init_c_api, |connection| register(connection));

fn register(connection: &Connection) -> Result<(), ExtensionError> {
    let mut tables: Vec<_> = scan::FUNCTIONS.iter().map(scan::table_function).collect();
    tables.push(listings::columns()?);
    tables.push(listings::errors()?);
    tables.push(listings::damage()?);
    tables.push(listings::notices()?);
    for table in tables {
        // SAFETY: DuckDB keeps the connection open while it loads the extension.
        unsafe { connection.register_table(table)? };
    }
    for function in quaternions::functions() {
        // SAFETY: as above.
        unsafe { connection.register_scalar_set(function)? };
    }
    // This is the last step, because DuckDB does not undo it if a later step fails.
    //
    // SAFETY: as above; the callback needs no data.
    unsafe {
        connection.register_replacement_scan(replacement::replace, std::ptr::null_mut(), None);
    }
    Ok(())
}
