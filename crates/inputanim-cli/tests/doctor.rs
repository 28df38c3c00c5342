//! `inputanim doctor` says what is wrong with a file and what to run next.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

use inputanim::{FloatCurve, Keys, Recording};

/// A sample as MRTK 2.6.0 to 2.7.2 saves it: one key of w, and the last gaze samples left out.
fn damaged() -> Vec<u8> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    let bytes = fs::read(sample).unwrap();
    let mut take = Recording::parse(&bytes).unwrap();
    let shorten = |curve: &mut FloatCurve<'_>, keys: usize| match &mut curve.keys {
        Keys::Simple(all) => all.to_mut().truncate(keys),
        Keys::Full(_) => unreachable!("the layout has simple keys"),
    };
    for (_, joint) in take.hands_mut().right.joints.iter_mut() {
        shorten(&mut joint.rotation[3], 1);
    }
    for (_, curve) in take.gaze_mut().iter_mut() {
        shorten(curve, 100);
    }
    take.to_bytes(take.layout).unwrap()
}

#[test]
fn what_can_be_repaired_and_what_can_only_be_cut_off_have_a_command_each() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my take.bin"), damaged()).unwrap();
    let doctor = Command::new(env!("CARGO_BIN_EXE_inputanim"))
        .args(["doctor", "my take.bin"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(doctor.status.code(), Some(1));
    let text = String::from_utf8(doctor.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "bad  my take.bin: not healthy, damage D1 D3");
    assert_eq!(
        lines[lines.len() - 2..],
        [
            r#"     next         inputanim repair "my take.bin" -o "my take-repaired.bin""#,
            r#"     or           inputanim repair --trim-frozen "my take.bin" -o "my take-trimmed.bin""#,
        ]
    );
    // But for these, which are to be copied, lines fit a terminal.
    let is_wide = |line: &&&str| line.chars().count() > 80;
    assert_eq!(lines.iter().filter(is_wide).count(), 1, "{text}");
}
