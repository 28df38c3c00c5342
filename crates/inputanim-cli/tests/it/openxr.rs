//! `inputanim openxr`: the application that the program starts. `cargo xtask openxr` tests applications of OpenXR.

#![cfg(unix)]

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Output;

use inputanim::headset::Headset;
use inputanim::session::{SessionOptions, SessionWriter};
use inputanim::{DeviceFrame, DeviceName, Frame, InputValue, Layout, Pose, Recording, Side};
use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write_bytes};

use crate::support::program;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pinch-drag.bin")
}

/// Returns a folder with files that stand for the libraries. No test loads them.
fn libraries() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openxr-libraries");
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["inputanim_openxr_runtime", "inputanim_openxr_layer"] {
        let name = format!("{DLL_PREFIX}{name}{DLL_SUFFIX}");
        std::fs::write(folder.join(name), "").unwrap();
    }
    folder
}

/// Plays a sample into a script of the shell.
fn play(options: &[&str], script: &str) -> Output {
    let mut command = program();
    command.args(["openxr", "play"]).arg(sample());
    command.arg("--libraries").arg(libraries()).args(options);
    command.args(["--", "sh", "-c", script]).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_application_gets_the_manifest_and_the_settings() {
    let script = r#"cat "$XR_RUNTIME_JSON"; echo; echo "$INPUTANIM_OPENXR""#;
    let options = [
        "--clock", "keys", "--rate", "90", "--size", "640x480", "--end", "hold",
    ];
    let output = text(&play(&options, script).stdout);
    let lines: Vec<serde_json::Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let library = &lines[0]["runtime"]["library_path"];
    assert!(
        library
            .as_str()
            .unwrap()
            .ends_with("inputanim_openxr_runtime.so")
    );
    let settings = &lines[1];
    assert!(Path::new(settings["recording"].as_str().unwrap()).is_absolute());
    assert_eq!(
        (&settings["clock"], &settings["at_end"]),
        (&"keys".into(), &"hold".into())
    );
    assert_eq!(
        (&settings["rate"], &settings["size"]),
        (&90.0.into(), &vec![640, 480].into())
    );
}

#[test]
fn a_recording_in_another_format_becomes_a_temporary_file() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("take.json");
    let convert = program()
        .arg("convert")
        .arg(sample())
        .arg(&json)
        .output()
        .unwrap();
    assert!(convert.status.success());
    let mut command = program();
    command
        .args(["openxr", "play"])
        .arg(&json)
        .arg("--libraries")
        .arg(libraries());
    let script =
        r#"cp "$(echo "$INPUTANIM_OPENXR" | sed 's/.*"recording":"\([^"]*\)".*/\1/')" seen.bin"#;
    command
        .args(["--", "sh", "-c", script])
        .current_dir(folder.path());
    command.output().unwrap();
    let seen = std::fs::read(folder.path().join("seen.bin")).unwrap();
    assert!(seen == std::fs::read(sample()).unwrap());
}

#[test]
#[cfg_attr(not(feature = "mcap"), ignore = "this build has no MCAP")]
fn a_recording_with_devices_is_passed_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    let right = recording.device_mut(DeviceName::controller(Side::Right));
    right.push_input(
        "trigger/value".parse().unwrap(),
        0.0,
        InputValue::Float(0.3),
    );
    for name in ["tracker.waist", "device.lamp"] {
        let device = recording.device_mut(name.parse().unwrap());
        device.set_profile(0.0, "any");
    }
    let take = folder.path().join("take.mcap");
    let options = WriteOptions::default();
    let (bytes, _) = write_bytes(Format::Mcap, &recording, &options).unwrap();
    std::fs::write(&take, bytes).unwrap();
    let mut command = program();
    command
        .args(["openxr", "play"])
        .arg(&take)
        .arg("--libraries")
        .arg(libraries());
    let script =
        r#"cp "$(echo "$INPUTANIM_OPENXR" | sed 's/.*"recording":"\([^"]*\)".*/\1/')" seen.json"#;
    command
        .args(["--", "sh", "-c", script])
        .current_dir(folder.path());
    let messages = text(&command.output().unwrap().stderr);
    assert!(
        messages.starts_with("note: device.lamp is not played: OpenXR has no path for it\n"),
        "{messages}"
    );
    assert!(!messages.contains("lost"), "{messages}");
    let seen = std::fs::read(folder.path().join("seen.json")).unwrap();
    let (seen, _) = read(Format::Json, &seen, &ReadOptions::default()).unwrap();
    assert_eq!(seen.devices, recording.devices);
}

