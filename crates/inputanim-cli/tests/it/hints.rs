//! Every command that a hint names works when it is pasted into a shell.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use inputanim::{Pose, Recording};
use inputanim_testkit::xdf::Lab;

use inputanim_testkit::documents::write_damaged_files;

use super::commands::root;

/// Runs a line in a shell, where `inputanim` is the program.
fn shell(line: &str, folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_inputanim"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    Command::new("sh")
        .args(["-c", line])
        .env("PATH", path)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs a line that makes files, and must succeed, with or without losses.
fn prepare(line: &str, folder: &Path) {
    let output = shell(line, folder);
    assert!(
        matches!(output.status.code(), Some(0 | 3)),
        "{line}: {output:?}"
    );
}

/// Commands that make the files for the commands below.
const PREPARATION: &[&str] = &[
    "inputanim convert samples/wave.bin plain.bin --layout mixed-1.1-simple-no-markers --allow-loss",
    "inputanim convert samples/wave.bin old.bin --layout mrtk-1.0 --allow-loss",
    "inputanim convert samples/wave.bin wave.glb",
    "inputanim convert samples/wave.bin table.csv",
    "cp samples/wave.bin \"it's a \\$5 take.bin\"",
    "cp damaged/lost-w.bin \"it's lost.bin\"",
    "inputanim reduce old.bin --method optimal --tangents -o curved.bin",
    "cp damaged/killed.session open.session",
    "inputanim recover damaged/cut.bin -o part.bin",
    "mkdir repaired && cp damaged/lost-w.bin part.bin repaired",
];

/// Command lines with errors, warnings or findings that have hints.
const MISTAKES: &[&str] = &[
    "inputanim info damaged/cut.bin",
    "inputanim check damaged/*.bin",
    "inputanim check samples/wave.bin damaged/sign-flips.bin damaged/lost-tail.bin",
    "inputanim doctor damaged/sign-flips.bin damaged/lost-w.bin damaged/no-time.bin damaged/lost-tail.bin",
    "inputanim doctor damaged/cut.bin damaged/longer.bin damaged/zeros.bin damaged/empty.bin",
    "inputanim info damaged/lost-w.bin \"it's lost.bin\"",
    "inputanim info wave.glb",
    "inputanim trim table.csv --time 1..2 -o out.bin",
    "inputanim trim samples/wave.bin --time 9.. -o out.bin",
    "inputanim trim \"it's a \\$5 take.bin\" --time 9.. -o out.bin",
    "inputanim trim damaged/lost-w.bin --time 1..2 -o out.bin",
    "inputanim trim damaged/no-time.bin --time 1..2 -o out.bin",
    "inputanim trim damaged/killed.session --time 1..2 -o out.bin",
    "inputanim split samples/wave.bin --at 9 -o out.bin",
    "inputanim split samples/wave.bin --at-gaps both -o out.bin",
    "inputanim concat damaged/lost-w.bin samples/wave.bin -o out.bin",
    "inputanim concat old.bin samples/wave.bin -o out.bin",
    "inputanim select samples/wave.bin --joints Thumb -o out.bin",
    "inputanim select samples/wave.bin --exclude left.tracked -o out.bin",
    "inputanim smooth damaged/lost-w.bin -o out.bin",
    "inputanim smooth \"it's lost.bin\" -o out.bin",
    "inputanim smooth curved.bin -o out.bin",
    "inputanim smooth damaged/lost-tail.bin -o out.bin",
    "inputanim fill curved.bin --with hold -o out.bin",
    "inputanim reduce damaged/lost-w.bin -o out.bin",
    "inputanim reduce curved.bin -o out.bin",
    "inputanim reduce samples/wave.bin --tangents -o out.bin",
    "inputanim reduce damaged/no-time.bin -o out.bin",
    "inputanim resample samples/wave.bin --rate 1000000 -o out.bin",
    "inputanim transform damaged/lost-w.bin --yaw 90 -o out.bin",
    "inputanim mirror damaged/lost-w.bin -o out.bin",
    "inputanim repair damaged/lost-w.bin -o repaired.bin",
    "inputanim repair damaged/cut.bin -o out.bin",
    "inputanim markers add plain.bin --at 1 grab -o out.bin",
    "inputanim markers remove samples/wave.bin --name nothing -o out.bin",
    "inputanim markers rename samples/wave.bin --index 9 --new-name a -o out.bin",
    "inputanim convert samples/wave.bin out.bin --layout mrtk-1.0",
    "inputanim convert damaged/no-time.bin out.csv",
    "inputanim convert damaged/lost-w.bin out.csv",
    "inputanim sample damaged/no-time.bin",
    "inputanim sample damaged/lost-w.bin --at 1",
    "inputanim sample samples/wave.bin --joints hed",
    "inputanim stats damaged/lost-w.bin",
    "inputanim stats damaged/no-time.bin",
    "inputanim stats samples/wave.bin --segments start:stop",
    "inputanim stats samples/wave.bin --measures hed",
    "inputanim stats samples/wave.bin --time 9..",
    "inputanim events damaged/cut.bin",
    "inputanim events samples/wave.bin --rate 90 --parameter max_samples=100",
    "inputanim events \"it's lost.bin\" --parameter dispersion=1",
    "inputanim diff damaged/lost-w.bin samples/wave.bin",
    "inputanim diff samples/wave.bin samples/reach.bin --time 9..",
    "inputanim play damaged/no-time.bin --no-wait",
    "inputanim doctor part.bin",
    "inputanim stats part.bin",
    "inputanim convert part.bin out.csv",
    "inputanim sample part.bin --at 1",
    "inputanim stats --recover damaged/cut.bin",
    "inputanim convert --recover damaged/cut.bin out.csv",
    "inputanim convert --recover -r damaged -o out.csv",
    "inputanim stats -r repaired",
    "inputanim convert -r repaired -o out.csv",
    "inputanim convert lab.xdf out.bin",
    "inputanim convert angles.csv out.bin",
    "inputanim convert frames.csv out.bin",
    "inputanim info lab.xdf",
    "inputanim stats angles.csv",
    "inputanim doctor clock.csv",
    "inputanim info epoch.csv",
    "inputanim check other.csv",
    "inputanim info row.csv",
    "inputanim doctor row.csv",
    "inputanim stats row.csv",
    "inputanim check row.ndjson",
    "inputanim recover row.tsv -o out.bin",
    "inputanim info row-keys.csv",
    "inputanim convert row.csv out.bin",
    "inputanim info nothing.csv",
    "inputanim record samples/wave.bin -o out.bin",
    "inputanim record table.csv -o recorded.bin --session open.session",
];

/// Returns the commands between backticks in the messages of a run.
fn commands(output: &Output) -> Vec<String> {
    let texts = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    // Long hints are wrapped, but never inside a command.
    let parts = texts.iter().flat_map(|text| text.split('`'));
    let commands = parts.filter(|part| part.starts_with("inputanim "));
    commands.map(str::to_owned).collect()
}

/// Returns the files in a folder.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_file()).collect()
}

