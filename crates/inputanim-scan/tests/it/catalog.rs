//! Scans with a catalogue have the rows of scans without one, and open only the files that changed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use bytes::Bytes;
use inputanim::{Layout, Limits};
use inputanim_convert::Format;
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{
    CATALOG_FILE, Catalog, CatalogError, CatalogScan, FileBytes, FileOpener, OnError, Scan,
    ScanError, ScanOptions, Shape,
};
use inputanim_testkit::samples;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use tempfile::TempDir;

use crate::table::{bytes, rows};

/// Waits until the files that exist count as settled.
fn settle() {
    thread::sleep(Duration::from_millis(2_100));
}

/// Writes a file that was modified a number of minutes ago.
fn write_old(path: &Path, content: &[u8], minutes: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    set_minutes(path, minutes);
}

fn set_minutes(path: &Path, minutes: u64) {
    let time = SystemTime::now() - Duration::from_secs(60 * minutes);
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}

fn take(seed: u64) -> Vec<u8> {
    bytes(&Motion::new(Scene::TwoHands, seed, 0.5).record(30.0, Layout::Mrtk1_1))
}

/// A folder with three intact recordings, one without rotations, and a damaged one.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_old(&path.join("p1/a.bin"), &take(1), 60);
    write_old(&path.join("p1/b.bin"), &take(2), 60);
    write_old(&path.join("p2/a.bin"), &samples::read("pinch-drag.bin"), 60);
    let damaged = take(3);
    write_old(&path.join("p2/cut.bin"), &damaged[..damaged.len() / 2], 60);
    write_old(&path.join("none.bin"), b"no recording", 60);
    settle();
    folder
}

/// The files that were opened.
#[derive(Clone, Default)]
struct Opened(Arc<Mutex<Vec<PathBuf>>>);

impl Opened {
    fn opener(&self) -> FileOpener {
        let opened = self.clone();
        FileOpener::new(move |path| {
            opened.0.lock().unwrap().push(path.to_owned());
            fs::read(path).map(FileBytes::new)
        })
    }

