//! Files that fail: the scan ends, skips them, or has a column for the error. Scans that are cancelled end.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use inputanim::{Layout, Pose, Recording, TimeRange};
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{OnError, Sampling, Scan, ScanError, ScanOptions, Shape, Source};
use inputanim_testkit::check_mutated_inputs;

use crate::table::{bytes, cells, rows, source};

fn good() -> Vec<u8> {
    bytes(&Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1))
}

/// Returns a file that ends in a curve.
fn cut() -> Vec<u8> {
    let mut bytes = good();
    bytes.truncate(bytes.len() / 2);
    bytes
}

/// Returns a recording with a key without a time in a curve of the head.
fn without_time() -> Vec<u8> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    recording.head_mut().push(f32::NAN, &Pose::IDENTITY);
    bytes(&recording)
}

fn files() -> Vec<Source> {
    vec![
        source("a.bin", good()),
        source("cut.bin", cut()),
        source("b.bin", good()),
        source("text.bin", "not a recording"),
        source("glb.bin", b"glTF\x02\0\0\0".to_vec()),
        source("nan.bin", without_time()),
        Source::from("no-such-folder/c.bin"),
        source("c.bin", good()),
    ]
}

fn options(shape: Shape, on_error: OnError, threads: usize) -> ScanOptions {
    let mut options = ScanOptions::default();
    (options.shape, options.on_error, options.threads) = (shape, on_error, threads);
    options
}

#[test]
fn the_first_error_ends_a_scan_after_the_rows_before_it() {
    for threads in [1, 3] {
        let scan = Scan::new(files(), options(Shape::Wide, OnError::Raise, threads)).unwrap();
        let mut batches = scan.batches();
        let batch = batches.next().unwrap().unwrap();
        assert_eq!(batch.rows, 61);
        let Some(Err(ScanError::File(error))) = batches.next() else {
            panic!("an error");
        };
        assert_eq!(error.file, "cut.bin");
        assert!(error.curve().is_some() && error.byte().is_some());
        let message = error.to_string();
        assert!(message.starts_with("cut.bin: "), "{message}");
        assert!(
            message.contains(&error.curve().unwrap().to_string()),
            "{message}"
        );
        assert!(batches.next().is_none());
    }
}

#[test]
fn skipped_files_have_no_rows_and_are_listed() {
    for threads in [1, 3] {
        let scan = Scan::new(files(), options(Shape::Wide, OnError::Skip, threads)).unwrap();
        let found = rows(&scan).unwrap();
        let mut names: Vec<_> = found
            .rows
            .iter()
            .map(|row| row[0].clone().unwrap())
            .collect();
        names.dedup();
        assert_eq!(names, ["a.bin", "b.bin", "c.bin"]);
        let errors = scan.errors();
        let files: Vec<_> = errors.iter().map(|error| &*error.file).collect();
        let expected = [
            "cut.bin",
            "text.bin",
            "glb.bin",
            "nan.bin",
            "no-such-folder/c.bin",
        ];
        assert_eq!(files, expected);
        let message = |index: usize| errors[index].to_string();
        assert!(
            message(2).starts_with("glb.bin: not a glTF file"),
            "{}",
            message(2)
        );
        assert!(message(3).contains("head.position.x"), "{}", message(3));
        assert!(
            message(4).contains("cannot read the file"),
            "{}",
            message(4)
        );
    }
}

#[test]
fn the_column_error_has_the_reason_for_each_file() {
    for &shape in Shape::ALL {
        let scan = Scan::new(files(), options(shape, OnError::Column, 2)).unwrap();
        let found = rows(&scan).unwrap();
        let (file, error) = (found.column("file"), found.column("error"));
        let failed = found.rows.iter().filter(|row| row[error].is_some());
        let names: Vec<_> = failed.map(|row| row[file].clone().unwrap()).collect();
        let mut expected = vec!["cut.bin", "text.bin", "glb.bin"];
        // Only samples and analyses need the times of keys.
        let reads_times = matches!(shape, Shape::Wide | Shape::Tidy) || shape.is_analysed();
        expected.extend(reads_times.then_some("nan.bin"));
        expected.push("no-such-folder/c.bin");
        assert_eq!(names, expected, "{shape}");
        assert!(scan.errors().is_empty());
    }
}

#[test]
fn intact_parts_of_a_damaged_file_are_described_beside_its_error() {
    let scan = Scan::new(files(), options(Shape::Info, OnError::Column, 1)).unwrap();
    let found = rows(&scan).unwrap();
    let cell = |name: &str| found.rows[1][found.column(name)].clone();
    assert_eq!(cell("file").as_deref(), Some("cut.bin"));
    assert_eq!(cell("well_formed").as_deref(), Some("false"));
    assert_eq!(cell("layout").as_deref(), Some("mrtk-1.1"));
    assert_ne!(cell("missing_parts").as_deref(), Some("0"));
    assert!(cell("error").is_some());
    // This file is no recording at all.
    let (file, well_formed) = (found.column("file"), found.column("well_formed"));
    let mut rows = found.rows.iter();
    let row = rows.find(|row| row[file].as_deref() == Some("text.bin"));
    assert_eq!(row.unwrap()[well_formed].as_deref(), Some("false"));
}

