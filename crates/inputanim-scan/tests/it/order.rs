//! Rows are in a stated order, and do not depend on threads, tasks and batches.

use std::fs;
use std::path::Path;

use inputanim::{Layout, Pose, Recording};
use inputanim_motion::{Motion, Scene};
use inputanim_scan::{Sampling, Scan, ScanOptions, Shape};

use crate::table::{Table, bytes, cells, rows, source};

/// Returns a recording of 400 s, of which threads sample parts.
fn long() -> Vec<u8> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..4000_u16 {
        let time = f32::from(step) / 10.0;
        recording
            .head_mut()
            .push(time, &Pose::at([time.sin(), time, 0.0]));
        recording.gaze_mut();
    }
    bytes(&recording)
}

fn short(seed: u64) -> Vec<u8> {
    bytes(&Motion::new(Scene::Reach, seed, 1.0).record(30.0, Layout::Mrtk1_1))
}

fn files() -> Vec<inputanim_scan::Source> {
    let mut files: Vec<_> = (0..12)
        .map(|index| source(&format!("short-{index}"), short(index)))
        .collect();
    files.insert(3, source("long", long()));
    files
}

fn options(shape: Shape, threads: usize) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.threads = threads;
    options.batch_rows = 500;
    if matches!(shape, Shape::Wide | Shape::Tidy) {
        options.sampling = Sampling::Rate(20.0);
    }
    if shape == Shape::Wide {
        let columns = ["file", "time_s", "head.position.y", "right.Palm.rotation.w"];
        options.columns = Some(columns.map(str::to_owned).into());
    }
    options
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    for shape in [
        Shape::Wide,
        Shape::Tidy,
        Shape::Keys,
        Shape::Info,
        Shape::Markers,
    ] {
        let one = rows(&Scan::new(files(), options(shape, 1)).unwrap()).unwrap();
        assert!(one.rows.len() >= 12, "{shape}");
        for threads in [2, 3, 8] {
            let scan = Scan::new(files(), options(shape, threads)).unwrap();
            assert_eq!(rows(&scan).unwrap(), one, "{shape}, {threads} threads");
        }
    }
}

#[test]
fn tasks_in_any_order_have_the_rows_of_the_iterator() {
    for shape in [Shape::Wide, Shape::Keys] {
        let scan = Scan::new(files(), options(shape, 2)).unwrap();
        let queue = scan.tasks();
        let mut tasks: Vec<_> = std::iter::from_fn(|| queue.next()).collect();
        assert!(tasks.len() > 10, "{shape}");
        let mut parts = Vec::new();
        while let Some(task) = tasks.pop() {
            let order = task.order();
            for batch in task.batches() {
                parts.push((order, cells(scan.fields(), &batch.unwrap())));
            }
        }
        parts.sort_by_key(|(order, _)| *order);
        let found = Table {
            names: rows(&scan).unwrap().names,
            rows: parts.into_iter().flat_map(|(_, rows)| rows).collect(),
        };
        assert!(found == rows(&scan).unwrap(), "{shape}");
    }
}

#[test]
fn a_limit_returns_the_first_rows() {
    for threads in [1, 3] {
        let all = rows(&Scan::new(files(), options(Shape::Wide, threads)).unwrap()).unwrap();
        for limit in [0, 1, 499, 500, 501, 5000] {
            let mut options = options(Shape::Wide, threads);
            options.limit = Some(limit);
            let found = rows(&Scan::new(files(), options).unwrap()).unwrap();
            assert!(found.rows[..] == all.rows[..limit as usize], "{limit}");
        }
    }
}

// The file systems of other systems refuse the name.
#[cfg(target_os = "linux")]
#[test]
fn patterns_find_each_file_once_and_allow_any_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/1.bin"), short(1)).unwrap();
    fs::write(root.join("a/.2.bin"), "unfinished").unwrap();
    fs::write(
        root.join("a").join(OsStr::from_bytes(b"\xff.bin")),
        short(1),
    )
    .unwrap();
    symlink("..", root.join("a/loop")).unwrap();
    symlink(".", root.join("a/other")).unwrap();
    symlink("a", root.join("b")).unwrap();
    let names = |pattern: &str| {
        let scan = Scan::new([root.join(pattern)], ScanOptions::default()).unwrap();
        let names = scan.files().iter().map(|file| file.recording.to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("**/*.bin"), ["a/1", "a/\u{fffd}"]);
    assert_eq!(names("a/*.bin"), ["1", "\u{fffd}"]);
    // A link that a pattern reaches in a known number of steps is followed.
    assert_eq!(names("*/1.bin"), ["a/1", "b/1"]);
}

