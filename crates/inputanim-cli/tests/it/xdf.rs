//! `inputanim convert`: XDF, and recordings that are added to files of laboratories.

use std::fs;
use std::path::Path;
use std::process::Output;

use inputanim_testkit::xdf::Lab;
use tempfile::TempDir;

use crate::support::program;

/// Returns the exit code and the messages of a conversion in a folder with the sample `take.bin` and the file `lab.xdf`.
fn convert(folder: &TempDir, args: &[&str]) -> (i32, String) {
    let mut program = program();
    program.arg("convert").args(args).current_dir(folder.path());
    let Output { status, stderr, .. } = program.output().unwrap();
    let messages = String::from_utf8(stderr).unwrap();
    (status.code().unwrap(), messages)
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    fs::copy(
        samples.join("pinch-drag.bin"),
        folder.path().join("take.bin"),
    )
    .unwrap();
    let (code, messages) = convert(&folder, &["take.bin", "lab.xdf", "--rate", "10"]);
    assert_eq!(code, 0, "{messages}");
    folder
}

#[test]
fn a_recording_is_added_to_a_copy_of_a_file() {
    let folder = folder();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let lab = read("lab.xdf");
    let args = [
        "take.bin",
        "both.xdf",
        "--append-to",
        "lab.xdf",
        "--at",
        "pinch#2",
    ];
    let (code, messages) = convert(&folder, &args);
    assert_eq!(code, 0, "{messages}");
    let expected = "is at the marker \"pinch\" of inputanim-markers (number 2 of ";
    assert!(messages.contains(expected), "{messages}");
    assert!(read("both.xdf").starts_with(&lab));

    let (code, messages) = convert(&folder, &["both.xdf", "back.bin"]);
    assert_eq!(code, 1);
    let command = "convert both.xdf both-converted.bin --recording take.bin";
    assert!(
        messages.contains(&format!("hint: `inputanim {command}` selects one")),
        "{messages}"
    );
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let (code, messages) = convert(&folder, &words);
    assert_eq!(code, 0, "{messages}");
    let (code, messages) = convert(
        &folder,
        &["both.xdf", "back.bin", "--recording", "take.bin#2"],
    );
    assert_eq!(code, 0, "{messages}");
}

#[test]
fn the_file_of_a_laboratory_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("lab.xdf");
    let lab = fs::read(&path).unwrap();
    fs::hard_link(&path, folder.path().join("hard.xdf")).unwrap();
    let mut outputs = vec!["lab.xdf", "./lab.xdf"];
    if cfg!(unix) {
        outputs.push("hard.xdf");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("lab.xdf", folder.path().join("link.xdf")).unwrap();
        outputs.push("link.xdf");
    }
    for output in outputs {
        let args = ["--append-to", "lab.xdf", "--at", "-2.5", "--force"];
        let (code, messages) = convert(&folder, &[&["take.bin", output], &args[..]].concat());
        assert_eq!(code, 2, "{messages}");
        let expected = "the file of --append-to and output are the same file: lab.xdf";
        assert!(messages.contains(expected), "{messages}");
        assert_eq!(fs::read(&path).unwrap(), lab, "{output}");
    }
}

#[test]
fn streams_without_positions_have_no_hint() {
    let folder = folder();
    fs::write(folder.path().join("eeg.xdf"), inputanim_testkit::xdf::eeg()).unwrap();
    let (code, messages) = convert(&folder, &["eeg.xdf", "eeg.bin"]);
    assert_eq!(code, 1);
    // No label looks like a position.
    assert!(!messages.contains("hint:"), "{messages}");
}

#[test]
fn options_without_effect_are_refused() {
    let folder = folder();
    for (args, message) in [
        (
            &["take.bin", "x.csv", "--append-to", "lab.xdf", "--at", "1"][..],
            "--append-to has no effect on the format csv",
        ),
        (
            &[
                "take.bin",
                "x.xdf",
                "--append-to",
                "lab.xdf",
                "--at",
                "1",
                "--start-time",
                "2024-05-01T10:00:00Z",
            ],
            "--start-time has no effect with --append-to",
        ),
        (
            &["take.bin", "x.xdf", "--append-to", "lab.xdf"],
            "--at <PLACE>",
        ),
        (&["take.bin", "x.xdf", "--at", "1"], "--append-to <FILE>"),
        (
            &[
                "take.bin",
                "x.xdf",
                "--append-to",
                "lab.xdf",
                "--at",
                "lsl:x",
            ],
            "invalid place",
        ),
        (
            &[
                "take.bin",
                "x.xdf",
                "--append-to",
                "lab.xdf",
                "--at",
                "reach#0",
            ],
            "invalid place \"reach#0\"",
        ),
        (
            &[
                "-o",
                "out",
                "--to",
                "xdf",
                "take.bin",
                "--append-to",
                "lab.xdf",
                "--at",
                "1",
            ],
            "--append-to has no effect with -o",
        ),
    ] {
        let (code, messages) = convert(&folder, args);
        assert_eq!(code, 2, "{messages}");
        assert!(messages.contains(message), "{messages}");
    }
    let args = [
        "take.bin",
        "x.xdf",
        "--append-to",
        "lab.xdf",
        "--at",
        "stop",
    ];
    let (code, messages) = convert(&folder, &args);
    assert_eq!(code, 1);
    let expected = "no marker \"stop\"; the file has \"reach\", \"pinch\", \"release\"";
    assert!(messages.contains(expected), "{messages}");
}

