//! `inputanim convert` with the options that restrict and shape tables.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use inputanim::{Joint, Recording};
use tempfile::TempDir;

use crate::support::program;

fn sample(name: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    samples.join(name).with_extension("bin")
}

/// Creates a folder with two recordings of a study and one on its own.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, path) in [
        ("wave", "study/p01/slow_1.bin"),
        ("reach", "study/p02/fast_2.bin"),
        ("wave", "wave.bin"),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(sample(name), path).unwrap();
    }
    folder
}

fn convert(folder: &TempDir, args: &str) -> Output {
    let mut program = program();
    let program = program.arg("convert").args(args.split(' '));
    program.current_dir(folder.path()).output().unwrap()
}

fn convert_well(folder: &TempDir, args: &str) {
    let output = convert(folder, args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args}: {errors}");
}

/// Returns the rows of a CSV file as cells.
fn rows(folder: &TempDir, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(folder.path().join(name)).unwrap();
    let rows = text.lines().map(|line| line.split(',').map(str::to_owned));
    rows.map(Iterator::collect).collect()
}

fn recording(folder: &TempDir, name: &str) -> Recording<'static> {
    let bytes = fs::read(folder.path().join(name)).unwrap();
    Recording::parse(&bytes).unwrap().into_owned()
}

#[test]
fn a_table_has_the_selected_joints_and_times() {
    let folder = study();
    convert_well(
        &folder,
        "wave.bin part.csv --joints right.palm,head --time 1..+2s --rate 2",
    );
    let rows = rows(&folder, "part.csv");
    let streams: Vec<&str> = rows[0].iter().map(String::as_str).collect();
    assert_eq!(streams.len(), 1 + 7 + 2 + 7, "{streams:?}");
    assert!(!streams.iter().any(|name| name.starts_with("left")));
    let times: Vec<&str> = rows[1..].iter().map(|row| &*row[0]).collect();
    assert_eq!(times, ["1.0", "1.5", "2.0"]);
}

#[test]
fn other_formats_have_a_trimmed_selection() {
    let folder = study();
    convert_well(&folder, "wave.bin part.json --joints right --time 1..2");
    convert_well(&folder, "part.json part.bin");
    let part = recording(&folder, "part.bin");
    assert_eq!(part.duration(), 1.0);
    assert!(part.head.is_none_or(|head| head.is_empty()));
    let hands = part.hands.unwrap();
    assert!(!hands.right.joints[Joint::Palm].is_empty());
    assert!(hands.left.joints[Joint::Palm].is_empty());
}

#[test]
fn several_recordings_become_one_text_table_and_come_back() {
    let folder = study();
    for table in ["study.csv", "study.tsv", "study.ndjson"] {
        convert_well(&folder, &format!("-r study -o {table} --at-keys"));
        let back = format!("{table} back.bin --recording p02/fast_2 --force");
        convert_well(&folder, &back);
        let original = Recording::parse(&fs::read(sample("reach")).unwrap())
            .unwrap()
            .duration();
        assert_eq!(recording(&folder, "back.bin").duration(), original);
        // Without a name, the table is ambiguous.
        let output = convert(&folder, &format!("{table} other.bin"));
        assert_eq!(output.status.code(), Some(1));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains("selects one") && errors.contains("--recording "),
            "{errors}"
        );
    }
}

#[test]
fn paths_become_columns_of_tables() {
    let folder = study();
    for pattern in [
        "{participant}/{condition}_{trial}.bin",
        "{participant}\\{condition}_{trial}",
    ] {
        let options = "--shape tidy --joints IndexTip --rate 1 --force";
        convert_well(
            &folder,
            &format!("-r study -o study.csv --path-pattern {pattern} {options}"),
        );
        let rows = rows(&folder, "study.csv");
        let head = "recording,participant,condition,trial,time_s,hand,joint,position_x";
        assert!(rows[0].join(",").starts_with(head), "{:?}", rows[0]);
        assert_eq!(rows[1][..4], ["p01/slow_1", "p01", "slow", "1"]);
        let last = rows.last().unwrap();
        assert_eq!(last[..4], ["p02/fast_2", "p02", "fast", "2"]);
    }
    // A file that does not match fails, and the others are converted.
    let output = convert(
        &folder,
        "wave.bin study/p01/slow_1.bin -o some.csv --path-pattern {id}_{trial}",
    );
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("error: wave.bin\n  the path does not match"),
        "{errors}"
    );
    assert!(folder.path().join("some.csv").exists());
}