/// Returns an XDF file of another program: a hand, and a head without rotations.
fn lab() -> Vec<u8> {
    let mut lab = Lab::new();
    let labels = [
        "pos_x", "pos_y", "pos_z", "rot_x", "rot_y", "rot_z", "rot_w",
    ];
    lab.stream(1, ["Right Hand", "MoCap", "float32"], 0.0, &labels);
    let pose = [0.1, 1.2, 0.3, 0.0, 0.0, 0.0, 1.0];
    lab.floats(1, &[(5.0, &pose), (6.0, &pose)]);
    lab.stream(2, ["HMD", "MoCap", "float32"], 0.0, &["X", "Y", "Z"]);
    lab.floats(2, &[(5.0, &[0.0, 1.6, 0.0]), (6.0, &[0.0, 1.7, 0.0])]);
    lab.0
}

#[test]
fn every_command_of_a_hint_works_when_it_is_pasted() {
    let folder = tempfile::tempdir().unwrap();
    let samples = folder.path().join("samples");
    fs::create_dir(&samples).unwrap();
    for entry in fs::read_dir(root().join("samples")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, samples.join(path.file_name().unwrap())).unwrap();
    }
    write_damaged_files(&root(), &folder.path().join("damaged"));
    fs::write(folder.path().join("lab.xdf"), lab()).unwrap();
    let angles = "time,pos_x,pos_y,pos_z,rot_x,rot_y,rot_z\n0,0,1.6,0,0,90,0\n1,0,1.7,0,0,80,0\n";
    fs::write(folder.path().join("angles.csv"), angles).unwrap();
    let frames = "frame,Palm\n0,\"(0, 1.2, 0.3)\"\n1,\"(0, 1.3, 0.3)\"\n";
    fs::write(folder.path().join("frames.csv"), frames).unwrap();
    for (name, text) in [
        (
            "clock.csv",
            "Clock time,head.position.x,head.position.y,head.position.z\n0,0,1,0\n1,0,1,0\n",
        ),
        (
            "epoch.csv",
            "time_s,left.tracked\n1700000000.25,1\n1700000001.25,1\n",
        ),
        (
            "other.csv",
            "time_s,left.tracked,temperature\n0,1,20\n1,1,21\n",
        ),
        ("nothing.csv", "a,b\n1,2\n"),
        ("row.csv", "time_s,left.tracked\n0,1\n1,x\n2,1\n"),
        ("row.tsv", "time_s\tleft.tracked\n0\t1\n1\n2\t1\n"),
        (
            "row.ndjson",
            "{\"time\":0,\"left\":{\"tracked\":true}}\n{\"time\":1,\n{\"time\":2,\"left\":{\"tracked\":true}}\n",
        ),
        (
            "row-keys.csv",
            "curve,time_s,value\nleft.tracked,0,1\nleft.tracked,x,0\nleft.tracked,2,1\n",
        ),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    for line in PREPARATION {
        prepare(line, folder.path());
    }
    let mut hinted = BTreeSet::new();
    let mut failures = Vec::new();
    for mistake in MISTAKES {
        // Some of these commands only warn, and write a file that the next one could not replace.
        fs::remove_file(folder.path().join("out.bin")).ok();
        fs::remove_file(folder.path().join("out.csv")).ok();
        for command in commands(&shell(mistake, folder.path())) {
            // Tables and paragraphs name verbs too: `inputanim repair`.
            if !hinted.insert(command.clone()) {
                continue;
            }
            assert!(!command.contains('\n'), "{mistake}: {command}");
            let before = files(folder.path());
            let output = shell(&command, folder.path());
            // Hints about one file may suggest the same output.
            for made in files(folder.path()).difference(&before) {
                fs::remove_file(made).unwrap();
            }
            let code = output.status.code();
            // `doctor` and `info` report damage with 1. Playback and edits of damaged data end with 3.
            let reports = ["inputanim doctor", "inputanim info", "inputanim check"];
            let is_report = reports.iter().any(|report| command.starts_with(report));
            if !(matches!(code, Some(0 | 3)) || is_report && code == Some(1)) {
                let error = String::from_utf8_lossy(&output.stderr).into_owned();
                failures.push(format!(
                    "{mistake}\n  hints at: {command}\n  {code:?}: {error}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(hinted.len() >= 25, "{hinted:#?}");
    // Commands without the options for reading hint at `convert`, which has them.
    for option in ["--map", "--from-zero", "--ignore-unknown", "--skip-bad"] {
        let of_convert = |command: &&String| command.starts_with("inputanim convert");
        let mut commands = hinted.iter().filter(of_convert);
        assert!(
            commands.any(|command| command.contains(option)),
            "{option}: {hinted:#?}"
        );
    }
}

#[test]
fn hints_about_damage_name_the_codes_and_commands_that_help() {
    let folder = tempfile::tempdir().unwrap();
    write_damaged_files(&root(), &folder.path().join("damaged"));
    prepare(
        "inputanim recover damaged/cut.bin -o part.bin",
        folder.path(),
    );
    let copy = "mkdir repaired && cp part.bin damaged/lost-w.bin repaired";
    prepare(copy, folder.path());
    let hints = |line: &str| commands(&shell(line, folder.path()));
    let select = "inputanim select --exclude right.IndexTip part.bin -o part-selected.bin";
    // An incomplete pose: `repair` does not help.
    for line in [
        "inputanim stats part.bin",
        "inputanim convert part.bin out.csv",
        "inputanim sample part.bin --at 1",
    ] {
        assert!(hints(line).contains(&select.to_owned()), "{line}");
        assert!(!hints(line).concat().contains("repair"), "{line}");
    }
    let doctor = shell("inputanim doctor part.bin", folder.path());
    assert!(String::from_utf8_lossy(&doctor.stdout).contains(select));
    for line in [
        "inputanim stats -r repaired",
        "inputanim convert -r repaired -o all.csv",
    ] {
        let hints = hints(line);
        // The folder of the outputs is not that of the inputs.
        let repair = "inputanim repair -r repaired -o repaired-repaired";
        assert!(hints.contains(&repair.to_owned()), "{hints:?}");
        let select = "inputanim select --exclude right.IndexTip repaired/part.bin -o selected/";
        assert!(hints.contains(&select.to_owned()), "{hints:?}");
    }
}

#[test]
fn hints_about_a_key_that_is_far_too_late_help() {
    let folder = tempfile::tempdir().unwrap();
    let wave = fs::read(root().join("samples/wave.bin")).unwrap();
    for (name, time) in [("far.bin", 1e30), ("infinite.bin", f32::INFINITY)] {
        let mut recording = Recording::parse(&wave).unwrap();
        recording.head_mut().push(time, &Pose::IDENTITY);
        fs::write(folder.path().join(name), recording.to_bytes().unwrap()).unwrap();
        for verb in [
            "stats FILE --time ..2",
            "stats FILE --no-limits",
            "events FILE --no-limits",
            "plot FILE -o plot.svg --force --no-limits",
            "sample FILE --no-limits",
            "convert FILE out.csv --force --no-limits",
            "convert FILE out.bvh --force --no-limits",
            "resample FILE --rate 60 -o resampled.bin --force --no-limits",
        ] {
            let line = format!("inputanim {}", verb.replace("FILE", name));
            let output = shell(&line, folder.path());
            assert_eq!(output.status.code(), Some(1), "{line}");
            let error = String::from_utf8_lossy(&output.stderr);
            let lifts = error.contains("--no-limits lifts");
            assert_eq!(
                lifts,
                time.is_finite() && !line.contains("--no-limits"),
                "{error}"
            );
            assert!(!error.contains("18446744073709551615"), "{error}");
            let hints = commands(&output);
            let hint = hints.last().unwrap_or_else(|| panic!("{line}: {error}"));
            prepare(hint, folder.path());
            let made = hint.rsplit(' ').next().unwrap();
            let again = format!("inputanim {}", verb.replace("FILE", made));
            prepare(&again, folder.path());
            fs::remove_file(folder.path().join(made)).unwrap();
        }
    }
}
