//! The viewer, and the viewer with recordings inside.

use inputanim::Limits;
use inputanim_page::Report;
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::recording::NativeRecording;

/// Returns the error of a package that does not contain the viewer.
fn missing() -> Failure {
    Failure::of_class("ViewError", "this build of inputanim does not contain the viewer").with_hint(
        "in the source code, `cargo xtask web` builds the viewer, and `pip install ./python` then includes it",
    )
}

/// Returns the HTML page of the viewer, which opens recordings of the user.
#[pyfunction]
pub(crate) fn viewer() -> PyResult<&'static str> {
    Ok(inputanim_page::viewer().ok_or_else(missing)?)
}

/// Returns an HTML page that shows recordings. Each recording has a name.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    recordings: Vec<(String, Py<NativeRecording>)>,
) -> PyResult<String> {
    let page = py.detach(|| {
        let mut report = Report::new().ok_or_else(missing)?;
        for (name, recording) in &recordings {
            let file = &recording.get().file;
            // The recordings were read before, with the limits of the caller.
            report.add(name, &file.bytes, &file.parts, &Limits::NONE)?;
        }
        Ok::<_, Failure>(report.finish())
    });
    Ok(page?)
}
