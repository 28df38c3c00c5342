//! Paths and numbers in the forms that Python takes.

use std::ffi::OsString;
use std::path::Path;

/// Returns the bytes of numbers.
pub(crate) fn floats(numbers: &[f32]) -> &[u8] {
    bytemuck::cast_slice(numbers)
}

/// Returns a name, or the path if the name does not have all of its bytes. Python decodes it with `surrogateescape`.
pub(crate) fn system_path(path: Option<&Path>, name: &str) -> OsString {
    match path {
        Some(path) if path.to_str().is_none() => path.into(),
        _ => name.into(),
    }
}
