//! `inputanim repair` writes what it can repair, and reports what is uncertain and what stays lost.

use std::fs;
use std::path::Path;
use std::process::Output;

use inputanim::{Keys, Recording};
use inputanim_motion::Scene;
use inputanim_testkit::damage::case::CASES;
use inputanim_testkit::damage::lose_w;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{names, program};

fn sample() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    fs::read(path).unwrap()
}

/// Creates a folder with `intact.bin`, and `take.bin` as MRTK 2.6.0 to 2.7.2 saves it: with one key
/// of each w, and without the last samples of the gaze.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let intact = sample();
    let mut recording = Recording::parse(&intact).unwrap();
    let gaze = recording.gaze.iter_mut().flat_map(|ray| ray.iter_mut());
    let mut shorter: Vec<_> = gaze.map(|(_, curve)| (curve, 97)).collect();
    shorter.push((&mut recording.head.as_mut().unwrap().rotation[3], 1));
    let joints = recording
        .hands
        .iter_mut()
        .flat_map(|hands| hands.right.joints.iter_mut());
    shorter.extend(joints.map(|(_, pose)| (&mut pose.rotation[3], 1)));
    for (curve, keys) in shorter {
        match &mut curve.keys {
            Keys::Simple(all) => all.to_mut().truncate(keys),
            Keys::Full(_) => unreachable!("the layout has simple keys"),
        }
    }
    let bytes = recording.to_bytes().unwrap();
    fs::write(folder.path().join("take.bin"), bytes).unwrap();
    fs::write(folder.path().join("intact.bin"), &intact).unwrap();
    folder
}

fn repair(folder: &TempDir, arguments: &[&str]) -> Output {
    program()
        .arg("repair")
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn json(folder: &TempDir, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap()
}

#[test]
fn an_intact_recording_is_copied_byte_for_byte() {
    let folder = folder();
    let done = repair(
        &folder,
        &["intact.bin", "-o", "out.bin", "--uncertain", "d.json"],
    );
    assert_eq!(done.status.code(), Some(0));
    let expected =
        b"copied intact.bin: nothing to repair, 4.000 s, 26,148 keys, 214 kB -> out.bin\n";
    assert_eq!(done.stderr, expected);
    assert_eq!(fs::read(folder.path().join("out.bin")).unwrap(), sample());
    // A program that reads the uncertain times needs the list even if it is empty.
    assert_eq!(json(&folder, "d.json")["curves"], Value::Array(Vec::new()));
}

#[test]
fn lost_samples_give_exit_code_3_and_can_be_cut_off() {
    let folder = folder();
    let lost = repair(&folder, &["take.bin", "-o", "lost.bin"]);
    assert_eq!(lost.status.code(), Some(3));
    let message = String::from_utf8(lost.stderr).unwrap();
    assert!(
        message.contains("gaze stands still for at least the last 0.800 s"),
        "{message}"
    );
    let (details, summary) = message.trim_end().rsplit_once('\n').unwrap();
    assert!(
        details.lines().all(|line| line.chars().count() <= 80),
        "{message}"
    );
    assert!(summary.contains("D3 remains"), "{summary}");
    assert!(lost.stdout.is_empty());

    let cut = repair(&folder, &["take.bin", "-o", "cut.bin", "--trim-frozen"]);
    assert_eq!(cut.status.code(), Some(0));
    let bytes = fs::read(folder.path().join("cut.bin")).unwrap();
    assert_eq!(Recording::parse(&bytes).unwrap().duration(), 3.2);
}

#[test]
fn a_stream_with_one_instant_cannot_be_trimmed() {
    let folder = folder();
    let mut bytes = sample();
    let mut recording = Recording::parse(&bytes).unwrap();
    for (_, curve) in recording.gaze_mut().iter_mut() {
        if let Keys::Simple(keys) = &mut curve.keys {
            keys.to_mut().truncate(1);
        }
    }
    bytes = recording.to_bytes().unwrap();
    fs::write(folder.path().join("take.bin"), bytes).unwrap();
    let refused = repair(&folder, &["take.bin", "-o", "out.bin", "--trim-frozen"]);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("the trimmed recording would be empty: gaze"),
        "{message}"
    );
    assert_eq!(names(&folder), ["intact.bin", "take.bin"]);
}