#[test]
fn derived_scans_share_the_list_of_errors() {
    let scan = Scan::new(files(), options(Shape::Wide, OnError::Skip, 1)).unwrap();
    let derived = scan.with_columns(vec!["time_s".to_owned()]).unwrap();
    let derived = derived.with_limit(1 << 30).with_limit(1 << 40);
    assert_eq!(derived.options().limit, Some(1 << 30));
    rows(&derived).unwrap();
    assert!(!scan.errors().is_empty());
    assert_eq!(scan.errors().len(), derived.errors().len());
    assert_eq!(
        scan.with_limit(1)
            .batches()
            .map(|batch| batch.unwrap().rows)
            .sum::<usize>(),
        1
    );
}

#[test]
fn only_times_in_the_curves_of_selected_columns_cause_errors() {
    for columns in [vec![], vec!["file"], vec!["gaze.origin.x"]] {
        for sampling in [Sampling::Keys, Sampling::default()] {
            let mut options = options(Shape::Wide, OnError::Skip, 1);
            options.columns = Some(columns.iter().map(|name| (*name).to_owned()).collect());
            options.sampling = sampling;
            let scan = Scan::new(files(), options).unwrap();
            rows(&scan).unwrap();
            // Rows at the times of keys need all curves. A rate needs only the curves of the columns, and the head of a
            // file has a key without a time.
            let errors = if sampling == Sampling::Keys { 5 } else { 4 };
            assert_eq!(scan.errors().len(), errors, "{columns:?} {sampling:?}");
        }
    }
}

#[test]
fn paths_that_do_not_match_the_pattern_are_errors() {
    let files = || vec![source("p1/a_2.bin", good()), source("p1/b.bin", good())];
    let mut options = options(Shape::Info, OnError::Column, 1);
    options.path_pattern = Some("{participant}/{task}_{n}.bin".parse().unwrap());
    options.recording_column = Some("recording".to_owned());
    let columns = ["file", "recording", "participant", "task", "n", "error"];
    options.columns = Some(columns.map(str::to_owned).into());
    let found = rows(&Scan::new(files(), options.clone()).unwrap()).unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        found.rows[0],
        ["p1/a_2.bin", "p1/a_2", "p1", "a", "2"]
            .map(text)
            .into_iter()
            .chain([None])
            .collect::<Vec<_>>()
    );
    assert_eq!(found.rows[1][2..5], [None, None, None]);
    assert!(
        found.rows[1][5]
            .as_ref()
            .unwrap()
            .contains("does not match the pattern")
    );
    options.on_error = OnError::Skip;
    options.columns = None;
    let scan = Scan::new(files(), options).unwrap();
    assert_eq!(rows(&scan).unwrap().rows.len(), 1);
}

#[test]
fn options_without_effect_are_refused() {
    let refused = |change: fn(&mut ScanOptions)| {
        let mut options = ScanOptions::default();
        change(&mut options);
        Scan::new(files(), options).unwrap_err().to_string()
    };
    let message = refused(|options| {
        options.shape = Shape::Info;
        options.sampling = Sampling::Rate(30.0);
    });
    assert_eq!(
        message,
        "the option \"sampling\" has no effect on the shape info"
    );
    let message = refused(|options| options.joints = vec!["camra".to_owned()]);
    assert_eq!(
        message,
        "unknown stream, joint or device \"camra\"; did you mean \"camera\"?"
    );
    let message = refused(|options| options.sampling = Sampling::Rate(0.0));
    assert!(message.starts_with("invalid rate: 0 Hz"), "{message}");
    let message = refused(|options| options.path_pattern = Some("{file}_{*}".parse().unwrap()));
    assert_eq!(message, "duplicate column \"file\"");
}

#[test]
fn a_folder_without_recordings_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = Scan::new([folder.path()], ScanOptions::default()).unwrap_err();
    assert!(
        error.to_string().ends_with(": no recordings found"),
        "{error}"
    );
    for sources in [vec![], vec![Source::from("")]] {
        let nothing = Scan::new(sources, ScanOptions::default()).unwrap_err();
        assert!(nothing.to_string().starts_with("no recordings are given"));
    }
}

#[test]
fn a_time_range_without_times_is_refused() {
    let none = f32::NAN;
    for [start, end] in [[3.0, 1.0], [none, 1.0], [1.0, none]] {
        let mut options = ScanOptions::default();
        options.time = Some(TimeRange { start, end }.into());
        let error = options.fields().unwrap_err();
        assert!(matches!(error, ScanError::Time { .. }), "{start} to {end}");
    }
}

#[test]
fn a_time_range_outside_of_a_recording_is_an_error_of_its_file() {
    for &shape in Shape::ALL {
        let mut wanted = options(shape, OnError::Skip, 1);
        wanted.time = Some("100..200".parse().unwrap());
        let Ok(scan) = Scan::new(files(), wanted) else {
            assert!(matches!(shape, Shape::Info | Shape::Findings));
            continue;
        };
        assert!(rows(&scan).unwrap().rows.is_empty(), "{shape}");
        let error = scan.errors()[0].to_string();
        assert!(
            error.starts_with("a.bin: the time range 100 s to 200 s is outside the recording"),
            "{shape}: {error}"
        );
    }
}

