//! Verbs that change recordings take several files and folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use inputanim::Recording;
use tempfile::TempDir;

use crate::device_rows::CONTROLLER;
use crate::support::program;

/// Creates a folder with two recordings, one of them in a subfolder.
fn study() -> TempDir {
    let study = tempfile::tempdir().unwrap();
    fs::create_dir_all(study.path().join("in/p2")).unwrap();
    fs::copy(sample("wave.bin"), study.path().join("in/p1.bin")).unwrap();
    fs::copy(sample("reach.bin"), study.path().join("in/p2/take.bin")).unwrap();
    study
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../samples")
        .join(name)
}

fn run(study: &TempDir, line: &str) -> Output {
    let mut program = program();
    program
        .args(line.split(' '))
        .current_dir(study.path())
        .output()
        .unwrap()
}

/// Returns the printed messages, with the separators of Linux in paths.
fn errors(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    text.replace('\\', "/")
}

fn duration(study: &TempDir, name: &str) -> f32 {
    let bytes = fs::read(study.path().join(name)).unwrap();
    Recording::parse(&bytes).unwrap().duration()
}

#[test]
fn every_verb_that_writes_a_recording_takes_a_folder() {
    let study = study();
    for (verb, options) in [
        ("repair", ""),
        ("recover", ""),
        ("trim", " --time 1..2"),
        ("select", " --joints left,head"),
        ("smooth", ""),
        ("reduce", ""),
        ("resample", " --rate 15"),
        ("fill", " --with drop"),
        ("mirror", ""),
        ("transform", " --yaw 90"),
        ("shift", " --by 1"),
        ("retime", " --speed 2"),
        ("markers add", " --at 1 start"),
    ] {
        let folder = verb.replace(' ', "-");
        let line = format!("{verb} -r in -o {folder}{options}");
        let output = run(&study, &line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", errors(&output));
        let (first, second) = (format!("{folder}/p1.bin"), format!("{folder}/p2/take.bin"));
        assert!(duration(&study, &first) > 0.0 && duration(&study, &second) > 0.0);
        // One line for each file, and one for all.
        let lines = errors(&output);
        let lines: Vec<&str> = lines.lines().collect();
        assert!(
            lines[0].ends_with(&first) && lines[1].ends_with(&second),
            "{lines:?}"
        );
        assert!(
            lines[2].contains(" file") && !lines[2].contains("failed"),
            "{lines:?}"
        );
        assert_eq!(lines.len(), 3, "{lines:?}");
        // A file gives the same output as in a run of its own.
        let alone = format!("{verb} in/p1.bin -o {folder}.bin{options}");
        assert_eq!(run(&study, &alone).status.code(), Some(0));
        let read = |name: &str| fs::read(study.path().join(name)).unwrap();
        assert_eq!(read(&first), read(&format!("{folder}.bin")));
        assert!(errors(&run(&study, &line)).contains("0 files"));
    }
}

#[test]
fn an_edit_is_done_again_when_its_options_change() {
    let study = study();
    let trim = |options: &str| errors(&run(&study, &format!("trim -r in -o out {options}")));
    assert!(trim("--time 1..2").contains("2 files trimmed"));
    assert!(trim("--time 1..2").contains("0 files trimmed, 2 up to date"));
    assert!(trim("--time 1..3").contains("2 files trimmed"));
    assert_eq!(duration(&study, "out/p1.bin"), 2.0);
    // Options that do not change the output do not count.
    assert!(trim("--time 1..3 -j 1").contains("2 up to date"));
    assert!(trim("--time 1..3 --force").contains("2 files trimmed"));
    // The outputs of another verb are kept: they may be steps of the same work.
    let shifted = run(&study, "shift -r in -o out --by 1");
    assert_eq!(shifted.status.code(), Some(1));
    assert!(errors(&shifted).contains("0 files shifted, 2 failed"));
    assert_eq!(duration(&study, "out/p1.bin"), 2.0);
}

#[test]
fn an_edit_is_done_again_when_a_file_that_it_reads_changes() {
    let study = study();
    let transform = |anchor: &str| {
        fs::write(study.path().join("anchor.json"), anchor).unwrap();
        errors(&run(&study, "transform -r in -o out --anchor anchor.json"))
    };
    assert!(transform(r#"{"position":[1,0,0]}"#).contains("2 files transformed"));
    assert!(transform(r#"{"position": [1, 0, 0]}"#).contains("2 up to date"));
    assert!(transform(r#"{"position":[2,0,0]}"#).contains("2 files transformed"));
    let import = |markers: &str| {
        fs::write(study.path().join("m.csv"), markers).unwrap();
        errors(&run(&study, "markers import -r in m.csv -o marked"))
    };
    assert!(import("time_s,name\n1,a\n").contains("2 files edited"));
    assert!(import("time_s,name\n1,b\n").contains("2 files edited"));
}

#[test]
fn several_inputs_and_an_existing_folder_are_a_batch() {
    let study = study();
    fs::create_dir(study.path().join("out")).unwrap();
    for (line, made) in [
        ("shift in/p1.bin -o out --by 1", "out/p1.bin"),
        (
            "shift in/p1.bin in/p2/take.bin -o new --by 1",
            "new/take.bin",
        ),
        ("shift in/p1.bin -o other/ --by 1", "other/p1.bin"),
    ] {
        let output = run(&study, line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", errors(&output));
        assert!(study.path().join(made).is_file(), "{line}");
    }
}

#[test]
fn an_output_has_one_extension_of_a_format() {
    let study = study();
    let run = |line: &str| {
        let output = run(&study, line);
        assert_eq!(output.status.code(), Some(0), "{line}: {}", errors(&output));
    };
    run("convert in/p1.bin in/p1.iwer.json");
    run("convert in/p1.iwer.json -o converted/ --to bin");
    run("trim in/p1.iwer.json -o trimmed/ --time 1..2");
    assert!(duration(&study, "converted/p1.bin") > 3.0);
    assert_eq!(duration(&study, "trimmed/p1.bin"), 1.0);
}

#[test]
fn two_inputs_of_one_folder_with_one_output_are_refused() {
    let study = study();
    fs::copy(sample("wave.bin"), study.path().join("in/p1.iwer.json")).unwrap();
    let output = run(&study, "mirror in/p1.bin in/p1.iwer.json -o out");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        errors(&output),
        "error: in/p1.bin and in/p1.iwer.json have the same output out/p1.bin\n  \
         hint: rename one of the files\n"
    );
}

#[test]
fn an_edit_writes_no_other_format() {
    let study = study();
    for (name, expected) in [
        (
            "t.iwer.json",
            "error: this command writes bin, json and mcap, not iwer: t.iwer.json\n  \
             hint: write .bin; `inputanim convert` then writes iwer\n",
        ),
        (
            "t.hdf5",
            "error: this command writes bin, json and mcap, not egodex: t.hdf5\n  \
             hint: use the extension .bin, .json or .mcap\n",
        ),
    ] {
        let output = run(&study, &format!("trim in/p1.bin -o {name} --time 1..2"));
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(errors(&output), expected);
    }
}

#[cfg(all(feature = "isaac", feature = "mcap"))]
#[test]
fn a_search_skips_another_format_with_the_same_extension() {
    let study = study();
    for (name, to) in [("a", "isaac"), ("b", "mcap"), ("c", "mcap")] {
        let line = format!("convert in/p1.bin in/{name}.mcap --to {to}");
        assert_eq!(run(&study, &line).status.code(), Some(0));
    }
    for (format, skipped, count) in [
        (
            "isaac",
            "in/b.mcap is mcap, not isaac, and 1 more file",
            "1 file",
        ),
        ("mcap", "in/a.mcap is isaac, not mcap", "2 files"),
    ] {
        let line = format!("mirror -r in -o {format} --input-format {format}");
        let output = run(&study, &line);
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        assert!(
            errors.contains(&format!("note: skipped: {skipped}\n")),
            "{errors}"
        );
        assert!(errors.ends_with(&format!("{count} mirrored\n")), "{errors}");
    }
    // The folder has files with the extension, but none of the format.
    for name in ["b", "c"] {
        fs::remove_file(study.path().join(format!("in/{name}.mcap"))).unwrap();
    }
    let output = run(&study, "mirror -r in -o none --input-format mcap");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    let skipped = "note: skipped: in/a.mcap is isaac, not mcap\nerror: no recordings found\n";
    assert!(errors.starts_with(skipped), "{errors}");
}

#[test]
fn a_batch_keeps_the_containers_of_recordings_with_controllers() {
    if cfg!(not(feature = "full")) {
        return;
    }
    let study = study();
    fs::write(study.path().join("in/c.json"), CONTROLLER).unwrap();
    for to in ["mcap", "isaac", "csv"] {
        let line = format!("convert in/c.json in/{to}.{to} --to {to} --quiet");
        let line = line.replace("isaac.isaac", "isaac.mcap");
        let output = run(&study, &line);
        assert!([Some(0), Some(3)].contains(&output.status.code()));
    }
    let kept = run(&study, "shift in/c.json in/mcap.mcap -o kept/ --by 1");
    assert_eq!(kept.status.code(), Some(0), "{}", errors(&kept));
    let json = fs::read(study.path().join("kept/c.json")).unwrap();
    let again = run(&study, "convert kept/mcap.mcap again.json --quiet");
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
    assert_eq!(fs::read(study.path().join("again.json")).unwrap(), json);
    assert!(
        String::from_utf8(json)
            .unwrap()
            .contains("\"right.controller\"")
    );
    // Other formats become .bin. Each file has a line about what is lost.
    let lost = run(&study, "shift in/isaac.mcap in/csv.csv -o lost/ --by 1");
    assert_eq!(lost.status.code(), Some(3), "{}", errors(&lost));
    for name in ["isaac.bin", "csv.bin"] {
        assert!(study.path().join("lost").join(name).is_file(), "{name}");
    }
    let messages = errors(&lost);
    for name in ["isaac.mcap", "csv.csv"] {
        let loss = format!("warning: in/{name}: lost: right.controller: a.click, trigger.value (");
        assert!(messages.contains(&loss), "{messages}");
    }
    let hint = "a .mcap file holds controllers and other devices completely: convert the inputs with `convert --to mcap` first";
    assert_eq!(messages.matches(hint).count(), 1, "{messages}");
}

#[test]
fn a_file_that_fails_does_not_stop_the_others() {
    let study = study();
    fs::write(study.path().join("in/bad.bin"), "no recording").unwrap();
    let output = run(&study, "mirror -r in -o out");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert!(errors.contains("error: in/bad.bin"), "{errors}");
    assert!(errors.ends_with("2 files mirrored, 1 failed\n"), "{errors}");
}

#[test]
fn a_batch_without_a_folder_is_refused() {
    let study = study();
    for line in [
        "shift in/p1.bin in/p2/take.bin -o out.bin --by 1",
        "shift in/p1.bin in/p2/take.bin -o - --by 1",
        "shift in/p1.bin in/p2/take.bin -o in/p1.bin --by 1",
        "shift in -o out.bin --by 1",
        "shift in -o out/ --by 1",
        "shift - -o out/ --by 1",
        "shift -r in -o in --by 1 --force",
        "repair -r in -o out --uncertain u.json",
    ] {
        let output = run(&study, line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", errors(&output));
        assert!(
            errors(&output).contains("hint:"),
            "{line}: {}",
            errors(&output)
        );
    }
    assert!(!study.path().join("out.bin").exists());
}

#[test]
fn a_quiet_edit_prints_nothing() {
    let study = study();
    for line in [
        "trim in/p1.bin -o part.bin --time 1..2 -q",
        "trim -r in -o out --time 1..2 --quiet",
        "smooth in/p1.bin -o smoothed.bin -q",
        "reduce in/p1.bin -o small.bin -q",
        "repair in/p1.bin -o repaired.bin -q",
    ] {
        let output = run(&study, line);
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert!(
            output.stderr.is_empty() && output.stdout.is_empty(),
            "{line}: {output:?}"
        );
    }
}

#[test]
fn an_edit_prints_one_line_with_the_length_the_keys_and_the_size() {
    let study = study();
    let trimmed = run(&study, "trim in/p1.bin -o part.bin --time 1..2");
    let line =
        "trimmed in/p1.bin: 1.000 s (was 4.000 s), 6,232 keys (was 26,148), 55 kB -> part.bin\n";
    assert_eq!(errors(&trimmed), line);
    let json = run(&study, "markers add in/p1.bin -o - --at 1 start");
    assert!(errors(&json).ends_with(" 4.000 s, 26,148 keys -> standard output\n"));
}

#[test]
fn reports_of_several_recordings_are_in_one_table() {
    let study = study();
    for verb in ["repair", "reduce"] {
        let output = run(&study, &format!("{verb} -r in -o {verb} --format csv"));
        let mut table = csv::Reader::from_reader(&output.stdout[..]);
        let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
        let files: Vec<String> = rows.iter().map(|row| row[0].replace('\\', "/")).collect();
        for file in ["in/p1.bin", "in/p2/take.bin"] {
            assert!(files.iter().any(|other| other == file), "{files:?}");
        }
    }
}

#[test]
fn a_folder_is_recovered_with_its_intact_files() {
    let study = study();
    let bytes = fs::read(sample("wave.bin")).unwrap();
    fs::write(
        study.path().join("in/truncated.bin"),
        &bytes[..bytes.len() / 2],
    )
    .unwrap();
    let output = run(&study, "recover -r in -o out");
    assert_eq!(output.status.code(), Some(3));
    let errors = errors(&output);
    assert!(
        errors.contains("in/truncated.bin: all markers are lost"),
        "{errors}"
    );
    let read = |name: &str| fs::read(study.path().join(name)).unwrap();
    assert_eq!(read("out/p2/take.bin"), read("in/p2/take.bin"));
    assert!(duration(&study, "out/truncated.bin") > 0.0);
}
