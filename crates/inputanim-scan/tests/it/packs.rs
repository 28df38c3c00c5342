//! Recordings in packs have the rows of recordings in folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use inputanim::Layout;
use inputanim_convert::Format;
use inputanim_motion::{Motion, Scene};
use inputanim_scan::packs::{Pack, PackError, PackWriter};
use inputanim_scan::{
    Existing, FileProblem, OnError, PackOptions, PackingError, Scan, ScanError, ScanOptions, Shape,
    UnpackOptions, matching, pack, unpack,
};
use tempfile::TempDir;

use crate::table::{self, Table, bytes};

fn take(seed: u64) -> Vec<u8> {
    bytes(&Motion::new(Scene::TwoHands, seed, 0.5).record(30.0, Layout::Mrtk1_1))
}

fn rows(scan: &Scan) -> Table {
    table::rows(scan).unwrap()
}

/// A folder `study` with recordings in folders, and other files beside them.
fn study() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("p1/a.bin", take(1)),
        ("p1/a.json", b"{}".to_vec()),
        ("p1/b.bin", take(2)),
        ("p1/s1/c.bin", take(3)),
        ("p2/a.bin", take(4)),
        (
            "trials.csv",
            b"recording,start_s,end_s,trial\np1/a,0,0.2,one\n".to_vec(),
        ),
    ] {
        let path = folder.path().join("study").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn packed(folder: &Path, files: usize) -> PathBuf {
    let output = folder.join(format!("packs-{files}"));
    let mut options = PackOptions::default();
    options.files = files;
    pack(&folder.join("study"), &output, &options, |_, _| {}).unwrap();
    output
}

/// Options of a shape without the column of paths.
fn options(shape: Shape) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.file_column = None;
    options
}

fn names(scan: &Scan) -> Vec<String> {
    scan.files()
        .iter()
        .map(|file| file.name.to_string())
        .collect()
}

#[test]
fn packs_have_the_rows_of_folders() {
    let folder = study();
    let files = Scan::new([folder.path().join("study")], options(Shape::Info)).unwrap();
    for most in [1, 2, 1000] {
        let packs = packed(folder.path(), most);
        for shape in [Shape::Wide, Shape::Keys, Shape::Info, Shape::Measures] {
            let expected = Scan::new([folder.path().join("study")], options(shape)).unwrap();
            let found = Scan::new([packs.clone()], options(shape)).unwrap();
            assert_eq!(rows(&found), rows(&expected), "{shape:?} {most}");
        }
        let found = Scan::new([packs.clone()], options(Shape::Info)).unwrap();
        let sizes = |scan: &Scan| {
            scan.files()
                .iter()
                .map(|file| file.bytes)
                .collect::<Vec<_>>()
        };
        assert_eq!(sizes(&found), sizes(&files));
        let below = |name: String| name.split_once(".pack.mcap/").unwrap().1.to_owned();
        let found: Vec<String> = names(&found).into_iter().map(below).collect();
        assert_eq!(found, ["p1/a.bin", "p1/b.bin", "p1/s1/c.bin", "p2/a.bin"]);
    }
}

#[test]
fn large_files_of_packs_are_read_in_parts() {
    let folder = study();
    let packs = packed(folder.path(), 1000);
    let mut options = options(Shape::Wide);
    options.columns = Some(vec!["time_s".to_owned(), "head.position.y".to_owned()]);
    let expected = rows(&Scan::new([packs.clone()], options.clone()).unwrap());
    options.partial_from = 1;
    assert_eq!(
        rows(&Scan::new([packs.clone()], options.clone()).unwrap()),
        expected
    );
    // A changed byte of a curve that is not needed is not read.
    let path = packs.join("0001.pack.mcap");
    let mut content = fs::read(&path).unwrap();
    let first = Pack::open(&path).unwrap();
    let end = content
        .windows(8)
        .position(|part| part == b"p1/b.bin")
        .unwrap();
    assert_eq!(first.members()[0].name, "p1/a.bin");
    content[end - 500] ^= 1;
    fs::write(&path, content).unwrap();
    assert_eq!(
        rows(&Scan::new([packs.clone()], options.clone()).unwrap()),
        expected
    );
    options.partial_from = u64::MAX;
    let failed = Scan::new([packs], options)
        .unwrap()
        .batches()
        .find_map(Result::err);
    let Some(ScanError::File(error)) = failed else {
        panic!("{failed:?}");
    };
    assert!(
        error
            .to_string()
            .contains("p1/a.bin: cannot read the file: the file is damaged")
    );
}

