//! Commands that must give the same output and the same files on Linux and on Windows.

use fs_err as fs;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::{Tools, outcome};
use crate::host;
use crate::process::{self, root, target};

/// The commands of one script, which run one after the other in a folder with recordings.
const COMMANDS: [&[&str]; 22] = [
    &["info", "samples/two-hands.bin"],
    &["info", "samples"],
    &["info", "missing.bin"],
    &["check", "-r", "samples"],
    &["check", "samples/cut.bin"],
    &["doctor", "samples/wave.bin"],
    &[
        "trim",
        "samples/wave.bin",
        "--time",
        "1..3",
        "-o",
        "trimmed.bin",
    ],
    &[
        "trim",
        "samples/wave.bin",
        "--time",
        "1..3",
        "-o",
        "trimmed.bin",
    ],
    &[
        "trim",
        "-f",
        "samples/wave.bin",
        "--time",
        "1..2",
        "-o",
        "trimmed.bin",
    ],
    &["diff", "samples/wave.bin", "trimmed.bin"],
    &["convert", "samples/wave.bin", "wave.json"],
    &["convert", "samples/wave.bin", "wave.csv"],
    &["convert", "samples/wave.bin", "wave.glb"],
    &["convert", "samples/wave.bin", "wave.bvh"],
    &["convert", "wave.json", "again.bin"],
    &["convert", "-r", "samples", "-o", "tables", "--to", "csv"],
    &["convert", "-r", "samples", "-o", "tables", "--to", "csv"],
    &["record", "crlf.ndjson", "-o", "recorded.bin"],
    &["info", "Aufnahme ä 手 🙂.bin"],
    &["mirror", "Aufnahme ä 手 🙂.bin", "-o", "gespiegelt ß.bin"],
    &[
        "recover",
        "samples/cut.bin",
        "-o",
        "folder/../recovered.bin",
    ],
    &[
        "sample",
        "samples/wave.bin",
        "--rate",
        "10",
        "--format",
        "csv",
    ],
];

/// Runs all commands with `program`, the program for Windows, and with the program for Linux. Checks that their output
/// and the files that they write are equal.
pub(super) fn run(tools: &Tools, program: &Path) -> Result<()> {
    let native = host::build_program()?;
    let linux = folder("linux")?;
    let windows = folder("windows")?;
    for command in COMMANDS {
        compare(tools, program, &native, command, &[], [&linux, &windows])?;
    }
    // A pipe must not change bytes.
    let wave = fs::read(root().join("samples/wave.bin"))?;
    let piped = ["convert", "-", "-", "--to", "bin"];
    compare(tools, program, &native, &piped, &wave, [&linux, &windows])?;
    check_pattern(tools, program, &native, [&linux, &windows])?;
    let [on_linux, on_windows] = [files(&linux)?, files(&windows)?];
    for (name, bytes) in &on_linux {
        ensure!(
            on_windows.get(name) == Some(bytes),
            "{name} differs between Linux and Windows: compare {} and {}",
            linux.display(),
            windows.display()
        );
    }
    ensure!(
        on_linux.len() == on_windows.len(),
        "the program wrote other files on Windows: {:?}",
        on_windows.keys().collect::<Vec<_>>()
    );
    let wine = || {
        let mut wine = tools.wine();
        wine.arg(program).current_dir(&windows);
        wine
    };
    check_interrupt(wine, &windows, "stopped.bin")?;
    check_share(tools, program, &windows)?;
    println!(
        "{} commands print the same and {} files have the same bytes on Linux and on Windows",
        COMMANDS.len() + 1,
        on_linux.len()
    );
    Ok(())
}

fn compare(
    tools: &Tools,
    program: &Path,
    native: &Path,
    arguments: &[&str],
    input: &[u8],
    [linux, windows]: [&PathBuf; 2],
) -> Result<()> {
    let on_linux = outcome(
        Command::new(native).args(arguments).current_dir(linux),
        input,
    )?;
    let run = || {
        let mut wine = tools.wine();
        outcome(
            wine.arg(program).args(arguments).current_dir(windows),
            input,
        )
    };
    let mut on_windows = run()?;
    // Wine occasionally fails to start a program.
    if on_windows.1.is_empty() && !on_linux.1.is_empty() {
        on_windows = run()?;
    }
    let parts = [
        ("standard output", on_linux.1, on_windows.1),
        ("standard error", on_linux.2, on_windows.2),
    ];
    for (part, on_linux, on_windows) in parts {
        let (on_linux, on_windows) = (comparable(on_linux), comparable(on_windows));
        ensure!(
            on_linux == on_windows,
            "inputanim {}: {part} differs\n--- on Linux\n{}\n--- on Windows\n{}",
            arguments.join(" "),
            String::from_utf8_lossy(&on_linux),
            String::from_utf8_lossy(&on_windows)
        );
    }
    ensure!(
        on_linux.0 == on_windows.0,
        "inputanim {}: exit code {:?} on Linux, {:?} on Windows",
        arguments.join(" "),
        on_linux.0,
        on_windows.0
    );
    Ok(())
}

