//! The viewer, reports, and the names of recordings in them.

use inputanim_page::Report;
use inputanim_scan::file_names;

use crate::files::input::FoundFile;
use crate::messages::outcome::Refusal;

/// Returns the viewer as an HTML page. Fails if this build does not contain it.
pub(crate) fn viewer() -> anyhow::Result<&'static str> {
    inputanim_page::viewer().ok_or_else(missing)
}

/// Creates a report without recordings. Fails if this build does not contain the viewer.
pub(crate) fn report() -> anyhow::Result<Report> {
    Report::new().ok_or_else(missing)
}

/// Returns the error of a build that does not contain the viewer.
fn missing() -> anyhow::Error {
    Refusal::failure(
        "this build of inputanim does not contain the viewer",
        "in the source code, `cargo xtask web` builds the viewer, and \
         `cargo install --path crates/inputanim-cli --features full` then includes it",
    )
}

/// Returns the names under which a page lists files. All names are different.
pub(crate) fn names_of(files: &[FoundFile]) -> Vec<String> {
    file_names(files.iter().map(FoundFile::parts))
}