#[test]
fn paths_and_patterns_lead_into_packs() {
    let folder = study();
    let packs = packed(folder.path(), 2);
    // The first pack has only the trial table.
    let first = packs.join("0002.pack.mcap");
    for (path, count) in [
        (first.join("p1/a.bin"), 1),
        (first.join("p1"), 1),
        (first.clone(), 1),
        (packs.join("*.pack.mcap"), 4),
        (packs.join("**/a.bin"), 2),
        (packs.join("*.pack.mcap/p1/?.bin"), 2),
        (first.join("p?/*.bin"), 1),
        (first.join("**"), 2),
    ] {
        let found = Scan::new([path.clone()], options(Shape::Info));
        let found = found.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(found.files().len(), count, "{}", path.display());
    }
    let missing = Scan::new([first.join("p1/x.bin")], options(Shape::Info)).unwrap();
    let error = missing.batches().find_map(Result::err).unwrap();
    assert!(
        error
            .to_string()
            .ends_with("the pack has no file \"p1/x.bin\""),
        "{error}"
    );
    assert!(Scan::new([first.join("*.txt")], options(Shape::Info)).is_err());
    let other = matching(packs.join("*/p1/*.json"), true).unwrap();
    assert_eq!(other.len(), 1);
}

#[test]
fn trials_of_a_table_in_a_pack_name_recordings_in_packs() {
    let folder = study();
    let packs = packed(folder.path(), 1000);
    let mut options = options(Shape::Wide);
    options.columns = Some(vec!["segment".to_owned()]);
    let table = packs.join("0001.pack.mcap/trials.csv");
    options.segments = inputanim_scan::Segments::from_text(table, &options.limits).unwrap();
    let scan = Scan::new([packs], options).unwrap();
    assert_eq!(scan.files_without_trials().count(), 3);
    assert!(rows(&scan).rows.len() > 1);
}

#[test]
fn a_damaged_pack_is_one_error_and_a_damaged_file_another() {
    let folder = study();
    let packs = packed(folder.path(), 2);
    let second = packs.join("0002.pack.mcap");
    let content = fs::read(&second).unwrap();
    fs::write(&second, &content[..content.len() / 2]).unwrap();
    let mut options = ScanOptions::default();
    options.shape = Shape::Info;
    options.on_error = OnError::Skip;
    let scan = Scan::new([packs.clone()], options.clone()).unwrap();
    assert_eq!(scan.files().len(), 4);
    let read: usize = scan.batches().map(|batch| batch.unwrap().rows).sum();
    assert_eq!(read, 3);
    let [error] = <[_; 1]>::try_from(scan.errors()).unwrap();
    assert!(error.file.ends_with("0002.pack.mcap"), "{error}");
    let FileProblem::Read(problem) = &error.problem else {
        panic!("{error}");
    };
    assert!(
        matches!(PackError::of(problem), Some(PackError::Truncated(_))),
        "{error}"
    );
    // A file that is no pack, with the name of one.
    fs::write(&second, b"nothing").unwrap();
    let scan = Scan::new([packs], options).unwrap();
    assert_eq!((scan.files().len(), scan.batches().count()), (4, 1));
    assert_eq!(scan.errors().len(), 1);
}