#[test]
fn uncertain_times_name_curves_and_times_within_the_recording() {
    let folder = folder();
    let uncertain = |arguments: &[&str]| {
        let arguments = [
            &["take.bin", "-f", "-o", "out.bin", "--uncertain", "d.json"],
            arguments,
        ];
        repair(&folder, &arguments.concat());
        let uncertain = json(&folder, "d.json");
        assert_eq!(uncertain["file"], "out.bin");
        assert_eq!(uncertain["source"], "take.bin");
        let [head] = &uncertain["curves"].as_array().unwrap()[..] else {
            panic!("{uncertain}");
        };
        assert_eq!(head["curve"], "head.rotation.w");
        assert_eq!(head["code"], "D1");
        let last = head["uncertain"].as_array().unwrap().last().unwrap();
        let keys = head["uncertainKeys"].as_u64().unwrap();
        (keys, last["end"].as_f64().unwrap() as f32)
    };
    let (full, cut) = (uncertain(&[]), uncertain(&["--trim-frozen"]));
    assert_eq!(full.1, 4.0);
    assert_eq!(cut.1, 3.2);
    assert!(cut.0 > 0 && cut.0 < full.0, "{cut:?}, {full:?}");
}

#[test]
fn uncertain_joints_of_a_hand_share_a_line_without_verbose() {
    let folder = tempfile::tempdir().unwrap();
    let case = CASES.iter().find(|case| case.name == "tracking jumps");
    let case = case.unwrap();
    let mut recording = case.record(Scene::TwoHands, 11, 20.0);
    lose_w(&mut recording, case.loss);
    let bytes = recording.to_bytes().unwrap();
    fs::write(folder.path().join("take.bin"), bytes).unwrap();
    let lines = |arguments: &[&str]| {
        let arguments = [&["take.bin", "-f", "-o", "out.bin"], arguments].concat();
        let done = repair(&folder, &arguments);
        let message = String::from_utf8(done.stderr).unwrap();
        let lines = message.lines().map(str::to_owned);
        lines.collect::<Vec<String>>()
    };

    let short = lines(&[]);
    let joints = short.iter().filter(|line| line.contains(".rotation "));
    assert_eq!(joints.count(), 0, "{short:#?}");
    for hand in ["left hand, 26 rotations", "right hand, 26 rotations"] {
        let line = short.iter().position(|line| line.contains(hand));
        let line = line.unwrap_or_else(|| panic!("{short:#?}"));
        // The paragraph can continue in the next lines.
        let text = short[line..].join(" ");
        assert!(text.contains(" uncertain, most at "), "{short:#?}");
        assert!(text.contains(" more times (-v)"), "{short:#?}");
    }

    let long = lines(&["-v"]);
    let joints = long.iter().filter(|line| line.contains(".rotation "));
    assert_eq!(joints.count(), 52, "{long:#?}");
    assert!(!long.iter().any(|line| line.contains("(-v)")), "{long:#?}");
}

#[test]
fn the_report_lists_repaired_curves_and_remaining_findings() {
    let folder = folder();
    let done = repair(&folder, &["take.bin", "-o", "out.bin", "--format", "json"]);
    assert_eq!(done.status.code(), Some(3));
    let summary = String::from_utf8(done.stderr).unwrap();
    assert!(
        summary.starts_with("repaired take.bin: D1 repaired, "),
        "{summary}"
    );
    assert_eq!(summary.lines().count(), 1, "{summary}");
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    let report = &report[0];
    assert_eq!(report["repaired"][0]["curve"], "head.rotation.w");
    assert_eq!(report["repaired"][0]["keys"], 121);
    assert_eq!(report["lost"][0], "D3");
    assert_eq!(report["remaining"][0]["code"], "D3");
    assert_eq!(report["cut"], Value::Null);
}

#[test]
fn conflicting_outputs_are_refused_before_anything_is_written() {
    let folder = folder();
    for (arguments, code) in [
        (&["take.bin", "-o", "-", "--format", "json"][..], 2),
        (&["take.bin", "-o", "-", "--uncertain", "-"], 2),
        (
            &["take.bin", "-f", "-o", "out.bin", "--uncertain", "out.bin"],
            2,
        ),
        (
            &[
                "take.bin",
                "-f",
                "-o",
                "out.bin",
                "--uncertain",
                "./take.bin",
            ],
            2,
        ),
        (
            &["take.bin", "-o", "out.bin", "--uncertain", "intact.bin"],
            1,
        ),
        (
            &["take.bin", "-o", "intact.bin", "--uncertain", "d.json"],
            1,
        ),
    ] {
        let refused = repair(&folder, arguments);
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}");
        assert!(refused.stdout.is_empty());
        assert_eq!(names(&folder), ["intact.bin", "take.bin"], "{arguments:?}");
    }
    assert_eq!(
        fs::read(folder.path().join("intact.bin")).unwrap(),
        sample()
    );
}

#[test]
fn a_folder_has_the_hint_about_the_end_of_streams_once() {
    let folder = folder();
    fs::copy(folder.path().join("take.bin"), folder.path().join("b.bin")).unwrap();
    let output = repair(&folder, &["-r", ".", "-o", "repaired"]);
    assert_eq!(output.status.code(), Some(3));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.matches("--trim-frozen").count(), 1, "{errors}");
    assert!(errors.contains("D1 repaired"), "{errors}");
}
