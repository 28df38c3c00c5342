//! `inputanim optimize` writes fewer keys, says how far off they play, and refuses what it cannot do.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use inputanim::{FullKey, Keys, Layout, Pose, Recording, SimpleKey};
use serde_json::Value;
use tempfile::TempDir;

fn sample() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    fs::read(path).unwrap()
}

/// A folder with `take.bin`, a sample that was changed.
fn folder(change: impl FnOnce(&mut Recording<'_>)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let whole = sample();
    let mut take = Recording::parse(&whole).unwrap();
    change(&mut take);
    let bytes = take.to_bytes(take.layout).unwrap();
    fs::write(folder.path().join("take.bin"), bytes).unwrap();
    folder
}

fn optimize(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_inputanim"))
        .args(["optimize", "take.bin"])
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn report(folder: &TempDir, arguments: &[&str]) -> Value {
    let arguments = [&["-f", "-o", "out.bin", "--format", "ndjson"], arguments];
    let done = optimize(folder, &arguments.concat());
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    serde_json::from_slice(&done.stdout).unwrap()
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

#[test]
fn what_it_says_of_sizes_and_errors_is_so() {
    let folder = folder(|_| {});
    for method in ["one-pass", "fewest", "toolkit"] {
        let report = report(&folder, &["--position-mm", "0.5", "--method", method]);
        let out = fs::read(folder.path().join("out.bin")).unwrap();
        assert_eq!(report["changed"], true);
        assert_eq!(report["bytesBefore"], sample().len());
        assert_eq!(report["bytesAfter"], out.len());
        let kept = Recording::parse(&out).unwrap();
        let keys: usize = kept.curves().map(|(_, curve)| curve.len()).sum();
        assert_eq!(report["keysAfter"], keys);
        let streams = report["streams"].as_array().unwrap();
        let errors = streams
            .iter()
            .flat_map(|stream| stream["errors"].as_array().unwrap());
        let mut bounded = 0;
        for error in errors.filter(|error| !error["bound"].is_null()) {
            bounded += 1;
            let bound = if error["unit"] == "mm" { 0.5 } else { 0.2 };
            assert_eq!(error["bound"], bound);
            let largest = error["largest"].as_f64().unwrap();
            assert!(0.0 < largest && largest <= bound * 1.000_001, "{error}");
        }
        assert_eq!(
            bounded, 8,
            "positions and rotations of head, hands and gaze"
        );
    }
}

#[test]
fn people_get_it_on_standard_error_in_80_columns() {
    let folder = folder(|_| {});
    let done = optimize(&folder, &["-o", "-"]);
    assert_eq!(done.status.code(), Some(0));
    assert!(Recording::parse(&done.stdout).is_ok());
    let said = text(&done.stderr);
    assert!(said.contains("right.joints mm"), "{said}");
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
}

#[test]
fn where_there_is_nothing_to_gain_out_is_the_same_byte_for_byte() {
    let folder = folder(|_| {});
    let bounds = ["--position-mm", "0", "--rotation-deg", "0"];
    let report = report(&folder, &bounds);
    assert_eq!(report["changed"], false);
    assert_eq!(fs::read(folder.path().join("out.bin")).unwrap(), sample());
    let done = optimize(&folder, &[&["-f", "-o", "out.bin"], &bounds[..]].concat());
    assert!(text(&done.stderr).contains("nothing to gain"));
}

/// Keys at times of their own need keys at the times of all others.
#[test]
fn what_would_grow_is_left_alone() {
    let folder = folder(|take| {
        *take = Recording::new(Layout::Mrtk1_1);
        for step in 0..100_u8 {
            let pose = Pose::at([f32::from(step % 2), f32::from(step % 3), 0.0]);
            take.camera_mut().push(f32::from(step), &pose);
        }
        let camera = take.camera_mut();
        if let Keys::Simple(keys) = &mut camera.position[0].keys {
            for key in keys.to_mut() {
                *key = SimpleKey::new(key.time() + 0.5, key.value());
            }
        }
        camera.rotation = Default::default();
    });
    let before = fs::read(folder.path().join("take.bin")).unwrap();
    assert_eq!(report(&folder, &[])["changed"], false);
    assert_eq!(fs::read(folder.path().join("out.bin")).unwrap(), before);
}

#[test]
fn what_is_left_as_it_is_is_named_with_what_to_do() {
    let folder = folder(|take| {
        let mut old = Recording::new(Layout::Documented1_1);
        old.camera = take.camera.take();
        let camera = old.camera.as_mut().unwrap();
        for curve in camera.position.iter_mut().chain(&mut camera.rotation) {
            let full = curve
                .keys
                .points()
                .map(|(time, value)| FullKey::linear(time, value));
            curve.keys = Keys::Full(full.collect());
        }
        if let Keys::Full(keys) = &mut camera.position[1].keys {
            keys.to_mut()[5] = FullKey::hermite(5.0 / 30.0, 1.6, 1.0, 1.0);
        }
        if let Keys::Full(keys) = &mut camera.rotation[2].keys {
            keys.to_mut()[7] = FullKey::linear(7.0 / 30.0, f32::INFINITY);
        }
        *take = old;
    });
    let report = report(&folder, &[]);
    let left = report["left"].as_array().unwrap();
    let names: Vec<&str> = left
        .iter()
        .map(|left| left["vector"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["camera.position", "camera.rotation"]);
    let said = text(&optimize(&folder, &["-o", "other.bin"]).stderr);
    assert!(
        said.contains("1 vector with tangents: camera.position"),
        "{said}"
    );
    for verb in ["`inputanim resample`", "`inputanim repair`"] {
        assert!(said.contains(verb), "{said}");
    }
}

#[test]
fn a_take_that_must_be_repaired_first_is_refused_with_a_hint() {
    let lost_w = folder(|take| {
        let w = &mut take.camera.as_mut().unwrap().rotation[3];
        if let Keys::Simple(keys) = &mut w.keys {
            keys.to_mut().truncate(1);
        }
    });
    let no_time = folder(|take| {
        let x = &mut take.camera.as_mut().unwrap().position[0];
        if let Keys::Simple(keys) = &mut x.keys {
            keys.to_mut()[3] = SimpleKey::new(f32::NAN, 0.0);
        }
    });
    for (folder, curve) in [
        (lost_w, "camera.rotation.w"),
        (no_time, "camera.position.x"),
    ] {
        let refused = optimize(&folder, &["-o", "out.bin"]);
        assert_eq!(refused.status.code(), Some(1));
        let said = text(&refused.stderr);
        assert!(
            said.contains(curve) && said.contains("`inputanim repair`"),
            "{said}"
        );
        assert!(!folder.path().join("out.bin").exists());
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_done() {
    let folder = folder(|_| {});
    for (arguments, code) in [
        (&["-o", "-", "--format", "json"][..], 2),
        (&["-o", "out.bin", "--partition", "7"], 2),
        (&["-o", "out.bin", "--position-mm", "-1"], 2),
        (&["-o", "out.bin", "--gaze-direction-deg", "nan"], 2),
        (&["-o", "take.bin"], 1),
    ] {
        let refused = optimize(&folder, arguments);
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}");
        assert!(refused.stdout.is_empty());
        assert!(!folder.path().join("out.bin").exists(), "{arguments:?}");
    }
}
