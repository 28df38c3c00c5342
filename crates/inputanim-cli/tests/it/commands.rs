//! Runs every command that README, docs and `tests/commands` show, and compares the output.
//!
//! Each document is run in a folder of its own that holds `samples/`, `damaged/`, `study/`, `selections/`, `frames/`,
//! `controllers/`, `capture/`, `laboratory/`, `datasets/` and `trials.csv`.
//! `TRYCMD=overwrite` writes what is printed back into the documents.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, panic};

use inputanim_testkit::documents;

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Documents whose commands need formats that the default build lacks.
const NEEDS_ALL_FORMATS: [&str; 7] = [
    "analysts.md",
    "convert.md",
    "exchange.md",
    "laboratories.md",
    "recipes.md",
    "robots.md",
    "tables.md",
];

#[test]
fn every_documented_command_prints_the_documented_output() {
    run_documents(|name| !NEEDS_ALL_FORMATS.contains(&name));
}

#[cfg(feature = "full")]
#[test]
fn every_documented_command_with_optional_formats_prints_the_documented_output() {
    run_documents(|name| NEEDS_ALL_FORMATS.contains(&name));
}

#[test]
fn pages_say_where_the_files_of_their_examples_come_from() {
    let root = root();
    let pages = fs::read_dir(root.join("docs")).unwrap();
    let pages = pages.map(|entry| entry.unwrap().path());
    let mut found = 0;
    for page in pages.chain([root.join("README.md")]) {
        if page.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&page).unwrap();
        let is_used = |line: &str| {
            let mut words = line.split_whitespace();
            (line.starts_with("$ ") || line.starts_with("inputanim "))
                && words.any(|word| {
                    let folder = word.split('/').next().unwrap_or_default();
                    documents::NAMES.contains(&folder)
                })
        };
        let before = text.lines().take_while(|line| !is_used(line)).count();
        if before == text.lines().count() {
            continue;
        }
        found += 1;
        let mut lines = text.lines().take(before);
        let is_stated = lines.any(|line| {
            // The other page generates a study.
            line.contains("cargo xtask samples --documents")
                || line.contains("(sql.md#queries-of-a-study)")
        });
        assert!(is_stated, "{}: {before}", page.display());
    }
    assert!(found > 5);
}

fn run_documents(is_chosen: impl Fn(&str) -> bool) {
    // Commands run in a folder of their own, and a process has one current folder.
    static CURRENT_FOLDER: Mutex<()> = Mutex::new(());
    let _guard = CURRENT_FOLDER
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let root = fs::canonicalize(root()).unwrap();
    let mut documents = vec![root.join("README.md")];
    for folder in ["docs", "crates/inputanim-cli/tests/commands"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        documents.extend(entries.map(|entry| entry.unwrap().path()));
    }
    documents.retain(|path| {
        let extension = path.extension().unwrap_or_default();
        let text = fs::read_to_string(path).unwrap_or_default();
        let name = path.file_name().unwrap_or_default();
        if !is_chosen(&name.to_string_lossy()) {
            return false;
        }
        extension == "trycmd" || (extension == "md" && text.contains("```console"))
    });
    documents.sort();
    assert!(documents.len() >= 2, "{documents:?}");
    // All documents run, so that one run reports all differences.
    documents.retain(|document| {
        println!("{}", document.display());
        !prints_what_it_shows(&root, document)
    });
    assert!(documents.is_empty(), "these differ: {documents:#?}");
}

/// Runs the commands of a document, and prints the differences.
fn prints_what_it_shows(root: &Path, document: &Path) -> bool {
    let folder = tempfile::tempdir().unwrap();
    documents::write(root, folder.path());
    let copy = folder.path().join(document.file_name().unwrap());
    let text = fs::read_to_string(document).unwrap();
    fs::write(&copy, on_this_system(&text)).unwrap();

    std::env::set_current_dir(folder.path()).unwrap();
    let result = panic::catch_unwind(|| trycmd::TestCases::new().case(&copy).run());
    std::env::set_current_dir(root).unwrap();
    // On Windows, the copy has other texts.
    if cfg!(unix) && std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::copy(&copy, document).unwrap();
    }
    result.is_ok()
}

/// Returns a document with the paths and messages of this system. trycmd itself ignores the difference
/// between `/` and `\` in paths.
fn on_this_system(document: &str) -> String {
    if !cfg!(windows) {
        return document.to_owned();
    }
    // The text of Windows depends on the language of the user.
    let document = document.replace(
        "No such file or directory (os error 2)",
        "[..] (os error 2)",
    );
    let lines = document.lines().map(|line| {
        if line.contains("\":") && !line.starts_with('$') {
            // JSON doubles a backslash.
            line.replace('/', "[..]")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}