#[test]
fn the_exit_code_is_the_one_of_the_application() {
    for (script, code) in [("exit 7", 7), ("kill -9 $$", 137), ("exit 255", 255)] {
        let output = play(&[], script);
        assert_eq!(output.status.code(), Some(code), "{script}");
        assert_eq!(
            text(&output.stderr),
            "warning: sh failed before it began an OpenXR session\n"
        );
    }
}

#[test]
fn an_application_that_does_not_use_openxr_is_an_error() {
    let output = play(&[], "echo hello");
    assert_eq!(
        (output.status.code(), &*text(&output.stdout)),
        (Some(1), "hello\n")
    );
    let message = text(&output.stderr);
    assert!(
        message.starts_with("error: sh did not use OpenXR\n  hint: "),
        "{message}"
    );
}

/// Returns a script that writes the report of a session, as the runtime does.
fn reporting(input: &str) -> String {
    format!(
        r#"path=$(echo "$INPUTANIM_OPENXR" | sed 's/.*"report":"\([^"]*\)".*/\1/')
echo '{{"has_instance":true,"has_session":true,"frames":3,"is_over":true,"input":{input}}}' > "$path""#
    )
}

#[test]
fn an_application_that_gets_no_input_is_an_error() {
    let hand = r#"{"device":"right.controller","is_recorded":true,"recorded_profiles":["/interaction_profiles/valve/index_controller"],
"bound_profiles":["/interaction_profiles/khr/simple_controller"],"inactive_actions":["play/grab"]}"#;
    let input = format!(r#"{{"is_wanted":true,"users":[{hand}]}}"#);
    let output = play(&[], &reporting(&input));
    let lines = "note: sh played 3 frames
note: right hand: profile none (recorded: valve/index_controller)
note: right hand: the application has bindings for khr/simple_controller
note: right hand: actions that were never active: play/grab
";
    let error = "error: sh asked for input and never got any
  hint: `--profile khr/simple_controller` presents a profile for which the application has bindings
";
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), format!("{lines}{error}"));
    let output = play(&["--allow-inactive"], &reporting(&input));
    assert_eq!(
        (output.status.code(), &*text(&output.stderr)),
        (Some(0), lines)
    );
    let output = play(&[], &reporting(r#"{"is_wanted":true}"#));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).ends_with("hint: `--allow-inactive` accepts it\n"));
    // An application that asks for no input, or gets some, succeeds.
    for input in ["{}", r#"{"is_wanted":true,"is_active":true}"#] {
        assert_eq!(play(&[], &reporting(input)).status.code(), Some(0));
    }
}

#[test]
fn a_profile_is_named_in_short_or_in_full() {
    for name in [
        "valve/index_controller",
        "/interaction_profiles/valve/index_controller",
    ] {
        let output = play(
            &["--profile", name, "--pinch-squeezes"],
            r#"echo "$INPUTANIM_OPENXR""#,
        );
        let settings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            settings["profile"],
            "/interaction_profiles/valve/index_controller"
        );
        assert_eq!(settings["pinch_squeezes"], true);
    }
    let output = play(&["--profile", "index"], "true");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(
        message.contains("expected one of khr/simple_controller, "),
        "{message}"
    );
}

#[test]
fn an_application_that_never_ends_is_stopped() {
    let output = play(&["--timeout", "300ms"], "exec sleep 100");
    assert_eq!(output.status.code(), Some(143));
    let message = text(&output.stderr);
    assert!(
        message.starts_with("warning: sh did not end in time, and was stopped\n"),
        "{message}"
    );
}

#[test]
fn an_application_that_ignores_the_end_is_killed() {
    // The programs that the shell starts ignore the signal too.
    let output = play(
        &["--timeout", "300ms"],
        "trap '' TERM; while true; do sleep 0.1; done",
    );
    assert_eq!(output.status.code(), Some(137));
}

