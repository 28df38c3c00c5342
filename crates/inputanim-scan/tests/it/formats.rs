//! Files of other formats have the rows of the recording that the format reads.

use std::fs;

use inputanim::Layout;
use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write_bytes};
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{Notice, Scan, ScanError, ScanOptions, Shape, Source, portable};

use crate::table::{bytes, rows, source};

fn options(shape: Shape, format: Option<Format>) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.format = format;
    options.file_column = None;
    options
}

/// Returns the formats of this build that hold one recording.
fn formats() -> impl Iterator<Item = Format> {
    let formats = Format::ALL.iter().copied();
    formats.filter(|format| format.can_read() && format.can_write() && format.is_in_build())
}

#[test]
fn rows_are_those_of_the_converted_recording() {
    let recording = Motion::new(Scene::TwoHands, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let mut tried = 0;
    for format in formats() {
        let (file, _) = write_bytes(format, &recording, &WriteOptions::default()).unwrap();
        let (converted, report) = read(format, &file, &ReadOptions::default()).unwrap();
        for shape in [Shape::Wide, Shape::Keys, Shape::Events, Shape::Stats] {
            let scan = |bytes: Vec<u8>| {
                let scan = Scan::new([source("take", bytes)], options(shape, None)).unwrap();
                (rows(&scan).unwrap(), scan.notices())
            };
            let (expected, _) = scan(bytes(&converted));
            let (found, notices) = scan(file.clone());
            assert_eq!(found, expected, "{format} as {shape}");
            let is_of_file = |notice: &&Notice| matches!(notice, Notice::Lost(_) | Notice::Read(_));
            let notices: Vec<String> = notices
                .iter()
                .map(|notice| &notice.notice)
                .filter(is_of_file)
                .map(Notice::detail)
                .collect();
            let losses = report.losses.iter().map(|loss| &loss.message);
            let notes = report.notes.iter().map(|note| &note.message);
            let texts: Vec<String> = losses.chain(notes).cloned().collect();
            assert_eq!(notices, texts, "{format} as {shape}");
        }
        tried += 1;
    }
    assert!(tried >= 5, "{tried} formats");
}

#[test]
fn a_folder_is_searched_for_the_files_of_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    fs::write(folder.path().join("a.bin"), bytes(&recording)).unwrap();
    let (json, _) = write_bytes(Format::Json, &recording, &WriteOptions::default()).unwrap();
    fs::create_dir(folder.path().join("p01")).unwrap();
    fs::write(folder.path().join("p01/b.json"), json).unwrap();
    let names = |format: Option<Format>| {
        let scan = Scan::new([folder.path()], options(Shape::Info, format)).unwrap();
        let files = scan.files().iter().map(|file| file.recording.to_string());
        files.collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["a"]);
    assert_eq!(names(Some(Format::Json)), ["p01/b"]);
    let error = Scan::new([folder.path()], options(Shape::Info, Some(Format::Csv))).unwrap_err();
    assert!(matches!(error, ScanError::NoRecordings { .. }), "{error}");
    let error = Scan::new([folder.path()], options(Shape::Info, Some(Format::Bvh))).unwrap_err();
    assert!(matches!(error, ScanError::NotReadable(_)), "{error}");
}

#[test]
fn a_search_skips_another_format_with_the_same_extension() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.isaac.mcap", "b.mcap"] {
        fs::write(folder.path().join(name), b"\x89MCAP0\r\n").unwrap();
    }
    for (format, name) in [(Format::Isaac, "a"), (Format::Mcap, "b")] {
        let scan = Scan::new([folder.path()], options(Shape::Info, Some(format))).unwrap();
        let files = scan.files().iter().map(|file| &*file.recording);
        assert!(files.eq([name]), "{format}");
    }
}

#[test]
fn a_skipped_file_of_another_format_has_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.mcap");
    fs::write(&path, b"\x89MCAP0\r\n").unwrap();
    // Without recordings there is no scan, so the error has the notice.
    let isaac = || options(Shape::Info, Some(Format::Isaac));
    let error = Scan::new([folder.path()], isaac()).unwrap_err();
    let (found, skipped) = (folder.path().display(), portable(&path));
    let expected = format!("{found}: no recordings found; {skipped} is mcap, not isaac");
    assert_eq!(error.to_string(), expected);
    fs::write(folder.path().join("a.isaac.mcap"), b"\x89MCAP0\r\n").unwrap();
    // A folder may be named twice, and a scan has the notices of the scan from which it was made.
    let scan = Scan::new([folder.path(), folder.path()], isaac()).unwrap();
    for scan in [scan.with_limit(1), scan] {
        let notices = scan.notices();
        let [notice] = notices.as_slice() else {
            panic!("{notices:?}");
        };
        assert_eq!(
            (&notice.file, &notice.path),
            (&portable(&path), &Some(path.clone()))
        );
        let text = notice.notice.to_string();
        assert_eq!(text, "skipped, another format: mcap, not isaac");
        assert!(notice.notice.is_note());
    }
}

#[cfg(feature = "formats")]
#[test]
fn limits_do_not_change_which_files_a_search_finds() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let (file, _) = write_bytes(Format::Isaac, &recording, &WriteOptions::default()).unwrap();
    fs::write(folder.path().join("a.mcap"), file).unwrap();
    let mut options = options(Shape::Info, Some(Format::Isaac));
    options.limits.max_bytes = 16;
    let scan = Scan::new([folder.path()], options).unwrap();
    assert_eq!(scan.files().len(), 1);
    let error = rows(&scan).unwrap_err();
    assert!(error.to_string().contains("limit"), "{error}");
}

#[test]
fn the_given_format_replaces_the_detected_one() {
    let recording = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let take: Source = source("take.bin", bytes(&recording));
    let scan = Scan::new([take], options(Shape::Info, Some(Format::Json))).unwrap();
    let error = rows(&scan).unwrap_err();
    assert!(error.to_string().contains("JSON"), "{error}");
}
