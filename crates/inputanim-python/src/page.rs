//! The viewer with recordings inside.

use inputanim::Limits;
use inputanim_page::Report;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::failure::Failure;

/// Returns an HTML page that shows recordings. Each recording has a name and the bytes of its file.
#[pyfunction]
pub(crate) fn report(py: Python<'_>, recordings: Vec<(String, PyBackedBytes)>) -> PyResult<String> {
    let missing = || {
        Failure::of_class("ViewError", "this build of inputanim does not contain the viewer").with_hint(
            "in the source code, `cargo xtask web` builds the viewer, and `pip install ./python` then includes it",
        )
    };
    let page = py.detach(|| {
        let mut report = Report::new().ok_or_else(missing)?;
        for (name, bytes) in &recordings {
            // The recordings were read before, with the limits of the caller.
            report.add(name, bytes, &Limits::NONE)?;
        }
        Ok::<_, Failure>(report.finish())
    });
    Ok(page?)
}
