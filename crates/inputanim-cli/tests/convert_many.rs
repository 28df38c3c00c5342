//! `inputanim convert -r`: a tree of recordings becomes a tree of another format.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

/// A study with two whole recordings, one of which is deeper, and a torn one.
struct Study(tempfile::TempDir);

impl Study {
    fn new() -> Study {
        let study = Study(tempfile::tempdir().unwrap());
        let sample = fs::read(sample("wave.bin")).unwrap();
        fs::create_dir_all(study.path("in/p2/day 1")).unwrap();
        fs::write(study.path("in/p1.bin"), &sample).unwrap();
        fs::write(study.path("in/p2/day 1/take.BIN"), &sample).unwrap();
        fs::write(study.path("in/torn.bin"), &sample[..sample.len() / 2]).unwrap();
        fs::write(study.path("in/notes.txt"), "not a recording").unwrap();
        study
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn convert(&self, args: &[&str]) -> Output {
        let mut program = Command::new(env!("CARGO_BIN_EXE_inputanim"));
        program.arg("convert").args(args).current_dir(self.0.path());
        program.output().unwrap()
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let folder = self.path(folder);
        let mut files = Vec::new();
        for entry in walkdir::WalkDir::new(&folder) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let place = entry.path().strip_prefix(&folder).unwrap();
                files.push(place.display().to_string().replace('\\', "/"));
            }
        }
        files.sort();
        files
    }
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../samples")
        .join(name)
}

