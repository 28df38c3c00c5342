//! The documents say what the code does.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use inputanim::doctor::Code;

#[test]
fn every_code_is_explained_in_the_documents() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings.md");
    let text = fs::read_to_string(path).unwrap();
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| D") || line.starts_with("| L"));
    let expected: Vec<String> = Code::ALL
        .iter()
        .map(|code| format!("| {code} | {} | {} |", code.severity(), code.title()))
        .collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}
