//! Selects the parts that a change can affect.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::Result;

use super::parts::{Input, Part};
use crate::process;

/// The environment variable that contains the filter of nextest for the tests of the changed crates.
pub(super) const FILTER: &str = "INPUTANIM_TEST_FILTER";

/// The parts that a change can affect.
pub(super) struct Selection {
    /// These parts, and the parts that they need.
    pub(super) parts: Vec<Part>,
    /// A filter of nextest for the tests of the crates that changed, and of the crates that use them. It is empty if
    /// all tests must run.
    pub(super) filter: String,
}

/// Selects the parts whose result the changes since a git revision can change, and the parts that they need. Prints the
/// affected parts.
pub(super) fn select(parts: Vec<Part>, revision: &str) -> Result<Selection> {
    let changed = files(revision)?;
    let workspace = Workspace::read()?;
    let mut names = BTreeSet::new();
    for part in &parts {
        let is_affected = part.inputs.iter().any(|input| match input {
            Input::Path(path) => changed.iter().any(|file| is_in(file, path)),
            Input::Crate(name) => {
                let crates = workspace.with_dependencies(name);
                changed.iter().any(|file| {
                    let is_in_crate = crate_of(file).is_some_and(|name| crates.contains(name));
                    is_in_crate || file == "Cargo.lock" || file == "Cargo.toml"
                })
            }
        });
        if is_affected {
            names.insert(part.name);
        }
    }
    let affected = if names.is_empty() {
        "no part".to_owned()
    } else {
        names.iter().copied().collect::<Vec<_>>().join(", ")
    };
    println!(
        "files changed since {revision}: {}; they can affect: {affected}",
        changed.len()
    );
    // A part that is needed can need other parts, which are earlier in the list.
    for part in parts.iter().rev() {
        if names.contains(part.name) {
            names.extend(part.needs);
        }
    }
    Ok(Selection {
        parts: parts
            .into_iter()
            .filter(|part| names.contains(part.name))
            .collect(),
        filter: filter(&changed),
    })
}

/// Returns the filter of nextest that selects the tests of the changed crates and of the crates that use them. Empty,
/// for all tests, if a file outside of the crates has changed. `changed` are the paths of files, relative to the root.
fn filter(changed: &[String]) -> String {
    let crates: Option<BTreeSet<&str>> = changed.iter().map(|file| crate_of(file)).collect();
    let names = crates.unwrap_or_default();
    let filters: Vec<String> = names.iter().map(|name| format!("rdeps({name})")).collect();
    filters.join(" + ")
}

/// Returns the name of the crate that contains a file, which is the name of its folder in crates/. `None` for a file
/// outside of crates/.
fn crate_of(file: &str) -> Option<&str> {
    file.strip_prefix("crates/")?.split('/').next()
}

/// Returns `true` if `file` is the file `path` or in the folder `path`; an empty `path` is the root.
fn is_in(file: &str, path: &str) -> bool {
    let rest = file.strip_prefix(path);
    path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the paths of the files that differ from a git revision, relative to the root, including new files.
fn files(revision: &str) -> Result<Vec<String>> {
    let listed = |arguments: &[&str]| -> Result<Vec<String>> {
        let printed = process::output(Command::new("git").args(arguments))?;
        let printed = String::from_utf8(printed)?;
        Ok(printed
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect())
    };
    // Without renames, the old path of a moved file is in the list too.
    let mut files = listed(&["diff", "--name-only", "--no-renames", "-z", revision, "--"])?;
    files.extend(listed(&[
        "ls-files",
        "--others",
        "--exclude-standard",
        "-z",
    ])?);
    Ok(files)
}

/// The crates of the workspace, with the crates of the workspace that each of them uses.
struct Workspace(Vec<(String, Vec<String>)>);

impl Workspace {
    fn read() -> Result<Workspace> {
        let metadata = process::metadata()?;
        let names = |list: &serde_json::Value| -> Vec<String> {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|entry| entry["name"].as_str())
                .map(str::to_owned)
                .collect()
        };
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let crates = packages.filter_map(|package| {
            let name = package["name"].as_str()?.to_owned();
            Some((name, names(&package["dependencies"])))
        });
        Ok(Workspace(crates.collect()))
    }

    /// Returns the names of a crate and of all crates of the workspace that it needs, also for its tests.
    fn with_dependencies(&self, name: &str) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut next = vec![name];
        while let Some(name) = next.pop() {
            let Some((name, dependencies)) = self.0.iter().find(|(known, _)| known == name) else {
                continue;
            };
            if found.insert(name.as_str()) {
                next.extend(dependencies.iter().map(String::as_str));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_a_crate_affects_the_crates_that_use_it() {
        let workspace = Workspace::read().unwrap();
        let program = workspace.with_dependencies("inputanim-cli");
        assert!(program.contains("inputanim") && program.contains("inputanim-convert"));
        assert!(!program.contains("inputanim-python"));
        let core = workspace.with_dependencies("inputanim-output");
        assert!(!core.contains("inputanim-convert"));
    }

    #[test]
    fn the_tests_of_all_crates_run_if_other_files_changed() {
        let files = |paths: &[&str]| -> Vec<String> {
            paths.iter().map(|path| (*path).to_owned()).collect()
        };
        let core = "crates/inputanim/src/lib.rs";
        assert_eq!(filter(&files(&[core])), "rdeps(inputanim)");
        assert_eq!(filter(&files(&[core, "docs/sql.md"])), "");
        assert!(is_in("docs/sql.md", "docs") && is_in("README.md", "README.md"));
        assert!(!is_in("docs-old/sql.md", "docs"));
    }
}
