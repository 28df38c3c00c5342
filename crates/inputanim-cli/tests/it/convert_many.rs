//! `inputanim convert -r`: a tree of recordings becomes a tree of another format.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, SystemTime};

use inputanim::{FloatCurve, Joint, Layout, Marker, Pose, Recording, Side};

use crate::support::program;

/// A study with two intact recordings, one of them in a subfolder, and a truncated one.
struct Study(tempfile::TempDir);

impl Study {
    fn new() -> Study {
        let study = Study(tempfile::tempdir().unwrap());
        let sample = fs::read(sample("wave.bin")).unwrap();
        fs::create_dir_all(study.path("in/p2/day 1")).unwrap();
        fs::write(study.path("in/p1.bin"), &sample).unwrap();
        fs::write(study.path("in/p2/day 1/take.BIN"), &sample).unwrap();
        fs::write(study.path("in/truncated.bin"), &sample[..sample.len() / 2]).unwrap();
        fs::write(study.path("in/notes.txt"), "not a recording").unwrap();
        study
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn convert(&self, args: &[&str]) -> Output {
        let mut program = program();
        program.arg("convert").args(args).current_dir(self.0.path());
        program.output().unwrap()
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let folder = self.path(folder);
        let mut files = Vec::new();
        for entry in walkdir::WalkDir::new(&folder) {
            let entry = entry.unwrap();
            // The record of what a batch wrote (`batch/written.rs`) is tested by what it does.
            if entry.file_type().is_file() && entry.file_name() != ".inputanim-batch" {
                let relative = entry.path().strip_prefix(&folder).unwrap();
                files.push(relative.display().to_string().replace('\\', "/"));
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

/// Returns the messages, with `/` in paths.
fn errors(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    text.replace(std::path::MAIN_SEPARATOR, "/")
}

#[test]
fn a_tree_is_mirrored_and_a_bad_file_does_not_stop_the_others() {
    let study = Study::new();
    let output = study.convert(&["-r", "in", "--to", "json", "-o", "made/out"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert_eq!(study.files("made/out"), ["p1.json", "p2/day 1/take.json"]);
    let errors = errors(&output);
    assert!(errors.contains("error: in/truncated.bin"), "{errors}");
    assert!(errors.contains("2 files converted, 1 failed"), "{errors}");
    // A file gives the same output as in a conversion of its own.
    study.convert(&["in/p1.bin", "alone.json"]);
    let read = |name| fs::read(study.path(name)).unwrap();
    assert_eq!(read("made/out/p1.json"), read("alone.json"));
}

#[test]
fn an_output_that_is_newer_is_not_converted_again() {
    let study = Study::new();
    fs::remove_file(study.path("in/truncated.bin")).unwrap();
    let convert = |args: &[&str]| {
        let args = [&["-r", "in", "--to", "json", "-o", "out"], args].concat();
        let output = study.convert(&args);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        errors(&output)
    };
    assert!(convert(&[]).contains("2 files converted"));
    // Other content shows whether the file is written again.
    let made = study.path("out/p1.json");
    let overwrite = |text: &str| fs::write(&made, text).unwrap();
    overwrite("mine");
    assert!(convert(&[]).contains("0 files converted, 2 up to date"));
    assert_eq!(fs::read_to_string(&made).unwrap(), "mine");
    let newer = SystemTime::now() + Duration::from_secs(60);
    let input = fs::File::options()
        .append(true)
        .open(study.path("in/p1.bin"));
    input.unwrap().set_modified(newer).unwrap();
    assert!(convert(&[]).contains("1 file converted, 1 up to date"));
    assert_ne!(fs::read_to_string(&made).unwrap(), "mine");
    overwrite("mine");
    assert!(convert(&["--force"]).contains("2 files converted"));
    assert_ne!(fs::read_to_string(&made).unwrap(), "mine");
}

#[test]
fn an_output_is_converted_again_when_options_change() {
    let study = Study::new();
    fs::remove_file(study.path("in/truncated.bin")).unwrap();
    let convert = |args: &[&str]| {
        let args = [&["-r", "in", "--to", "csv", "-o", "out"], args].concat();
        let output = study.convert(&args);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        errors(&output)
    };
    assert!(convert(&["--rate", "30"]).contains("2 files converted"));
    assert!(convert(&["--rate", "30"]).contains("2 up to date"));
    assert!(convert(&["--rate", "90"]).contains("2 files converted"));
    let rows = fs::read_to_string(study.path("out/p1.csv")).unwrap();
    assert!(rows.lines().count() > 360, "{} lines", rows.lines().count());
    // A crash may cut off the last line of the record.
    let record = study.path("out/.inputanim-batch");
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, &text[..text.len() - 10]).unwrap();
    assert!(convert(&["--rate", "90"]).contains("1 file converted, 1 up to date"));
}

#[test]
fn an_output_that_no_batch_wrote_is_not_replaced() {
    let study = Study::new();
    fs::create_dir(study.path("out")).unwrap();
    fs::write(study.path("out/p1.json"), "mine").unwrap();
    let args = ["in/p1.bin", "--to", "json", "-o", "out"];
    let refused = study.convert(&args);
    assert_eq!(refused.status.code(), Some(1), "{}", errors(&refused));
    assert!(errors(&refused).contains("--force replaces it"));
    assert_eq!(fs::read(study.path("out/p1.json")).unwrap(), b"mine");
    // A refused file does not become an output of the batch.
    assert_eq!(study.convert(&args).status.code(), Some(1));
    assert_eq!(
        study
            .convert(&[&args[..], &["--force"]].concat())
            .status
            .code(),
        Some(0)
    );
    assert!(errors(&study.convert(&args)).contains("1 up to date"));
}

#[test]
fn an_output_of_another_recording_is_not_replaced() {
    let study = Study::new();
    fs::create_dir(study.path("in/p3")).unwrap();
    fs::copy(study.path("in/p1.bin"), study.path("in/p3/p1.bin")).unwrap();
    let convert = |input: &str| study.convert(&[input, "--to", "json", "-o", "out"]);
    assert_eq!(convert("in/p1.bin").status.code(), Some(0));
    let refused = convert("in/p3/p1.bin");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        errors(&refused).contains("already exists"),
        "{}",
        errors(&refused)
    );
    // A study may be moved as long as there is only one recording for an output.
    fs::rename(study.path("in"), study.path("moved")).unwrap();
    let moved = convert("moved/p1.bin");
    assert_eq!(moved.status.code(), Some(0), "{}", errors(&moved));
    assert!(errors(&moved).contains("1 up to date"));
}

#[test]
fn damage_that_is_converted_as_it_is_gives_exit_code_3() {
    let study = Study::new();
    let sample = fs::read(sample("wave.bin")).unwrap();
    let mut recording = inputanim::Recording::parse(&sample).unwrap();
    for (_, curve) in recording.curves_mut() {
        if let inputanim::CurveMut::Float(curve) = curve
            && let inputanim::Keys::Simple(keys) = &mut curve.keys
        {
            let behind = keys.len().saturating_sub(1);
            keys.to_mut().truncate(1 + behind / 32 * 32);
        }
    }
    fs::write(study.path("in/p1.bin"), recording.to_bytes().unwrap()).unwrap();
    for args in [
        &["in/p1.bin", "--to", "iwer", "-o", "out"][..],
        &["in/p1.bin", "p1.csv"],
    ] {
        let output = study.convert(args);
        assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
        assert!(
            errors(&output).contains("warning: in/p1.bin: "),
            "{}",
            errors(&output)
        );
    }
    // Lossless formats keep the damage, so a later repair finds it.
    assert_eq!(
        study.convert(&["in/p1.bin", "p1.json"]).status.code(),
        Some(0)
    );
}

#[test]
fn a_manifest_lists_every_file() {
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
    assert_eq!(output.status.code(), Some(1));
    let mut table = csv::Reader::from_path(study.path("all.csv")).unwrap();
    let names = table.headers().unwrap().clone();
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    let column = |name: &str| {
        let at = names.iter().position(|column| column == name).unwrap();
        rows.iter()
            .map(|row| row[at].to_owned())
            .collect::<Vec<_>>()
    };
    let files = ["in/p1.bin", "in/p2/day 1/take.BIN", "in/truncated.bin"];
    assert_eq!(column("file"), files);
    assert_eq!(column("outcome"), ["converted", "current", "failed"]);
    assert_eq!(column("well_formed"), ["true", "true", "false"]);
    assert_eq!(column("duration_s")[..2], ["4", "4"]);
    let reasons = column("reason");
    assert!(
        reasons[0].is_empty() && reasons[2].contains("truncated.bin: right."),
        "{reasons:?}"
    );
    for name in ["all.ndjson", "all.json"] {
        study.convert(&[&args[..7], &[name]].concat());
        let text = fs::read_to_string(study.path(name)).unwrap();
        let first = match name {
            "all.json" => serde_json::from_str::<serde_json::Value>(&text).unwrap()[0].clone(),
            _ => serde_json::from_str(text.lines().next().unwrap()).unwrap(),
        };
        assert_eq!(first["conversion"]["outcome"], "current");
        assert_eq!(first["info"]["duration"], 4.0);
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
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
fn outputs_within_the_folder_of_inputs_are_not_converted() {
    let study = Study::new();
    let args = ["-r", "in", "--to", "bin", "-o", "in/copies"];
    for _ in 0..2 {
        study.convert(&args);
        assert_eq!(study.files("in/copies"), ["p1.bin", "p2/day 1/take.bin"]);
    }
    let onto_itself = study.convert(&["-r", "in", "--to", "bin", "-o", "in", "--force"]);
    assert_eq!(onto_itself.status.code(), Some(2));
    assert!(errors(&onto_itself).contains("would be replaced"));
}

#[test]
fn a_batch_in_which_all_files_fail_has_failed() {
    let study = Study::new();
    let output = study.convert(&["in/truncated.bin", "none.bin", "--to", "json", "-o", "out"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("0 files converted, 2 failed"));
}

#[cfg(feature = "parquet")]
#[test]
fn many_files_become_one_table_from_which_each_can_be_read_back() {
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
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
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
        assert!(errors(&refused).contains("already exists"));
    }
    let none = study.convert(&["in/truncated.bin", "-o", "none.parquet"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(!study.path("none.parquet").exists());
}

#[test]
fn files_of_the_user_are_not_replaced() {
    let study = Study::new();
    let read = |name: &str| fs::read(study.path(name)).unwrap();
    let recording = read("in/p1.bin");
    // The table is newer than its recording, so --to bin would replace the recording.
    study.convert(&["in/p1.bin", "in/p1.csv"]);
    let output = study.convert(&[
        "-r",
        "in",
        "--input-format",
        "csv",
        "--to",
        "bin",
        "-o",
        "in",
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("--force replaces it"));
    assert_eq!(read("in/p1.bin"), recording);
    // A file that is not a manifest is not replaced by one.
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
fn files_beside_the_inputs_are_not_replaced() {
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
fn outputs_that_are_not_folders_are_refused() {
    let study = Study::new();
    for name in ["-", "all.csv", "all.parquet"] {
        let output = study.convert(&["in/p1.bin", "--to", "json", "-o", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(!study.path(name).exists());
    }
}

#[test]
fn a_batch_without_files_fails() {
    let study = Study::new();
    let output = study.convert(&[
        "-r",
        "in",
        "--input-format",
        "csv",
        "--to",
        "bin",
        "-o",
        "out",
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("no recordings found"));
}

#[test]
fn a_folder_with_the_name_of_an_output_is_not_replaced() {
    let study = Study::new();
    fs::create_dir_all(study.path("out/p1.json")).unwrap();
    let output = study.convert(&["in/p1.bin", "--to", "json", "-o", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
}

#[cfg(feature = "parquet")]
#[test]
fn a_table_is_not_an_input_of_itself() {
    let study = Study::new();
    fs::create_dir_all(study.path("tables")).unwrap();
    study.convert(&["in/p1.bin", "tables/p1.parquet"]);
    let args = [
        "-r",
        "tables",
        "--input-format",
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
fn a_signal_removes_the_incomplete_file() {
    let study = Study::new();
    let mut program = program();
    program.current_dir(study.0.path());
    program.args([
        "convert",
        "in/p1.bin",
        "big.csv",
        "--rate",
        "200000",
        "--no-limits",
    ]);
    let mut child = program.spawn().unwrap();
    let is_writing = || study.files(".").iter().any(|name| name.contains(".part"));
    while !is_writing() {
        assert!(child.try_wait().unwrap().is_none(), "it was too fast");
    }
    let id = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert!(!child.wait().unwrap().success());
    assert!(!is_writing());
}

/// Writes a recording of one joint of each hand, of which the right one may be missing.
fn write_hands(path: &Path, joints: &[Joint]) {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for (side, joints) in [(Side::Left, &[Joint::Palm][..]), (Side::Right, joints)] {
        let hand = recording.hands_mut().hand_mut(side);
        for time in [0.0, 1.0] {
            hand.tracked.push(time, true);
            for &joint in joints {
                hand.joints[joint].push(time, &Pose::IDENTITY);
            }
        }
    }
    recording.markers = vec![Marker::new(0.5, "half")];
    fs::write(path, recording.to_bytes().unwrap()).unwrap();
}

/// Creates a study of `a_1.bin` with right.IndexTip and `a_2.bin` without it.
fn hands() -> Study {
    let study = Study(tempfile::tempdir().unwrap());
    fs::create_dir(study.path("in")).unwrap();
    write_hands(&study.path("in/a_1.bin"), &[Joint::Palm, Joint::IndexTip]);
    write_hands(&study.path("in/a_2.bin"), &[Joint::Palm]);
    study
}

#[test]
fn recordings_without_rows_are_named() {
    let study = hands();
    let tidy = ["-r", "in", "-o", "all.csv", "--shape", "tidy", "--joints"];
    let convert = |joints| study.convert(&[&tidy[..], &[joints]].concat());
    let output = convert("right.IndexTip");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let expected = "2 files converted, 1 without rows (a_2): 61 rows";
    assert!(errors(&output).contains(expected), "{}", errors(&output));
    fs::remove_file(study.path("all.csv")).unwrap();
    // A table without rows is not written, nor is a recording of which nothing is left.
    let one = ["in/a_2.bin", "one.csv", "--shape", "tidy", "--joints"];
    let glb = ["in/a_2.bin", "one.glb", "--joints"];
    for output in [
        convert("right.ThumbTip"),
        convert("gaze"),
        study.convert(&[&one[..], &["right.IndexTip"]].concat()),
        study.convert(&[&glb[..], &["right", "--exclude", "right"]].concat()),
    ] {
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    }
    assert_eq!(study.files("."), ["in/a_1.bin", "in/a_2.bin"]);
}

#[test]
fn damage_and_manifest_are_those_of_the_complete_recording() {
    let study = hands();
    let convert = |args: &[&str]| {
        let args = [&["-r", "in", "--to", "csv", "--manifest", "all.csv"], args].concat();
        let output = study.convert(&args);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        // Without the names of the outputs.
        let text = fs::read_to_string(study.path("all.csv")).unwrap();
        text.replace("some", "out")
    };
    let complete = convert(&["-o", "out"]);
    // The right hand is tracked, and its other joint is recorded.
    assert_eq!(
        convert(&["-o", "some", "--joints", "right.IndexTip"]),
        complete
    );
    assert!(!complete.contains("L17"));
    let output = study.convert(&["in/a_2.bin", "a.csv", "--joints", "right.IndexTip"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

#[test]
fn a_path_pattern_is_explained_once() {
    let study = hands();
    let convert = |pattern| {
        let args = [
            "-r",
            "in",
            "-o",
            "all.csv",
            "--force",
            "--path-pattern",
            pattern,
        ];
        study.convert(&args)
    };
    let output = convert("{group}_{number}.bin");
    assert!(errors(&output).contains("columns of in/a_1.bin: group = a, number = 1"));
    let output = convert("{group}-{number}.bin");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert_eq!(errors.matches("does not match").count(), 1, "{errors}");
    assert!(errors.contains("the same error in 1 more file"), "{errors}");
}

#[test]
fn a_time_range_that_exceeds_recordings_is_one_warning() {
    let study = hands();
    let output = study.convert(&["-r", "in", "--to", "csv", "-o", "out", "--time", "0..9"]);
    let errors = errors(&output);
    let expected = "warning: the time range exceeds the recording in 2 files";
    assert!(errors.contains(expected), "{errors}");
    assert_eq!(errors.matches("exceeds").count(), 1, "{errors}");
}

#[test]
fn an_unknown_joint_is_refused_once_before_files_are_read() {
    let study = hands();
    let args = [
        "-r",
        "in",
        "--to",
        "csv",
        "-o",
        "out",
        "--joints",
        "right.IndexTop",
    ];
    let output = study.convert(&args);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(errors(&output).matches("did you mean").count(), 1);
    assert!(!study.path("out").exists());
}

#[test]
fn a_pose_that_lacks_a_curve_is_damaged() {
    let study = hands();
    let mut recording = Recording::parse(&fs::read(study.path("in/a_1.bin")).unwrap())
        .unwrap()
        .into_owned();
    recording.hands_mut().right.joints[Joint::Palm].position[2] = FloatCurve::default();
    fs::write(study.path("in/a_1.bin"), recording.to_bytes().unwrap()).unwrap();
    let output = study.convert(&["in/a_1.bin", "a.csv"]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let hint = "`--exclude right.Palm` leaves out these poses\n";
    assert!(errors(&output).contains(hint), "{}", errors(&output));
    let output = study.convert(&["in/a_1.bin", "b.csv", "--exclude", "right.Palm"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

#[test]
fn a_second_run_has_the_exit_code_of_the_first() {
    let study = Study::new();
    fs::remove_file(study.path("in/truncated.bin")).unwrap();
    let options = "-r in --to bin -o out --layout mrtk-1.0 --allow-loss";
    let options: Vec<&str> = options.split(' ').collect();
    let output = study.convert(&options);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let output = study.convert(&options);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(
        errors(&output).contains("2 up to date, 2 of them with damage or losses"),
        "{}",
        errors(&output)
    );
}

#[test]
fn a_dataset_keeps_what_the_user_completed() {
    let study = Study::new();
    let convert = |args: &[&str]| {
        let args = [&["--to", "motion-bids", "-o", "data"], args].concat();
        study.convert(&args)
    };
    let output = convert(&["-r", "in"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("2 files converted, 1 failed"));
    let files = study.files("data");
    assert_eq!(files.len(), 2 * 6 + 3 + 2, "{files:?}");
    let motion =
        "data/sub-p2/ses-day1/motion/sub-p2_ses-day1_task-take_tracksys-unknown_motion.tsv";
    assert!(study.path(motion).exists(), "{files:?}");
    let scans = study.path("data/sub-p1/sub-p1_scans.tsv");
    let p1 = "motion/sub-p1_task-unknown_tracksys-unknown_motion.tsv";
    assert_eq!(
        fs::read_to_string(&scans).unwrap(),
        format!("filename\n{p1}\n")
    );
    assert!(
        study
            .path("data/sub-p2/ses-day1/sub-p2_ses-day1_scans.tsv")
            .exists()
    );
    let completed = format!("filename\tacq_time\n{p1}\t2024-05-01T10:00:00\n");
    fs::write(&scans, &completed).unwrap();

    let participants = study.path("data/participants.tsv");
    fs::write(&participants, "participant_id\tage\nsub-p1\t31\n").unwrap();
    fs::write(study.path("data/README.md"), "mine").unwrap();
    fs::copy(study.path("in/p1.bin"), study.path("in/sub-p1_run-2.bin")).unwrap();
    fs::rename(study.path("in/p1.bin"), study.path("in/p3.bin")).unwrap();
    fs::remove_file(study.path("in/truncated.bin")).unwrap();
    let output = convert(&["-r", "in"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("2 files converted, 1 up to date"));
    let second = "motion/sub-p1_task-unknown_tracksys-unknown_run-2_motion.tsv";
    assert_eq!(
        fs::read_to_string(&scans).unwrap(),
        format!("{completed}{second}\tn/a\n")
    );
    let table = fs::read_to_string(&participants).unwrap();
    let expected = "participant_id\tage\nsub-p1\t31\nsub-p2\tn/a\nsub-p3\tn/a\n";
    assert_eq!(table, expected);
    assert_eq!(fs::read(study.path("data/README.md")).unwrap(), b"mine");

    // A file of the user is not replaced, also if it is not the file of samples.
    fs::create_dir_all(study.path("data/sub-p9/motion")).unwrap();
    let events = study.path("data/sub-p9/motion/sub-p9_task-unknown_tracksys-unknown_events.tsv");
    fs::write(&events, "mine").unwrap();
    fs::copy(study.path("in/p3.bin"), study.path("p9.bin")).unwrap();
    let output = convert(&["p9.bin"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("--force replaces it"));
    assert_eq!(fs::read(&events).unwrap(), b"mine");

    // The labels of a pattern must be those of BIDS.
    let output = convert(&["p9.bin", "--path-pattern", "{visitor}.bin"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let errors = errors(&output);
    assert!(errors.contains("unknown entity \"visitor\""), "{errors}");
}

#[test]
fn a_manifest_is_complete_if_the_dataset_cannot_be_described() {
    let study = Study::new();
    fs::create_dir_all(study.path("data/participants.tsv")).unwrap();
    let args = [
        "--to",
        "motion-bids",
        "-o",
        "data",
        "-r",
        "in",
        "--manifest",
        "m.csv",
    ];
    let output = study.convert(&args);
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    let expected = "error: cannot read data/participants.tsv\n";
    assert!(errors.contains(expected), "{errors}");
    assert!(!errors.contains("m.csv"), "{errors}");
    let manifest = fs::read_to_string(study.path("m.csv")).unwrap();
    assert_eq!(manifest.lines().count(), 1 + 3, "{manifest}");
}
