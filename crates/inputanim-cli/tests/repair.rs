//! `inputanim repair` writes what it can mend, and says what is doubtful and what stays lost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use inputanim::{Keys, Recording};
use serde_json::Value;
use tempfile::TempDir;

fn sample() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    fs::read(path).unwrap()
}

/// A folder with `whole.bin`, and `take.bin` as MRTK 2.6.0 to 2.7.2 saves it: one key of each w, and
/// the last samples of gaze left out.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let whole = sample();
    let mut take = Recording::parse(&whole).unwrap();
    let gaze = take.gaze.iter_mut().flat_map(|ray| ray.iter_mut());
    let mut shorter: Vec<_> = gaze.map(|(_, curve)| (curve, 97)).collect();
    shorter.push((&mut take.camera.as_mut().unwrap().rotation[3], 1));
    let joints = take
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
    let bytes = take.to_bytes(take.layout).unwrap();
    fs::write(folder.path().join("take.bin"), bytes).unwrap();
    fs::write(folder.path().join("whole.bin"), &whole).unwrap();
    folder
}

fn repair(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_inputanim"))
        .arg("repair")
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn json(folder: &TempDir, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn where_there_is_nothing_to_repair_out_is_the_same_byte_for_byte() {
    let folder = folder();
    let done = repair(
        &folder,
        &["whole.bin", "-o", "out.bin", "--doubts", "d.json"],
    );
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(done.stderr, b"whole.bin: nothing to repair\n");
    assert_eq!(fs::read(folder.path().join("out.bin")).unwrap(), sample());
    // A program that looks for doubts finds the list, empty.
    assert_eq!(json(&folder, "d.json")["doubts"], Value::Array(Vec::new()));
}

#[test]
fn what_stays_lost_is_said_by_the_exit_code_and_can_be_cut_off() {
    let folder = folder();
    let lost = repair(&folder, &["take.bin", "-o", "lost.bin"]);
    assert_eq!(lost.status.code(), Some(3));
    let said = String::from_utf8(lost.stderr).unwrap();
    assert!(
        said.contains("gaze stands still for at least the last 0.800 s"),
        "{said}"
    );
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    assert!(lost.stdout.is_empty());

    let cut = repair(&folder, &["take.bin", "-o", "cut.bin", "--trim-frozen"]);
    assert_eq!(cut.status.code(), Some(0));
    let bytes = fs::read(folder.path().join("cut.bin")).unwrap();
    assert_eq!(Recording::parse(&bytes).unwrap().duration(), 3.2);
}

#[test]
fn where_a_stream_has_one_instant_nothing_is_cut_off() {
    let folder = folder();
    let mut bytes = sample();
    let mut take = Recording::parse(&bytes).unwrap();
    for (_, curve) in take.gaze_mut().iter_mut() {
        if let Keys::Simple(keys) = &mut curve.keys {
            keys.to_mut().truncate(1);
        }
    }
    bytes = take.to_bytes(take.layout).unwrap();
    fs::write(folder.path().join("take.bin"), bytes).unwrap();
    let refused = repair(&folder, &["take.bin", "-o", "out.bin", "--trim-frozen"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        said.contains("nothing would be left: gaze stands still"),
        "{said}"
    );
    assert_eq!(names(&folder), ["take.bin", "whole.bin"]);
}

#[test]
fn doubts_name_curves_and_times_and_end_where_the_recording_does() {
    let folder = folder();
    let doubts = |arguments: &[&str]| {
        let arguments = [
            &["take.bin", "-f", "-o", "out.bin", "--doubts", "d.json"],
            arguments,
        ];
        repair(&folder, &arguments.concat());
        let doubts = json(&folder, "d.json");
        assert_eq!(doubts["file"], "out.bin");
        assert_eq!(doubts["source"], "take.bin");
        let [camera] = &doubts["doubts"].as_array().unwrap()[..] else {
            panic!("{doubts}");
        };
        assert_eq!(camera["curve"], "camera.rotation.w");
        assert_eq!(camera["code"], "D1");
        let last = camera["doubtful"].as_array().unwrap().last().unwrap();
        let keys = camera["doubtfulKeys"].as_u64().unwrap();
        (keys, last["end"].as_f64().unwrap() as f32)
    };
    let (whole, cut) = (doubts(&[]), doubts(&["--trim-frozen"]));
    assert_eq!(whole.1, 4.0);
    assert_eq!(cut.1, 3.2);
    assert!(cut.0 > 0 && cut.0 < whole.0, "{cut:?}, {whole:?}");
}

#[test]
fn the_report_for_programs_has_what_was_mended_and_what_remains() {
    let folder = folder();
    let done = repair(&folder, &["take.bin", "-o", "out.bin", "--format", "json"]);
    assert_eq!(done.status.code(), Some(3));
    assert!(done.stderr.is_empty());
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    let report = &report[0];
    assert_eq!(report["mended"][0]["curve"], "camera.rotation.w");
    assert_eq!(report["mended"][0]["keys"], 121);
    assert_eq!(report["lost"][0], "D3");
    assert_eq!(report["remaining"][0]["code"], "D3");
    assert_eq!(report["cut"], Value::Null);
}

#[test]
fn what_would_be_written_over_is_refused_before_anything_is_done() {
    let folder = folder();
    for (arguments, code) in [
        (&["take.bin", "-o", "-", "--format", "json"][..], 2),
        (&["take.bin", "-o", "-", "--doubts", "-"], 2),
        (
            &["take.bin", "-f", "-o", "out.bin", "--doubts", "out.bin"],
            2,
        ),
        (
            &["take.bin", "-f", "-o", "out.bin", "--doubts", "./take.bin"],
            2,
        ),
        (&["take.bin", "-o", "out.bin", "--doubts", "whole.bin"], 1),
        (&["take.bin", "-o", "whole.bin", "--doubts", "d.json"], 1),
    ] {
        let refused = repair(&folder, arguments);
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}");
        assert!(refused.stdout.is_empty());
        assert_eq!(names(&folder), ["take.bin", "whole.bin"], "{arguments:?}");
    }
    assert_eq!(fs::read(folder.path().join("whole.bin")).unwrap(), sample());
}
