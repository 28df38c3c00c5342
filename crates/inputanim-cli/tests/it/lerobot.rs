//! `inputanim convert --to lerobot`: many recordings become a dataset.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{names, program};

/// A study with two intact recordings and a truncated one.
struct Study(tempfile::TempDir);

impl Study {
    fn new() -> Study {
        let study = Study(tempfile::tempdir().unwrap());
        fs::create_dir_all(study.path("in/p1")).unwrap();
        for (sample, name) in [("reach", "p1/stack_1.bin"), ("wave", "p1/wave_2.bin")] {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
            fs::copy(
                root.join(format!("{sample}.bin")),
                study.path("in").join(name),
            )
            .unwrap();
        }
        study
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the exit code and the messages of a conversion of all recordings.
    fn convert(&self, args: &[&str]) -> (i32, String) {
        self.convert_to("dataset", args)
    }

    fn convert_to(&self, folder: &str, args: &[&str]) -> (i32, String) {
        let mut program = program();
        let common = ["convert", "-r", "in", "--to", "lerobot", "-o", folder];
        program.args(common).args(args).current_dir(self.0.path());
        let Output { status, stderr, .. } = program.output().unwrap();
        let messages = String::from_utf8(stderr).unwrap();
        (status.code().unwrap(), messages)
    }

    fn info(&self) -> serde_json::Value {
        let text = fs::read(self.path("dataset/meta/info.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

#[test]
fn recordings_become_a_dataset() {
    let study = Study::new();
    let (code, messages) = study.convert(&["--task-pattern", "{task}_{*}.bin"]);
    assert_eq!(code, 0, "{messages}");
    assert!(
        messages.contains("2 files converted: 2 episodes, "),
        "{messages}"
    );
    assert!(messages.contains("task = stack"), "{messages}");
    assert!(messages.contains("last pose held"), "{messages}");
    let info = study.info();
    assert_eq!(
        (&info["fps"], &info["total_tasks"]),
        (&30.into(), &2.into())
    );
    assert_eq!(names(&study.0), ["dataset", "in"]);

    let before = fs::read(study.path("dataset/meta/stats.json")).unwrap();
    let (code, messages) = study.convert(&["--rate", "10"]);
    assert_eq!(code, 1);
    assert!(
        messages.contains("dataset already exists\n  hint: --force replaces it"),
        "{messages}"
    );
    assert_eq!(
        fs::read(study.path("dataset/meta/stats.json")).unwrap(),
        before
    );
    let args = [
        "--force",
        "--rate",
        "10",
        "--joints",
        "right,head",
        "--frame",
        "wrist",
    ];
    assert_eq!(study.convert(&args).0, 0);
    assert_eq!(study.info()["fps"], 10);
    let names_of_states = study.info()["features"]["action"]["names"].to_string();
    assert!(!names_of_states.contains("left"), "{names_of_states}");

    // A folder with other content is never replaced.
    fs::remove_file(study.path("dataset/meta/info.json")).unwrap();
    let (code, messages) = study.convert(&["--force"]);
    assert_eq!(code, 1);
    assert!(
        messages.contains("it has content, but no file meta/info.json"),
        "{messages}"
    );
    assert_eq!(names(&study.0), ["dataset", "in"]);
}

#[test]
fn a_folder_with_other_files_is_never_replaced() {
    let study = Study::new();
    assert_eq!(study.convert(&[]).0, 0);
    fs::write(study.path("dataset/data/notes.txt"), "text").unwrap();
    for args in [&["--force"][..], &[]] {
        let (code, messages) = study.convert(args);
        assert_eq!(code, 1);
        let path = Path::new("data").join("notes.txt");
        let expected = format!(
            "error: dataset cannot be replaced: its file {} would be lost\n  hint: choose another folder",
            path.display()
        );
        assert!(messages.contains(&expected), "{messages}");
    }
    assert!(study.path("dataset/data/notes.txt").exists());
    fs::remove_file(study.path("dataset/data/notes.txt")).unwrap();

    let mut program = program();
    let input = "dataset/meta/stats.json";
    let output = program
        .args(["convert", input, "--to", "lerobot", "-o", "dataset", "-f"])
        .current_dir(study.0.path())
        .output()
        .unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{messages}");
    let expected = "dataset/meta/stats.json is inside of the output dataset";
    assert!(messages.contains(expected), "{messages}");
    assert!(study.path(input).exists());
}

#[cfg(unix)]
#[test]
fn an_error_of_the_system_names_the_dataset() {
    let study = Study::new();
    fs::write(study.path("file"), "").unwrap();
    let (code, messages) = study.convert_to("file/dataset", &[]);
    assert_eq!(code, 1);
    assert!(
        messages.contains("error: cannot write file/dataset\n"),
        "{messages}"
    );
}

#[test]
fn inputs_of_another_format_and_standard_input_are_understood() {
    let study = Study::new();
    let mut table = program();
    let args = [
        "convert",
        "in/p1/wave_2.bin",
        "wave.txt",
        "--to",
        "csv",
        "--rate",
        "30",
    ];
    let made = table.args(args).current_dir(study.0.path()).output();
    assert!(made.unwrap().status.success());
    let mut program = program();
    let args = [
        "convert",
        "wave.txt",
        "--input-format",
        "csv",
        "--to",
        "lerobot",
        "-o",
        "dataset",
    ];
    let output = program.args(args).current_dir(study.0.path()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(study.info()["total_episodes"], 1);

    let mut program = crate::support::program();
    let args = ["convert", "-", "--to", "lerobot", "-o", "other"];
    let output = program.args(args).current_dir(study.0.path()).output();
    let output = output.unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        messages.contains("standard input cannot become a dataset"),
        "{messages}"
    );
}

#[test]
fn a_pattern_that_does_not_match_has_no_note() {
    let study = Study::new();
    let (code, messages) = study.convert(&["--task-pattern", "{task}+{*}.bin"]);
    assert_eq!(code, 1);
    assert!(!messages.contains("note: "), "{messages}");
    assert!(
        messages.contains("does not match the pattern"),
        "{messages}"
    );
}

#[test]
fn a_hand_that_one_recording_lacks_has_a_note() {
    let study = Study::new();
    let mut select = program();
    let wave = "in/p1/wave_2.bin";
    let args = ["select", wave, "-o", wave, "--exclude", "left", "-f"];
    let selected = select.args(args).current_dir(study.0.path()).output();
    assert!(selected.unwrap().status.success());
    let (code, messages) = study.convert(&[]);
    assert_eq!(code, 0, "{messages}");
    assert!(
        messages.contains("wave_2.bin: left hand not recorded, identity"),
        "{messages}"
    );
    assert!(
        messages.contains("never tracked in 1 of 2 episodes, identity"),
        "{messages}"
    );
}

#[test]
fn a_file_that_fails_does_not_stop_the_others() {
    let study = Study::new();
    let sample = fs::read(study.path("in/p1/wave_2.bin")).unwrap();
    fs::write(study.path("in/p1/broken.bin"), &sample[..sample.len() / 2]).unwrap();
    let (code, messages) = study.convert(&["--manifest", "files.csv"]);
    assert_eq!(code, 1);
    assert!(
        messages.contains("2 files converted, 1 failed: 2 episodes"),
        "{messages}"
    );
    assert!(messages.contains("broken.bin"), "{messages}");
    assert_eq!(study.info()["total_episodes"], 2);
    let manifest = fs::read_to_string(study.path("files.csv")).unwrap();
    assert_eq!(manifest.lines().count(), 4, "{manifest}");
    let (code, messages) = study.convert(&["--force", "--recover", "--joints", "head"]);
    assert_eq!(code, 3, "{messages}");
    assert_eq!(study.info()["total_episodes"], 3);

    // Nothing is left of a dataset without episodes.
    fs::remove_dir_all(study.path("dataset")).unwrap();
    fs::remove_file(study.path("in/p1/wave_2.bin")).unwrap();
    fs::remove_file(study.path("in/p1/stack_1.bin")).unwrap();
    let (code, messages) = study.convert(&[]);
    assert_eq!(code, 1, "{messages}");
    assert!(
        messages.contains("0 files converted, 1 failed"),
        "{messages}"
    );
    assert_eq!(names(&study.0), ["files.csv", "in"]);
}

#[test]
fn without_a_dataset_all_files_failed() {
    let study = Study::new();
    let (code, messages) = study.convert(&["--segments", "pinch@0..1"]);
    assert_eq!(code, 1, "{messages}");
    let expected = "note: 2 files: no segments: no events of the kind pinch\n";
    assert_eq!(messages.matches(expected).count(), 1, "{messages}");
    assert!(
        messages.contains("error: the dataset would have no episodes\n0 files converted, 2 failed"),
        "{messages}"
    );
    assert_eq!(names(&study.0), ["in"]);
}

#[test]
fn segments_become_episodes() {
    let study = Study::new();
    let table = "recording,start,end,task\nstack_1,0,1,stack\nstack_1,1,2,unstack\n";
    fs::write(study.path("trials.csv"), table).unwrap();
    let (code, messages) = study.convert(&["--segments", "trials.csv"]);
    assert_eq!(code, 0, "{messages}");
    assert!(
        messages.contains("1 recording without trials in trials.csv: p1/wave_2"),
        "{messages}"
    );
    let info = study.info();
    assert_eq!(
        (&info["total_episodes"], &info["total_tasks"]),
        (&2.into(), &2.into())
    );
    assert_eq!(info["total_frames"], 62);
    assert_eq!(study.convert(&["--force", "--segments", "markers"]).0, 0);
    assert!(study.info()["total_episodes"].as_u64().unwrap() > 2);
}

#[test]
fn options_that_are_wrong_or_have_no_effect_are_refused() {
    let study = Study::new();
    for (args, expected) in [
        (
            &["--rate", "29.97"][..],
            "LeRobot needs a whole number of frames per second",
        ),
        (
            &["--shape", "tidy"],
            "--shape has no effect on the format lerobot",
        ),
        (
            &["--path-pattern", "{a}.bin"],
            "--path-pattern has no effect on the format lerobot",
        ),
        (&["--task-pattern", "{a}.bin"], "has no column \"task\""),
        (
            &["--task", ""],
            "expected the description of a task, found an empty string",
        ),
        (
            &["--task", " "],
            "expected the description of a task, found an empty string",
        ),
        (
            &["--task", "a", "--task-pattern", "{task}.bin"],
            "cannot be used with",
        ),
        (
            &["--segments", "markers", "--time", "0..1"],
            "cannot be used with",
        ),
        (&["--segments", "marker"], "unknown segments"),
        (&["--frame", "palm"], "possible values: world, head, wrist"),
        (&["--exclude", "left.tracked"], "cannot remove left.tracked"),
        (
            &["--action", "relative"],
            "relative actions need the frame of reference head or wrist, found world\n  hint: add --frame wrist",
        ),
        (
            &["--scale-hands", "--frame", "head"],
            "cannot be divided by the size of the hand; expected the frame of reference wrist\n  hint: add --frame wrist",
        ),
        (
            &["--gripper", "fist"],
            "possible values: pinch, geometric-pinch, aperture, trigger",
        ),
        (
            &["--success", "trials"],
            "expected a trial table with the column \"success\"\n  hint: give the table",
        ),
        (
            &["--validation", "person=20%"],
            "has the column \"person\"\n  hint: name the part of the path",
        ),
        (
            &["--validation", "person=100%"],
            "expected a whole percentage from 1% to 99%, found \"100%\"",
        ),
        (
            &["--keypoints", "mediapipe", "--exclude", "right.IndexTip"],
            "right.IndexTip is not selected, but the order of keypoints mediapipe has the complete hand\n  hint: --joints right selects",
        ),
        (
            &["--keypoints", "mediapipe", "--joints", "right.Palm"],
            "right.Wrist is not selected",
        ),
        (
            &["--split-pattern", "{person}/{*}.bin"],
            "required arguments were not provided",
        ),
        (
            &[
                "--validation",
                "person=p1",
                "--split-pattern",
                "{person}/{*}.bin",
            ],
            "some are for training and others for validation\n  hint: name some of the values",
        ),
        (
            &["--manifest", "dataset/files.csv"],
            "dataset/files.csv is inside of the dataset",
        ),
        (
            &["--manifest", "./dataset/meta/files.csv"],
            "is inside of the dataset",
        ),
    ] {
        let (code, messages) = study.convert(args);
        assert_eq!(code, 2, "{args:?}: {messages}");
        assert!(messages.contains(expected), "{args:?}: {messages}");
    }
    let mut other = program();
    let args = [
        "convert", "-r", "in", "--to", "csv", "-o", "out", "--frame", "head",
    ];
    let output = other
        .args(args)
        .current_dir(study.0.path())
        .output()
        .unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(
        messages.contains("--frame has no effect on the format csv"),
        "{messages}"
    );
    assert_eq!(names(&study.0), ["in"]);
}

#[test]
fn recordings_without_a_stream_of_the_states_fail() {
    let study = Study::new();
    let mut select = program();
    let wave = "in/p1/wave_2.bin";
    let args = ["select", wave, "-o", wave, "--exclude", "gaze", "-f"];
    let selected = select
        .args(args)
        .current_dir(study.0.path())
        .output()
        .unwrap();
    assert!(selected.status.success(), "{selected:?}");
    let (code, messages) = study.convert(&[]);
    assert_eq!(code, 1);
    let expected =
        "gaze is not recorded, but it is part of the states of the dataset\n  hint: --exclude gaze";
    assert!(messages.contains(expected), "{messages}");
    assert_eq!(study.info()["total_episodes"], 1);
    assert_eq!(study.convert(&["--force", "--exclude", "gaze"]).0, 0);
}

#[test]
fn forms_of_states_are_options() {
    let study = Study::new();
    fs::create_dir_all(study.path("in/p2")).unwrap();
    fs::copy(
        study.path("in/p1/wave_2.bin"),
        study.path("in/p2/wave_2.bin"),
    )
    .unwrap();
    let (code, messages) = study.convert(&[
        "--frame",
        "wrist",
        "--rotations",
        "6d",
        "--action",
        "relative",
        "--mask",
        "joint",
        "--scale-hands",
        "--gripper",
        "aperture,geometric-pinch",
        "--joints",
        "right",
        "--modality",
        "--validation",
        "person=p1",
        "--split-pattern",
        "{person}/{*}.bin",
    ]);
    assert_eq!(code, 0, "{messages}");
    let info = study.info();
    // The recordings of the first person follow.
    assert_eq!(
        info["splits"],
        serde_json::json!({"train": "0:1", "val": "1:3"})
    );
    let features = info["features"].as_object().unwrap();
    for feature in ["valid", "next.valid", "hand_size"] {
        assert!(features.contains_key(feature), "{feature}");
    }
    let facts = serde_json::json!({
        "axes": "unity", "frame": "wrist", "rotation": "6d", "divided_by": "hand_size", "action": "relative",
    });
    assert_eq!(features["action"]["info"], facts);
    let names = features["action"]["names"].to_string();
    assert!(names.contains("right.aperture") && names.contains("right.Palm.rotation.column1.z"));
    assert!(!names.contains("pinching"), "{names}");
    let modality = fs::read(study.path("dataset/meta/modality.json")).unwrap();
    let modality: serde_json::Value = serde_json::from_slice(&modality).unwrap();
    assert_eq!(modality["state"]["right_Wrist_rotation"]["end"], 12);

    // The dataset may be replaced although it has one more file.
    let args = ["--force", "--keypoints", "mediapipe", "--joints", "right"];
    assert_eq!(study.convert(&args).0, 0);
    let names = study.info()["features"]["action"]["names"].clone();
    assert_eq!(names.as_array().unwrap().len(), 2 + 63);
    assert!(!study.path("dataset/meta/modality.json").exists());
}

#[test]
fn a_form_without_effect_has_a_hint() {
    let study = Study::new();
    let args = [
        "--action", "relative", "--frame", "wrist", "--joints", "head",
    ];
    let (code, messages) = study.convert(&args);
    assert_eq!(code, 1);
    let expected = "the form of actions has no effect on these states, which have no such poses\n  hint: leave out the option";
    assert!(messages.contains(expected), "{messages}");
    assert_eq!(names(&study.0), ["in"]);
}

#[test]
fn markers_label_episodes() {
    let study = Study::new();
    let (code, messages) = study.convert(&["--success", "markers"]);
    assert_eq!(code, 1);
    assert!(
        messages.contains(
            "found no marker\n  hint: `inputanim markers add in/p1/stack_1.bin --at 5 success -o labelled.bin` adds a label"
        ),
        "{messages}"
    );
    // Recordings of one episode have one error.
    assert!(
        messages.contains("the same error in 1 more file\n0 files converted, 2 failed"),
        "{messages}"
    );
    for name in ["stack_1", "wave_2"] {
        let mut program = program();
        let file = format!("in/p1/{name}.bin");
        let label = if name == "stack_1" {
            "success"
        } else {
            "failure"
        };
        let args = [
            "markers", "add", &file, "-o", &file, "-f", "--at", "1", label,
        ];
        let output = program
            .args(args)
            .current_dir(study.0.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let (code, messages) = study.convert(&["--success", "markers"]);
    assert_eq!(code, 0, "{messages}");
    let stats = fs::read(study.path("dataset/meta/stats.json")).unwrap();
    let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
    assert_eq!(stats["next.success"]["max"], serde_json::json!([1.0]));
}

/// Returns an MP4 file without content, whose frames are at `rate` frames per second.
fn mp4(frames: u32, rate: u32) -> Vec<u8> {
    let boxed = |kind: &str, content: &[u8]| {
        let size = (content.len() as u32 + 8).to_be_bytes();
        [&size[..], kind.as_bytes(), content].concat()
    };
    let numbers = |numbers: &[u32]| -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_be_bytes())
            .collect()
    };
    let mut entry = vec![0; 78];
    entry[24..28].copy_from_slice(&[0x07, 0x80, 0x04, 0x38]);
    let stsd = [numbers(&[0, 1]), boxed("avc1", &entry)].concat();
    let stts = boxed("stts", &numbers(&[0, 1, frames, 1]));
    let mut handler = vec![0; 24];
    handler[8..12].copy_from_slice(b"vide");
    let media = [
        boxed("mdhd", &numbers(&[0, 0, 0, rate, 0, 0])),
        boxed("hdlr", &handler),
        boxed(
            "minf",
            &boxed("stbl", &[boxed("stsd", &stsd), stts].concat()),
        ),
    ];
    let track = boxed("trak", &boxed("mdia", &media.concat()));
    let header = boxed("mvhd", &numbers(&[0, 0, 0, 1000, 0]));
    let moov = boxed("moov", &[header, track].concat());
    [boxed("ftyp", b"isom"), moov].concat()
}

#[cfg(feature = "full")]
#[test]
fn the_video_beside_an_episode_of_egodex_is_copied() {
    let study = Study::new();
    let (code, messages) = study.convert(&["--video"]);
    assert_eq!(code, 1);
    let expected =
        "only files of EgoDex have a video beside them\n  hint: convert only files of EgoDex";
    assert!(messages.contains(expected), "{messages}");

    fs::remove_dir_all(study.path("in/p1")).unwrap();
    let episode =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../inputanim-convert/tests/egodex/latest.hdf5");
    fs::copy(episode, study.path("in/0.hdf5")).unwrap();
    let args = ["--video", "--input-format", "egodex", "--joints", "head"];
    let (code, messages) = study.convert(&args);
    assert_eq!(code, 1, "{messages}");
    assert!(messages.contains("0.mp4: "), "{messages}");
    fs::write(study.path("in/0.mp4"), mp4(3, 30)).unwrap();
    let (code, messages) = study.convert(&args);
    assert_eq!(code, 1);
    let expected = "0.mp4: the video has 3 frames, but the recording has 2";
    assert!(messages.contains(expected), "{messages}");
    fs::write(study.path("in/0.mp4"), mp4(2, 25)).unwrap();
    let (code, messages) = study.convert(&args);
    assert_eq!(code, 1);
    let expected = "0.mp4: frame 1 of the video is at 0.04 s, expected 0.03333333333333333 s (30 frames per second)";
    assert!(messages.contains(expected), "{messages}");

    let video = mp4(2, 30);
    fs::write(study.path("in/0.mp4"), &video).unwrap();
    let (code, messages) = study.convert(&args);
    assert_eq!(code, 0, "{messages}");
    let path = "dataset/videos/observation.images.ego_view/chunk-000/file-000.mp4";
    assert_eq!(fs::read(study.path(path)).unwrap(), video);
    assert!(study.info()["features"]["observation.images.ego_view"].is_object());
    // A dataset with videos may be replaced.
    let mut again = args.to_vec();
    again.push("--force");
    assert_eq!(study.convert(&again).0, 0);

    // The same from a pack, whose checksums are compared.
    let run = |line: &str| {
        let mut command = program();
        command.args(line.split(' ')).current_dir(study.path(""));
        let output = command.output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), messages)
    };
    let packed = run("pack in -o packs");
    assert_eq!(packed.0, Some(0), "{}", packed.1);
    let convert = "convert -r packs --to lerobot -o packed --task reach --rate 30 --video --input-format egodex --joints head";
    let converted = run(convert);
    assert_eq!(converted.0, Some(0), "{}", converted.1);
    let path = "packed/videos/observation.images.ego_view/chunk-000/file-000.mp4";
    assert_eq!(fs::read(study.path(path)).unwrap(), video);
    let pack = study.path("packs/0001.pack.mcap");
    let mut bytes = fs::read(&pack).unwrap();
    let place = bytes.windows(video.len()).position(|part| part == video);
    // A letter of the brand, so that the file stays a well-formed MP4 file.
    bytes[place.unwrap() + 8] ^= 1;
    fs::write(&pack, bytes).unwrap();
    let damaged = run(&convert.replace("packed", "damaged"));
    assert_eq!(damaged.0, Some(1), "{}", damaged.1);
    assert!(damaged.1.contains("checksum"), "{}", damaged.1);
}
