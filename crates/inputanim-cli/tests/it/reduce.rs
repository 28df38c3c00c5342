//! `inputanim reduce` writes fewer keys, reports the errors, and refuses conflicting options.

use std::fs;
use std::path::Path;
use std::process::Output;

use inputanim::{FullKey, Keys, Layout, Pose, Recording, SimpleKey};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::program;

fn sample() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    fs::read(path).unwrap()
}

/// Creates a folder with `take.bin`, a changed sample.
fn folder(change: impl FnOnce(&mut Recording<'_>)) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bytes = sample();
    let mut recording = Recording::parse(&bytes).unwrap();
    change(&mut recording);
    let bytes = recording.to_bytes().unwrap();
    fs::write(folder.path().join("take.bin"), bytes).unwrap();
    folder
}

fn reduce(folder: &TempDir, arguments: &[&str]) -> Output {
    program()
        .args(["reduce", "take.bin"])
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

fn report(folder: &TempDir, arguments: &[&str]) -> Value {
    let arguments = [&["-f", "-o", "out.bin", "--format", "ndjson"], arguments];
    let done = reduce(folder, &arguments.concat());
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    serde_json::from_slice(&done.stdout).unwrap()
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

#[test]
fn the_report_has_the_sizes_and_the_errors() {
    let folder = folder(|_| {});
    for method in ["one-pass", "optimal", "mrtk"] {
        let report = report(&folder, &["--position", "0.5mm", "--method", method]);
        let out = fs::read(folder.path().join("out.bin")).unwrap();
        assert_eq!(report["changed"], true);
        assert_eq!(report["before"]["bytes"], sample().len());
        assert_eq!(report["after"]["bytes"], out.len());
        let kept = Recording::parse(&out).unwrap();
        let keys: usize = kept.curves().map(|(_, curve)| curve.len()).sum();
        assert_eq!(report["after"]["keys"], keys);
        assert_eq!(report["options"]["joints"]["position"], 0.0005);
        let streams = report["errors"].as_array().unwrap();
        assert_eq!(streams.len(), 4, "head, both hands and gaze");
        for stream in streams {
            for (quantity, bound) in [("position", 0.0005), ("rotation", 0.2)] {
                let largest = stream[quantity]["largest"].as_f64().unwrap();
                assert!(0.0 < largest && largest <= bound * 1.000_001, "{stream}");
            }
        }
    }
}

#[test]
fn the_table_goes_to_standard_error_in_80_columns() {
    let folder = folder(|_| {});
    let done = reduce(&folder, &["-o", "-"]);
    assert_eq!(done.status.code(), Some(0));
    assert!(Recording::parse(&done.stdout).is_ok());
    let message = text(&done.stderr);
    assert!(message.contains("right.joints mm"), "{message}");
    let (table, summary) = message.trim_end().rsplit_once('\n').unwrap();
    assert!(
        table.lines().all(|line| line.chars().count() <= 80),
        "{message}"
    );
    assert!(
        summary.starts_with("reduced take.bin: largest errors "),
        "{summary}"
    );
    assert!(summary.ends_with(" -> standard output"), "{summary}");
}

#[test]
fn a_recording_that_cannot_shrink_is_copied_byte_for_byte() {
    let folder = folder(|_| {});
    let bounds = ["--position", "0", "--rotation", "0"];
    let report = report(&folder, &bounds);
    assert_eq!(report["changed"], false);
    assert_eq!(fs::read(folder.path().join("out.bin")).unwrap(), sample());
    let done = reduce(&folder, &[&["-f", "-o", "out.bin"], &bounds[..]].concat());
    assert!(text(&done.stderr).starts_with("copied take.bin: not smaller"));
}

#[test]
fn a_vector_that_would_grow_is_unchanged() {
    // The curves of a reduced vector share their times, so each gets a key at the times of the
    // others.
    let folder = folder(|recording| {
        *recording = Recording::new(Layout::Mrtk1_1);
        for step in 0..100_u8 {
            let pose = Pose::at([f32::from(step % 2), f32::from(step % 3), 0.0]);
            recording.head_mut().push(f32::from(step), &pose);
        }
        let head = recording.head_mut();
        if let Keys::Simple(keys) = &mut head.position[0].keys {
            for key in keys.to_mut() {
                *key = SimpleKey::new(key.time() + 0.5, key.value());
            }
        }
        head.rotation = Default::default();
    });
    let before = fs::read(folder.path().join("take.bin")).unwrap();
    assert_eq!(report(&folder, &[])["changed"], false);
    assert_eq!(fs::read(folder.path().join("out.bin")).unwrap(), before);
}

#[test]
fn skipped_vectors_are_named_with_a_hint() {
    let folder = folder(|recording| {
        let mut old = Recording::new(Layout::Documented1_1);
        old.head = recording.head.take();
        let head = old.head.as_mut().unwrap();
        for curve in head.position.iter_mut().chain(&mut head.rotation) {
            let full = curve
                .keys
                .points()
                .map(|(time, value)| FullKey::linear(time, value));
            curve.keys = Keys::Full(full.collect());
        }
        if let Keys::Full(keys) = &mut head.position[1].keys {
            keys.to_mut()[5] = FullKey::hermite(5.0 / 30.0, 1.6, 1.0, 1.0);
        }
        if let Keys::Full(keys) = &mut head.rotation[2].keys {
            keys.to_mut()[7] = FullKey::linear(7.0 / 30.0, f32::INFINITY);
        }
        *recording = old;
    });
    let report = report(&folder, &[]);
    let skipped = report["skipped"].as_array().unwrap().iter();
    let reasons: Vec<_> = skipped
        .map(|skipped| [&skipped["curve"], &skipped["reason"]])
        .collect();
    assert_eq!(
        reasons,
        [
            ["head.position.x", "tangents"],
            ["head.rotation.x", "values"]
        ]
    );
    let message = text(&reduce(&folder, &["-o", "other.bin"]).stderr);
    assert!(
        message.contains("1 vector with tangents: head.position"),
        "{message}"
    );
    for verb in ["`inputanim resample ", "`inputanim repair "] {
        assert!(message.contains(verb), "{message}");
    }
}

#[test]
fn a_damaged_recording_is_refused_with_a_hint() {
    let lost_w = folder(|recording| {
        let w = &mut recording.head.as_mut().unwrap().rotation[3];
        if let Keys::Simple(keys) = &mut w.keys {
            keys.to_mut().truncate(1);
        }
    });
    let no_time = folder(|recording| {
        let x = &mut recording.head.as_mut().unwrap().position[0];
        if let Keys::Simple(keys) = &mut x.keys {
            keys.to_mut()[3] = SimpleKey::new(f32::NAN, 0.0);
        }
    });
    for (folder, curve) in [(lost_w, "head.rotation.w"), (no_time, "head.position.x")] {
        let refused = reduce(&folder, &["-o", "out.bin"]);
        assert_eq!(refused.status.code(), Some(1));
        let message = text(&refused.stderr);
        assert!(
            message.contains(curve) && message.contains("`inputanim repair take.bin"),
            "{message}"
        );
        assert!(!folder.path().join("out.bin").exists());
    }
}

#[test]
fn conflicting_options_are_refused_before_anything_is_written() {
    let folder = folder(|_| {});
    for (arguments, code) in [
        (&["-o", "-", "--format", "json"][..], 2),
        (&["-o", "out.bin", "--partition", "7"], 2),
        (&["-o", "out.bin", "--position", "-1mm"], 2),
        (&["-o", "out.bin", "--gaze-direction", "nandeg"], 2),
        (&["-o", "take.bin"], 2),
    ] {
        let refused = reduce(&folder, arguments);
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}");
        assert!(refused.stdout.is_empty());
        assert!(!folder.path().join("out.bin").exists(), "{arguments:?}");
    }
}