    /// Returns the names of the files that were opened since the last call, sorted.
    fn names(&self) -> Vec<String> {
        let paths = std::mem::take(&mut *self.0.lock().unwrap());
        let names = paths.iter().map(|path| path.file_name().unwrap());
        let mut names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

struct Refreshed {
    recordings: usize,
    opened: usize,
    removed: usize,
    names: Vec<String>,
}

/// Makes or refreshes the catalogue in `file`.
fn refresh(folder: &Path, file: &Path) -> Refreshed {
    let opened = Opened::default();
    let mut options = ScanOptions::default();
    options.opener = opened.opener();
    let new = CatalogScan::new(folder, [folder], file, false, options).unwrap();
    let mut content = Vec::new();
    new.write(&mut content, |_| {}).unwrap();
    fs::write(file, content).unwrap();
    Refreshed {
        recordings: new.recordings(),
        opened: new.opened(),
        removed: new.removed(),
        names: opened.names(),
    }
}

fn options(shape: Shape, on_error: OnError) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.on_error = on_error;
    options
}

/// Checks that scans with the catalogue have the rows of scans without it, and returns the names of the files that they
/// opened, without those that have errors.
fn check(source: &Path, file: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for shape in [Shape::Info, Shape::Findings] {
        for on_error in [OnError::Column, OnError::Skip] {
            let expected = Scan::new([source], options(shape, on_error)).unwrap();
            let expected_rows = rows(&expected).unwrap();
            let opened = Opened::default();
            let mut with = options(shape, on_error);
            with.catalog = Some(Catalog::read(file, &Limits::default()).unwrap());
            with.opener = opened.opener();
            let scan = Scan::new([source], with).unwrap();
            assert_eq!(rows(&scan).unwrap(), expected_rows, "{shape}, {on_error}");
            assert_eq!(
                scan.errors().len(),
                expected.errors().len(),
                "{shape}, {on_error}"
            );
            all.extend(opened.names());
            // Selected columns come from the catalogue too.
            let some = ["findings", "damage", "file", "duration_s", "code", "end_s"];
            let names = expected_rows.names.iter().rev();
            let names = names.filter(|name| some.contains(&name.as_str()));
            let names: Vec<String> = names.cloned().collect();
            let selected = scan.with_columns(names.clone()).unwrap();
            assert_eq!(rows(&selected).unwrap(), expected_rows.select(&names));
            opened.names();
        }
    }
    all.sort();
    all.dedup();
    all.retain(|name| !["cut.bin", "none.bin"].contains(&name.as_str()));
    all
}

#[test]
fn unchanged_files_are_not_opened() {
    let folder = study();
    let file = folder.path().join(CATALOG_FILE);
    let made = refresh(folder.path(), &file);
    assert_eq!((made.recordings, made.opened, made.removed), (5, 5, 0));
    assert_eq!(made.names.len(), 5);
    assert_eq!(check(folder.path(), &file), [""; 0]);
    // A part of the folder, and a single file.
    assert_eq!(check(&folder.path().join("p1"), &file), [""; 0]);
    assert_eq!(check(&folder.path().join("p1/b.bin"), &file), [""; 0]);
    assert_eq!(check(&folder.path().join("p?/a.bin"), &file), [""; 0]);
    // Files that are not well formed are not opened either when the catalogue is made again.
    let again = refresh(folder.path(), &file);
    assert_eq!((again.recordings, again.opened, again.removed), (5, 0, 0));
    assert_eq!(again.names, [""; 0]);
    assert_eq!(check(folder.path(), &file), [""; 0]);
}

#[test]
fn changed_files_are_opened() {
    let folder = study();
    let path = folder.path();
    let file = path.join(CATALOG_FILE);
    refresh(path, &file);
    // Another size, the same size with another time, a new file, a removed one, and a renamed one.
    write_old(&path.join("p1/a.bin"), &samples::read("pinch-drag.bin"), 60);
    let same_size = changed(&fs::read(path.join("p1/b.bin")).unwrap());
    write_old(&path.join("p1/b.bin"), &same_size, 50);
    write_old(&path.join("p3/new.bin"), &take(4), 60);
    fs::remove_file(path.join("none.bin")).unwrap();
    fs::rename(path.join("p2/a.bin"), path.join("p2/renamed.bin")).unwrap();
    let changed = ["a.bin", "b.bin", "new.bin", "renamed.bin"];
    assert_eq!(check(path, &file), changed);
    settle();
    let again = refresh(path, &file);
    assert_eq!((again.recordings, again.opened, again.removed), (5, 4, 2));
    assert_eq!(again.names, changed);
    assert_eq!(check(path, &file), [""; 0]);
}

/// Returns the bytes of a recording with another value of a key.
fn changed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let last = bytes.len() - 40;
    bytes[last] ^= 1;
    bytes
}

#[test]
fn files_that_have_just_changed_are_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bin");
    // A second change within the same tick of the clock would keep the times.
    write_old(&path, &take(1), 60);
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    assert_eq!(check(folder.path(), &file), ["a.bin"]);
    assert_eq!(refresh(folder.path(), &file).opened, 1);
    settle();
    assert_eq!(refresh(folder.path(), &file).opened, 1);
    assert_eq!(refresh(folder.path(), &file).opened, 0);
    // A time in the future never settles.
    let opened = File::options().write(true).open(&path).unwrap();
    let future = SystemTime::now() + Duration::from_secs(3600);
    opened.set_modified(future).unwrap();
    settle();
    refresh(folder.path(), &file);
    assert_eq!(refresh(folder.path(), &file).opened, 1);
}

#[cfg(unix)]
#[test]
fn another_content_with_the_same_size_and_modification_time_is_found() {
    let folder = study();
    let path = folder.path().join("p1/a.bin");
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, changed(&take(1))).unwrap();
    let opened = File::options().write(true).open(&path).unwrap();
    opened.set_modified(time).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
    assert_eq!(check(folder.path(), &file), ["a.bin"]);
}