#[test]
fn any_number_of_threads_gives_the_same_rows() {
    let all = rows(&Scan::new(files(), options(Shape::Wide, 1)).unwrap()).unwrap();
    let scan = Scan::new(files(), options(Shape::Wide, usize::MAX)).unwrap();
    assert!(rows(&scan).unwrap().rows == all.rows);
}

#[test]
fn files_of_folders_and_patterns_are_sorted_by_path() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for name in [
        "b/2.bin",
        "b/10.bin",
        "a.bin",
        "b.bin",
        "b/c/1.BIN",
        "b/notes.txt",
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, short(1)).unwrap();
    }
    let names = |source: &Path| {
        let scan = Scan::new([source], ScanOptions::default()).unwrap();
        let names = scan.files().iter().map(|file| file.recording.to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(root), ["a", "b/10", "b/2", "b/c/1", "b"]);
    assert_eq!(names(&root.join("**/*.bin")), ["a", "b/10", "b/2", "b"]);
    assert_eq!(names(&root.join("*/2.bin")), ["b/2"]);
    // A folder that a pattern matches is searched, as if a shell had replaced the pattern by it.
    assert_eq!(names(&root.join("b*")), ["b/10", "b/2", "b/c/1", "b"]);
    assert_eq!(names(&root.join("**/b*")), ["b/10", "b/2", "b/c/1", "b"]);
    assert_eq!(names(&root.join("b/[c]")), ["c/1"]);
    assert_eq!(names(&root.join("a.bin")), ["a"]);
    // A file that two sources have is read once.
    let scan = Scan::new(
        [root.join("a.bin"), root.to_owned()],
        ScanOptions::default(),
    );
    assert_eq!(scan.unwrap().files().len(), 5);
    let nothing = Scan::new([root.join("*.glb")], ScanOptions::default()).unwrap_err();
    assert!(
        nothing.to_string().ends_with("*.glb: no recordings found"),
        "{nothing}"
    );
}

#[test]
fn recordings_with_one_file_name_are_named_by_their_folders() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["p1", "p2"].map(|name| folder.path().join(name).join("far.bin"));
    for path in &paths {
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(path, short(1)).unwrap();
    }
    let names = |sources: Vec<std::path::PathBuf>| {
        let scan = Scan::new(sources, ScanOptions::default()).unwrap();
        let names = scan.files().iter().map(|file| file.recording.to_string());
        names.collect::<Vec<_>>()
    };
    // A shell replaces the pattern by the paths, and the names are the same.
    assert_eq!(names(paths.to_vec()), ["p1/far", "p2/far"]);
    assert_eq!(
        names(vec![folder.path().join("*/far.bin")]),
        ["p1/far", "p2/far"]
    );
    assert_eq!(names(vec![paths[0].clone()]), ["far"]);
}

#[test]
fn small_batches_are_joined_across_tasks() {
    let file = short(0);
    let scan = |rows| {
        let files = (0..300).map(|index| source(&format!("{index:03}"), file.clone()));
        let mut options = ScanOptions::default();
        options.shape = Shape::Info;
        options.threads = 2;
        options.batch_rows = rows;
        Scan::new(files, options).unwrap()
    };
    let sizes = |scan: &Scan| -> Vec<usize> {
        let batches = scan.batches().map(|batch| batch.unwrap().rows);
        batches.collect()
    };
    assert_eq!(sizes(&scan(8192)), [300]);
    // No batch has more rows than the options say.
    let few = sizes(&scan(100));
    assert_eq!(few.iter().sum::<usize>(), 300);
    assert!(
        few.len() <= 6 && few.iter().all(|&rows| rows <= 100),
        "{few:?}"
    );
    // A limit of rows ends the scan.
    assert_eq!(sizes(&scan(8192).with_limit(5)), [5]);
}

#[test]
fn joined_rows_come_before_an_error() {
    let mut files: Vec<_> = (0..100)
        .map(|index| source(&format!("{index:03}"), short(0)))
        .collect();
    files.push(source("bad", "bad"));
    let mut options = ScanOptions::default();
    options.shape = Shape::Info;
    options.threads = 2;
    let scan = Scan::new(files, options).unwrap();
    let results: Vec<_> = scan.batches().collect();
    let rows: usize = results.iter().flatten().map(|batch| batch.rows).sum();
    assert_eq!(rows, 100);
    assert!(results.last().unwrap().is_err());
}
