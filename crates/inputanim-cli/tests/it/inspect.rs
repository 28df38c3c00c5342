//! `diff`, `check` and `doctor` on recordings without keys and with differences that do not count.

use std::path::Path;
use std::process::Output;

use inputanim::{Joint, Layout, Pose, Recording};
use inputanim_testkit::samples;
use tempfile::TempDir;

use crate::support::program;

fn run(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String) {
    // 0 columns mean that the width is not known.
    run_at(folder, arguments, "0")
}

fn run_at(folder: &TempDir, arguments: &[&str], columns: &str) -> (Option<i32>, String) {
    let Output { status, stdout, .. } = program()
        .args(arguments)
        .env("COLUMNS", columns)
        .current_dir(folder.path())
        .output()
        .unwrap();
    (status.code(), String::from_utf8(stdout).unwrap())
}

fn write(folder: &Path, name: &str, recording: &Recording<'_>) {
    std::fs::write(folder.join(name), recording.to_bytes().unwrap()).unwrap();
}

#[test]
fn the_entry_none_decides_only_if_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = samples::read("wave.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    write(folder.path(), "a.bin", &recording);
    let joints = &mut recording.hands_mut().right.joints;
    joints[Joint::None].push(1.0, &Pose::at([9.0, 9.0, 9.0]));
    write(folder.path(), "b.bin", &recording);
    let (code, text) = run(&folder, &["diff", "a.bin", "b.bin"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("not compared      right.None"), "{text}");
    for (joints, expected) in [("right", 0), ("None,head", 1), ("right.none", 1)] {
        let (code, text) = run(&folder, &["diff", "a.bin", "b.bin", "--joints", joints]);
        assert_eq!(code, Some(expected), "{joints}: {text}");
    }
}

#[test]
fn a_recording_without_keys_is_not_healthy() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "none.bin", &Recording::new(Layout::Mrtk1_1));
    let (code, text) = run(&folder, &["doctor", "none.bin", "--brief"]);
    assert_eq!(code, Some(1));
    assert_eq!(text, "bad  none.bin: not healthy, warning L24\n");
    let (code, text) = run(&folder, &["check", "none.bin"]);
    assert_eq!(code, Some(0));
    assert!(text.starts_with("warn  none.bin: well formed"), "{text}");
    assert!(text.contains("`inputanim doctor none.bin`"), "{text}");
}

#[test]
fn reports_of_bad_files_have_the_same_members() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = samples::read("wave.bin");
    std::fs::write(folder.path().join("cut.bin"), &bytes[..bytes.len() / 2]).unwrap();
    let (code, text) = run(&folder, &["check", "cut.bin", "--format", "ndjson"]);
    assert_eq!(code, Some(1));
    assert!(text.contains(r#""layout":"mrtk-1.1","#), "{text}");
    let (code, text) = run(&folder, &["info", "no.bin", "--format", "ndjson"]);
    assert_eq!(code, Some(1));
    let start = r#"{"file":"no.bin","bytes":null,"info":null,"markers":[],"findings":[],"#;
    assert!(text.starts_with(start), "{text}");
    assert!(text.ends_with("\"missing\":[]}\n"), "{text}");
}

#[test]
fn narrow_terminals_get_fewer_columns() {
    let folder = tempfile::tempdir().unwrap();
    let sample = samples::path("two-hands.bin").display().to_string();
    std::fs::copy(sample, folder.path().join("a.bin")).unwrap();
    for arguments in [
        &["info", "a.bin"][..],
        &["info", "a.bin", "--brief"],
        &["doctor", "a.bin"],
        &["check", "a.bin"],
    ] {
        let output = program()
            .args(arguments)
            .env("COLUMNS", "60")
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(60), "{arguments:?}: {text}");
    }
}

