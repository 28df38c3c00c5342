//! `inputanim record` with pipes, truncated lines, and signals at any moment.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;

use inputanim::diff::{DiffOptions, Verdict};
use inputanim::{Layout, Recording};
use tempfile::TempDir;

use crate::support::{self, names, program, run_with_input};

fn sample(name: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    samples.join(name).with_extension("bin")
}

/// Starts `inputanim record -o take.bin` with options in a folder.
fn start(folder: &TempDir, options: &[&str]) -> (Child, ChildStdin) {
    support::start(&mut command(folder, options))
}

/// Returns the command `inputanim record -o take.bin` with options in a folder.
fn command(folder: &TempDir, options: &[&str]) -> Command {
    let mut command = program();
    command.args(["record", "-o", "take.bin"]).args(options);
    command.current_dir(folder.path());
    command
}

/// Records an input that ends, and returns the folder and the output.
fn record(input: &str, options: &[&str]) -> (TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    let output = run_with_input(&mut command(&folder, options), input.as_bytes());
    (folder, output)
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn recorded(folder: &TempDir) -> Recording<'static> {
    read(&folder.path().join("take.bin"))
}

fn read(path: &Path) -> Recording<'static> {
    Recording::parse(&fs::read(path).unwrap())
        .unwrap()
        .into_owned()
}

/// Returns the times of the keys of the head.
fn times(recording: &Recording<'_>) -> Vec<f32> {
    let keys = &recording.head.as_ref().unwrap().position[0].keys;
    keys.points().map(|(time, _)| time).collect()
}

/// Formats a frame with a head as a line of ndjson.
fn frame(time: f64) -> String {
    format!("{{\"time\":{time},\"head\":{{\"position\":[{time},1.6,0],\"rotation\":[0,0,0,1]}}}}\n")
}

fn frames(times: impl IntoIterator<Item = f64>) -> String {
    times.into_iter().map(frame).collect()
}