#[test]
fn damage_of_a_catalogue_is_found() {
    let folder = study();
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    let content = fs::read(&file).unwrap();
    let other = folder.path().join("other.parquet");
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for offset in (0..content.len()).step_by(101) {
        let mut damaged = content.clone();
        damaged[offset] ^= 1 << (offset % 8);
        fs::write(&other, damaged).unwrap();
        assert!(
            Catalog::read(&other, &Limits::default()).is_err(),
            "byte {offset}"
        );
    }
    // A file with the usual name is made again, and no other file is replaced.
    for name in ["other.parquet", CATALOG_FILE] {
        let path = folder.path().join(name);
        fs::write(&path, &content[..content.len() / 2]).unwrap();
        let new = CatalogScan::new(
            folder.path(),
            [folder.path()],
            &path,
            false,
            ScanOptions::default(),
        );
        match new {
            Ok(new) => {
                assert_eq!((name, new.opened()), (CATALOG_FILE, 5));
                assert!(matches!(
                    new.unused(),
                    Some(CatalogError::NotCatalog { .. })
                ));
            }
            Err(error) => assert_eq!(
                (name, matches!(error, ScanError::Catalog(_))),
                ("other.parquet", true)
            ),
        }
    }
    std::panic::set_hook(hook);
    for length in [0, 3, 8, content.len() / 2, content.len() - 1] {
        fs::write(&other, &content[..length]).unwrap();
        let error = Catalog::read(&other, &Limits::default()).unwrap_err();
        assert!(matches!(error, CatalogError::NotCatalog { .. }), "{error}");
    }
    assert!(matches!(
        Catalog::read(&folder.path().join("missing.parquet"), &Limits::default()).unwrap_err(),
        CatalogError::Read { .. }
    ));
}

#[test]
fn a_catalogue_of_another_folder_or_format_is_refused() {
    let (folder, other) = (study(), study());
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    let catalog = Catalog::read(&file, &Limits::default()).unwrap();
    let error = |options: ScanOptions, folder: &Path| {
        let error = CatalogScan::new(folder, [folder], &file, false, options);
        error.unwrap_err().to_string()
    };
    let mut with = options(Shape::Info, OnError::Column);
    with.catalog = Some(catalog.clone());
    assert!(error(with.clone(), other.path()).contains(" describes "));
    let of_study = Scan::new([folder.path()], with.clone()).unwrap();
    assert!(of_study.notices().is_empty());
    let of_other = Scan::new([other.path()], with.clone()).unwrap();
    let expected = format!(
        "no recording is in the catalogue, all are opened: it describes {}",
        fs::canonicalize(folder.path()).unwrap().display()
    );
    assert_eq!(of_other.notices()[0].notice.to_string(), expected);
    // The files of another folder are opened.
    assert_eq!(
        rows(&Scan::new([other.path()], with.clone()).unwrap())
            .unwrap()
            .rows
            .len(),
        5
    );
    with.format = Some(Format::Bin);
    let refused = Scan::new([folder.path()], with.clone()).unwrap_err();
    assert!(matches!(refused, ScanError::Catalog(_)), "{refused}");
    assert_eq!(refused.to_string(), error(with, folder.path()));
}

#[test]
fn a_catalogue_needs_a_shape_without_values_and_no_corrections() {
    let folder = study();
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    let catalog = Catalog::read(&file, &Limits::default()).unwrap();
    let mut wide = ScanOptions::default();
    wide.catalog = Some(catalog.clone());
    let error = Scan::new([folder.path()], wide).unwrap_err();
    assert!(
        matches!(
            error,
            ScanError::NoEffect {
                option: "catalog",
                ..
            }
        ),
        "{error}"
    );
    let mut repaired = options(Shape::Info, OnError::Column);
    repaired.catalog = Some(catalog);
    repaired.corrections.repair = true;
    let error = Scan::new([folder.path()], repaired).unwrap_err();
    assert!(matches!(error, ScanError::CatalogAndCorrections), "{error}");
}

#[test]
fn an_empty_folder_empties_its_catalogue() {
    let folder = study();
    let file = folder.path().join("elsewhere.parquet");
    let recordings = folder.path().join("p1");
    refresh(&recordings, &file);
    assert_eq!(Catalog::read(&file, &Limits::default()).unwrap().len(), 2);
    for name in ["a.bin", "b.bin"] {
        fs::remove_file(recordings.join(name)).unwrap();
    }
    let again = refresh(&recordings, &file);
    assert_eq!((again.recordings, again.opened, again.removed), (0, 0, 2));
    assert!(Catalog::read(&file, &Limits::default()).unwrap().is_empty());
    assert_eq!(refresh(&recordings, &file).removed, 0);
    fs::remove_file(&file).unwrap();
    let error = CatalogScan::new(
        &recordings,
        [&*recordings],
        &file,
        false,
        ScanOptions::default(),
    );
    assert!(matches!(error.unwrap_err(), ScanError::NoRecordings { .. }));
}

