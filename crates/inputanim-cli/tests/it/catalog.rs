//! `inputanim catalog` and `info --catalog`.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::program;

/// A folder `study` with two intact recordings and a truncated one, and a folder `other` with a recording.
fn studies() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let content = fs::read(samples.join("wave.bin")).unwrap();
    for (name, length) in [
        ("study/p1/wave.bin", content.len()),
        ("study/wave.bin", content.len()),
        ("study/cut.bin", content.len() / 2),
        ("other/wave.bin", content.len()),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &content[..length]).unwrap();
    }
    folder
}

/// Runs the program in a folder. Returns its exit code, its output and its messages.
fn run(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let mut program = program();
    let output = program.args(args).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_catalogue_is_made_and_names_the_files_with_errors() {
    let folder = studies();
    let (code, output, messages) = run(&folder, &["catalog", "study"]);
    assert_eq!((code, output.as_str()), (1, ""), "{messages}");
    let cut = PathBuf::from("study").join("cut.bin");
    let expected = format!("error: {}\n", cut.display());
    assert!(messages.contains(&expected), "{messages}");
    let facts = "catalogued: 3 recordings, 3 opened, 1 error, ";
    assert!(messages.contains(facts), "{messages}");
    assert!(
        folder
            .path()
            .join("study/inputanim-catalog.parquet")
            .is_file()
    );
    let first = messages;

    // The times of the files are too recent at first, so that the files are opened again.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    run(&folder, &["catalog", "study", "--quiet"]);
    let (code, _, messages) = run(&folder, &["catalog", "study"]);
    assert_eq!(code, 1);
    let again = first.replace("3 opened", "0 opened");
    assert_eq!(messages, again);
    let (_, _, messages) = run(&folder, &["catalog", "study", "--rebuild"]);
    assert_eq!(messages, first);
}

#[test]
fn quiet_prints_only_errors() {
    let folder = studies();
    let (code, _, messages) = run(&folder, &["catalog", "-q", "study"]);
    assert_eq!(code, 1);
    assert!(messages.starts_with("error: "), "{messages}");
    assert!(!messages.contains("catalogued"), "{messages}");
    let (code, _, messages) = run(&folder, &["catalog", "-q", "other"]);
    assert_eq!((code, messages.as_str()), (0, ""));
}

#[test]
fn the_name_of_a_catalogue_is_that_of_a_parquet_file() {
    let folder = studies();
    for name in ["c.csv", "c", "c.bin", "-"] {
        let (code, output, messages) = run(&folder, &["catalog", "other", "-o", name]);
        assert_eq!((code, output.as_str()), (2, ""), "{messages}");
        let expected = format!(
            "error: {name}: a catalogue is a Parquet file, expected the extension .parquet\n  hint: choose a name that ends with \
             .parquet; `info -r FOLDER --format csv` prints CSV\n"
        );
        assert_eq!(messages, expected);
        assert!(!folder.path().join(name).exists());
    }
    let (code, _, messages) = run(&folder, &["catalog", "other", "-o", "c.PARQUET"]);
    assert_eq!(code, 0, "{messages}");
    assert!(folder.path().join("c.PARQUET").is_file());
}

#[test]
fn files_that_are_not_catalogues_or_folders_are_refused() {
    let folder = studies();
    fs::write(folder.path().join("x.parquet"), "text").unwrap();
    let (code, _, messages) = run(&folder, &["catalog", "other", "-o", "x.parquet"]);
    assert_eq!(code, 1);
    assert!(
        messages.contains("x.parquet is not a catalogue: "),
        "{messages}"
    );
    for name in ["nosuch", "study/wave.bin"] {
        let (code, _, messages) = run(&folder, &["catalog", name]);
        assert_eq!(code, 2);
        let expected = format!(
            "error: {name} is not a folder\n  hint: name the folder that contains the recordings\n"
        );
        assert_eq!(messages, expected);
    }
}

#[test]
fn info_has_the_same_rows_with_a_catalogue() {
    let folder = studies();
    run(&folder, &["catalog", "study", "-o", "c.parquet"]);
    let info = ["info", "-r", "study", "--format", "csv"];
    let (code, expected, _) = run(&folder, &info);
    let (with, output, messages) = run(&folder, &[&info[..], &["--catalog", "c.parquet"]].concat());
    assert_eq!((with, output), (code, expected));
    assert!(!messages.contains("note"), "{messages}");
}

#[test]
fn a_catalogue_of_another_folder_is_noted() {
    let folder = studies();
    run(&folder, &["catalog", "study", "-o", "c.parquet"]);
    let args = [
        "info",
        "-r",
        "other",
        "--format",
        "csv",
        "--catalog",
        "c.parquet",
    ];
    let (code, output, messages) = run(&folder, &args);
    assert_eq!((code, output.lines().count()), (0, 2));
    let study = fs::canonicalize(folder.path().join("study")).unwrap();
    let expected = format!(
        "note: c.parquet: no recording is in the catalogue, all are opened: it describes {}\n",
        study.display()
    );
    assert_eq!(messages, expected);
}

#[test]
fn a_catalogue_needs_a_table_of_csv() {
    let folder = studies();
    let (code, _, messages) = run(&folder, &["info", "-r", "other", "--catalog", "c.parquet"]);
    assert_eq!(code, 2);
    let expected =
        "error: --catalog has no effect on this format\n  hint: --format csv uses a catalogue\n";
    assert_eq!(messages, expected);
}
