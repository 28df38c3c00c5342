//! Files that are written as the program writes them.

use std::io::{self, Write};
use std::path::PathBuf;

use inputanim_output::{Existing, OutputError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Writes a file, or replaces its content. The file is complete or stays as it was, and links, modes and owners are kept.
#[pyfunction]
pub(crate) fn write_file(py: Python<'_>, path: PathBuf, content: PyBackedBytes) -> PyResult<()> {
    let write = || {
        inputanim_output::write(&path, Existing::Replace, |file| {
            file.write_all(&content).map_err(OutputError::Io)
        })
    };
    py.detach(write)
        .map_err(|error| os_error(error, &path).into())
}

/// Converts an error of an output to the most similar error of the system, which Python raises as a subclass of
/// `OSError`.
pub(crate) fn os_error(error: OutputError, path: &std::path::Path) -> io::Error {
    let kind = match error {
        OutputError::Io(error) => {
            let message = format!("cannot write {}: {error}", path.display());
            return io::Error::new(error.kind(), message);
        }
        OutputError::Exists(_)
        | OutputError::OtherFile { .. }
        | OutputError::OtherContent { .. } => io::ErrorKind::AlreadyExists,
        OutputError::Folder(_) => io::ErrorKind::IsADirectory,
        OutputError::NotFolder(_) => io::ErrorKind::NotADirectory,
        OutputError::DanglingLink(_) | OutputError::NoFolder(_) => io::ErrorKind::NotFound,
        OutputError::ReadOnly(_) | OutputError::InUse { .. } => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error.to_string())
}
