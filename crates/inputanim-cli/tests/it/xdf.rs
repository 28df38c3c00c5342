//! `inputanim convert`: XDF, and recordings that are added to files of laboratories.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::support::program;

/// Returns the exit code and the messages of a conversion in a folder with the sample `take.bin` and the file `lab.xdf`.
fn convert(folder: &TempDir, args: &[&str]) -> (i32, String) {
    let mut program = program();
    program.arg("convert").args(args).current_dir(folder.path());
    let Output { status, stderr, .. } = program.output().unwrap();
    let messages = String::from_utf8(stderr).unwrap();
    (status.code().unwrap(), messages)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    fs::copy(
        samples.join("pinch-drag.bin"),
        folder.path().join("take.bin"),
    )
    .unwrap();
    let (code, messages) = convert(&folder, &["take.bin", "lab.xdf", "--rate", "10"]);
    assert_eq!(code, 0, "{messages}");
    folder
}

#[test]
fn a_recording_is_added_to_a_copy_of_a_file() {
    let folder = folder();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let lab = read("lab.xdf");
    let args = [
        "take.bin",
        "both.xdf",
        "--append-to",
        "lab.xdf",
        "--at",
        "pinch#2",
    ];
    let (code, messages) = convert(&folder, &args);
    assert_eq!(code, 0, "{messages}");
    let expected = "is at the marker pinch#2 of inputanim-markers";
    assert!(messages.contains(expected), "{messages}");
    assert!(read("both.xdf").starts_with(&lab));

    // The output may be the existing file, but only with --force.
    let same = [
        "take.bin",
        "lab.xdf",
        "--append-to",
        "lab.xdf",
        "--at",
        "-2.5",
    ];
    let (code, messages) = convert(&folder, &same);
    assert_eq!(code, 1, "{messages}");
    assert!(messages.contains("--force replaces it"), "{messages}");
    assert_eq!(read("lab.xdf"), lab);
    let (code, messages) = convert(&folder, &[&same[..], &["--force"]].concat());
    assert_eq!(code, 0, "{messages}");
    assert!(read("lab.xdf").starts_with(&lab) && read("lab.xdf").len() > lab.len());

    let (code, messages) = convert(&folder, &["both.xdf", "back.bin"]);
    assert_eq!(code, 1);
    assert!(
        messages.contains("hint: --recording selects one"),
        "{messages}"
    );
    let (code, messages) = convert(
        &folder,
        &["both.xdf", "back.bin", "--recording", "take.bin#2"],
    );
    assert_eq!(code, 0, "{messages}");
}

#[test]
fn options_without_effect_are_refused() {
    let folder = folder();
    for (args, message) in [
        (
            &["take.bin", "x.csv", "--append-to", "lab.xdf", "--at", "1"][..],
            "--append-to has no effect on csv",
        ),
        (
            &[
                "take.bin",
                "x.xdf",
                "--append-to",
                "lab.xdf",
                "--at",
                "1",
                "--start-time",
                "2024-05-01T10:00:00Z",
            ],
            "--start-time has no effect with --append-to",
        ),
        (
            &["take.bin", "x.xdf", "--append-to", "lab.xdf"],
            "--at <PLACE>",
        ),
        (&["take.bin", "x.xdf", "--at", "1"], "--append-to <FILE>"),
        (
            &[
                "take.bin",
                "x.xdf",
                "--append-to",
                "lab.xdf",
                "--at",
                "lsl:x",
            ],
            "invalid place",
        ),
        (
            &[
                "-o",
                "out",
                "--to",
                "xdf",
                "take.bin",
                "--append-to",
                "lab.xdf",
                "--at",
                "1",
            ],
            "--append-to has no effect with -o",
        ),
    ] {
        let (code, messages) = convert(&folder, args);
        assert_eq!(code, 2, "{messages}");
        assert!(messages.contains(message), "{messages}");
    }
    let args = [
        "take.bin",
        "x.xdf",
        "--append-to",
        "lab.xdf",
        "--at",
        "stop",
    ];
    let (code, messages) = convert(&folder, &args);
    assert_eq!(code, 1);
    let expected = "no marker stop; the file has reach, pinch, release";
    assert!(messages.contains(expected), "{messages}");
}
