//! The viewer, a page in one file that `cargo xtask web` builds.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::outcome::Refusal;

/// Empty if the viewer was not built before the program.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/inputanim.html"));

/// The place for the recordings of a report.
const RECORDINGS: &str = "<!-- recordings -->";

/// Returns the viewer.
pub(crate) fn viewer() -> anyhow::Result<&'static str> {
    if PAGE.is_empty() {
        return Err(Refusal::failure(
            "this build of inputanim does not contain the viewer",
            "in the source code, `cargo xtask web` builds the viewer, and \
             `cargo install --path crates/inputanim-cli --features full` then includes it",
        ));
    }
    Ok(PAGE)
}

/// Returns the viewer with recordings inside: their names and the bytes of their files.
pub(crate) fn report(recordings: &[(String, Vec<u8>)]) -> anyhow::Result<String> {
    let (start, end) = viewer()?.split_once(RECORDINGS).unwrap_or_default();
    let mut page = start.to_owned();
    for (name, bytes) in recordings {
        let name = html_escape::encode_double_quoted_attribute(name);
        page += &format!("<script type=\"text/plain\" data-recording=\"{name}\">");
        STANDARD.encode_string(bytes, &mut page);
        page += "</script>\n";
    }
    page += end;
    Ok(page)
}

/// Returns the name of a file without its folder.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
