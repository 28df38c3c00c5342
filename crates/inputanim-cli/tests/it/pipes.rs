//! Commands that read what other commands print: nothing is lost between them.

use std::path::Path;
use std::process::Output;

use inputanim::Recording;
use inputanim::diff::{DiffOptions, Verdict};

use crate::support::{program, run_with_input};

/// Runs the program with `input` as standard input.
fn run(args: &[&str], input: &[u8], folder: &Path) -> Output {
    run_with_input(program().args(args).current_dir(folder), input)
}

/// The command that prints a recording, and the command that makes a recording from it.
const PAIRS: &[(&str, &str)] = &[
    ("convert take.bin - --to bin", "convert - back.bin"),
    ("convert take.bin - --to json", "convert - back.bin"),
    ("convert take.bin - --to mcap", "convert - back.bin"),
    ("convert take.bin - --to isaac", "convert - back.bin"),
    ("convert take.bin - --to glb", "convert - back.bin"),
    ("convert take.bin - --to gltf", "convert - back.bin"),
    ("convert take.bin - --to xdf", "convert - back.bin"),
    ("convert take.bin - --to arrow", "convert - back.bin"),
    ("convert take.bin - --to parquet", "convert - back.bin"),
    (
        "convert take.bin - --to csv --markers",
        "convert - back.bin",
    ),
    (
        "convert take.bin - --to csv --markers",
        "record - -o back.bin",
    ),
    (
        "convert take.bin - --to tsv --markers",
        "convert - back.bin",
    ),
    (
        "convert take.bin - --to tsv --markers",
        "record - -o back.bin --input-format tsv",
    ),
    (
        "convert take.bin - --to ndjson --markers",
        "convert - back.bin",
    ),
    (
        "convert take.bin - --to ndjson --markers",
        "record - -o back.bin",
    ),
    (
        "convert take.bin - --to csv --shape keys",
        "convert - back.bin",
    ),
    (
        "convert take.bin - --to ndjson --shape keys",
        "convert - back.bin",
    ),
    (
        "convert take.bin - --to arrow --shape keys",
        "convert - back.bin",
    ),
    (
        "convert take.bin - --to parquet --shape keys",
        "convert - back.bin",
    ),
    ("sample take.bin --format ndjson", "record - -o back.bin"),
    ("sample take.bin --format json", "record - -o back.bin"),
    (
        "sample take.bin --format ndjson --at-keys",
        "record - -o back.bin",
    ),
    ("sample take.bin --format ndjson", "convert - back.bin"),
    (
        "sample take.bin --format csv --at-markers",
        "record - -o marks.bin",
    ),
    ("trim take.bin --time 0..9 -o -", "convert - back.bin"),
    (
        "markers export take.bin",
        "markers import bare.bin - --from csv -o back.bin",
    ),
];

#[test]
fn markers_and_poses_go_through_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/two-hands.bin");
    let bytes = std::fs::read(sample).unwrap();
    let take = Recording::parse(&bytes).unwrap();
    assert!(!take.markers.is_empty());
    std::fs::write(folder.join("take.bin"), &bytes).unwrap();
    let mut bare = take.clone();
    bare.markers.clear();
    let bare = bare.to_bytes_as(bare.layout).unwrap();
    std::fs::write(folder.join("bare.bin"), bare).unwrap();
    let needs_full_build = ["mcap", "isaac", "xdf", "arrow", "parquet"];
    for (writer, reader) in PAIRS {
        let is_left_out = needs_full_build.iter().any(|name| writer.contains(name));
        if is_left_out && !cfg!(feature = "full") {
            continue;
        }
        let words = |line: &'static str| line.split(' ').collect::<Vec<_>>();
        let written = run(&words(writer), &[], folder);
        let format = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            written.status.code(),
            Some(0),
            "{writer}: {}",
            format(&written)
        );
        let mut args = words(reader);
        args.push("--force");
        let read = run(&args, &written.stdout, folder);
        let line = format!("inputanim {writer} | inputanim {reader}");
        assert_eq!(read.status.code(), Some(0), "{line}: {}", format(&read));
        let output = args
            .iter()
            .find(|arg| matches!(**arg, "back.bin" | "marks.bin"));
        let back = std::fs::read(folder.join(output.unwrap())).unwrap();
        let back = Recording::parse(&back).unwrap();
        let names = |recording: &Recording<'_>| -> Vec<(f32, String)> {
            let markers = recording.markers.iter();
            let mut markers: Vec<_> = markers
                .map(|marker| (marker.time, marker.name.to_string()))
                .collect();
            markers.sort_by(|a, b| a.0.total_cmp(&b.0));
            markers
        };
        assert_eq!(names(&back), names(&take), "{line}");
        // The samples at markers are not the whole recording.
        if !line.contains("at-markers") {
            let mut options = DiffOptions::default();
            options.tolerance.timing = 0.02;
            options.tolerance.duration = 0.02;
            options.tolerance.position = 0.02;
            options.tolerance.rotation = 5.0;
            let found = take.diff(&back, &options).unwrap();
            assert_ne!(
                found.verdict,
                Verdict::Different,
                "{line}: {:?}",
                found.out_of_tolerance
            );
        }
    }
}
