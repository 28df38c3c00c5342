//! Tables of objects by the numbers of their handles.

use std::collections::HashMap;

use openxr_sys as xr;

/// The failure of a handle that does not exist.
pub(crate) const NO_HANDLE: xr::Result = xr::Result::ERROR_HANDLE_INVALID;

/// The number of objects of one type at most.
const MAX_OBJECTS: usize = 10_000;

/// Adds an object to a table under the number of its handle. Fails with `ERROR_LIMIT_REACHED` if the table is full.
pub(crate) fn add<T>(
    objects: &mut HashMap<u64, T>,
    handle: u64,
    object: T,
) -> Result<(), xr::Result> {
    if objects.len() >= MAX_OBJECTS {
        return Err(xr::Result::ERROR_LIMIT_REACHED);
    }
    objects.insert(handle, object);
    Ok(())
}
