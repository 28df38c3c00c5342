//! Recording from other programs: pipes, ends in the middle of a line, signals at any moment.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use inputanim::diff::{self, Options, Tolerance, Verdict};
use inputanim::{Layout, Recording};
use tempfile::TempDir;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_inputanim"))
}

fn sample(name: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    samples.join(name).with_extension("bin")
}

/// `inputanim record -o take.bin` with options, in a folder of its own.
fn start(folder: &TempDir, options: &[&str]) -> (Child, ChildStdin) {
    let mut child = program()
        .args(["record", "-o", "take.bin"])
        .args(options)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

/// What comes of an input that ends.
fn record(input: &str, options: &[&str]) -> (TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    let (child, mut stdin) = start(&folder, options);
    let input = input.to_owned();
    // Who stops listening early does not read all.
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()).is_ok());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    (folder, output)
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

fn take(folder: &TempDir) -> Recording<'static> {
    read(&folder.path().join("take.bin"))
}

fn read(path: &Path) -> Recording<'static> {
    Recording::parse(&fs::read(path).unwrap())
        .unwrap()
        .into_owned()
}

/// The times of the keys of the head.
fn times(take: &Recording<'_>) -> Vec<f32> {
    let keys = &take.camera.as_ref().unwrap().position[0].keys;
    keys.points().map(|(time, _)| time).collect()
}

/// A frame with a head, as an object a line.
fn frame(time: f64) -> String {
    format!(
        "{{\"time\":{time},\"camera\":{{\"position\":[{time},1.6,0],\"rotation\":[0,0,0,1]}}}}\n"
    )
}

fn frames(times: impl IntoIterator<Item = f64>) -> String {
    times.into_iter().map(frame).collect()
}

