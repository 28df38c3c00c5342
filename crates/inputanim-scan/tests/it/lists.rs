//! Curves, states, keys of chosen curves and findings of damaged files.

use std::collections::HashMap;

use inputanim::info::Info;
use inputanim::{Recording, RelativeTimeRange};
use inputanim_scan::{OnError, Scan, ScanOptions, Shape};
use inputanim_testkit::samples;

use crate::table::{Table, of_f32, rows, scan_bytes, source};

fn options(shape: Shape, joints: &[&str]) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.joints = joints.iter().map(|&name| name.to_owned()).collect();
    options
}

/// Returns the texts of a column.
fn texts(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(name);
    let rows = table.rows.iter();
    rows.map(|row| row[column].clone().unwrap_or_default())
        .collect()
}

#[test]
fn keys_of_chosen_curves_have_no_other_rows() {
    let file = samples::read("pinch-drag.bin");
    let recording = Recording::parse(&file).unwrap();
    let all = scan_bytes(&file, options(Shape::Keys, &["*"])).unwrap();
    let keys: usize = recording.curves().map(|(_, curve)| curve.len()).sum();
    assert_eq!(all.rows.len(), keys);
    let found = scan_bytes(&file, options(Shape::Keys, &["right.IndexTip.position"])).unwrap();
    let mut names = texts(&found, "curve");
    names.dedup();
    let expected = ["x", "y", "z"].map(|axis| format!("right.IndexTip.position.{axis}"));
    assert_eq!(names, expected);
    let mut without = options(Shape::Keys, &["head"]);
    without.exclude = vec!["head.rotation".to_owned()];
    let found = scan_bytes(&file, without).unwrap();
    assert!(
        texts(&found, "curve")
            .iter()
            .all(|name| name.starts_with("head.position."))
    );
}

#[test]
fn curves_count_the_keys_of_a_time_range() {
    let file = samples::read("pinch-drag.bin");
    for time in ["..", "1.2..2.7", "-1.."] {
        let time: RelativeTimeRange = time.parse().unwrap();
        let mut wanted = options(Shape::Keys, &["*"]);
        wanted.time = Some(time);
        let mut counts: HashMap<String, usize> = HashMap::new();
        for name in texts(&scan_bytes(&file, wanted).unwrap(), "curve") {
            *counts.entry(name).or_default() += 1;
        }
        let mut wanted = options(Shape::Curves, &[]);
        wanted.time = Some(time);
        let curves = scan_bytes(&file, wanted).unwrap();
        let (name, keys) = (curves.column("curve"), curves.column("keys"));
        assert_eq!(
            curves.rows.len(),
            Recording::parse(&file).unwrap().curves().count()
        );
        for row in &curves.rows {
            let expected = counts.get(row[name].as_ref().unwrap()).copied();
            assert_eq!(row[keys], Some(expected.unwrap_or_default().to_string()));
        }
    }
}

#[test]
fn states_keep_their_ends_if_they_overlap_a_time_range() {
    let file = samples::read("pinch-drag.bin");
    let recording = Recording::parse(&file).unwrap();
    let mut wanted = options(Shape::States, &["right.pinching"]);
    wanted.time = Some("2..3".parse().unwrap());
    let found = scan_bytes(&file, wanted).unwrap();
    let info = Info::of(&recording);
    let mut states = info.states();
    let (_, range) = states
        .find(|(path, _)| path.to_string() == "right.pinching")
        .unwrap();
    assert_eq!(texts(&found, "start_s"), [of_f32(range.start)]);
    assert_eq!(texts(&found, "end_s"), [of_f32(range.end)]);
    assert_eq!(texts(&found, "hand"), ["right"]);
    assert_eq!(texts(&found, "state"), ["pinching"]);
}

#[test]
fn a_truncated_file_has_the_finding_of_its_end() {
    let mut cut = samples::read("wave.bin");
    cut.truncate(cut.len() / 2);
    let mut wanted = options(Shape::Findings, &[]);
    wanted.on_error = OnError::Column;
    let files = [
        source("cut.bin", cut.clone()),
        source("empty.bin", Vec::new()),
    ];
    let found = rows(&Scan::new(files, wanted).unwrap()).unwrap();
    let codes = texts(&found, "code");
    assert_eq!(
        (codes[0].as_str(), codes.last().unwrap().as_str()),
        ("D7", "D6")
    );
    let mut wanted = options(Shape::Findings, &[]);
    wanted.corrections.recover = true;
    let recovered = scan_bytes(&cut, wanted).unwrap();
    assert_eq!(texts(&recovered, "code"), codes[..codes.len() - 1]);
}
