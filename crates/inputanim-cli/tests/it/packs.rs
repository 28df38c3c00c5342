//! Verbs read files in packs as they read files in folders.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::support::program;

/// Creates a folder with two recordings, and packs it.
fn study() -> TempDir {
    let study = tempfile::tempdir().unwrap();
    fs::create_dir_all(study.path().join("in/p2")).unwrap();
    for (sample, name) in [("wave.bin", "in/p1.bin"), ("reach.bin", "in/p2/take.bin")] {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../samples")
            .join(sample);
        fs::copy(sample, study.path().join(name)).unwrap();
    }
    succeeds(&study, "pack in -o packs");
    study
}

fn run(study: &TempDir, line: &str) -> Output {
    let mut program = program();
    let program = program.args(line.split(' ')).current_dir(study.path());
    program.output().unwrap()
}

/// Returns what a command prints to standard output, with the separators of Linux in paths.
fn succeeds(study: &TempDir, line: &str) -> String {
    let output = run(study, line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", errors(&output));
    String::from_utf8(output.stdout).unwrap().replace('\\', "/")
}

fn errors(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    text.replace('\\', "/")
}

const PACK: &str = "packs/0001.pack.mcap";

#[test]
#[cfg_attr(windows, ignore = "long under Wine, and independent of the system")]
fn verbs_print_the_same_for_packs_and_folders() {
    let study = study();
    for verb in [
        "info -r FOLDER",
        "info -r FOLDER --format csv",
        "check -r FOLDER",
        "stats -r FOLDER --format csv",
        "events -r FOLDER --format csv",
        "cat -r FOLDER --show markers --format csv",
        "doctor FOLDER/p1.bin",
        "sample FOLDER/p2/take.bin --rate 5",
        "play FOLDER/p2/take.bin --transitions",
        "diff FOLDER/p1.bin FOLDER/p2/take.bin --format json",
    ] {
        let [of_folder, of_pack] = ["in", PACK].map(|folder| {
            let output = run(&study, &verb.replace("FOLDER", folder));
            let text = String::from_utf8(output.stdout.clone()).unwrap();
            let text = text.replace('\\', "/").replace(PACK, "in");
            (
                text,
                output.status.code(),
                errors(&output).replace(PACK, "in"),
            )
        });
        assert!(!of_folder.0.is_empty(), "{verb}: {}", of_folder.2);
        assert_eq!(of_pack, of_folder, "{verb}");
    }
}

#[test]
fn outputs_of_recordings_in_packs_are_those_of_files() {
    let study = study();
    let converted = |from: &str, to: &str, name: &str| {
        succeeds(&study, &format!("trim -r {from} -o {to} --time 0..1"));
        fs::read(study.path().join(to).join(name)).unwrap()
    };
    let of_files = converted("in", "trimmed", "p2/take.bin");
    let of_packs = converted("packs", "trimmed-packs", "0001.pack.mcap/p2/take.bin");
    assert_eq!(of_packs, of_files);
    // Nothing is written again while the pack does not change.
    let again = run(&study, "trim -r packs -o trimmed-packs --time 0..1");
    assert!(
        errors(&again).contains("2 up to date"),
        "{}",
        errors(&again)
    );
    succeeds(&study, &format!("convert {PACK}/p1.bin p1.json"));
    succeeds(&study, "convert in/p1.bin p1-file.json");
    let read = |name: &str| fs::read(study.path().join(name)).unwrap();
    assert_eq!(read("p1.json"), read("p1-file.json"));
    succeeds(&study, "convert -r packs -o all.csv");
    let table = String::from_utf8(read("all.csv")).unwrap();
    assert!(
        table.contains("0001.pack.mcap/p2/take"),
        "{}",
        &table[..300]
    );
}

#[test]
fn buffers_of_a_gltf_file_are_read_from_its_pack() {
    let study = study();
    succeeds(&study, "convert in/p1.bin in/p1.gltf");
    let files: Vec<_> = fs::read_dir(study.path().join("in")).unwrap().collect();
    assert!(files.len() >= 3);
    succeeds(&study, "pack in -o packs --force");
    let info = |path: &str| {
        let text = succeeds(&study, &format!("info {path}"));
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(info(&format!("{PACK}/p1.gltf")), info("in/p1.gltf"));
}

#[test]
fn a_pack_is_a_folder_in_messages_and_hints() {
    let study = study();
    for (line, code, expected) in [
        (
            "info packs/0001.pack.mcap",
            2,
            "packs/0001.pack.mcap is a pack",
        ),
        (
            "info packs/0001.pack.mcap/x.bin",
            1,
            "the pack has no file \"x.bin\"",
        ),
        ("pack in -o in/packs", 2, "is inside of in"),
        ("pack in -o packs", 1, "--force replaces it"),
        ("pack packs -o twice", 1, "packs cannot contain packs"),
        ("pack in -o other --files 0", 2, "from 1 to 100,000"),
        ("pack missing -o other", 2, "missing is not a folder"),
        (
            "unpack in -o other",
            2,
            "`inputanim pack FOLDER -o PACKS` writes packs",
        ),
        ("unpack packs -o in", 1, "would be lost"),
    ] {
        let output = run(&study, line);
        let text = errors(&output);
        assert_eq!(output.status.code(), Some(code), "{line}: {text}");
        assert!(text.contains(expected), "{line}: {text}");
    }
    // The name of a pack counts, and its content too.
    fs::copy(study.path().join(PACK), study.path().join("take.mcap")).unwrap();
    let output = run(&study, "info take.mcap");
    let text = errors(&output);
    assert!(text.contains("a pack of files"), "{text}");
    assert!(text.contains("inputanim unpack"), "{text}");
}

#[test]
fn a_truncated_pack_fails_and_its_complete_files_are_unpacked() {
    let study = study();
    let path = study.path().join(PACK);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1000]).unwrap();
    let output = run(&study, "info -r packs");
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the pack is truncated"), "{text}");
    let hint = "`inputanim unpack packs/0001.pack.mcap -o FOLDER` writes its complete files";
    assert!(text.contains(hint), "{text}");
    let output = run(&study, "unpack packs/0001.pack.mcap -o again");
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let read = |name: &str| fs::read(study.path().join(name)).unwrap();
    assert_eq!(read("again/p1.bin"), read("in/p1.bin"));
    assert!(!study.path().join("again/p2").exists());
}

