//! The viewer, reports, and the names of recordings in them.

use std::path::{Component, Path};

use anyhow::Context;
use inputanim_page::Report;
use inputanim_scan::file_names;

use crate::files::input::{FoundFile, canonical};
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

/// Returns the path from a folder to a file as the names of its steps, some of which may be `..`.
///
/// # Errors
/// When there is no such path, because they are on different drives, or when a name is not valid Unicode.
pub(crate) fn steps(folder: &Path, file: &Path) -> anyhow::Result<Vec<String>> {
    let (folder, file) = (canonical(folder), canonical(file));
    let pairs = folder.components().zip(file.components());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let up = folder
        .components()
        .skip(common)
        .map(|_| Some("..".to_owned()));
    let down = file
        .components()
        .skip(common)
        .map(|component| match component {
            Component::Normal(name) => name.to_str().map(str::to_owned),
            _ => None,
        });
    let steps: Option<Vec<String>> = up.chain(down).collect();
    let steps = steps.filter(|_| common > 0);
    steps.with_context(|| {
        format!(
            "cannot link {}: its path relative to the report does not exist or is not valid Unicode",
            file.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_the_folder_of_the_report() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["a/b", "a/c", "c"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let steps = |folder: &str, file: &str| {
            let (folder, file) = (root.path().join(folder), root.path().join(file));
            steps(&folder, &file).unwrap().join("/")
        };
        assert_eq!(steps("a", "a/take.mp4"), "take.mp4");
        assert_eq!(steps("a/b", "a/c/take.mp4"), "../c/take.mp4");
        assert_eq!(steps(".", "c/take.mp4"), "c/take.mp4");
    }
}