#[test]
fn an_application_that_does_not_exist_is_an_error() {
    let mut command = program();
    command
        .args(["openxr", "play"])
        .arg(sample())
        .arg("--libraries")
        .arg(libraries());
    let output = command
        .args(["--", "./no such application"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.starts_with("error: cannot start ./no such application: "),
        "{message}"
    );
}

#[test]
fn a_layer_is_added_before_the_layers_that_are_enabled() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command
        .args([
            "openxr",
            "record",
            "-o",
            "take.bin",
            "--space",
            "local",
            "--own-actions",
            "--libraries",
        ])
        .arg(libraries());
    command
        .env("XR_ENABLE_API_LAYERS", "OTHER")
        .env("XR_API_LAYER_PATH", "/other");
    let script = r#"echo "$XR_ENABLE_API_LAYERS"; echo "$INPUTANIM_OPENXR_RECORD"; cat "${XR_API_LAYER_PATH%:/other}/layer.json""#;
    command
        .args(["--", "sh", "-c", script])
        .current_dir(folder.path());
    let output = command.output().unwrap();
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "XR_APILAYER_INPUTANIM_record:OTHER");
    let [settings, manifest] =
        [lines[1], lines[2]].map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    assert_eq!(settings["space"], "local");
    assert_eq!(settings["own_actions"], true);
    assert_eq!(
        manifest["api_layer"]["name"],
        "XR_APILAYER_INPUTANIM_record"
    );
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(
        message.starts_with("error: nothing was recorded of sh\n  hint: "),
        "{message}"
    );
}

#[test]
fn an_existing_recording_is_replaced_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("take.bin");
    std::fs::write(&output, "old").unwrap();
    let mut command = program();
    command
        .args(["openxr", "record", "-o"])
        .arg(&output)
        .arg("--libraries")
        .arg(libraries());
    let refused = command
        .args(["--", "sh", "-c", "echo started"])
        .output()
        .unwrap();
    assert_eq!(
        (refused.status.code(), &*text(&refused.stdout)),
        (Some(1), "")
    );
    assert!(text(&refused.stderr).ends_with("hint: --force replaces it\n"));
}

#[test]
fn the_session_file_of_an_application_that_was_killed_becomes_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    // The layer of a killed application has not ended its session.
    let file = std::fs::File::create(folder.path().join("made.session")).unwrap();
    let mut session = SessionWriter::new(file, SessionOptions::default()).unwrap();
    for step in 0..10 {
        let head = Some(Pose::at([0.0, 1.6, 0.0]));
        let frame = Frame {
            time: step as f32 / 60.0,
            head,
            ..Frame::default()
        };
        session.push(&frame).unwrap();
    }
    session.sync().unwrap();
    drop(session);
    let mut command = program();
    command
        .args(["openxr", "record", "-o", "take.bin", "--libraries"])
        .arg(libraries());
    // The second session file is from another process of the application.
    let script = "cp made.session take.session; cp made.session take-1.session; kill -9 $$";
    command
        .args(["--", "sh", "-c", script])
        .current_dir(folder.path());
    let output = command.output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(137), "{message}");
    assert!(
        message.contains("warning: sh ended before its session"),
        "{message}"
    );
    for name in ["take", "take-1"] {
        let exists = |extension| folder.path().join(format!("{name}.{extension}")).exists();
        assert_eq!(
            [exists("bin"), exists("session")],
            [true, false],
            "{name}: {message}"
        );
    }
}

const INDEX: &str = "/interaction_profiles/valve/index_controller";
const TRACKER: &str = "/interaction_profiles/htc/vive_tracker_htcx";
const BARE_HAND: &str = "/interaction_profiles/ext/hand_interaction_ext";

/// Returns a headset with two values, as the layer records it.
fn headset() -> DeviceFrame {
    let mut headset = Headset::default();
    headset.eye_distance = Some(0.0625);
    headset.from_controller[1] = Some(true);
    headset.device_frame()
}