#[test]
fn a_damaged_file_is_unpacked_only_on_request() {
    let study = study();
    let path = study.path().join(PACK);
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.windows(6).position(|part| part == b"p1.bin").unwrap();
    bytes[place + 100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let output = run(&study, "unpack packs -o again");
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let hint =
        "`inputanim unpack --recover packs/0001.pack.mcap -o FOLDER` writes the damaged file too";
    assert!(text.contains(hint), "{text}");
    assert!(!study.path().join("again/p1.bin").exists());
    let output = run(&study, "unpack --recover packs -o damaged");
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    let warning = "warning: packs/0001.pack.mcap/p1.bin: the file is damaged: its checksum";
    assert!(text.contains(warning), "{text}");
    assert!(text.contains("1 damaged"), "{text}");
    let read = |name: &str| fs::read(study.path().join(name)).unwrap();
    assert_ne!(read("damaged/p1.bin"), read("in/p1.bin"));
    assert_eq!(read("damaged/p1.bin").len(), read("in/p1.bin").len());
}

#[cfg(unix)]
#[test]
fn pack_names_a_file_that_windows_cannot_have() {
    let study = study();
    fs::write(study.path().join("in/aux.txt"), b"text").unwrap();
    let output = run(&study, "pack in -o more");
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let note = "note: `unpack` cannot write in/aux.txt on Windows, because of the name";
    assert!(text.contains(note), "{text}");
}

#[cfg(feature = "full")]
#[test]
fn the_catalogue_of_a_pack_is_outside_of_it() {
    let study = study();
    let output = run(&study, "catalog packs/0001.pack.mcap");
    let text = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    let hint = "would be in a pack, and packs are not changed\n  hint: choose a file outside of the pack with -o";
    assert!(text.contains(hint), "{text}");
    let line = "catalog packs/0001.pack.mcap -o c.parquet";
    let output = run(&study, line);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let info = |more: &str| {
        let line = format!("info -r packs/0001.pack.mcap --format csv{more}");
        run(&study, &line).stdout
    };
    assert_eq!(info(" --catalog c.parquet"), info(""));
    assert!(!info("").is_empty());
}