#[test]
fn files_of_another_format_are_found_in_packs() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    fs::create_dir(&study).unwrap();
    let table = b"time_s,left.pinching\n0,0\n0.5,1\n";
    fs::write(study.join("a.csv"), table).unwrap();
    let packs = packed(folder.path(), 1000);
    let mut options = options(Shape::Info);
    options.format = Some(Format::Csv);
    assert_eq!(Scan::new([packs], options).unwrap().files().len(), 1);
}

/// Returns the files of a folder with their bytes.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    let content = files.map(|entry| {
        let below = entry.path().strip_prefix(folder).unwrap().to_owned();
        (below, fs::read(entry.path()).unwrap())
    });
    content.collect()
}

fn unpacked(sources: &[PathBuf], output: &Path) -> Result<inputanim_scan::Unpacked, PackingError> {
    unpack(sources, output, &UnpackOptions::default(), |_, _| {})
}

#[test]
fn unpacked_files_are_the_packed_files() {
    let folder = study();
    let study = folder.path().join("study");
    fs::write(study.join("empty.txt"), b"").unwrap();
    fs::create_dir(study.join("nothing")).unwrap();
    for most in [1, 3, 1000] {
        let packs = packed(folder.path(), most);
        let again = folder.path().join(format!("again-{most}"));
        let result = unpacked(&[packs], &again).unwrap();
        assert_eq!((result.files, result.errors.len()), (7, 0));
        assert_eq!(content(&again), content(&study));
        let time = |path: PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(time(again.join("p1/a.bin")), time(study.join("p1/a.bin")));
    }
    let options = PackOptions::default();
    let output = folder.path().join("more");
    let packed = pack(&study, &output, &options, |_, _| {}).unwrap();
    assert_eq!(packed.left_out, [study.join("nothing")]);
    assert_eq!((packed.packs, packed.files), (1, 7));
}

#[test]
fn files_of_one_name_stay_in_one_pack() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    fs::create_dir(&study).unwrap();
    for take in 0..5 {
        for extension in ["bin", "json", "anim.txt"] {
            fs::write(study.join(format!("{take}.{extension}")), b"x").unwrap();
        }
    }
    let packs = packed(folder.path(), 4);
    let mut sizes = Vec::new();
    for path in content(&packs).keys() {
        sizes.push(Pack::open(&packs.join(path)).unwrap().members().len());
    }
    assert_eq!(sizes, [3; 5]);
}

#[test]
fn complete_files_of_a_truncated_pack_are_unpacked() {
    let folder = study();
    let packs = packed(folder.path(), 1000);
    let path = packs.join("0001.pack.mcap");
    let bytes = fs::read(&path).unwrap();
    let place = bytes
        .windows(8)
        .position(|part| part == b"p2/a.bin")
        .unwrap();
    fs::write(&path, &bytes[..place + 100]).unwrap();
    let again = folder.path().join("again");
    let result = unpacked(std::slice::from_ref(&path), &again).unwrap();
    assert_eq!(result.errors.len(), 1);
    assert!(result.errors[0].1.to_string().contains("truncated"));
    let complete = content(&again);
    assert_eq!(complete.len(), result.files);
    let study = content(&folder.path().join("study"));
    assert!(complete.iter().all(|(name, bytes)| study[name] == *bytes));
    assert!(!complete.contains_key(Path::new("p2/a.bin")));
    // A changed byte is an error of one file.
    let mut changed = bytes;
    changed[place + 100] ^= 1;
    fs::write(&path, changed).unwrap();
    let again = folder.path().join("third");
    let result = unpacked(&[packs], &again).unwrap();
    assert_eq!((result.files, result.errors.len()), (5, 1));
    assert!(result.errors[0].0.ends_with("0001.pack.mcap/p2/a.bin"));
    assert!(!again.join("p2/a.bin").exists());
    // On request, the file is written with the changed byte.
    let again = folder.path().join("fourth");
    let mut options = UnpackOptions::default();
    options.recover = true;
    let result = unpack(std::slice::from_ref(&path), &again, &options, |_, _| {});
    let result = result.unwrap();
    assert_eq!((result.files, result.errors.len()), (6, 0));
    let [(damaged, error)] = &result.damaged[..] else {
        panic!("{:?}", result.damaged);
    };
    assert_eq!(*damaged, path.join("p2/a.bin"));
    assert!(error.to_string().contains("checksum"), "{error}");
    let mut written = content(&again);
    let differ = written.remove(Path::new("p2/a.bin")).unwrap();
    let mut study = study;
    let original = study.remove(Path::new("p2/a.bin")).unwrap();
    assert_eq!(written, study);
    let bytes = differ.iter().zip(&original);
    assert_eq!(bytes.filter(|(a, b)| a != b).count(), 1);
}