/// Records an application whose layer leaves a session file with a controller of a profile, and a report.
fn record_controller(folder: &Path, profile: &str, output: &str) -> Output {
    let file = std::fs::File::create(folder.join("made.session")).unwrap();
    let mut options = SessionOptions::default();
    options.devices = true;
    let mut session = SessionWriter::new(file, options).unwrap();
    for step in 0..10 {
        let mut device = DeviceFrame::new(DeviceName::controller(Side::Right));
        device.active = true;
        device.profile = Some(profile.into());
        device.poses = vec![("aim".parse().unwrap(), Pose::IDENTITY)];
        let value = InputValue::Float(step as f32 / 10.0);
        device.inputs = vec![("trigger/value".parse().unwrap(), value)];
        // The application has bindings for both trackers. The waist is unknown at first, and one is connected later.
        let tracker = |name: &str, active| {
            let mut tracker = DeviceFrame::new(name.parse().unwrap());
            tracker.active = active;
            tracker.profile = active.then(|| TRACKER.into());
            tracker
        };
        let mut devices = vec![headset(), device];
        if profile == INDEX {
            devices.push(tracker("tracker.chest", step > 4));
            devices.extend((step > 2).then(|| tracker("tracker.waist", false)));
        }
        let frame = Frame {
            time: step as f32 / 60.0,
            devices,
            ..Frame::default()
        };
        session.push(&frame).unwrap();
    }
    session.finish().unwrap();
    let report = serde_json::json!({
        "session": folder.join("take.session"),
        "frames": 10,
        "seconds": 0.15,
        "devices": [{
            "name": "right.controller",
            "profiles": [profile],
            "frames": 10,
            "poses": ["aim"],
            "inputs": ["trigger/value"],
            "haptics": 1,
            "never_active": ["grab", "menu"],
            "not_read": [["system/click", ""], ["trigger/touch", "the action set ui with the priority 1 has trigger"]],
        }],
    });
    std::fs::write(folder.join("report"), report.to_string()).unwrap();
    let script = r#"cp made.session take.session
        cp report "$(echo "$INPUTANIM_OPENXR_RECORD" | sed 's/.*"report":"\([^"]*\)".*/\1/')""#;
    let mut command = program();
    command.args(["openxr", "record", "-o", output, "--libraries"]);
    command.arg(libraries());
    command.args(["--", "sh", "-c", script]).current_dir(folder);
    command.output().unwrap()
}

#[test]
fn a_controller_is_in_every_format_that_holds_it() {
    let mut outputs = vec!["take.json", "take.session"];
    if cfg!(feature = "full") {
        outputs.push("take.mcap");
    }
    for name in outputs {
        let folder = tempfile::tempdir().unwrap();
        let output = record_controller(folder.path(), INDEX, name);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {message}");
        assert!(!message.contains("lost"), "{name}: {message}");
        let session = folder.path().join("take.session");
        assert_eq!(session.exists(), name == "take.session", "{name}");
        let json = folder.path().join("again.json");
        let verb = if name == "take.session" {
            "recover"
        } else {
            "convert"
        };
        let mut convert = program();
        convert
            .arg(verb)
            .arg(folder.path().join(name))
            .arg("-o")
            .arg(&json);
        if verb == "convert" {
            convert = program();
            convert.arg(verb).arg(folder.path().join(name)).arg(&json);
        }
        let converted = convert.output().unwrap();
        assert_eq!(
            converted.status.code(),
            Some(0),
            "{}",
            text(&converted.stderr)
        );
        let again = std::fs::read_to_string(json).unwrap();
        assert!(
            again.contains("right.controller") && again.contains(INDEX),
            "{name}"
        );
        assert!(
            again.contains("device.headset.eyes.distance"),
            "{name}: {again}"
        );
        assert!(again.contains("tracker.chest"), "{name}: {again}");
        // Only the session has a tracker that was never active.
        let has_waist = again.contains("tracker.waist");
        assert_eq!(has_waist, name == "take.session", "{name}: {again}");
    }
}

#[test]
fn the_summary_has_the_controllers_and_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let output = record_controller(folder.path(), INDEX, "take.json");
    let message = text(&output.stderr);
    for part in [
        "right.controller (valve/index_controller; 1 pose, 1 input, 1 haptic pulse)",
        "right.controller: actions that were never active: grab, menu\n",
        "right.controller: inputs that never had a value: system.click\n",
        "right.controller: inputs that could not be read: trigger.touch (the action set ui with the priority 1 has trigger)\n",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
#[cfg_attr(not(feature = "mcap"), ignore = "this build has no MCAP")]
fn a_file_of_mrtk_loses_controllers_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = record_controller(folder.path(), INDEX, "take.bin");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("take.bin: lost: "), "{message}");
    assert!(message.contains("right.controller"), "{message}");
    // The joints of a bare hand are in the file.
    let folder = tempfile::tempdir().unwrap();
    let output = record_controller(folder.path(), BARE_HAND, "take.bin");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
    for note in [
        "take.bin: the field of view and other values of the headset are not in the file: device.headset: ",
        "take.bin: content of a bare hand is not in the file: right.controller: ",
        "note: a .mcap file holds controllers and other devices completely\n",
    ] {
        assert!(message.contains(note), "{note}: {message}");
    }
}

#[test]
fn a_format_without_recordings_of_applications_is_refused() {
    for (name, error) in [
        (
            "take.csv",
            "error: this command does not write csv: take.csv\n",
        ),
        ("take.xyz", "error: cannot infer a format from take.xyz\n"),
    ] {
        let mut command = program();
        command.args(["openxr", "record", "-o", name, "--libraries"]);
        let output = command
            .arg(libraries())
            .args(["--", "true"])
            .output()
            .unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with(error), "{message}");
    }
}

