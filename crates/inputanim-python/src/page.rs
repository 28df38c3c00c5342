//! The viewer with recordings inside.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::failure::Failure;

/// Returns a page that shows recordings: their names and the bytes of their files.
#[pyfunction]
pub(crate) fn report(py: Python<'_>, recordings: Vec<(String, PyBackedBytes)>) -> PyResult<String> {
    let page = py.detach(|| inputanim_page::report(&recordings));
    let missing = || {
        Failure::of_class("ViewError", "this build of inputanim does not contain the viewer").with_hint(
            "in the source code, `cargo xtask web` builds the viewer, and `pip install ./python` then includes it",
        )
    };
    Ok(page.ok_or_else(missing)?)
}
