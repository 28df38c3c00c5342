//! Checks that docs and examples agree with the code.

use std::fs;
use std::path::Path;
use std::process::Command;

use inputanim::doctor::{self, Code, Remedy};
use inputanim::{Layout, Recording, Side};

#[test]
fn every_code_is_explained_in_the_documents() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings.md");
    let text = fs::read_to_string(path).unwrap();
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| D") || line.starts_with("| L"));
    let repair = |code: &Code| match code.remedy() {
        Remedy::Repair => "yes",
        Remedy::Trim => "trims it",
        Remedy::ForgetZeros => "`--forget-zeros`",
        _ => "–",
    };
    let row = |code: &Code| {
        let (severity, title) = (code.severity(), code.title());
        format!("| {code} | {severity} | {title} | {} |", repair(code))
    };
    let expected: Vec<String> = Code::ALL.iter().map(row).collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

/// Runs an example, and returns the recording that it writes. Cargo builds examples with the tests.
fn run_example(name: &str) -> Recording<'static> {
    let tests = std::env::current_exe().unwrap();
    let built = tests.parent().unwrap().parent().unwrap();
    let program = format!("examples/{name}{}", std::env::consts::EXE_SUFFIX);
    let file = std::env::temp_dir().join(format!("{name}-{}.bin", std::process::id()));
    let status = Command::new(built.join(program)).arg(&file).status();
    let status = status.expect("`cargo test` builds the examples, with `--test` it does not");
    assert!(status.success(), "{name}");
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    Recording::parse(&bytes).unwrap().into_owned()
}

#[test]
fn the_two_hands_example_writes_an_intact_recording() {
    let recording = run_example("two_hands");
    assert_eq!(recording.layout, Layout::Mrtk1_1);
    assert_eq!(recording.duration(), 3.0);
    assert_eq!(doctor::findings(&recording), []);
    let hands = recording.hands.unwrap();
    for side in Side::BOTH {
        let flips = hands.hand(side).pinching.keys.iter().map(|key| key.time());
        assert_eq!(flips.collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
    }
}

#[test]
fn the_by_hand_example_keeps_its_tangents() {
    let recording = run_example("by_hand");
    assert_eq!(recording.layout, Layout::Mrtk1_0);
    assert_eq!(recording.losses(Layout::Mrtk1_1).len(), 1);
}