#[test]
fn a_session_file_that_still_grows_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let session = std::fs::File::create(folder.path().join("take.session")).unwrap();
    session.lock().unwrap();
    // The application leaves a process that records. The session file that the program chooses is the next one, so the
    // script puts the locked file in its place.
    let mut command = program();
    command
        .args(["openxr", "record", "-o", "take.bin", "--libraries"])
        .arg(libraries());
    command
        .args(["--", "sh", "-c", "mv take.session take.1.session"])
        .current_dir(folder.path());
    let output = command.output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("another process still records into"),
        "{message}"
    );
    assert!(folder.path().join("take.1.session").exists());
}

/// A user with an own home folder.
struct User(tempfile::TempDir);

impl User {
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = program();
        command
            .arg("openxr")
            .args(arguments)
            .env_clear()
            .env("HOME", self.0.path());
        command.current_dir(self.0.path()).output().unwrap()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn manifest(&self, path: &str) -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(self.path(path)).unwrap()).unwrap()
    }
}

const ACTIVE: &str = ".config/openxr/1/active_runtime.json";

#[test]
fn an_installed_recording_replaces_the_runtime_until_it_is_uninstalled() {
    let user = User(tempfile::tempdir().unwrap());
    std::fs::copy(sample(), user.path("take.bin")).unwrap();
    std::fs::create_dir_all(user.path("libraries")).unwrap();
    for name in [
        "libinputanim_openxr_runtime.so",
        "libinputanim_openxr_layer.so",
    ] {
        std::fs::write(user.path("libraries").join(name), "").unwrap();
    }
    // The previous runtime is a link, as some runtimes install it.
    std::fs::create_dir_all(user.path(ACTIVE).parent().unwrap()).unwrap();
    std::fs::write(user.path("other.json"), r#"{"runtime": {"name": "Other"}}"#).unwrap();
    std::os::unix::fs::symlink(user.path("other.json"), user.path(ACTIVE)).unwrap();
    let status = || text(&user.run(&["status"]).stdout);
    assert!(status().contains("runtime   Other: "), "{}", status());

    let install = [
        "install",
        "take.bin",
        "--libraries",
        "libraries",
        "--end",
        "loop",
    ];
    // A second installation keeps the previous runtime.
    for _ in 0..2 {
        let output = user.run(&install);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    assert_eq!(user.manifest(ACTIVE)["runtime"]["name"], "inputanim");
    assert_eq!(
        user.manifest(".config/inputanim/openxr.json")["at_end"],
        "loop"
    );
    let shown = status();
    assert!(shown.contains("runtime   inputanim: "), "{shown}");
    assert!(
        shown.contains("take.bin (") && shown.contains("openxr.json)"),
        "{shown}"
    );
    let layer = "XR_APILAYER_INPUTANIM_record: off (INPUTANIM_OPENXR_RECORD is not set)";
    assert!(shown.contains(layer), "{shown}");

    assert_eq!(user.run(&["uninstall"]).status.code(), Some(0));
    assert!(status().contains("runtime   Other: "), "{}", status());
    assert!(user.path(ACTIVE).symlink_metadata().unwrap().is_symlink());
    assert!(!status().contains("layer     "), "{}", status());
    let again = user.run(&["uninstall"]);
    assert_eq!(text(&again.stderr), "note: nothing was installed\n");
}

#[test]
fn a_recording_of_any_format_is_installed() {
    let user = User(tempfile::tempdir().unwrap());
    for name in [
        "libinputanim_openxr_runtime.so",
        "libinputanim_openxr_layer.so",
    ] {
        std::fs::write(user.path(name), "").unwrap();
    }
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 0.5, 1.0] {
        recording.head_mut().push(time, &Pose::at([0.0, 1.6, time]));
    }
    let trigger = "trigger/value".parse().unwrap();
    let right = recording.device_mut(DeviceName::controller(Side::Right));
    right.push_input(trigger, 0.0, InputValue::Float(0.3));
    let mut files = vec![("take.json", Format::Json), ("take.csv", Format::Csv)];
    if cfg!(feature = "full") {
        files.push(("take.mcap", Format::Mcap));
    }
    let install = |name: &str| user.run(&["install", name, "--libraries", "."]);
    for (name, format) in files {
        let mut options = WriteOptions::default();
        options.allow_loss = true;
        let (bytes, _) = write_bytes(format, &recording, &options).unwrap();
        std::fs::write(user.path(name), bytes).unwrap();
        let output = install(name);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {message}");
        let installed = user.manifest(".config/inputanim/openxr.json");
        let path = installed["recording"].as_str().unwrap();
        assert!(path.ends_with(name) && Path::new(path).is_absolute());
    }
    std::fs::write(user.path("text.bin"), "no recording").unwrap();
    assert_eq!(install("text.bin").status.code(), Some(1));
    let output = install("-");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn without_a_recording_only_the_layer_is_installed() {
    let user = User(tempfile::tempdir().unwrap());
    std::fs::write(user.path("libinputanim_openxr_layer.so"), "").unwrap();
    let output = user.run(&["install", "--libraries", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!user.path(ACTIVE).exists());
    let layer = ".local/share/openxr/1/api_layers/implicit.d/inputanim_record.json";
    assert_eq!(
        user.manifest(layer)["api_layer"]["enable_environment"],
        "INPUTANIM_OPENXR_RECORD"
    );
    let missing = user.run(&["install", "none.bin", "--libraries", "."]);
    assert_eq!(missing.status.code(), Some(1));
}

/// Plays a sample over the runtime of a manifest into a script.
fn play_over(manifest: &str, options: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runtime.json");
    std::fs::write(&path, manifest).unwrap();
    let mut command = program();
    command
        .args(["openxr", "play", "--over-runtime"])
        .arg(sample());
    command.arg("--libraries").arg(libraries()).args(options);
    command.env("XR_RUNTIME_JSON", &path);
    let script = r#"echo "$INPUTANIM_OPENXR""#;
    command.args(["--", "sh", "-c", script]).output().unwrap()
}

#[test]
fn a_recording_is_played_over_the_runtime_that_was_selected() {
    for (library, expected) in [
        ("/usr/lib/libother.so", "/usr/lib/libother.so"),
        ("libother.so", "libother.so"),
        ("../lib/libother.so", "/../lib/libother.so"),
    ] {
        let manifest = format!(r#"{{"runtime":{{"library_path":"{library}"}}}}"#);
        let output = play_over(&manifest, &[]);
        let settings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let over = settings["over"].as_str().unwrap();
        assert!(over.ends_with(expected), "{over}");
    }
}

#[test]
fn a_recording_is_not_played_over_a_recording_or_with_pictures() {
    let output = play_over(
        r#"{"runtime":{"name":"inputanim","library_path":"a.so"}}"#,
        &[],
    );
    let message = text(&output.stderr);
    assert!(
        message.contains("is not the manifest of another runtime"),
        "{message}"
    );
    let output = play_over("{}", &["--size", "64x64"]);
    let message = text(&output.stderr);
    assert!(message.contains("cannot be used with '--size"), "{message}");
}