#[test]
fn a_batch_does_not_report_markers_that_are_in_the_outputs() {
    let folder = folder();
    let mut stimuli = inputanim_testkit::xdf::Lab::new();
    stimuli
        .stream(3, ["Stim", "Markers", "string"], 0.0, &["text"])
        .texts(3, &[(10.5, "start"), (11.0, "end")]);
    fs::write(folder.path().join("stimuli.xdf"), stimuli.0).unwrap();
    let args = "take.bin session.xdf --append-to stimuli.xdf --at 0";
    let args: Vec<&str> = args.split(' ').collect();
    let (code, messages) = convert(&folder, &args);
    assert_eq!(code, 0, "{messages}");
    for format in ["bin", "json", "iwer"] {
        let (code, messages) = convert(
            &folder,
            &["session.xdf", "take.bin", "--to", format, "-o", format],
        );
        assert_eq!(code, 0, "{messages}");
        let is_missing = messages.contains("markers not representable in IWER\n");
        assert_eq!(is_missing, format == "iwer", "{messages}");
        assert_eq!(
            messages.contains("not representable"),
            is_missing,
            "{messages}"
        );
        assert!(
            messages.contains("note: session.xdf: 2 markers of Stim\n"),
            "{messages}"
        );
    }
    let (code, messages) = convert(&folder, &["session.xdf", "session.csv"]);
    assert_eq!(code, 0, "{messages}");
    assert!(messages.contains("note: 2 markers of Stim\n"), "{messages}");
    assert!(
        messages.contains("not in the table (--markers writes them as rows)\n"),
        "{messages}"
    );
}

#[test]
fn a_file_that_is_cut_off_is_not_well_formed_and_can_be_recovered() {
    let folder = folder();
    let bytes = fs::read(folder.path().join("lab.xdf")).unwrap();
    fs::write(folder.path().join("cut.xdf"), &bytes[..bytes.len() * 2 / 3]).unwrap();
    let command = "inputanim recover cut.xdf -o cut-recovered.bin";
    for (verb, verdict) in [
        ("check", "bad   cut.xdf: not well formed\n"),
        ("doctor", "bad  cut.xdf: not well formed"),
        ("info", "damaged"),
    ] {
        let mut program = program();
        program.args([verb, "cut.xdf"]).current_dir(folder.path());
        let output = program.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{verb}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(verdict), "{text}");
        let hint = format!("hint: `{command}` keeps the intact parts\n");
        assert!(text.contains(&hint), "{text}");
        let next = format!("next         {command}\n");
        assert_eq!(text.contains(&next), verb == "doctor", "{text}");
    }
    let mut program = program();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let output = program
        .args(words)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_reader_of_a_file_that_is_cut_off_has_exit_code_3_with_and_without_recover() {
    let folder = folder();
    let bytes = fs::read(folder.path().join("lab.xdf")).unwrap();
    fs::write(folder.path().join("cut.xdf"), &bytes[..bytes.len() * 2 / 3]).unwrap();
    for line in [
        "sample cut.xdf --at 0.1",
        "sample cut.xdf --at 0.1 --recover",
        "stats cut.xdf --recover",
    ] {
        let mut program = program();
        let output = program
            .args(line.split(' '))
            .current_dir(folder.path())
            .output();
        let output = output.unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{line}: {messages}");
        assert!(
            messages.contains("warning: cut.xdf: "),
            "{line}: {messages}"
        );
    }
}

