//! Paths and numbers in the forms that Python takes.

use std::ffi::OsString;
use std::path::Path;

/// Returns the memory of single-precision numbers as bytes.
pub(crate) fn floats(numbers: &[f32]) -> &[u8] {
    bytemuck::cast_slice(numbers)
}

/// Returns the name of a file for Python. This is the path if it is not valid UTF-8, because `name` lacks some of its
/// bytes then. Python decodes it with `surrogateescape`.
pub(crate) fn system_path(path: Option<&Path>, name: &str) -> OsString {
    match path {
        Some(path) if path.to_str().is_none() => path.into(),
        _ => name.into(),
    }
}
