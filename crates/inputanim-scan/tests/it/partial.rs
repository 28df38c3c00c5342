//! Large files, of which only the curves that are needed are kept.

use std::fs;
use std::path::PathBuf;

use inputanim::{CurveMut, FloatCurve, Layout, TimeRange, WrapMode};
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{FileBytes, Sampling, Scan, ScanOptions, Shape, Source};
use proptest::prelude::*;
use proptest::sample::subsequence;
use tempfile::TempDir;

use crate::table::rows;

/// Writes a recording of more than 16 MiB, and returns its bytes too.
fn large() -> (TempDir, PathBuf, Vec<u8>) {
    let mut recording = Motion::new(Scene::TwoHands, 5, 75.0).record(120.0, Layout::Mrtk1_1);
    // A stream that ends before the others.
    if let Some(head) = &mut recording.head {
        let early = head.position[1].keys.points().take(2000);
        head.position[1] = FloatCurve::linear(early.collect::<Vec<_>>());
    }
    let bytes = recording.to_bytes().unwrap();
    assert!(bytes.len() > 16 << 20, "{} bytes", bytes.len());
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large.bin");
    fs::write(&path, &bytes).unwrap();
    (folder, path, bytes)
}

#[test]
fn the_size_of_the_file_bounds_the_samples_and_not_that_of_the_curves_that_are_read() {
    let (_folder, path, _) = large();
    let mut options = ScanOptions::default();
    options.columns = Some(vec!["time_s".to_owned()]);
    // All curves would have more than 128 MiB at this rate, and less than 64 times the bytes of the file.
    options.sampling = Sampling::Rate(2000.0);
    let count = |options: &ScanOptions| -> Result<usize, String> {
        let scan = Scan::new([Source::from(path.clone())], options.clone()).unwrap();
        let batches = scan.batches().map(|batch| batch.map(|batch| batch.rows));
        let rows = batches.collect::<Result<Vec<usize>, _>>();
        rows.map(|rows| rows.iter().sum())
            .map_err(|error| error.to_string())
    };
    assert_eq!(count(&options), Ok(150_001));
    options.sampling = Sampling::Rate(20_000.0);
    assert!(count(&options).unwrap_err().contains("too many samples"));
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
        (Shape::Wide, rate, &[], &["right.Palm", "head"], None),
        (Shape::Tidy, rate, &[], &["left.IndexTip", "gaze"], None),
        (Shape::Keys, rate, &[], &["left.IndexTip"], part),
    ];
    for (shape, sampling, columns, joints, time) in cases {
        let mut options = ScanOptions::default();
        (options.shape, options.time) = (shape, time.map(TimeRange::into));
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
    options.columns = Some(vec!["time_s".to_owned(), "head.position.y".to_owned()]);
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

/// Returns the rows of a source as text, or the error.
fn outcome(source: Source, options: ScanOptions) -> String {
    let scan = Scan::new([source], options).unwrap();
    let batches = scan.batches().collect::<Result<Vec<_>, _>>();
    batches.map_or_else(|error| error.to_string(), |batches| format!("{batches:?}"))
}

/// Changes a curve in one of the ways in which curves of a recording differ.
fn change(curve: CurveMut<'_, '_>, kind: u8, end: f32) {
    let CurveMut::Float(curve) = curve else {
        return;
    };
    match kind {
        // It ends after all others, before them, or has a key before 0.
        0 => curve.keys.push_linear(end + 0.3, 0.5),
        1 => *curve = FloatCurve::linear(curve.keys.points().take(3).collect::<Vec<_>>()),
        2 => *curve = FloatCurve::linear([(-0.5, 0.1), (0.1, 0.2), (0.4, 0.9)]),
        3 => *curve = FloatCurve::default(),
        4 => curve.post_wrap = WrapMode::LOOP,
        5 => curve.keys.push_linear(0.1, 0.5),
        _ => curve.keys.push_linear(f32::NAN, 0.5),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn files_have_the_rows_of_their_bytes(
        seed in any::<u64>(),
        layout in prop::sample::select(Layout::ALL),
        changes in prop::collection::vec((0usize..395, prop_oneof![9 => 0u8..5, 1 => 5u8..7]), 0..5),
        is_tidy in any::<bool>(),
        columns in subsequence((0..350).collect::<Vec<usize>>(), 1..6),
        joints in subsequence(vec!["head", "left.Palm", "right", "gaze", "IndexTip"], 0..3),
        part in proptest::option::of((-1.0f32..2.0, 0.0f32..3.0)),
    ) {
        let mut recording = Motion::new(Scene::TwoHands, seed, 1.0).record(20.0, layout);
        let end = recording.duration();
        for (curve, kind) in changes {
            // A vector without keys, or one curve.
            let count = if kind == 3 { 3 } else { 1 };
            for (_, curve) in recording.curves_mut().skip(curve).take(count) {
                change(curve, kind, end);
            }
        }
        let bytes = recording.to_bytes().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("take.bin");
        fs::write(&path, &bytes).unwrap();
        let mut options = ScanOptions::default();
        options.shape = if is_tidy { Shape::Tidy } else { Shape::Wide };
        options.sampling = Sampling::Rate(7.0);
        options.file_column = None;
        options.joints = joints.into_iter().map(str::to_owned).collect();
        options.time = part.map(|(start, length)| TimeRange { start, end: start + length }.into());
        // All files are read partially.
        options.partial_from = 0;
        let names = options.fields().unwrap();
        let names = columns.into_iter().filter_map(|index| names.get(index));
        options.columns = Some(names.map(|field| field.name.to_string()).collect());
        let name = path.display().to_string().replace('\\', "/");
        let bytes = Source::Bytes { name, bytes: FileBytes::new(bytes) };
        let of_bytes = outcome(bytes, options.clone());
        prop_assert_eq!(outcome(Source::Path(path), options), of_bytes);
    }
}