#[test]
#[cfg_attr(windows, ignore = "long under Wine, and independent of the system")]
fn sampled_frames_at_all_keys_make_a_recording_with_the_same_playback() {
    for name in ["two-hands", "pinch-drag", "reach", "wave"] {
        for (form, space) in [("ndjson", "unity"), ("csv", "unity"), ("csv", "blender")] {
            let print = |recording: &Path| {
                let options = ["--at-keys", "--format", form, "--space", space];
                let output = program()
                    .arg("sample")
                    .arg(recording)
                    .args(options)
                    .output();
                String::from_utf8(output.unwrap().stdout).unwrap()
            };
            let printed = print(&sample(name));
            let (folder, output) = record(&printed, &["--space", space]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            assert!(
                print(&folder.path().join("take.bin")) == printed,
                "{name}, {form}"
            );
            let bytes = fs::read(sample(name)).unwrap();
            let mut original = Recording::parse(&bytes).unwrap();
            // A table has no markers, and a note counts them.
            if form == "csv" {
                original.markers.clear();
            }
            let mut options = DiffOptions::default();
            options.tolerance.position = 1e-6;
            options.tolerance.rotation = 1e-2;
            options.tolerance.timing = 0.0;
            let found = original.diff(&recorded(&folder), &options).unwrap();
            assert_ne!(
                found.verdict,
                Verdict::Different,
                "{name} through {form}: {found:?}"
            );
        }
    }
}

#[test]
fn a_truncated_last_line_can_be_skipped() {
    let frame = r#"{"time":0,"head":{"position":[0,1,0],"rotation":[0,0,0,1]}}"#;
    let (folder, output) = record(&format!("{frame}\n{{\"time\":1,\"cam"), &["--skip-bad"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert_eq!(times(&recorded(&folder)), [0.0]);
}

#[test]
fn a_truncated_input_is_recorded_up_to_its_last_complete_line() {
    let input = frames([0.0, 0.5, 1.0]) + "{\"time\":1.5,\"came";
    let (folder, output) = record(&input, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(times(&recorded(&folder)), [0.0, 0.5, 1.0]);
    let message = text(&output);
    assert!(
        message.contains(
            "recording ended at line 4: the input ends in the middle of the line; the pro"
        ),
        "{message}"
    );
    assert!(
        message.ends_with(": 1.000 s, 3 frames, 4.9 kB -> take.bin\n"),
        "{message}"
    );
    // A last line without a line break is complete.
    let (folder, output) = record(frames([0.0, 0.5]).trim_end(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(times(&recorded(&folder)), [0.0, 0.5]);
}

#[test]
fn the_first_bad_line_ends_the_recording_and_what_was_recorded_is_written() {
    for (bad, what) in [
        ("{\"time\":0.25}\n", "line 3: expected a time after 0.5 s"),
        ("{\"time\":\"now\"}\n", "line 3: time: expected a number"),
        ("{\"time\":0.75,}\n", "line 3, column 14: trailing comma"),
        (
            "{\"time\":0.75,\"pose\":1}\n",
            "line 3: unknown member \"pose\"",
        ),
    ] {
        let input = frames([0.0, 0.5]) + bad + &frames([1.0]);
        let (folder, output) = record(&input, &[]);
        assert_eq!(output.status.code(), Some(3), "{bad}");
        assert_eq!(times(&recorded(&folder)), [0.0, 0.5]);
        let message = text(&output);
        assert!(
            message.contains(&format!(
                "warning: standard input: recording ended at {what}"
            )) && message.contains("; the lines after it were not read; --")
                && !message.contains("error:"),
            "{message}"
        );
        let (folder, output) = record(&input, &["--skip-bad"]);
        assert_eq!(output.status.code(), Some(3), "{bad}");
        assert_eq!(times(&recorded(&folder)), [0.0, 0.5, 1.0]);
        let message = text(&output);
        assert!(
            message.contains(&format!("1 row skipped: {what}")),
            "{message}"
        );
    }
}

#[test]
fn an_input_without_frames_writes_nothing() {
    for (input, what) in [
        ("", "no frames: no output written"),
        (
            "nothing like a table\n",
            "line 1: expected columns of frames (time_s, head.position.x, left.tracked, …), found \"noth",
        ),
        (
            "{\"time\":0,\"marker\":\"start\"}\n",
            "no frames: no output written",
        ),
        (
            "{\"time\":0.5,\"cam",
            "line 1: the input ends in the middle of the line",
        ),
    ] {
        let (folder, output) = record(input, &[]);
        assert_eq!(output.status.code(), Some(1), "{input}");
        assert_eq!(names(&folder), [""; 0]);
        assert!(text(&output).contains(what), "{}", text(&output));
    }
}

#[test]
fn a_recording_as_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program();
    let child = child
        .arg("record")
        .arg(sample("wave"))
        .args(["-o", "take.bin"]);
    let output = child.current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("expected frames, found a recording"),
        "{}",
        text(&output)
    );
}

#[test]
fn unknown_columns_are_ignored_on_request_and_named_once() {
    let input = "time_s,note,left.tracked\n0,a,1\n1,b,0\n";
    let (folder, output) = record(input, &["--ignore-unknown"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(recorded(&folder).duration(), 1.0);
    let message = text(&output);
    assert_eq!(message.matches("\"note\"").count(), 1, "{message}");
}

#[test]
fn positions_without_rotations_give_a_note() {
    let input = "time_s,head.position.x,head.position.y,head.position.z\n0,1,2,3\n";
    let (folder, output) = record(input, &[]);
    assert!(output.status.success());
    let expected = "note: no rotations, identity assumed: head\n";
    assert!(text(&output).contains(expected), "{}", text(&output));
    assert_eq!(recorded(&folder).head.unwrap().position[2].keys.len(), 1);
}

#[test]
fn columns_of_other_programs_are_mapped() {
    let input = "Timestamp,x,quality\n0,1,a\n2000,3,b\n";
    let pose = ["x", "y", "z"].map(|part| format!("head.position.{part}=x*0.5"));
    let maps = ["time=Timestamp*0.001", &pose[0], &pose[1], &pose[2]];
    let options: Vec<&str> = maps.iter().flat_map(|map| ["--map", map]).collect();
    let (folder, output) = record(input, &options);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let recorded = recorded(&folder);
    assert_eq!(times(&recorded), [0.0, 2.0]);
    let keys = &recorded.head.as_ref().unwrap().position[2].keys;
    assert_eq!(keys.points().nth(1), Some((2.0, 1.5)));
    let (_, output) = record("{\"time\":0}\n", &["--map", "left.tracked=t"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("missing columns \"t\" (for left.tracked)"),
        "{}",
        text(&output)
    );
}

#[test]
fn the_time_of_json_has_any_name_and_unit() {
    let head = r#""head":{"position":[0,1,0]}"#;
    let input = format!("{{\"t\":0,{head}}}\n{{\"t\":500,{head}}}\n");
    let (folder, output) = record(&input, &["--map", "time_s=t*1e-3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(times(&recorded(&folder)), [0.0, 0.5]);
    assert!(!text(&output).contains("ignored"), "{}", text(&output));
    let (folder, output) = record(&input, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(names(&folder), [""; 0]);
    let message = text(&output);
    assert!(
        message.contains("\"time_s=t*0.001\" converts milliseconds"),
        "{message}"
    );
}

#[test]
fn a_table_with_nothing_but_times_is_refused() {
    let (folder, output) = record("t_ms,a\n0,1\n5,2\n", &["--map", "time_s=t_ms*1e-3"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn a_value_of_another_type_is_explained() {
    for (member, expected) in [
        (
            r#""right":{"joints":{"Palm":[1,2,3]}}"#,
            r#"line 1: right.joints.Palm: expected {"position": [x, y, z]}, found [1,2,3]"#,
        ),
        (
            r#""right":{"tracked":"yes"}"#,
            r#"line 1: right.tracked: expected 1, 0, true or false, found "yes""#,
        ),
        (
            r#""head":{"position":[1,2]}"#,
            "line 1: head.position: expected [x, y, z], found [1,2]",
        ),
        (
            r#""marker":5"#,
            "line 1: marker: expected text in quotation marks, found 5",
        ),
    ] {
        let (_, output) = record(&format!("{{\"time\":0,{member}}}\n"), &[]);
        let message = text(&output);
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains("--skip-bad"), "{message}");
        assert!(!message.contains("\n  -\n"), "{message}");
    }
}

#[test]
fn camera_is_accepted_for_the_head() {
    for input in [
        "{\"time\":0,\"camera\":{\"position\":[1,2,3]}}\n",
        "time_s,camera.position.x,camera.position.y,camera.position.z\n0,1,2,3\n",
    ] {
        let (folder, output) = record(input, &[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert_eq!(recorded(&folder).head.unwrap().position[2].keys.len(), 1);
    }
}

#[test]
fn implausible_times_and_positions_give_notes() {
    let row = |step: u32| format!("{},1600,0,0\n", step * 11);
    let rows: String = (0..20).map(row).collect();
    let header = "time_s,head.position.x,head.position.y,head.position.z\n";
    let (_, output) = record(&format!("{header}{rows}"), &[]);
    let message = text(&output);
    assert!(
        message.contains("fewer than 1 frame per second"),
        "{message}"
    );
    assert!(message.contains("positions beyond 20 m"), "{message}");
    let (_, output) = record(&frames((0..20).map(|step| f64::from(step) / 60.0)), &[]);
    assert!(!text(&output).contains("note"), "{}", text(&output));
}

#[test]
fn a_recording_of_the_last_seconds_names_its_first_key() {
    let input = frames([0.0, 1.0, 2.0, 3.0]);
    let (_, output) = record(&input, &["--keep-last", "1"]);
    let expected = "keys start at 2.000 s";
    assert!(text(&output).contains(expected), "{}", text(&output));
    let (_, output) = record(&input, &["--keep-last", "1", "--from-zero"]);
    assert!(!text(&output).contains("keys start"), "{}", text(&output));
}

#[test]
fn an_array_of_frames_is_recorded_as_it_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let (child, mut stdin) = start(&folder, &[]);
    let array = format!("[{}, {}]", frame(0.0).trim(), frame(0.5).trim());
    stdin.write_all(array.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(times(&recorded(&folder)), [0.0, 0.5]);
    // The elements before a truncated one are kept.
    let (folder, output) = record(&array[..array.len() - 9], &[]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(times(&recorded(&folder)), [0.0]);
}

#[test]
fn an_output_that_cannot_be_written_is_found_before_a_frame_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("take.bin"), "precious").unwrap();
    // The input stays open: the program must not wait for its end.
    let (child, _stdin) = start(&folder, &[]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("take.bin already exists"));
    assert_eq!(
        fs::read(folder.path().join("take.bin")).unwrap(),
        b"precious"
    );
    let mut nowhere = program();
    let nowhere = nowhere
        .args(["record", "-o", "nowhere/take.bin"])
        .stdin(Stdio::piped());
    let nowhere = nowhere
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(nowhere.wait_with_output().unwrap().status.code(), Some(1));
}

#[test]
fn limits_of_length_and_rate_are_respected() {
    let seconds = |steps: u32| frames((0..=steps).map(|step| 100.0 + f64::from(step) / 50.0));
    let (folder, _) = record(&seconds(500), &["--keep-last", "2", "--from-zero"]);
    let kept = times(&recorded(&folder));
    assert!(
        kept[0] == 0.0 && (kept[kept.len() - 1] - 2.0).abs() < 0.03,
        "{kept:?}"
    );
    let (folder, output) = record(&seconds(500), &["--max-seconds", "3"]);
    let kept = times(&recorded(&folder));
    assert_eq!((kept[0], kept[kept.len() - 1]), (100.0, 103.0));
    assert_eq!(output.status.code(), Some(0));
    let (folder, output) = record(&seconds(500), &["--rate", "10"]);
    let kept = times(&recorded(&folder));
    assert!((99..=101).contains(&kept.len()), "{}", kept.len());
    assert!(
        text(&output).contains("above the rate dropped"),
        "{}",
        text(&output)
    );
    let (folder, _) = record(&seconds(2000), &["--preset", "mrtk"]);
    let kept = times(&recorded(&folder));
    assert!(kept[0] == 0.0 && (kept[kept.len() - 1] - 30.0).abs() < 0.03);
}

#[test]
fn times_since_1970_need_from_zero() {
    let input = frames((0..10).map(|step| 1.7e9 + f64::from(step) / 64.0));
    let (_, output) = record(&input, &[]);
    assert!(text(&output).contains("--from-zero"), "{}", text(&output));
    let (folder, _) = record(&input, &["--from-zero"]);
    let expected: Vec<f32> = (0..10).map(|step| step as f32 / 64.0).collect();
    assert_eq!(times(&recorded(&folder)), expected);
}

#[test]
fn what_a_layout_cannot_represent_is_dropped_with_a_warning() {
    let input =
        "{\"time\":0,\"marker\":\"a\",\"gaze\":{\"origin\":[0,0,0],\"direction\":[0,0,1]}}\n";
    let (folder, output) = record(input, &["--layout", "documented-1.0"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(recorded(&folder).layout, Layout::Documented1_0);
    let message = text(&output);
    assert!(
        message.contains("lost: 1 marker") && message.contains("lost: the gaze stream"),
        "{message}"
    );
}

#[test]
fn a_recording_can_be_written_into_a_pipe() {
    let frames = frames([0.0, 1.0]);
    let output = run_with_input(program().args(["record", "-o", "-"]), frames.as_bytes());
    assert_eq!(
        times(&Recording::parse(&output.stdout).unwrap()),
        [0.0, 1.0]
    );
}

#[test]
fn a_session_is_removed_once_the_output_is_written() {
    let (folder, output) = record(&frames([0.0, 1.0]), &["--session", "take.session"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(names(&folder), ["take.bin"]);
    for (input, options) in [
        ("", &[][..]),
        ("x\n", &[]),
        ("{\"time\":}\n", &["--skip-bad"]),
    ] {
        let options = [&["--session", "take.session"], options].concat();
        let (folder, output) = record(input, &options);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(names(&folder), [""; 0], "{}", text(&output));
    }
}

#[test]
fn a_session_holds_devices_that_appear_during_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let frames = "\
{\"time\":0}
{\"time\":0.5,\"devices\":{\"right.controller\":{\"active\":true,\"inputs\":{\"trigger.value\":0.25}}}}
{\"time\":1,\"devices\":{\"right.controller\":{\"active\":true,\"inputs\":{\"trigger.value\":0.75}}}}
";
    let mut record = program();
    let record = record.args(["record", "--session", "take.session", "-o", "-"]);
    let output = run_with_input(record.current_dir(folder.path()), frames.as_bytes());
    assert!(
        text(&output).contains("take.session: contains all frames"),
        "{}",
        text(&output)
    );
    let mut recover = program();
    let recover = recover.args(["recover", "take.session", "-o", "saved.json"]);
    let output = recover.current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let saved = fs::read_to_string(folder.path().join("saved.json")).unwrap();
    assert!(saved.contains("right.controller.trigger.value"), "{saved}");
}

#[test]
fn a_session_that_may_hold_the_only_frames_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("take.session");
    fs::write(&session, "precious").unwrap();
    let (child, _stdin) = start(&folder, &["--session", "take.session", "--force"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("`inputanim recover take.session"),
        "{}",
        text(&output)
    );
    assert_eq!(fs::read(&session).unwrap(), b"precious");
    let (child, _stdin) = start(&folder, &["--session", "./take.bin"]);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
    assert_eq!(names(&folder), ["take.session"]);
}

/// Recovers a session, and returns the times of its frames.
fn recovered(folder: &TempDir) -> Vec<f32> {
    let mut recover = program();
    let recover = recover.args(["recover", "take.session", "-o", "saved.bin"]);
    let output = recover.current_dir(folder.path()).output().unwrap();
    assert!(
        [Some(0), Some(3)].contains(&output.status.code()),
        "{}",
        text(&output)
    );
    times(&read(&folder.path().join("saved.bin")))
}

#[test]
fn a_session_keeps_all_frames_if_the_output_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let options = ["--session", "take.session", "-o", "gone/take.bin"];
    let mut command = program();
    command
        .arg("record")
        .args(options)
        .current_dir(folder.path());
    let (child, mut stdin) = support::start(&mut command);
    stdin.write_all(frames([0.0, 0.25]).as_bytes()).unwrap();
    wait_for(|| folder.path().join("take.session").exists());
    fs::remove_dir(&gone).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("take.session: contains all frames"),
        "{}",
        text(&output)
    );
    assert_eq!(recovered(&folder), [0.0, 0.25]);
}

/// Waits until a condition holds. The test runner ends a test that waits forever.
fn wait_for(mut is_done: impl FnMut() -> bool) {
    while !is_done() {
        thread::yield_now();
    }
}

#[cfg(unix)]
mod signals {
    use std::os::unix::process::ExitStatusExt;
    use std::sync::mpsc;

    use super::*;

    fn send(child: &Child, signal: &str) {
        let pid = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &pid])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits until the program handles signals; before that, a signal ends it.
    fn wait_for_signal_handlers(child: &Child) {
        const USR1: u32 = 10;
        let listens = || is_in_mask(&child.id().to_string(), "SigCgt:", USR1);
        wait_for(listens);
    }

    /// Returns `true` if the tests ignore SIGINT, as background jobs of a shell do. A program that
    /// they start then ignores it too, until it installs a handler.
    fn is_interrupt_ignored() -> bool {
        const INT: u32 = 2;
        cfg!(target_os = "linux") && is_in_mask("self", "SigIgn:", INT)
    }

    /// Returns `true` if a signal is in a mask of a process, as /proc shows it.
    fn is_in_mask(process: &str, name: &str, signal: u32) -> bool {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix(name));
        let mask = u64::from_str_radix(mask.unwrap().trim(), 16).unwrap();
        mask & (1 << (signal - 1)) != 0
    }

    /// Writes frames until nobody reads them, and returns the number that was written. Returns once
    /// `first` frames are written.
    fn feed(mut stdin: ChildStdin, first: u32) -> thread::JoinHandle<u32> {
        let (is_written, written_first) = mpsc::channel();
        let feeder = thread::spawn(move || {
            let mut written = 0;
            loop {
                if written == first {
                    is_written.send(()).unwrap();
                }
                let frame = frame(f64::from(written) / 64.0);
                if stdin.write_all(frame.as_bytes()).is_err() {
                    return written;
                }
                written += 1;
                assert!(written < 10_000_000, "the program does not end");
            }
        });
        // An error says that the program ended before.
        let _ = written_first.recv();
        feeder
    }

    #[test]
    fn a_signal_at_any_moment_ends_the_recording_and_writes_it_completely() {
        let signals = if is_interrupt_ignored() {
            ["-TERM", "-TERM"]
        } else {
            ["-INT", "-TERM"]
        };
        for round in 0..24_u64 {
            let folder = tempfile::tempdir().unwrap();
            let (child, stdin) = start(&folder, &[]);
            let writer = feed(stdin, (round * round * 3) as u32);
            send(&child, signals[round as usize % 2]);
            let output = child.wait_with_output().unwrap();
            let written = writer.join().unwrap();
            // Before the signal handlers are installed, or before the first frame, nothing is
            // written.
            if output.status.signal().is_some() || output.status.code() == Some(1) {
                assert_eq!(names(&folder), [""; 0], "round {round}");
                continue;
            }
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            assert_eq!(names(&folder), ["take.bin"]);
            let times = times(&recorded(&folder));
            assert!(times.len() <= written as usize);
            let expected = (0..times.len()).map(|step| step as f32 / 64.0);
            assert!(
                times.iter().copied().eq(expected),
                "round {round}: {times:?}"
            );
        }
    }

    #[test]
    fn a_snapshot_is_written_beside_the_output_while_it_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let (child, mut stdin) = start(&folder, &[]);
        wait_for_signal_handlers(&child);
        let snapshot = |number: u32| folder.path().join(format!("take-{number}.bin"));
        let mut step = 0;
        for number in 1..=2 {
            // A signal before the first frame gives no snapshot, so it is sent until one exists.
            while !snapshot(number).exists() {
                stdin
                    .write_all(frame(f64::from(step) / 64.0).as_bytes())
                    .unwrap();
                step += 1;
                send(&child, "-USR1");
                assert!(step < 100_000, "there is no snapshot {number}");
            }
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let all = times(&recorded(&folder));
        assert_eq!(all.len(), step as usize);
        let first = times(&read(&snapshot(1)));
        let second = times(&read(&snapshot(2)));
        assert!(all.starts_with(&second) && second.starts_with(&first));
        assert!(text(&output).contains("take-1.bin: "), "{}", text(&output));
    }

    #[test]
    fn a_session_survives_a_kill_with_all_but_the_last_second() {
        for round in 0..8_u64 {
            let folder = tempfile::tempdir().unwrap();
            let (mut child, stdin) = start(&folder, &["--session", "take.session"]);
            wait_for_signal_handlers(&child);
            let writer = feed(stdin, 100 + 37 * round as u32);
            // A snapshot shows how much has been recorded by now.
            let snapshot = folder.path().join("take-1.bin");
            wait_for(|| {
                send(&child, "-USR1");
                snapshot.exists()
            });
            child.kill().unwrap();
            child.wait().unwrap();
            writer.join().unwrap();
            let (known, saved) = (times(&read(&snapshot)), recovered(&folder));
            let expected = (0..saved.len()).map(|step| step as f32 / 64.0);
            assert!(
                saved.iter().copied().eq(expected),
                "round {round}: {saved:?}"
            );
            assert!(
                saved.len() + 64 > known.len(),
                "{} of {}",
                saved.len(),
                known.len()
            );
        }
    }

    #[test]
    fn a_line_truncated_by_ctrl_c_is_not_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (child, mut stdin) = start(&folder, &[]);
        wait_for_signal_handlers(&child);
        stdin.write_all(frames([0.0, 0.5]).as_bytes()).unwrap();
        stdin.write_all(b"{\"time\":1,\"came").unwrap();
        // A snapshot shows that both frames have been read.
        wait_for(|| {
            send(&child, "-USR1");
            folder.path().join("take-1.bin").exists()
        });
        send(&child, "-INT");
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert_eq!(times(&recorded(&folder)), [0.0, 0.5]);
    }
}
