//! Controllers and other devices in `cat`, `sample` and tables.

use std::fs;
use std::process::Output;

use tempfile::TempDir;

use crate::support::{program, run_with_input};

/// A recording with a controller, as lossless JSON.
pub(crate) const CONTROLLER: &str = r#"{
  "format": "inputanim-json",
  "version": 3,
  "layout": "mrtk-1.1",
  "flags": {"head": 0, "hand": 0, "gaze": 0},
  "curves": [
    {"curve":"right.controller.a.click","preWrap":8,"postWrap":8,"kind":"boolean","keys":[[0.0,0.0],[0.5,1.0],[1.0,0.0]]},
    {"curve":"right.controller.trigger.value","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.0,0.25],[1.0,0.75]]}
  ],
  "devices": [
    {"device":"right.controller","profiles":[[0.0,true,"/interaction_profiles/valve/index_controller"]],"haptics":[[0.5,"haptic",0.1,null,0.75]]}
  ],
  "markers": [
  ]
}
"#;

/// Returns a folder with the recording `take.json`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("take.json"), CONTROLLER).unwrap();
    folder
}

/// Runs the program, and returns its exit code, its results and its messages.
fn run(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let mut program = program();
    program.args(args).current_dir(folder.path());
    let Output {
        status,
        stdout,
        stderr,
    } = program.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn cat_prints_keys_states_and_pulses_of_devices() {
    let folder = folder();
    let (code, keys, messages) = run(&folder, &["cat", "take.json"]);
    assert_eq!(code, 0, "{messages}");
    assert_eq!(
        keys.matches("right.controller.a.click").count(),
        3,
        "{keys}"
    );
    let note = "right.controller: 1 change of the profile (cat --show states), 1 haptic pulse (cat --show haptics)";
    assert!(messages.contains(note), "{messages}");
    let (code, states, messages) = run(
        &folder,
        &["cat", "take.json", "--show", "states", "--format", "csv"],
    );
    assert_eq!((code, &*messages), (0, ""));
    assert_eq!(
        states,
        "recording,hand,state,start_s,end_s\n\
         take,right.controller,/interaction_profiles/valve/index_controller,0,1\n\
         take,right.controller,a.click,0.5,1\n"
    );
    let (_, pulses, _) = run(
        &folder,
        &["cat", "take.json", "--show", "haptics", "--format", "csv"],
    );
    assert_eq!(
        pulses,
        "recording,device,time_s,output,duration_s,frequency_hz,amplitude\n\
         take,right.controller,0.5,haptic,0.1,,0.75\n"
    );
    // Standard input is read only once.
    let mut cat = program();
    cat.args(["cat", "-", "--input-format", "json", "--format", "csv"]);
    let output = run_with_input(&mut cat, CONTROLLER.as_bytes());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.matches("right.controller.a.click").count(),
        3,
        "{text}"
    );
}

#[test]
fn sample_prints_devices() {
    let folder = folder();
    let sample = |args: &[&str]| {
        run(
            &folder,
            &[&["sample", "take.json", "--at", "0.5"], args].concat(),
        )
    };
    let (code, csv, messages) = sample(&["--format", "csv"]);
    assert_eq!(code, 0, "{messages}");
    assert_eq!(
        csv,
        "time_s,right.controller.active,right.controller.profile,right.controller.a.click,right.controller.trigger.value\n\
         0.5,1,/interaction_profiles/valve/index_controller,true,0.5\n"
    );
    assert_eq!(messages, "");
    // The note counts pulses in the sampled range.
    let pulses = |time: &str| {
        let (_, _, messages) = run(&folder, &["sample", "take.json", "--time", time]);
        messages.contains("1 haptic pulse not printed")
    };
    assert_eq!(
        ["0..1", "0.55..1", "0.7..1"].map(pulses),
        [true, true, false]
    );
    let (_, table, _) = sample(&["--joints", "right.controller.trigger.value"]);
    let line = "right.controller          /interaction_profiles/valve/index_controller  trigger.value 0.500";
    assert!(table.lines().any(|found| found == line), "{table}");
    let (_, without, _) = sample(&["--exclude", "controller", "--format", "csv"]);
    assert_eq!(without, "time_s\n0.5\n");
    let (_, _, messages) = sample(&["--joints", "right.controller.aim"]);
    assert!(messages.contains("not recorded"), "{messages}");
}