#[test]
fn frames_that_sample_prints_at_its_keys_make_a_recording_that_plays_the_same() {
    for name in ["two-hands", "pinch-drag", "reach", "wave"] {
        for (form, space) in [("ndjson", "unity"), ("csv", "unity"), ("csv", "blender")] {
            let print = |take: &Path| {
                let options = ["--at-keys", "--format", form, "--space", space];
                let output = program().arg("sample").arg(take).args(options).output();
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
            // They are no frames.
            original.markers.clear();
            let tolerance = Tolerance {
                metres: 1e-6,
                degrees: 1e-2,
                seconds: 0.0,
            };
            let tolerance = Options {
                tolerance,
                ..Options::default()
            };
            let found = diff::compare(&original, &take(&folder), &tolerance).unwrap();
            assert_ne!(
                found.verdict,
                Verdict::Different,
                "{name} by way of {form}: {found:?}"
            );
        }
    }
}

#[test]
fn an_input_that_ends_in_the_middle_of_a_line_is_recorded_up_to_it() {
    let input = frames([0.0, 0.5, 1.0]) + "{\"time\":1.5,\"came";
    let (folder, output) = record(&input, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(times(&take(&folder)), [0.0, 0.5, 1.0]);
    let said = text(&output);
    assert!(
        said.contains("line 4: the input ends in the middle of it"),
        "{said}"
    );
    assert!(said.ends_with("take.bin: 1.000 s, 3 frames\n"), "{said}");
    // A last line that only lacks its end is whole.
    let (folder, output) = record(frames([0.0, 0.5]).trim_end(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(times(&take(&folder)), [0.0, 0.5]);
}

#[test]
fn the_first_bad_line_ends_the_recording_and_what_was_recorded_is_written() {
    for (bad, what) in [
        (
            "{\"time\":0.25}\n",
            "line 3: the time 0.25 s does not come after",
        ),
        ("{\"time\":\"now\"}\n", "line 3: time: expected a number"),
        ("{\"time\":0.75,}\n", "line 3, byte 14: no JSON"),
        (
            "{\"time\":0.75,\"pose\":1}\n",
            "line 3: \"pose\" means nothing here",
        ),
    ] {
        let input = frames([0.0, 0.5]) + bad + &frames([1.0]);
        let (folder, output) = record(&input, &[]);
        assert_eq!(output.status.code(), Some(3), "{bad}");
        assert_eq!(times(&take(&folder)), [0.0, 0.5]);
        let said = text(&output);
        assert!(said.contains(what) && said.contains("hint: --"), "{said}");
        let (folder, output) = record(&input, &["--skip-bad"]);
        assert_eq!(output.status.code(), Some(3), "{bad}");
        assert_eq!(times(&take(&folder)), [0.0, 0.5, 1.0]);
        let said = text(&output);
        assert!(said.contains(&format!("1 line left out: {what}")), "{said}");
    }
}

#[test]
fn where_nothing_was_recorded_nothing_is_written() {
    for (input, what) in [
        ("", "there was no frame"),
        (
            "nothing like a table\n",
            "line 1: expected the names of columns",
        ),
        ("{\"time\":0,\"marker\":\"start\"}\n", "there was no frame"),
        (
            "{\"time\":0.5,\"cam",
            "line 1: the input ends in the middle of it",
        ),
    ] {
        let (folder, output) = record(input, &[]);
        assert_eq!(output.status.code(), Some(1), "{input}");
        assert_eq!(names(&folder), [""; 0]);
        assert!(text(&output).contains(what), "{}", text(&output));
    }
}

#[test]
fn a_recording_is_told_from_frames() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program();
    let child = child
        .arg("record")
        .arg(sample("wave"))
        .args(["-o", "take.bin"]);
    let output = child.current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("`inputanim sample --at-keys`"),
        "{}",
        text(&output)
    );
}

#[test]
fn what_means_nothing_is_passed_over_where_that_is_asked_for_and_named_once() {
    let input = "time_s,note,left.tracked\n0,a,1\n1,b,0\n";
    let (folder, output) = record(input, &["--ignore-unknown"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(take(&folder).duration(), 1.0);
    let said = text(&output);
    assert_eq!(said.matches("note").count(), 1, "{said}");
}

#[test]
fn positions_without_rotations_are_said_not_to_turn() {
    let input = "time_s,camera.position.x,camera.position.y,camera.position.z\n0,1,2,3\n";
    let (folder, output) = record(input, &[]);
    assert!(output.status.success());
    let expected = "note: standard input: no columns of rotations, so not turned: camera\n";
    assert!(text(&output).contains(expected), "{}", text(&output));
    assert_eq!(take(&folder).camera.unwrap().position[2].keys.len(), 1);
}

#[test]
fn an_output_that_cannot_be_written_is_found_before_a_frame_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("take.bin"), "precious").unwrap();
    // Its input stays open: it must not wait for it.
    let (child, _stdin) = start(&folder, &[]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("take.bin is there already"));
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
fn lengths_and_rates_are_kept() {
    let seconds = |steps: u32| frames((0..=steps).map(|step| 100.0 + f64::from(step) / 50.0));
    let (folder, _) = record(&seconds(500), &["--keep", "2", "--from-zero"]);
    let kept = times(&take(&folder));
    assert!(
        kept[0] == 0.0 && (kept[kept.len() - 1] - 2.0).abs() < 0.03,
        "{kept:?}"
    );
    let (folder, output) = record(&seconds(500), &["--max-seconds", "3"]);
    let kept = times(&take(&folder));
    assert_eq!((kept[0], kept[kept.len() - 1]), (100.0, 103.0));
    assert_eq!(output.status.code(), Some(0));
    let (folder, output) = record(&seconds(500), &["--rate", "10"]);
    let kept = times(&take(&folder));
    assert!((99..=101).contains(&kept.len()), "{}", kept.len());
    assert!(
        text(&output).contains("above the rate left out"),
        "{}",
        text(&output)
    );
    let (folder, _) = record(&seconds(2000), &["--preset", "mrtk"]);
    let kept = times(&take(&folder));
    assert!(kept[0] == 0.0 && (kept[kept.len() - 1] - 30.0).abs() < 0.03);
}

#[test]
fn the_times_of_a_clock_that_runs_since_1970_want_from_zero() {
    let input = frames((0..10).map(|step| 1.7e9 + f64::from(step) / 64.0));
    let (_, output) = record(&input, &[]);
    assert!(text(&output).contains("--from-zero"), "{}", text(&output));
    let (folder, _) = record(&input, &["--from-zero"]);
    let expected: Vec<f32> = (0..10).map(|step| step as f32 / 64.0).collect();
    assert_eq!(times(&take(&folder)), expected);
}

#[test]
fn what_a_layout_cannot_hold_is_left_out_and_said() {
    let input =
        "{\"time\":0,\"marker\":\"a\",\"gaze\":{\"origin\":[0,0,0],\"direction\":[0,0,1]}}\n";
    let (folder, output) = record(input, &["--layout", "documented-1.0"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(take(&folder).layout, Layout::Documented1_0);
    let said = text(&output);
    assert!(
        said.contains("lost: 1 marker") && said.contains("lost: the gaze stream"),
        "{said}"
    );
}

#[test]
fn the_recording_may_go_on_into_a_pipe() {
    let mut child = program()
        .args(["record", "-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(frames([0.0, 1.0]).as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        times(&Recording::parse(&output.stdout).unwrap()),
        [0.0, 1.0]
    );
}

#[test]
fn a_session_is_there_until_the_output_is() {
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
fn a_session_that_may_hold_the_only_frames_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("take.session");
    fs::write(&session, "precious").unwrap();
    let (child, _stdin) = start(&folder, &["--session", "take.session", "--force"]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("`inputanim recover`"),
        "{}",
        text(&output)
    );
    assert_eq!(fs::read(&session).unwrap(), b"precious");
    let (child, _stdin) = start(&folder, &["--session", "./take.bin"]);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
    assert_eq!(names(&folder), ["take.session"]);
}

/// The times in a session, as `inputanim recover` finds them.
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
fn where_the_output_fails_in_the_end_the_session_has_it_all() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let options = ["--session", "take.session", "-o", "gone/take.bin"];
    let mut child = program()
        .arg("record")
        .args(options)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(frames([0.0, 0.25]).as_bytes()).unwrap();
    while !folder.path().join("take.session").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    fs::remove_dir(&gone).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("take.session: has all frames"),
        "{}",
        text(&output)
    );
    assert_eq!(recovered(&folder), [0.0, 0.25]);
}

#[cfg(unix)]
mod signals {
    use std::os::unix::process::ExitStatusExt;
    use std::time::Instant;

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

    /// A signal ends a program that does not listen to it yet.
    fn wait_until_it_listens(child: &Child) {
        const USR1: u32 = 10;
        let listens = || is_in_mask(&child.id().to_string(), "SigCgt:", USR1);
        match cfg!(target_os = "linux") {
            true => {
                while !listens() {
                    thread::sleep(Duration::from_millis(5));
                }
            }
            false => thread::sleep(Duration::from_secs(1)),
        }
    }

    /// Whether who started the tests has them ignore SIGINT, as shells do in the background: a program
    /// then ignores it too until it listens to it.
    fn is_interrupt_ignored() -> bool {
        const INT: u32 = 2;
        cfg!(target_os = "linux") && is_in_mask("self", "SigIgn:", INT)
    }

    /// Whether a mask of a process, as Linux tells it, has a signal.
    fn is_in_mask(process: &str, name: &str, signal: u32) -> bool {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix(name));
        let mask = u64::from_str_radix(mask.unwrap().trim(), 16).unwrap();
        mask & (1 << (signal - 1)) != 0
    }

    /// Writes a frame each millisecond until nobody listens; gives the number that was written.
    fn feed(mut stdin: ChildStdin) -> thread::JoinHandle<u32> {
        thread::spawn(move || {
            let start = Instant::now();
            let mut written = 0;
            while stdin
                .write_all(frame(f64::from(written) / 64.0).as_bytes())
                .is_ok()
            {
                written += 1;
                assert!(start.elapsed() < Duration::from_secs(60), "it does not end");
                thread::sleep(Duration::from_millis(1));
            }
            written
        })
    }

    #[test]
    fn a_signal_at_any_moment_ends_the_recording_and_writes_it_whole() {
        let signals = match is_interrupt_ignored() {
            true => ["-TERM", "-TERM"],
            false => ["-INT", "-TERM"],
        };
        for round in 0..24_u64 {
            let folder = tempfile::tempdir().unwrap();
            let (child, stdin) = start(&folder, &[]);
            let writer = feed(stdin);
            thread::sleep(Duration::from_millis(round * round % 190));
            send(&child, signals[round as usize % 2]);
            let output = child.wait_with_output().unwrap();
            let written = writer.join().unwrap();
            // Before it listens to signals, or before the first frame, there is nothing to write.
            if output.status.signal().is_some() || output.status.code() == Some(1) {
                assert_eq!(names(&folder), [""; 0], "round {round}");
                continue;
            }
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            assert_eq!(names(&folder), ["take.bin"]);
            let times = times(&take(&folder));
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
        wait_until_it_listens(&child);
        let snapshot = |number: u32| folder.path().join(format!("take-{number}.bin"));
        let mut step = 0;
        for number in 1..=2 {
            // It may be asked before the first frame is there; it is asked until there is one.
            while !snapshot(number).exists() {
                stdin
                    .write_all(frame(f64::from(step) / 64.0).as_bytes())
                    .unwrap();
                step += 1;
                thread::sleep(Duration::from_millis(100));
                send(&child, "-USR1");
                assert!(step < 300, "there is no snapshot {number}");
            }
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let whole = times(&take(&folder));
        assert_eq!(whole.len(), step as usize);
        let first = times(&read(&snapshot(1)));
        let second = times(&read(&snapshot(2)));
        assert!(whole.starts_with(&second) && second.starts_with(&first));
        assert!(text(&output).contains("take-1.bin: "), "{}", text(&output));
    }

    #[test]
    fn a_session_survives_a_kill_with_all_but_the_last_second() {
        for round in 0..8_u64 {
            let folder = tempfile::tempdir().unwrap();
            let (mut child, stdin) = start(&folder, &["--session", "take.session"]);
            wait_until_it_listens(&child);
            let writer = feed(stdin);
            thread::sleep(Duration::from_millis(100 + 37 * round));
            // What has been recorded by now is in a snapshot.
            let snapshot = folder.path().join("take-1.bin");
            while !snapshot.exists() {
                send(&child, "-USR1");
                thread::sleep(Duration::from_millis(20));
            }
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
    fn a_line_that_ctrl_c_cuts_off_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let (child, mut stdin) = start(&folder, &[]);
        wait_until_it_listens(&child);
        stdin.write_all(frames([0.0, 0.5]).as_bytes()).unwrap();
        stdin.write_all(b"{\"time\":1,\"came").unwrap();
        // Until it has read them.
        while !folder.path().join("take-1.bin").exists() {
            thread::sleep(Duration::from_millis(50));
            send(&child, "-USR1");
        }
        send(&child, "-INT");
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert_eq!(times(&take(&folder)), [0.0, 0.5]);
    }
}