/// Checks that the program for Windows expands patterns of file names as the shells of Linux do. `native` is the
/// program for Linux, and the last argument the folders for both.
fn check_pattern(
    tools: &Tools,
    program: &Path,
    native: &Path,
    [linux, windows]: [&PathBuf; 2],
) -> Result<()> {
    let mut expanded = Command::new(native);
    expanded.args(["info", "--brief"]).current_dir(linux);
    expanded.args([
        "samples/cut.bin",
        "samples/two-hands.bin",
        "samples/wave.bin",
    ]);
    let (code, expected, _) = outcome(&mut expanded, &[])?;
    for pattern in [r"samples\*.bin", "s*/**/*.BIN"] {
        let mut command = tools.wine();
        command.arg(program).args(["info", "--brief", pattern]);
        let found = outcome(command.current_dir(windows), &[])?;
        ensure!(
            found.0 == code && comparable(found.1.clone()) == expected,
            "info {pattern} does not print the recordings in samples: {}",
            String::from_utf8_lossy(&found.1)
        );
    }
    Ok(())
}

/// Checks that Ctrl-C ends `inputanim record` and saves the recording. Wine converts SIGINT to Ctrl-C.
///
/// `program` returns a command that starts the program in `folder`, and `output` is the file name of the recording in
/// it.
pub(crate) fn check_interrupt(
    program: impl Fn() -> Command,
    folder: &Path,
    output: &str,
) -> Result<()> {
    let session_name = format!("{output}.session");
    let mut child = program()
        .args(["record", "-o", output, "--session", &session_name])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut frames = child.stdin.take().context("no standard input")?;
    for step in 0..200 {
        let time = f64::from(step) / 8.0;
        let pose = "{\"position\":[0,1.6,0],\"rotation\":[0,0,0,1]}";
        writeln!(frames, "{{\"time\":{time},\"head\":{pose}}}")?;
    }
    frames.flush()?;
    // The session contains frames as soon as they are recorded.
    let session = folder.join(session_name);
    let start = Instant::now();
    while !fs::metadata(&session).is_ok_and(|metadata| metadata.len() > 1000) {
        ensure!(start.elapsed() < LONGEST_START, "`record` did not start");
        thread::sleep(Duration::from_millis(50));
    }
    let process = child.id().to_string();
    process::run(Command::new("kill").args(["-INT", &process]))?;
    let ended = child.wait_with_output()?;
    drop(frames);
    let message = String::from_utf8_lossy(&ended.stderr);
    ensure!(
        ended.status.success(),
        "Ctrl-C did not end `record` well: {message}"
    );
    ensure!(!session.exists(), "`record` left its session: {message}");
    let info = process::output(program().args(["info", "--format", "json", output]))?;
    let info: serde_json::Value = serde_json::from_slice(&info)?;
    let duration = info[0]["info"]["duration"].as_f64();
    ensure!(
        duration.is_some_and(|duration| duration > 0.0),
        "`record` saved no frames: {message}"
    );
    Ok(())
}

/// Checks that paths of a network drive (UNC) work under Wine, as patterns, inputs and outputs. `folder` is shown as
/// the drive.
fn check_share(tools: &Tools, program: &Path, folder: &Path) -> Result<()> {
    let share = tools.share(folder)?;
    let pattern = format!(r"{share}\samples\w*.bin");
    let output = format!(r"{share}\copied\");
    let mut convert = tools.wine();
    convert.arg(program).args(["convert", &pattern]);
    convert.args(["-o", &output, "--to", "json"]);
    let (code, _, message) = outcome(&mut convert, &[])?;
    ensure!(
        code == Some(0) && folder.join("copied/wave.json").exists(),
        "`convert` does not work on a network drive: {}",
        String::from_utf8_lossy(&message)
    );
    Ok(())
}

/// The longest time that the program takes to start on a busy machine.
const LONGEST_START: Duration = Duration::from_secs(60);

/// Returns the output of a program without the differences between Linux and Windows: separators of paths, and the
/// system's words for a missing file. Binary data is returned unchanged.
fn comparable(printed: Vec<u8>) -> Vec<u8> {
    let text = match String::from_utf8(printed) {
        Ok(text) => text,
        Err(binary) => return binary.into_bytes(),
    };
    let text = text.replace('\\', "/");
    let text = text.replace(
        "File not found. (os error 2)",
        "No such file or directory (os error 2)",
    );
    text.into_bytes()
}

/// Creates a folder with recordings and frames for the commands, and returns its path. `name` is its name; an existing
/// folder is replaced.
fn folder(name: &str) -> Result<PathBuf> {
    let folder = target().join("xtask/windows-checks").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let samples = folder.join("samples");
    fs::create_dir_all(&samples)?;
    fs::create_dir(folder.join("folder"))?;
    let wave = fs::read(root().join("samples/wave.bin"))?;
    fs::write(samples.join("wave.bin"), &wave)?;
    fs::write(samples.join("cut.bin"), &wave[..100_000])?;
    fs::copy(
        root().join("samples/two-hands.bin"),
        samples.join("two-hands.bin"),
    )?;
    fs::write(folder.join("Aufnahme ä 手 🙂.bin"), &wave)?;
    let frame = |time| {
        format!(
            "{{\"time\":{time},\"head\":{{\"position\":[{time},1.6,0],\"rotation\":[0,0,0,1]}}}}\r\n"
        )
    };
    let frames: String = (0..20).map(|step| frame(f64::from(step) / 8.0)).collect();
    fs::write(folder.join("crlf.ndjson"), frames)?;
    Ok(folder)
}

/// Returns the content of each file in a folder and its subfolders by its relative path.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            // The record of a batch contains absolute paths of its inputs.
            } else if !path.ends_with(".inputanim-batch") {
                let name = path.strip_prefix(folder)?.display().to_string();
                found.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