#[test]
fn tables_of_keys_are_the_same_recording() {
    let folder = folder();
    let (code, _, messages) = run(
        &folder,
        &["convert", "take.json", "keys.csv", "--shape", "keys"],
    );
    assert_eq!(code, 0, "{messages}");
    let (code, _, messages) = run(&folder, &["convert", "keys.csv", "back.json"]);
    assert_eq!(code, 0, "{messages}");
    assert_eq!(
        fs::read_to_string(folder.path().join("back.json")).unwrap(),
        CONTROLLER
    );
    // A wide table loses the pulse.
    let (code, _, messages) = run(&folder, &["convert", "take.json", "wide.csv"]);
    assert_eq!(code, 3, "{messages}");
    assert!(
        messages.contains("right.controller: 1 haptic pulse"),
        "{messages}"
    );
}

#[test]
fn losses_are_counted_in_the_selection() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let text = CONTROLLER.replace(
        "  \"markers\": [\n",
        "  \"markers\": [\n    {\"time\":0.1,\"name\":\"a\"},\n    {\"time\":0.3,\"name\":\"b\"}\n",
    );
    fs::write(path("take.json"), text).unwrap();
    let lost = "warning: take.json: lost: right.controller: 1 haptic pulse\n";
    let complete = "note: a .mcap file holds controllers and other devices completely\n";
    let convert = |args: &[&str]| {
        let all = ["convert", "take.json", "out.csv", "-fq"];
        let (code, _, messages) = run(&folder, &[&all[..], args].concat());
        (code, messages)
    };
    // A range and a segment with the same times lose the same.
    for (range, segment) in [("0.5..1", "press@0..0.5"), ("0.7..1", "press@0.2..0.5")] {
        let (code, messages) = convert(&["--time", range]);
        let (segment_code, of_segment) = convert(&["--segments", segment]);
        assert_eq!(code, segment_code, "{range}: {messages}{of_segment}");
        let losses = |messages: &str| {
            let lines = messages.lines().filter(|line| line.contains("lost"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(losses(&messages), losses(&of_segment));
        let has_pulse = range == "0.5..1";
        assert_eq!(messages.contains("haptic pulse"), has_pulse, "{messages}");
        assert_eq!(code, if has_pulse { 3 } else { 0 }, "{messages}");
        assert_eq!(messages.contains(lost), has_pulse, "{messages}");
        if cfg!(feature = "full") {
            assert_eq!(of_segment.contains(complete), has_pulse, "{of_segment}");
        }
    }
    let (_, messages) = convert(&["--time", "0.2..1"]);
    assert!(
        messages.contains("note: 1 marker not in the table"),
        "{messages}"
    );
    let (_, messages) = convert(&["--time", "0.4..1"]);
    assert!(!messages.contains("marker"), "{messages}");
    // Tables of several recordings.
    fs::copy(path("take.json"), path("other.json")).unwrap();
    let all = ["convert", "take.json", "other.json", "-fq", "-o", "all.csv"];
    for (args, code) in [
        (["--time", "0.5..1"], 3),
        (["--time", "0.7..1"], 0),
        (["--segments", "press@0..0.5"], 3),
        (["--segments", "press@0.2..0.5"], 0),
    ] {
        let (found, _, messages) = run(&folder, &[&all[..], &args[..]].concat());
        assert_eq!(found, code, "{args:?}: {messages}");
        assert_eq!(messages.contains("haptic"), code == 3, "{messages}");
        if cfg!(feature = "full") {
            let has_hint = messages.contains("a .mcap file holds controllers");
            assert_eq!(has_hint, code == 3, "{messages}");
        }
    }
    let (_, _, messages) = run(&folder, &[&all[..], &["--time", "0.2..1"]].concat());
    assert!(
        messages.contains("2 markers not in the table"),
        "{messages}"
    );
}

#[test]
fn an_unknown_name_of_an_input_is_an_error() {
    let folder = folder();
    let typo = "right.controller.triger.value";
    for args in [
        &["select", "take.json", "-o", "out.json", "--joints", typo][..],
        &["sample", "take.json", "--at", "0.5", "--joints", typo],
        &["convert", "take.json", "out.csv", "--exclude", typo],
        &["diff", "take.json", "take.json", "--joints", typo],
    ] {
        let (code, _, messages) = run(&folder, args);
        assert_eq!(code, 2, "{args:?}: {messages}");
        let similar = "did you mean \"right.controller.trigger.value\"?";
        assert!(messages.contains(similar), "{args:?}: {messages}");
    }
    // The other controller and its inputs are known, and not recorded.
    let other = "left.controller.trigger.value";
    let (code, _, messages) = run(
        &folder,
        &["sample", "take.json", "--at", "0.5", "--joints", other],
    );
    assert_eq!(code, 0, "{messages}");
    assert!(messages.contains("not recorded"), "{messages}");
}

#[test]
fn a_reduction_states_the_errors_of_inputs_and_the_sizes_of_devices() {
    let folder = folder();
    let mut keys = Vec::new();
    for step in 0..=100 {
        let time = f64::from(step) / 100.0;
        keys.push(format!("[{time},{}]", 0.25 + time / 2.0));
    }
    let many = CONTROLLER.replace("[0.0,0.25],[1.0,0.75]", &keys.join(","));
    fs::write(folder.path().join("many.json"), many).unwrap();
    let (code, table, messages) = run(&folder, &["reduce", "many.json", "-o", "out.json"]);
    let printed = table + &messages;
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("right.controller inputs"), "{printed}");
    assert!(printed.contains(" of inputs, "), "{printed}");
    assert!(!printed.contains("not smaller"), "{printed}");
    let (before, after) = (101 + 3, 2 + 3);
    let row = |name: &str| {
        let line = printed.lines().find(|line| line.trim().starts_with(name));
        line.unwrap_or_default()
            .split_whitespace()
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (device, total) = (row("right.controller "), row("total"));
    assert_eq!(
        total[..2],
        [before.to_string(), after.to_string()],
        "{printed}"
    );
    let bytes = |row: &[String]| -> u64 { row[2].replace(',', "").parse().unwrap() };
    assert!(bytes(&total) >= bytes(&device), "{printed}");
}

#[test]
fn standard_output_gets_the_chosen_format() {
    let folder = folder();
    let trim = ["trim", "take.json", "--time", "0..0.75", "-o", "-"];
    let (code, _, messages) = run(
        &folder,
        &trim.map(|part| if part == "-" { "out.bin" } else { part }),
    );
    assert_eq!(code, 3, "{messages}");
    let (code, text, messages) = run(&folder, &[&trim[..], &["--output-format", "json"]].concat());
    assert_eq!(code, 0, "{messages}");
    assert!(text.contains("\"device\":\"right.controller\""), "{text}");
}

#[test]
fn a_search_names_recordings_of_other_formats() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("settings.json"), "{\"rate\": 60}").unwrap();
    let (_, _, messages) = run(
        &folder,
        &["generate", "wave", "--seconds", "1", "-o", "wave.bin"],
    );
    assert!(path("wave.bin").exists(), "{messages}");
    let (code, found, messages) = run(&folder, &["info", "-r", ".", "--brief"]);
    assert_eq!(code, 0, "{messages}");
    assert!(
        found.contains("wave.bin") && !found.contains("take"),
        "{found}"
    );
    let note = "take.json is json, not bin (--input-format json searches for them)";
    assert!(messages.contains(note), "{messages}");
    assert!(!messages.contains("settings"), "{messages}");
}