#[test]
fn each_table_of_a_folder_names_its_recording_only_if_it_is_tidy() {
    let folder = study();
    convert_well(&folder, "-r study --to csv -o wide");
    convert_well(&folder, "-r study --to csv -o tidy --shape tidy");
    assert_eq!(rows(&folder, "wide/p01/slow_1.csv")[0][0], "time_s");
    assert_eq!(rows(&folder, "tidy/p01/slow_1.csv")[1][0], "p01/slow_1");
    convert_well(&folder, "wave.bin wave.csv --shape tidy");
    assert_eq!(rows(&folder, "wave.csv")[1][0], "wave");
}

#[test]
fn space_is_that_of_the_table_that_is_written_else_of_the_input() {
    let folder = study();
    convert_well(&folder, "wave.bin blender.csv --space blender --at-keys");
    convert_well(&folder, "blender.csv back.bin --space blender");
    convert_well(&folder, "back.bin unity.csv --at-keys");
    convert_well(&folder, "wave.bin expected.csv --at-keys");
    let numbers = |name: &str| {
        let rows = rows(&folder, name);
        rows[9][1..4]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect::<Vec<f32>>()
    };
    assert_eq!(numbers("unity.csv"), numbers("expected.csv"));
    convert_well(
        &folder,
        "blender.csv openxr.csv --space openxr --input-space blender --at-keys",
    );
    convert_well(
        &folder,
        "wave.bin expected-openxr.csv --space openxr --at-keys",
    );
    assert_eq!(numbers("openxr.csv"), numbers("expected-openxr.csv"));
    assert_ne!(numbers("openxr.csv"), numbers("expected.csv"));
}

#[test]
fn options_without_effect_are_refused() {
    let folder = study();
    for (args, option) in [
        ("wave.bin a.glb --path-pattern {a}", "--path-pattern"),
        ("wave.bin a.parquet --markers", "--markers"),
        ("wave.bin a.csv --shape tidy --markers", "--markers"),
        ("wave.bin a.glb --space openxr", "--space"),
        ("wave.bin a.csv --input-space openxr", "--input-space"),
        ("wave.bin a.csv --skip-bad", "--skip-bad"),
    ] {
        let output = convert(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains(&format!("{option} has no effect")),
            "{errors}"
        );
    }
}

#[test]
fn values_that_an_option_does_not_accept_are_wrong_usage() {
    let folder = study();
    for (args, expected) in [
        (
            "wave.bin x.bin --min-confidence 1.5",
            "expected a number from 0 to 1",
        ),
        (
            "wave.bin x.bin --min-confidence -0.1",
            "expected a number from 0 to 1",
        ),
        (
            "wave.bin x.bin --min-confidence nan",
            "expected a number from 0 to 1",
        ),
        (
            "wave.bin x --to xror",
            "hint: xror can be read, but not written",
        ),
        (
            "wave.bin x --to hdf5",
            "hint: egodex can be read, but not written",
        ),
        (
            "wave.bin x.bin --input-format bvh",
            "hint: bvh can be written, but not read",
        ),
    ] {
        let output = convert(&folder, args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args}: {errors}");
        assert!(errors.contains(expected), "{args}: {errors}");
    }
}

#[cfg(feature = "full")]
#[test]
fn the_help_states_the_default_of_the_confidence() {
    let output = convert(&study(), "--help");
    let help = String::from_utf8_lossy(&output.stdout);
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let default = inputanim_convert::egodex::DEFAULT_MIN_CONFIDENCE;
    let expected = format!("a number from 0 to 1 [default: {default}]");
    assert!(words.contains(&expected), "{help}");
}