#[test]
fn a_moved_folder_keeps_its_catalogue() {
    let parent = tempfile::tempdir().unwrap();
    let (before, after) = (parent.path().join("before"), parent.path().join("after"));
    write_old(&before.join("a.bin"), &take(1), 60);
    settle();
    refresh(&before, &before.join(CATALOG_FILE));
    fs::rename(&before, &after).unwrap();
    assert_eq!(check(&after, &after.join(CATALOG_FILE)), [""; 0]);
    assert_eq!(refresh(&after, &after.join(CATALOG_FILE)).opened, 0);
}

#[cfg(unix)]
#[test]
fn links_and_names_that_are_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let folder = study();
    let path = folder.path();
    // The two names have the same text.
    for (name, seed) in [(b"\xff.bin", 5), (b"\xfe.bin", 6)] {
        write_old(&path.join(OsStr::from_bytes(name)), &take(seed), 60);
    }
    symlink("p1/a.bin", path.join("link.bin")).unwrap();
    symlink(path, path.join("p1/up")).unwrap();
    settle();
    let file = path.join(CATALOG_FILE);
    assert_eq!(refresh(path, &file).recordings, 8);
    assert_eq!(check(path, &file), [""; 0]);
    let link = path.join("p1/up/p1");
    assert_eq!(check(&link, &file), [""; 0]);
    // The link leads to another file.
    fs::remove_file(path.join("link.bin")).unwrap();
    symlink("p2/a.bin", path.join("link.bin")).unwrap();
    set_minutes(&path.join("p2/a.bin"), 40);
    assert_eq!(check(path, &file), ["a.bin", "link.bin"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_could_not_be_read_is_tried_again() {
    use std::os::unix::fs::symlink;

    let folder = study();
    let path = folder.path();
    // The search finds a link to a file only if it exists, so the file is removed between the search and the scan.
    let file = path.join(CATALOG_FILE);
    symlink("p1/a.bin", path.join("link.bin")).unwrap();
    let new = CatalogScan::new(path, [path], &file, false, ScanOptions::default()).unwrap();
    let content = fs::read(path.join("p1/a.bin")).unwrap();
    fs::remove_file(path.join("p1/a.bin")).unwrap();
    let mut written = Vec::new();
    new.write(&mut written, |_| {}).unwrap();
    fs::write(&file, written).unwrap();
    write_old(&path.join("p1/a.bin"), &content, 60);
    settle();
    let again = refresh(path, &file);
    assert_eq!(again.names, ["a.bin", "link.bin"]);
    assert_eq!(check(path, &file), [""; 0]);
}

#[test]
fn a_catalogue_larger_than_the_limit_is_refused() {
    let folder = study();
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    let mut limits = Limits::default();
    limits.max_bytes = fs::metadata(&file).unwrap().len();
    assert!(Catalog::read(&file, &limits).is_ok());
    limits.max_bytes -= 1;
    let error = Catalog::read(&file, &limits).unwrap_err();
    assert!(matches!(error, CatalogError::TooLarge { .. }), "{error}");
    let mut options = ScanOptions::default();
    options.limits = limits;
    let error = CatalogScan::new(folder.path(), [folder.path()], &file, false, options);
    assert_eq!(
        error.unwrap_err().to_string(),
        format!(
            "the catalogue {} is too large: {} bytes (at most {})",
            file.display(),
            limits.max_bytes + 1,
            limits.max_bytes
        )
    );
}

/// Writes a catalogue with other rows, and the right checksum. `change` gets the rows of the file.
fn forge(file: &Path, change: impl Fn(RecordBatch) -> Vec<RecordBatch>) {
    let content = Bytes::from(fs::read(file).unwrap());
    let reader = ParquetRecordBatchReaderBuilder::try_new(content).unwrap();
    let entries = reader.metadata().file_metadata().key_value_metadata();
    let zeros = |entry: &KeyValue| {
        let value = entry.value.clone().unwrap();
        let value = match value.strip_prefix("crc32:") {
            Some(_) => "crc32:00000000".to_owned(),
            None => value,
        };
        KeyValue::new(entry.key.clone(), value)
    };
    let entries = entries.unwrap().iter().map(zeros).collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_key_value_metadata(Some(entries))
        .build();
    let schema = reader.schema().clone();
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    let mut forged = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
    for batch in change(batch) {
        forged.write(&batch).unwrap();
    }
    let mut forged = forged.into_inner().unwrap();
    let crc = format!("crc32:{:08x}", crc32fast::hash(&forged));
    let start = memchr::memmem::rfind(&forged, b"crc32:00000000").unwrap();
    forged[start..start + crc.len()].copy_from_slice(crc.as_bytes());
    fs::write(file, forged).unwrap();
}

/// Returns the batch with another column.
fn with_column(batch: &RecordBatch, name: &str, array: ArrayRef) -> RecordBatch {
    let mut columns = batch.columns().to_vec();
    columns[batch.schema().index_of(name).unwrap()] = array;
    RecordBatch::try_new(batch.schema(), columns).unwrap()
}

#[test]
fn a_small_catalogue_of_many_rows_is_refused_before_it_fills_the_memory() {
    let folder = study();
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    forge(&file, |batch| vec![batch.slice(0, 1); 20_000]);
    let mut limits = Limits::default();
    limits.max_bytes = 1 << 17;
    assert!(fs::metadata(&file).unwrap().len() < limits.max_bytes);
    let mut with = options(Shape::Info, OnError::Column);
    with.catalog = Some(Catalog::read(&file, &limits).unwrap());
    let error = Scan::new([folder.path()], with).unwrap_err().to_string();
    let expected = format!(
        "the catalogue {} is too large: its columns have more than 131072 bytes when they are unpacked",
        file.display()
    );
    assert_eq!(error, expected);
    // The limit holds for the old catalogue too, and a new one replaces it.
    let new = |rebuild| {
        let mut options = ScanOptions::default();
        options.limits = limits;
        CatalogScan::new(folder.path(), [folder.path()], &file, rebuild, options)
    };
    assert_eq!(new(false).unwrap_err().to_string(), expected);
    assert_eq!(new(true).unwrap().opened(), 5);
}

#[test]
fn a_long_text_of_many_rows_takes_the_memory_of_one() {
    let folder = study();
    let file = folder.path().join(CATALOG_FILE);
    refresh(folder.path(), &file);
    // 500 rows of 100 kB each are 50 MB, and a few kilobytes of Parquet.
    forge(&file, |batch| {
        let path = StringArray::from(vec!["x".repeat(100_000)]);
        let long = with_column(&batch.slice(0, 1), "path", Arc::new(path));
        let mut rows = vec![batch];
        rows.extend(vec![long; 500]);
        rows
    });
    let mut limits = Limits::default();
    limits.max_bytes = 16 << 20;
    let mut with = options(Shape::Info, OnError::Column);
    with.catalog = Some(Catalog::read(&file, &limits).unwrap());
    let opened = Opened::default();
    with.opener = opened.opener();
    let scan = Scan::new([folder.path()], with).unwrap();
    let expected = options(Shape::Info, OnError::Column);
    let expected = Scan::new([folder.path()], expected).unwrap();
    assert_eq!(rows(&scan).unwrap(), rows(&expected).unwrap());
    assert_eq!(opened.names(), ["cut.bin", "none.bin"]);
}

#[test]
fn recordings_with_errors_are_named() {
    let folder = study();
    let file = folder.path().join(CATALOG_FILE);
    let new = |folder: &Path| {
        CatalogScan::new(folder, [folder], &file, false, ScanOptions::default()).unwrap()
    };
    let mut content = Vec::new();
    let errors = new(folder.path()).write(&mut content, |_| {}).unwrap();
    fs::write(&file, content).unwrap();
    let names = errors
        .iter()
        .map(|error| error.file.rsplit('/').next().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["none.bin", "cut.bin"]);
    assert!(errors.iter().all(|error| !error.message.is_empty()));
    assert_eq!(new(folder.path()).up_to_date(), Some(errors));
}

#[test]
fn the_folder_and_the_name_of_a_catalogue_are_checked_first() {
    let folder = study();
    let new = |folder: &Path, file: &str| {
        let error = CatalogScan::new(
            folder,
            [folder],
            &folder.join(file),
            false,
            ScanOptions::default(),
        );
        error.unwrap_err().to_string()
    };
    let csv = new(folder.path(), "c.csv");
    assert!(csv.ends_with("expected the extension .parquet"), "{csv}");
    let missing = new(&folder.path().join("nosuch"), CATALOG_FILE);
    assert!(missing.ends_with("nosuch is not a folder"), "{missing}");
}