#[test]
fn outputs_and_inputs_that_lose_files_are_refused() {
    let folder = study();
    let study = folder.path().join("study");
    let run = |from: &Path, to: &Path, existing: Existing| {
        let mut options = PackOptions::default();
        options.existing = existing;
        pack(from, to, &options, |_, _| {}).map(|packed| packed.files)
    };
    for output in ["study", "study/packs", "study/p1/new/packs"] {
        let refused = run(&study, &folder.path().join(output), Existing::Replace);
        assert!(
            matches!(refused, Err(PackingError::Inside { .. })),
            "{refused:?}"
        );
    }
    let packs = packed(folder.path(), 1000);
    assert!(run(&study, &packs, Existing::Refuse).is_err());
    run(&study, &packs, Existing::Replace).unwrap();
    // A pack is not packed again.
    let refused = run(&packs, &folder.path().join("twice"), Existing::Refuse);
    let Err(PackingError::File { error, .. }) = &refused else {
        panic!("{refused:?}");
    };
    assert!(matches!(
        PackError::of(error),
        Some(PackError::PackInPack(_))
    ));
    assert!(!folder.path().join("twice").exists());
    let refused = unpacked(std::slice::from_ref(&packs), &study);
    assert!(
        matches!(refused, Err(PackingError::Output(_))),
        "{refused:?}"
    );
    let refused = unpacked(&[study], &folder.path().join("none"));
    assert!(
        matches!(refused, Err(PackingError::NoPacks(_))),
        "{refused:?}"
    );
    // Two packs with one file: the second one is not written over the first.
    let mut writer = PackWriter::new(Vec::new()).unwrap();
    writer.add("p1/a.bin", None, 5, &b"other"[..]).unwrap();
    fs::write(packs.join("0002.pack.mcap"), writer.finish().unwrap()).unwrap();
    let again = folder.path().join("again");
    let result = unpacked(&[packs], &again).unwrap();
    assert_eq!(result.errors.len(), 1);
    assert_eq!(fs::read(again.join("p1/a.bin")).unwrap(), take(1));
}

#[cfg(feature = "catalog")]
#[test]
fn a_catalogue_has_recordings_in_packs() {
    use inputanim_scan::{CATALOG_FILE, Catalog, CatalogScan};
    let folder = study();
    let packs = packed(folder.path(), 2);
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    let file = packs.join(CATALOG_FILE);
    let make = || {
        let options = ScanOptions::default();
        CatalogScan::new(&packs, [packs.clone()], &file, false, options).unwrap()
    };
    let new = make();
    assert_eq!(new.opened(), 4);
    new.write(fs::File::create(&file).unwrap(), |_| {}).unwrap();
    assert_eq!(make().opened(), 0);
    let mut options = ScanOptions::default();
    options.shape = Shape::Info;
    let expected = rows(&Scan::new([packs.clone()], options.clone()).unwrap());
    options.catalog = Some(Catalog::read(&file, &inputanim::Limits::default()).unwrap());
    assert_eq!(
        rows(&Scan::new([packs.clone()], options).unwrap()),
        expected
    );
    // A pack that changes has only changed files.
    let second = packs.join("0002.pack.mcap");
    let count = Pack::open(&second).unwrap().members().len();
    let content = fs::read(&second).unwrap();
    fs::write(&second, content).unwrap();
    assert!((1..=count).contains(&make().opened()));
}
