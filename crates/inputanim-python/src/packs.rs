//! The functions `pack` and `unpack`, and files in packs.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use inputanim::Limits;
use inputanim_scan::packs::{StoredFile, may_lead_into_pack};
use inputanim_scan::{Existing, PackOptions, PackingError, UnpackOptions};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::Failure;
use crate::files::os_error;
use crate::work::interruptible;

/// The numbers of packs, files and bytes, the paths that were not written, and the paths that were written with a problem.
type Written<T> = (usize, usize, u64, Vec<T>, Vec<T>);

/// Writes the files of a folder as packs. Returns the numbers of packs, files and bytes, the paths that were left out, and the paths of
/// files whose names Windows cannot have.
#[pyfunction]
pub(crate) fn pack(
    py: Python<'_>,
    folder: PathBuf,
    output: PathBuf,
    files: usize,
    overwrite: bool,
) -> PyResult<Written<PathBuf>> {
    let mut options = PackOptions::default();
    options.files = files;
    if overwrite {
        options.existing = Existing::Replace;
    }
    let cancel = Arc::clone(&options.cancel);
    let target = output.clone();
    let work = move || inputanim_scan::pack(&folder, &target, &options, |_, _| {});
    let packed = interruptible(py, usize::MAX, work).inspect_err(|_| {
        // The work ends soon after Ctrl-C, and its temporary folder is removed.
        cancel.store(true, Ordering::Relaxed);
    })?;
    let packed = packed.map_err(|error| failure(error, &output))?;
    Ok((
        packed.packs,
        packed.files,
        packed.bytes,
        packed.left_out,
        packed.not_on_windows,
    ))
}

/// Writes the files of packs into a new folder. Returns the numbers of packs, files and bytes, the paths of damaged packs and
/// files with the reasons, and the files that were written with damaged bytes.
#[pyfunction]
pub(crate) fn unpack(
    py: Python<'_>,
    packs: Vec<PathBuf>,
    output: PathBuf,
    recover: bool,
) -> PyResult<Written<(PathBuf, String)>> {
    let mut options = UnpackOptions::default();
    options.recover = recover;
    let (target, cancel) = (output.clone(), Arc::clone(&options.cancel));
    let work = move || inputanim_scan::unpack(&packs, &target, &options, |_, _| {});
    let unpacked = interruptible(py, usize::MAX, work).inspect_err(|_| {
        cancel.store(true, Ordering::Relaxed);
    })?;
    let unpacked = unpacked.map_err(|error| failure(error, &output))?;
    let texts = |errors: Vec<(PathBuf, io::Error)>| {
        let errors = errors.into_iter();
        errors
            .map(|(path, error)| (path, error.to_string()))
            .collect()
    };
    Ok((
        unpacked.packs,
        unpacked.files,
        unpacked.bytes,
        texts(unpacked.errors),
        texts(unpacked.damaged),
    ))
}

/// Returns the bytes of a file in a pack; `None` for a path that does not lead into a pack.
#[pyfunction]
pub(crate) fn read_packed(py: Python<'_>, path: PathBuf) -> PyResult<Option<Py<PyBytes>>> {
    if !may_lead_into_pack(&path) {
        return Ok(None);
    }
    let read = py.detach(|| {
        let file = StoredFile::find(&path)?;
        let is_packed = file.member().is_some();
        is_packed
            .then(|| file.read(&Limits::NONE, || false))
            .transpose()
    });
    let read = read.map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("cannot read {}: {error}", path.display()),
        )
    })?;
    Ok(read.map(|bytes| PyBytes::new(py, &bytes).unbind()))
}

fn failure(error: PackingError, output: &std::path::Path) -> PyErr {
    match error {
        PackingError::Output(error) => os_error(error, output).into(),
        PackingError::File {
            error: ref cause, ..
        } => io::Error::new(cause.kind(), error.to_string()).into(),
        error => Failure::invalid(error.to_string()).into(),
    }
}