#[test]
fn a_marker_of_a_chosen_stream_is_the_place_of_a_recording() {
    let folder = folder();
    let mut lab = Lab::new();
    lab.stream(1, ["Buttons", "Keys", "float32"], 0.0, &["code"])
        .floats(1, &[(100.0, &[7.0]), (101.0, &[8.0])]);
    fs::write(folder.path().join("keys.xdf"), &lab.0).unwrap();
    let args = ["take.bin", "both.xdf", "--append-to", "keys.xdf", "--at"];
    let (code, messages) = convert(&folder, &[&args[..], &["marker:8"]].concat());
    assert_eq!(code, 1);
    let expected = "no stream has markers; a mapping `marker=STREAM`";
    assert!(messages.contains(expected), "{messages}");
    assert!(
        messages.contains("Buttons (Keys, float32, 1 channel): 1 code"),
        "{messages}"
    );
    let args = [&args[..], &["marker:8", "--map", "marker=Buttons"]].concat();
    let (code, messages) = convert(&folder, &args);
    assert_eq!(code, 0, "{messages}");
    let expected = "Its t = 0 is at the marker \"8\" of Buttons, at 101 s of the clock";
    assert!(messages.contains(expected), "{messages}");
}

#[test]
fn a_recording_is_aligned_with_the_triggers_of_an_eeg() {
    let folder = folder();
    let mut lab = Lab::new();
    lab.stream(1, ["Amplifier", "EEG", "float32"], 10.0, &["Cz"]);
    lab.stream(2, ["Triggers", "Markers", "string"], 0.0, &["text"]);
    let samples: Vec<(f64, [f32; 1])> = (0..60)
        .map(|n| (700.0 + f64::from(n) / 10.0, [0.0]))
        .collect();
    let samples: Vec<(f64, &[f32])> = samples
        .iter()
        .map(|(time, values)| (*time, &values[..]))
        .collect();
    lab.floats(1, &samples);
    // The third event is missing, and one is not in the recording.
    lab.texts(
        2,
        &[
            (700.6, "11"),
            (701.2195725, "12"),
            (703.2889557, "11"),
            (703.5, "99"),
            (703.9248853, "12"),
        ],
    );
    fs::write(folder.path().join("eeg.xdf"), &lab.0).unwrap();
    fs::write(
        folder.path().join("triggers.tsv"),
        "name\ttrigger\nreach\t11\npinch\t12\n",
    )
    .unwrap();
    let run = |line: &str| {
        let mut program = program();
        program.args(line.split(' ')).current_dir(folder.path());
        let Output {
            status,
            stdout,
            stderr,
        } = program.output().unwrap();
        let texts = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
        (status.code().unwrap(), texts.concat())
    };
    let (code, text) = run("align take.bin --to-markers eeg.xdf -o aligned.bin");
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("the other clock has \"11\", \"12\", \"99\""),
        "{text}"
    );
    assert!(text.contains("hint: --rename 11=start"), "{text}");
    let (code, text) =
        run("align take.bin --to-markers eeg.xdf --triggers triggers.tsv -o aligned.bin");
    assert_eq!(code, 0, "{text}");
    for expected in [
        "note: eeg.xdf: 5 markers of Triggers",
        "1 marker of the recording without a partner: \"release\"",
        "1 marker of the other clock without a partner: \"99\"",
        "t = 0 of the recording is at 700.250000 s of the other clock",
        // The first sample of the EEG.
        "t = 0 of the result is at 700 s of the other clock",
        "4 markers matched, no drift fitted, largest residual 0.0 ms",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let (_, text) = run("markers export aligned.bin");
    assert!(text.contains("\n1.2195725,pinch\n"), "{text}");
    // The aligned recording is at the right place of the file.
    let (code, text) = run("convert aligned.bin both.xdf --append-to eeg.xdf --at 0 --rate 30");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("at 700 s of its clock"), "{text}");
    for (line, expected) in [
        (
            "--to-markers eeg.xdf --marker-stream Amplifer",
            "marker=Amplifer: expected STREAM/CHANNEL",
        ),
        (
            "--to-markers triggers.tsv",
            "missing columns time_s, time or onset",
        ),
        (
            "--to-markers eeg.xdf --rename 11=a --rename 11=b",
            "two names",
        ),
        (
            "--to-markers eeg.xdf --rename 11",
            "expected TRIGGER=NAME, such as 11=start",
        ),
        (
            "--to-markers eeg.xdf --offset 5..4",
            "expected a range of seconds",
        ),
        (
            "--to-markers eeg.xdf --max-drift 0",
            "invalid largest drift: 0",
        ),
        ("--to-markers missing.csv", "missing.csv"),
    ] {
        let (code, text) = run(&format!("align take.bin {line} -o x.bin"));
        assert!(
            code != 0 && text.contains(expected),
            "{line}: {code} {text}"
        );
    }
}
