//! `inputanim doctor` lists the findings of a file and the commands to run next.

use std::fs;
use std::path::Path;

use inputanim::{FloatCurve, Keys, Recording};

use crate::support::program;

/// Returns a sample as MRTK 2.6.0 to 2.7.2 saves it: with one key of each w, and without the last
/// gaze samples.
fn damaged() -> Vec<u8> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin");
    let bytes = fs::read(sample).unwrap();
    let mut recording = Recording::parse(&bytes).unwrap();
    let shorten = |curve: &mut FloatCurve<'_>, keys: usize| match &mut curve.keys {
        Keys::Simple(all) => all.to_mut().truncate(keys),
        Keys::Full(_) => unreachable!("the layout has simple keys"),
    };
    for (_, joint) in recording.hands_mut().right.joints.iter_mut() {
        shorten(&mut joint.rotation[3], 1);
    }
    for (_, curve) in recording.gaze_mut().iter_mut() {
        shorten(curve, 100);
    }
    recording.to_bytes().unwrap()
}

#[test]
fn the_next_commands_repair_and_trim() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my take.bin"), damaged()).unwrap();
    let doctor = program()
        .args(["doctor", "my take.bin"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(doctor.status.code(), Some(1));
    let text = String::from_utf8(doctor.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "bad  my take.bin: not healthy, damage D1 D3");
    assert_eq!(
        lines[lines.len() - 4..],
        [
            r#"     next         inputanim repair "my take.bin" -o "my take-repaired.bin""#,
            "                  repairs D1 and keeps the frozen end (exit code 3)",
            r#"     or           inputanim repair --trim-frozen "my take.bin" -o "my take-repaired-trimmed.bin""#,
            "                  repairs D1 and cuts off the last 0.700 s",
        ]
    );
    // All other lines fit a terminal. Commands are not wrapped, so that they can be copied.
    let is_wide = |line: &&&str| line.chars().count() > 80;
    assert_eq!(lines.iter().filter(is_wide).count(), 1, "{text}");
}
