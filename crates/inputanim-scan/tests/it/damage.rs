//! Damaged recordings: the column `damage`, the list of damaged files, and corrections.

use inputanim::{FloatCurve, Joint, Layout, Recording};
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{Scan, ScanOptions, Shape};
use inputanim_testkit::damage::{WLoss, lose_w};

use crate::table::{bytes, rows, scan_bytes, source};

fn good() -> Vec<u8> {
    bytes(&Motion::new(Scene::Wave, 1, 2.0).record(30.0, Layout::Mrtk1_1))
}

/// Returns a recording that lost w.
fn without_w() -> Vec<u8> {
    let mut recording = Motion::new(Scene::Wave, 1, 2.0).record(30.0, Layout::Mrtk1_1);
    lose_w(&mut recording, WLoss::OneKey);
    bytes(&recording)
}

fn options(shape: Shape, columns: &[&str]) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.columns = Some(columns.iter().map(|&name| name.to_owned()).collect());
    options
}

/// Returns the files whose damage changes the columns, with the codes.
fn damaged(options: ScanOptions) -> Vec<(String, String)> {
    let sources = [source("good.bin", good()), source("lost.bin", without_w())];
    let scan = Scan::new(sources, options).unwrap();
    scan.batches().for_each(|batch| drop(batch.unwrap()));
    let damaged = scan.damaged().into_iter();
    damaged.map(|file| (file.file, file.damage)).collect()
}

#[test]
fn every_shape_has_the_damage_of_the_recording() {
    for &shape in Shape::ALL {
        // The rows of one have the damage of each measure, and the recording has no rows of the other.
        if [Shape::Measures, Shape::Haptics].contains(&shape) {
            continue;
        }
        let found = |file: &[u8]| scan_bytes(file, options(shape, &["damage"])).unwrap();
        let (good, lost) = (found(&good()), found(&without_w()));
        // A recording without findings has no rows of findings.
        assert!(!lost.rows.is_empty(), "{shape}");
        assert!(good.rows.iter().all(|row| row[0].is_none()), "{shape}");
        let expected = Some("D1".to_owned());
        assert!(
            lost.rows.iter().all(|row| row[0] == expected),
            "{shape}: {lost:?}"
        );
    }
}

#[test]
fn a_measure_has_the_damage_that_affects_it() {
    let mut wanted = options(Shape::Measures, &["measure", "unit", "damage"]);
    wanted.measures = ["head.yaw_range", "palm.path_length"]
        .map(str::to_owned)
        .into();
    let found = scan_bytes(&without_w(), wanted).unwrap();
    let text = |row: &Vec<Option<String>>| row.iter().flatten().cloned().collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = found.rows.iter().map(text).collect();
    // No measure uses the rotations of joints.
    let expected = [
        vec!["head.yaw_range", "°", "D1"],
        vec!["left.Palm.path_length", "m"],
        vec!["right.Palm.path_length", "m"],
    ];
    assert_eq!(rows, expected);
}

#[test]
fn only_files_whose_damage_changes_the_columns_are_listed() {
    let lost = vec![("lost.bin".to_owned(), "D1".to_owned())];
    let rotation = ["time_s", "right.Palm.rotation.x"];
    assert_eq!(damaged(options(Shape::Wide, &rotation)), lost);
    assert_eq!(
        damaged(options(Shape::Wide, &["time_s", "right.Palm.position.x"])),
        []
    );
    assert_eq!(
        damaged(options(Shape::Tidy, &["time_s", "joint", "rotation_y"])),
        lost
    );
    // Keys are the content of the file.
    assert_eq!(damaged(options(Shape::Keys, &["curve", "value"])), []);
    assert_eq!(
        damaged(options(Shape::Stats, &["right.Palm.speed.mean"])),
        []
    );
    // The rotation of the head has lost its w too.
    assert_eq!(damaged(options(Shape::Stats, &["head.yaw_range"])), lost);
    for shape in [Shape::Info, Shape::Findings, Shape::Markers] {
        assert_eq!(damaged(options(shape, &["file"])), []);
    }
}

/// Values of a curve without keys are 0. The severity of this finding is a warning, but it changes values.
#[test]
fn the_column_and_the_list_have_the_same_damage() {
    let mut recording = Motion::new(Scene::Wave, 1, 2.0).record(30.0, Layout::Mrtk1_1);
    recording.hands_mut().right.joints[Joint::Palm].position[2] = FloatCurve::default();
    let file = bytes(&recording);
    for (shape, column) in [
        (Shape::Wide, "right.Palm.position.z"),
        (Shape::Tidy, "position_z"),
        (Shape::Stats, "right.Palm.path_length"),
    ] {
        let options = options(shape, &[column, "damage"]);
        let scan = Scan::new([source("a.bin", file.clone())], options).unwrap();
        let found = rows(&scan).unwrap();
        let column = found.column("damage");
        let codes = found.rows.iter().map(|row| row[column].as_deref());
        assert!(codes.into_iter().all(|code| code == Some("L26")), "{shape}");
        assert_eq!(scan.damaged()[0].damage, "L26", "{shape}");
    }
}

#[test]
fn repaired_rows_are_those_of_the_repaired_file() {
    for &shape in Shape::ALL {
        let mut repaired = Recording::parse(&without_w()).unwrap().into_owned();
        repaired.repair();
        let repaired = bytes(&repaired);
        let mut options = ScanOptions::default();
        options.shape = shape;
        let expected = scan_bytes(&repaired, options.clone()).unwrap();
        options.corrections.repair = true;
        let mut found = scan_bytes(&without_w(), options).unwrap();
        if shape == Shape::Info {
            // The size is that of the file.
            let size = found.column("bytes");
            found.rows[0][size].clone_from(&expected.rows[0][size]);
        }
        assert_eq!(found, expected, "{shape}");
    }
}

#[test]
fn recovered_rows_are_those_of_the_recovered_file() {
    let mut cut = good();
    cut.truncate(cut.len() * 3 / 4);
    let recovered = bytes(&Recording::recover(&cut).unwrap().recording);
    let mut options = options(Shape::Wide, &["time_s", "left.Palm.position.x", "damage"]);
    let mut expected = scan_bytes(&recovered, options.clone()).unwrap();
    assert!(scan_bytes(&cut, options.clone()).is_err());
    options.corrections.recover = true;
    let found = scan_bytes(&cut, options.clone()).unwrap();
    let damage = found.column("damage");
    assert!(
        found
            .rows
            .iter()
            .all(|row| row[damage].as_deref() == Some("recovered"))
    );
    expected
        .rows
        .iter_mut()
        .for_each(|row| row[damage] = Some("recovered".to_owned()));
    assert_eq!(found, expected);
    let scan = Scan::new([source("cut.bin", cut)], options).unwrap();
    rows(&scan).unwrap();
    assert_eq!(scan.damaged()[0].damage, "recovered");
}

#[test]
fn the_reasons_of_missing_measures_are_an_object() {
    let columns = ["missing", "right.movements"];
    let mut recording = Motion::new(Scene::Wave, 1, 2.0).record(30.0, Layout::Mrtk1_1);
    recording.gaze = None;
    let found = scan_bytes(&bytes(&recording), options(Shape::Stats, &columns)).unwrap();
    let text = found.rows[0][0].clone().unwrap();
    assert!(
        text.starts_with('{') && text.contains(r#""gaze.idt.count":"not recorded""#),
        "{text}"
    );
}