#[test]
fn sample_refuses_billions_of_frames() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 3e38] {
        recording.head_mut().push(time, &Pose::IDENTITY);
    }
    write(folder.path(), "long.bin", &recording);
    assert_eq!(
        run(&folder, &["sample", "long.bin"]),
        (Some(1), String::new())
    );
    let (code, text) = run(
        &folder,
        &["sample", "long.bin", "--time", "..1", "--rate", "2"],
    );
    assert_eq!((code, text.lines().count()), (Some(0), 7), "{text}");
    let (code, text) = run(&folder, &["info", "long.bin"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("duration  3.000e38 s"), "{text}");
}

#[test]
fn files_without_a_command_are_shown_as_with_info() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["take.bin", "check"] {
        std::fs::write(folder.path().join(name), samples::read("wave.bin")).unwrap();
    }
    for files in [&["take.bin"][..], &["take.bin", "check"]] {
        let expected = run(&folder, &[&["info"], files].concat());
        assert_eq!(run(&folder, files), expected);
        assert_eq!(expected.0, Some(0));
    }
    // The name of a command is not taken for that of a file.
    assert_eq!(run(&folder, &["check", "take.bin"]).0, Some(0));
    assert_eq!(run(&folder, &["check"]).0, Some(2));
    for mistake in [&["take.bin", "missing.bin"][..], &["take.bin", "--brief"]] {
        assert_eq!(run(&folder, mistake).0, Some(2), "{mistake:?}");
    }
}

#[test]
fn several_files_share_explanations_and_hints() {
    let folder = tempfile::tempdir().unwrap();
    let none = Recording::new(Layout::Mrtk1_1);
    for name in ["a.bin", "b.bin"] {
        write(folder.path(), name, &none);
    }
    for name in ["c.bin", "d.bin"] {
        std::fs::write(folder.path().join(name), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    }
    let times = |text: &str, part: &str| text.matches(part).count();
    let (_, text) = run(&folder, &["doctor", "-r", "."]);
    assert_eq!(times(&text, "L24 warning"), 3, "{text}");
    for once in ["effect", "remedy", "hint: docs/convert.md", "(2 files)"] {
        assert_eq!(times(&text, once), 1, "{once}: {text}");
    }
    let (code, text) = run(&folder, &["check", "-r", "."]);
    assert_eq!(code, Some(1));
    assert_eq!(times(&text, "hint: `inputanim doctor -r .`"), 1, "{text}");
    assert_eq!(times(&text, "hint: docs/convert.md"), 1, "{text}");
    assert!(
        text.ends_with("4 files: 2 with warnings, 2 not well formed\n"),
        "{text}"
    );
}

#[test]
fn cat_fits_the_terminal_and_adds_columns_from_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = samples::read("wave.bin");
    let recording = Recording::parse(&bytes).unwrap();
    for name in ["p1_wave.bin", "p2_wave.bin"] {
        write(folder.path(), name, &recording);
    }
    let files = ["cat", "p1_wave.bin", "p2_wave.bin"];
    let names = ["--joints", "Palm,left.tracked"];
    for (show, names) in [
        ("keys", &names[..]),
        ("curves", &names),
        ("states", &names),
        ("markers", &[]),
    ] {
        let arguments = [&files[..], &["--show", show], names].concat();
        let text = run_at(&folder, &arguments, "60").1;
        assert_eq!(text.matches("p2_wave").count(), 1, "{show}");
        let width = text.lines().map(|line| line.chars().count()).max();
        assert!(width <= Some(60), "{show}: {width:?}");
    }
    let pattern = ["--path-pattern", "{participant}_{task}.bin"];
    let markers = ["--show", "markers", "--format", "csv"];
    let (code, text) = run(&folder, &[&files[..], &markers, &pattern].concat());
    assert_eq!(code, Some(0));
    let mut lines = text.lines();
    let columns = "recording,participant,task,time_s,name";
    assert_eq!(lines.next(), Some(columns));
    let row = "p1_wave,p1,wave,1.2831748,wave";
    assert_eq!(lines.next(), Some(row));
}
