//! Large files, of which only the curves that are needed are kept.

use std::fs;
use std::path::PathBuf;

use inputanim::{Layout, TimeRange};
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{FileBytes, Sampling, Scan, ScanOptions, Shape, Source};
use tempfile::TempDir;

use crate::table::rows;

/// Writes a recording of more than 16 MiB, and returns its bytes too.
fn large() -> (TempDir, PathBuf, Vec<u8>) {
    let mut recording = Motion::new(Scene::TwoHands, 5, 75.0).record(120.0, Layout::Mrtk1_1);
    // A stream that ends before the others.
    if let Some(camera) = &mut recording.camera {
        let early = camera.position[1].keys.points().take(2000);
        camera.position[1] = inputanim::FloatCurve::linear(early.collect::<Vec<_>>());
    }
    let bytes = recording.to_bytes().unwrap();
    assert!(bytes.len() > 16 << 20, "{} bytes", bytes.len());
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large.bin");
    fs::write(&path, &bytes).unwrap();
    (folder, path, bytes)
}

#[test]
fn large_files_have_the_rows_of_their_bytes() {
    let (_folder, path, bytes) = large();
    let bytes = FileBytes::new(bytes);
    let rate = Sampling::Rate(5.0);
    let named = |columns: &[&str]| Some(columns.iter().map(|name| (*name).to_owned()).collect());
    let part = Some(TimeRange {
        start: -1.0,
        end: 20.3,
    });
    let columns = ["time_s", "right.Palm.position.x", "left.Wrist.rotation.w"];
    type Case<'c> = (
        Shape,
        Sampling,
        &'c [&'c str],
        &'c [&'c str],
        Option<TimeRange>,
    );
    let cases: [Case<'_>; 7] = [
        (Shape::Wide, rate, &columns, &[], None),
        (Shape::Wide, rate, &columns, &[], part),
        (Shape::Wide, rate, &["time_s"], &[], None),
        (Shape::Wide, Sampling::Keys, &columns, &[], part),
        (Shape::Wide, rate, &[], &["right.Palm", "camera"], None),
        (Shape::Tidy, rate, &[], &["left.IndexTip", "gaze"], None),
        (Shape::Keys, rate, &[], &["left.IndexTip"], part),
    ];
    for (shape, sampling, columns, joints, time) in cases {
        let mut options = ScanOptions::default();
        (options.shape, options.time) = (shape, time);
        if shape != Shape::Keys {
            options.sampling = sampling;
        }
        options.file_column = None;
        options.columns = named(columns).filter(|_| !columns.is_empty());
        options.joints = joints.iter().map(|name| (*name).to_owned()).collect();
        let name = "large.bin".to_owned();
        let bytes = bytes.clone();
        let of_bytes = Scan::new([Source::Bytes { name, bytes }], options.clone()).unwrap();
        let of_file = Scan::new([Source::from(path.clone())], options).unwrap();
        let (of_bytes, of_file) = (rows(&of_bytes).unwrap(), rows(&of_file).unwrap());
        assert!(!of_file.rows.is_empty());
        assert!(of_file == of_bytes, "{shape} {columns:?} {joints:?}");
    }
}

#[test]
fn damage_of_large_files_is_reported_as_of_their_bytes() {
    let (_folder, path, mut bytes) = large();
    bytes.truncate(bytes.len() - 1000);
    fs::write(&path, &bytes).unwrap();
    let mut options = ScanOptions::default();
    options.columns = Some(vec!["time_s".to_owned(), "camera.position.y".to_owned()]);
    let name = path.display().to_string().replace('\\', "/");
    let bytes = FileBytes::new(bytes);
    let error = |source| {
        let scan = Scan::new([source], options.clone()).unwrap();
        rows(&scan).unwrap_err().to_string()
    };
    let of_file = error(Source::Path(path));
    assert!(of_file.contains("at byte"), "{of_file}");
    assert_eq!(of_file, error(Source::Bytes { name, bytes }));
}
