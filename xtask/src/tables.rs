//! `cargo xtask tables`: a study becomes Parquet, by the program and by a script in Python.
//!
//! The script, `comparison/tables/straightforward.py`, does the same with struct, NumPy and pyarrow;
//! that both make the same tables is checked first.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::process::{self, cargo, headline, root, target};
use crate::readers;

/// How many recordings the study has.
const RECORDINGS: u32 = 100;

/// Runs of which the median counts; the script is slow enough for one.
const RUNS: usize = 5;

pub(crate) fn run() -> Result<()> {
    let Some(python) = readers::python()? else {
        return Ok(());
    };
    cargo(&[
        "build",
        "--quiet",
        "--release",
        "--package",
        "inputanim-cli",
    ])?;
    let program = target().join("release/inputanim");
    let folder = target().join("xtask/tables");
    let study = folder.join("study");
    let bytes = generate(&program, &study)?;
    let scripts = root().join("comparison/tables");
    let ours = |cores, jobs: &str| {
        let out = folder.join("ours");
        let mut command = pinned(&program, cores);
        command.args(["convert", "--force", "-r", "--to", "parquet", "-j", jobs]);
        command.arg("-o").arg(&out).arg(&study);
        (command, out)
    };
    let theirs = |how: &[&str]| {
        let out = folder.join("theirs");
        let mut command = pinned(&python, 1);
        command.arg(scripts.join("straightforward.py"));
        command.arg(&study).arg(&out).args(how);
        (command, out)
    };
    headline("the same tables");
    let (_, made) = median(1, || ours(1, "1"))?;
    let (struct_, also) = median(1, || theirs(&[]))?;
    let same = Command::new(&python)
        .arg(scripts.join("same.py"))
        .args([&made, &also])
        .status()?;
    anyhow::ensure!(same.success(), "the tables differ");
    let (at_once, _) = median(3, || theirs(&["--frombuffer"]))?;
    let (one, _) = median(RUNS, || ours(1, "1"))?;
    let (two, made) = median(RUNS, || ours(2, "2"))?;
    headline("a study to wide Parquet at 60 Hz");
    println!(
        "{RECORDINGS} recordings, {:.0} MB; Parquet {:.0} MB by the program, {:.0} MB by the script",
        bytes as f64 / 1e6,
        size(&made)? as f64 / 1e6,
        size(&also)? as f64 / 1e6
    );
    let row = |name: &str, time: Duration| {
        let seconds = time.as_secs_f64();
        println!(
            "  {name:<28} {seconds:>7.2} s {:>6.1} MB/s {:>7.1} times the program's on one core",
            bytes as f64 / 1e6 / seconds,
            seconds / one.as_secs_f64()
        );
    };
    row("Python, key by key", struct_);
    row("Python, a curve at once", at_once);
    row("inputanim, one core", one);
    row("inputanim, two cores", two);
    Ok(())
}

/// Makes the study, unless it is there; says how large it is.
fn generate(program: &Path, study: &Path) -> Result<u64> {
    fs::create_dir_all(study)?;
    for seed in 1..=RECORDINGS {
        let seconds = (10 + seed % 41).to_string();
        let take = study.join(format!("p{:03}/take.bin", seed));
        fs::create_dir_all(take.parent().unwrap_or(study))?;
        let mut make = Command::new(program);
        make.args(["generate", "two-hands", "--force", "--seconds", &seconds]);
        process::run(make.args(["--seed", &seed.to_string(), "-o"]).arg(take))?;
    }
    size(study)
}

/// On so many processors, where the system lets one say so.
fn pinned(program: &Path, cores: usize) -> Command {
    let processors = if cores == 1 { "0" } else { "0,1" };
    let mut taskset = Command::new("taskset");
    let answers = taskset.arg("--version").stdout(Stdio::null()).status();
    if !answers.is_ok_and(|status| status.success()) {
        return Command::new(program);
    }
    let mut taskset = Command::new("taskset");
    taskset.args(["-c", processors]).arg(program);
    taskset
}

/// The median of some runs, each into an empty folder.
fn median(runs: usize, command: impl Fn() -> (Command, PathBuf)) -> Result<(Duration, PathBuf)> {
    let mut times = Vec::new();
    let mut made = PathBuf::new();
    for _ in 0..runs {
        let (mut command, out) = command();
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        let start = Instant::now();
        process::run(command.stderr(Stdio::null()))?;
        times.push(start.elapsed());
        made = out;
    }
    times.sort();
    Ok((times[runs / 2], made))
}

fn size(folder: &Path) -> Result<u64> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    entries
        .map(|entry| {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => size(&entry.path()),
                false => Ok(entry.metadata()?.len()),
            }
        })
        .sum()
}
