//! Outputs are complete or absent, closed pipes are no errors, and existing files are not lost.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use inputanim::{Joint, Keys, Recording, SimpleKey};
use tempfile::TempDir;

use crate::support::{names, program, run_with_input};

fn run(arguments: &[&OsStr]) -> Output {
    program().args(arguments).output().unwrap()
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/wave.bin")
}

/// Creates a folder with a copy of a sample.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.bin");
    fs::copy(sample(), &path).unwrap();
    (folder, path)
}

#[test]
fn a_refused_conversion_leaves_the_old_file_and_nothing_else() {
    let (folder, path) = folder();
    let out = folder.path().join("out.bin");
    fs::write(&out, "precious").unwrap();
    let layout = ["--layout", "mrtk-1.0", "--force"].map(OsStr::new);
    let arguments = [OsStr::new("convert"), path.as_ref(), out.as_ref()];
    let refused = run(&[&arguments[..], &layout].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(fs::read(&out).unwrap(), b"precious");
    assert_eq!(names(&folder), ["out.bin", "take.bin"]);
}

#[test]
fn an_existing_file_is_replaced_only_with_force() {
    let (folder, path) = folder();
    let out = folder.path().join("out.bin");
    fs::write(&out, "precious").unwrap();
    let mut arguments = vec![OsStr::new("convert"), path.as_ref(), out.as_ref()];
    assert_eq!(run(&arguments).status.code(), Some(1));
    assert_eq!(fs::read(&out).unwrap(), b"precious");
    arguments.push(OsStr::new("--force"));
    assert_eq!(run(&arguments).status.code(), Some(0));
    assert_eq!(fs::read(&out).unwrap(), fs::read(&path).unwrap());
}

#[cfg(windows)]
#[test]
fn a_file_that_another_program_holds_open_stays_and_the_error_says_so() {
    use std::os::windows::fs::OpenOptionsExt;
    let (folder, path) = folder();
    let out = folder.path().join("out.bin");
    fs::write(&out, "precious").unwrap();
    let held = fs::File::options()
        .read(true)
        .share_mode(1)
        .open(&out)
        .unwrap();
    let arguments = ["convert", "--force"].map(OsStr::new);
    let refused = run(&[&arguments[..], &[path.as_ref(), out.as_ref()]].concat());
    drop(held);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("has the file open"), "{message}");
    assert_eq!(fs::read(&out).unwrap(), b"precious");
    assert_eq!(names(&folder), ["out.bin", "take.bin"]);
}

#[test]
fn a_recording_is_not_recovered_over_itself() {
    let (_folder, path) = folder();
    let truncated = &fs::read(&path).unwrap()[..100_000];
    fs::write(&path, truncated).unwrap();
    let arguments = [
        OsStr::new("recover"),
        path.as_ref(),
        OsStr::new("-o"),
        path.as_ref(),
    ];
    let refused = run(&[&arguments[..], &[OsStr::new("--force")]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(fs::read(&path).unwrap(), truncated);
}

#[cfg(unix)]
#[test]
fn the_target_of_a_link_is_replaced_and_keeps_its_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (folder, path) = folder();
    let (file, link) = (
        folder.path().join("file.bin"),
        folder.path().join("link.bin"),
    );
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    let arguments = ["convert", "--force"].map(OsStr::new);
    let done = run(&[&arguments[..], &[path.as_ref(), link.as_ref()]].concat());
    assert!(done.status.success(), "{done:?}");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&file).unwrap(), fs::read(&path).unwrap());
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn pipes_and_json_do_not_change_a_recording() {
    let bytes = fs::read(sample()).unwrap();
    let through = |arguments: &[&str], input: &[u8]| {
        let output = run_with_input(program().args(arguments), input);
        assert!(output.status.success());
        output.stdout
    };
    assert_eq!(through(&["convert", "-", "-"], &bytes), bytes);
    let json = through(&["convert", "-", "-", "--to", "json"], &bytes);
    assert!(json.starts_with(b"{\n  \"format\""));
    assert_eq!(through(&["convert", "-", "-"], &json), bytes);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    for options in [&["cat"][..], &["convert", "--to", "csv", "-q"]] {
        let mut command = program();
        command.args(options).arg(sample());
        if options.len() > 1 {
            command.arg("-");
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut start = [0; 16];
        child.stdout.take().unwrap().read_exact(&mut start).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn diff_returns_its_exit_code_into_a_closed_pipe() {
    let other = sample().with_file_name("reach.bin");
    let mut child = program()
        .arg("diff")
        .args([sample(), other])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn damage_in_only_one_recording_is_named_as_a_cause() {
    let (_folder, path) = folder();
    let bytes = fs::read(&path).unwrap();
    let mut recording = Recording::parse(&bytes).unwrap();
    let palm = &mut recording.hands_mut().right.joints[Joint::Palm];
    let w = &mut palm.rotation[3].keys;
    let (time, value) = w.point(0).unwrap();
    *w = Keys::Simple(vec![SimpleKey::new(time, value)].into());
    let damaged = recording.to_bytes().unwrap();
    fs::write(&path, damaged).unwrap();
    let compare = |a: &Path, b: &Path| run(&["diff".as_ref(), a.as_ref(), b.as_ref()]);
    let differing = compare(&sample(), &path);
    assert_eq!(differing.status.code(), Some(1));
    let text = String::from_utf8(differing.stderr).unwrap();
    let expected = format!("warning: only in {}: D1 ", path.display());
    assert!(text.starts_with(&expected), "{text}");
    assert!(compare(&path, &path).stderr.is_empty());
}

#[test]
fn output_into_a_pipe_has_colours_only_on_request() {
    let plain = program().arg("info").arg(sample()).output().unwrap();
    assert!(!plain.stdout.contains(&0x1b));
    let colour = program()
        .args(["info", "--color", "always"])
        .arg(sample())
        .output()
        .unwrap();
    assert!(colour.stdout.contains(&0x1b));
}