fn errors(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_tree_is_mirrored_and_a_bad_file_stops_nothing() {
    let study = Study::new();
    let output = study.convert(&["-r", "in", "--to", "json", "-o", "made/out"]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert_eq!(study.files("made/out"), ["p1.json", "p2/day 1/take.json"]);
    let errors = errors(&output);
    assert!(errors.contains("error: in/torn.bin"), "{errors}");
    assert!(errors.contains("2 files converted, 1 failed"), "{errors}");
    // Each is what it is converted alone.
    study.convert(&["in/p1.bin", "alone.json"]);
    let read = |name| fs::read(study.path(name)).unwrap();
    assert_eq!(read("made/out/p1.json"), read("alone.json"));
}

#[test]
fn what_is_there_and_newer_is_passed_over() {
    let study = Study::new();
    fs::remove_file(study.path("in/torn.bin")).unwrap();
    let convert = |args: &[&str]| {
        let args = [&["-r", "in", "--to", "json", "-o", "out"], args].concat();
        let output = study.convert(&args);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        errors(&output)
    };
    assert!(convert(&[]).contains("2 files converted"));
    // A mark that only writing anew removes.
    let made = study.path("out/p1.json");
    let mark = |text: &str| fs::write(&made, text).unwrap();
    mark("mine");
    assert!(convert(&[]).contains("0 files converted, 2 there already"));
    assert_eq!(fs::read_to_string(&made).unwrap(), "mine");
    let newer = SystemTime::now() + Duration::from_secs(60);
    let input = fs::File::options()
        .append(true)
        .open(study.path("in/p1.bin"));
    input.unwrap().set_modified(newer).unwrap();
    assert!(convert(&[]).contains("1 file converted, 1 there already"));
    assert_ne!(fs::read_to_string(&made).unwrap(), "mine");
    mark("mine");
    assert!(convert(&["--force"]).contains("2 files converted"));
    assert_ne!(fs::read_to_string(&made).unwrap(), "mine");
}

#[test]
fn a_manifest_has_every_file_whatever_became_of_it() {
    let study = Study::new();
    let args = [
        "-r",
        "in",
        "--to",
        "json",
        "-o",
        "out",
        "--manifest",
        "all.csv",
    ];
    study.convert(&args[..6]);
    fs::remove_file(study.path("out/p1.json")).unwrap();
    let output = study.convert(&args);
    assert_eq!(output.status.code(), Some(3));
    let mut table = csv::Reader::from_path(study.path("all.csv")).unwrap();
    let names = table.headers().unwrap().clone();
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    let column = |name: &str| {
        let at = names.iter().position(|column| column == name).unwrap();
        rows.iter()
            .map(|row| row[at].to_owned())
            .collect::<Vec<_>>()
    };
    let files = ["in/p1.bin", "in/p2/day 1/take.BIN", "in/torn.bin"];
    assert_eq!(column("file"), files);
    assert_eq!(column("outcome"), ["converted", "present", "failed"]);
    assert_eq!(column("well_formed"), ["true", "true", "false"]);
    assert_eq!(column("duration_s")[..2], ["4.0", "4.0"]);
    let reasons = column("reason");
    assert!(
        reasons[0].is_empty() && reasons[2].contains("in/torn.bin"),
        "{reasons:?}"
    );
    for name in ["all.ndjson", "all.json"] {
        study.convert(&[&args[..7], &[name]].concat());
        let text = fs::read_to_string(study.path(name)).unwrap();
        let first = match name {
            "all.json" => serde_json::from_str::<serde_json::Value>(&text).unwrap()[0].clone(),
            _ => serde_json::from_str(text.lines().next().unwrap()).unwrap(),
        };
        assert_eq!(first["conversion"]["outcome"], "present");
        assert_eq!(first["duration"], 4.0);
    }
}

#[test]
fn one_worker_and_many_make_the_same() {
    let study = Study::new();
    for number in 0..20 {
        fs::copy(sample("wave.bin"), study.path(&format!("in/{number}.bin"))).unwrap();
    }
    let with = |jobs, folder| {
        let args = ["-r", "in", "--to", "iwer", "-o", folder, "-j", jobs];
        errors(&study.convert(&args)).replace(folder, "out")
    };
    assert_eq!(with("1", "one"), with("7", "seven"));
    assert_eq!(study.files("one"), study.files("seven"));
    assert_eq!(study.files("one").len(), 22);
}

#[test]
fn what_was_made_within_the_study_is_no_recording_of_it() {
    let study = Study::new();
    let args = ["-r", "in", "--to", "bin", "-o", "in/copies"];
    for _ in 0..2 {
        study.convert(&args);
        assert_eq!(study.files("in/copies"), ["p1.bin", "p2/day 1/take.bin"]);
    }
    let onto_itself = study.convert(&["-r", "in", "--to", "bin", "-o", "in", "--force"]);
    assert_eq!(onto_itself.status.code(), Some(2));
    assert!(errors(&onto_itself).contains("would be replaced by itself"));
}

#[test]
fn where_nothing_can_be_converted_all_failed() {
    let study = Study::new();
    let output = study.convert(&["in/torn.bin", "none.bin", "--to", "json", "-o", "out"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("0 files converted, 2 failed"));
}

#[cfg(feature = "tables")]
#[test]
fn many_files_become_one_table_whose_parts_come_back() {
    let study = Study::new();
    for table in ["all.parquet", "all.arrow"] {
        let args = [
            "-r",
            "in",
            "-o",
            table,
            "--shape",
            "keys",
            "--manifest",
            "all.csv",
        ];
        let output = study.convert(&args);
        assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
        assert!(errors(&output).contains("2 files converted, 1 failed"));
        for name in ["p1", "p2/day 1/take"] {
            let args = [table, "back.bin", "--force", "--recording", name];
            let output = study.convert(&args);
            assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
            let back = fs::read(study.path("back.bin")).unwrap();
            assert_eq!(back, fs::read(sample("wave.bin")).unwrap());
        }
        let refused = study.convert(&args[..4]);
        assert_eq!(refused.status.code(), Some(1), "{}", errors(&refused));
        assert!(errors(&refused).contains("is there already"));
    }
    let none = study.convert(&["in/torn.bin", "-o", "none.parquet"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(!study.path("none.parquet").exists());
}

#[test]
fn what_is_somebodys_own_is_not_replaced() {
    let study = Study::new();
    let read = |name: &str| fs::read(study.path(name)).unwrap();
    let recording = read("in/p1.bin");
    // A table is newer than the recording that it was made of.
    study.convert(&["in/p1.bin", "in/p1.csv"]);
    let output = study.convert(&["-r", "in", "--from", "csv", "--to", "bin", "-o", "in"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("--force replaces it"));
    assert_eq!(read("in/p1.bin"), recording);
    // Nor is anything that is no manifest.
    let table = read("in/p1.csv");
    for manifest in ["in/p1.bin", "in/p1.csv", "out/p1.json"] {
        let args = [
            "in/p1.bin",
            "--to",
            "json",
            "-o",
            "out",
            "--manifest",
            manifest,
        ];
        let output = study.convert(&args);
        assert!(
            [Some(1), Some(2)].contains(&output.status.code()),
            "{manifest}"
        );
    }
    assert_eq!((read("in/p1.bin"), read("in/p1.csv")), (recording, table));
    let output = study.convert(&["in/p1.csv", "in/p1.csv", "--force", "--rate", "5"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_lies_beside_inputs_of_the_current_folder_is_not_replaced() {
    let study = Study::new();
    fs::copy(study.path("in/p1.bin"), study.path("p1.bin")).unwrap();
    fs::write(study.path("p1.json"), "mine").unwrap();
    let old = SystemTime::now() - Duration::from_secs(60);
    let own = fs::File::options().write(true).open(study.path("p1.json"));
    own.unwrap().set_modified(old).unwrap();
    let output = study.convert(&["p1.bin", "--to", "json", "-o", "."]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert_eq!(fs::read(study.path("p1.json")).unwrap(), b"mine");
}

#[test]
fn outputs_that_are_no_folders_are_refused() {
    let study = Study::new();
    for name in ["-", "all.csv", "all.parquet"] {
        let output = study.convert(&["in/p1.bin", "--to", "json", "-o", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(!study.path(name).exists());
    }
}

#[test]
fn a_batch_of_nothing_failed() {
    let study = Study::new();
    let output = study.convert(&["-r", "in", "--from", "csv", "--to", "bin", "-o", "out"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("there is nothing to convert"));
}

#[test]
fn a_folder_in_the_way_is_no_output() {
    let study = Study::new();
    fs::create_dir_all(study.path("out/p1.json")).unwrap();
    let output = study.convert(&["in/p1.bin", "--to", "json", "-o", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
}

#[test]
fn a_table_is_no_part_of_itself() {
    let study = Study::new();
    fs::create_dir_all(study.path("tables")).unwrap();
    study.convert(&["in/p1.bin", "tables/p1.parquet"]);
    let args = [
        "-r",
        "tables",
        "--from",
        "parquet",
        "-o",
        "tables/all.parquet",
        "--force",
    ];
    for _ in 0..2 {
        let output = study.convert(&args);
        assert!(
            errors(&output).contains("1 file converted"),
            "{}",
            errors(&output)
        );
    }
}

#[cfg(unix)]
#[test]
fn who_ends_it_finds_nothing_unfinished() {
    let study = Study::new();
    let mut program = Command::new(env!("CARGO_BIN_EXE_inputanim"));
    program.current_dir(study.0.path());
    program.args(["convert", "in/p1.bin", "big.csv", "--rate", "200000"]);
    let mut child = program.spawn().unwrap();
    let is_writing = || study.files(".").iter().any(|name| name.contains(".part"));
    while !is_writing() {
        assert!(child.try_wait().unwrap().is_none(), "it was too fast");
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert!(!child.wait().unwrap().success());
    assert!(!is_writing());
}