#[test]
fn a_recording_without_the_markers_of_segments_is_an_error_of_its_file() {
    for (segments, message) in [
        (
            "no*:such*",
            "no marker that matches \"no*\" is followed by one that matches \"such*\"",
        ),
        ("markers", "no markers between the first and the last key"),
        (
            "markers=reach*",
            "no marker that matches \"reach*\" between the first and the last key",
        ),
    ] {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        let mut wanted = options(Shape::Stats, OnError::Skip, 1);
        wanted.segments = segments.parse().unwrap();
        let scan = Scan::new([source("a.bin", bytes(&recording))], wanted).unwrap();
        assert!(rows(&scan).unwrap().rows.is_empty());
        assert_eq!(scan.errors()[0].problem.to_string(), message);
    }
}

/// Returns a scan that would take minutes.
fn endless(threads: usize) -> Scan {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    recording.head_mut().push(40_000.0, &Pose::IDENTITY);
    let bytes = bytes(&recording);
    let files = (0..500).map(|index| source(&index.to_string(), bytes.clone()));
    let mut options = options(Shape::Tidy, OnError::Raise, threads);
    options.lift_limits();
    Scan::new(files, options).unwrap()
}

#[test]
fn a_cancelled_scan_ends_with_an_error() {
    for threads in [1, 2] {
        let scan = endless(threads);
        let mut batches = scan.batches();
        batches.next().unwrap().unwrap();
        scan.cancel();
        let last = batches.find_map(Result::err);
        assert!(matches!(last, Some(ScanError::Cancelled)), "{last:?}");
        assert!(scan.tasks().next().is_none());
    }
}

#[test]
fn threads_end_when_the_iterator_is_dropped() {
    let scan = endless(2);
    let cancel = scan.options().cancel.clone();
    let mut batches = scan.batches();
    batches.next().unwrap().unwrap();
    drop(batches);
    drop(scan);
    // The options are shared by the threads, so that the last clone shows their end.
    let start = Instant::now();
    while std::sync::Arc::strong_count(&cancel) > 1 {
        assert!(
            start.elapsed() < Duration::from_secs(100),
            "the threads still run"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!cancel.load(Ordering::Relaxed));
}

#[test]
fn mutated_files_never_panic() {
    check_mutated_inputs(
        |bytes| {
            for &shape in Shape::ALL {
                let mut options = options(shape, OnError::Column, 1);
                options.limit = Some(300);
                let scan = Scan::new([source("mutated.bin", bytes)], options).unwrap();
                for batch in scan.batches() {
                    cells(scan.fields(), &batch.unwrap());
                }
            }
        },
        1,
    );
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_found_by_patterns_and_in_errors() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    for name in [&b"a\xfe.bin"[..], b"a\xff.bin", b"ab.bin"] {
        std::fs::write(path(name), b"not a recording").unwrap();
    }
    let found = |pattern: &[u8]| {
        let sources = [Source::from(path(pattern))];
        let scan = Scan::new(sources, options(Shape::Info, OnError::Skip, 1)).unwrap();
        assert_eq!(scan.batches().count(), 0);
        let errors: Vec<_> = scan
            .errors()
            .into_iter()
            .map(|error| error.path.map(|path| *path))
            .collect();
        let paths = scan.files().iter().map(|file| file.path().map(Into::into));
        assert_eq!(errors, paths.collect::<Vec<_>>());
        let paths = errors.into_iter().flatten();
        paths
            .map(|path| path.file_name().unwrap().as_bytes().to_vec())
            .collect::<Vec<_>>()
    };
    let all: [&[u8]; 3] = [b"ab.bin", b"a\xfe.bin", b"a\xff.bin"];
    assert_eq!(found(b"a?.bin"), all);
    assert_eq!(found(b"a\xff*"), all[2..]);
    assert_eq!(found(b"a[\xfe\xff].bin"), all[1..]);
    assert_eq!(found(b"*b.bin"), all[..1]);
}

/// Several threads read the files, and either of two bad ones was named.
#[test]
fn the_error_names_the_first_bad_file_whichever_thread_reads_it() {
    for shape in [Shape::Wide, Shape::Stats, Shape::Info] {
        let sources = [
            source("a.bin", good()),
            source("b.bin", cut()),
            source("c.bin", good()),
            source("d.bin", "not a recording"),
        ];
        let scan = Scan::new(sources, options(shape, OnError::Raise, 1)).unwrap();
        let queue = scan.tasks();
        let mut tasks: Vec<_> = std::iter::from_fn(|| queue.next()).collect();
        // The last task is the first one that is computed.
        let last = tasks.pop().unwrap();
        let error = last.batches().find_map(Result::err).unwrap();
        assert!(error.to_string().starts_with("b.bin: "), "{shape}: {error}");
    }
}
