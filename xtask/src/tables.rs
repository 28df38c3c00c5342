//! `cargo xtask tables`: a study becomes Parquet, by the program and by a script in Python.
//!
//! The script, `comparison/tables/straightforward.py`, does the same with struct, NumPy and pyarrow;
//! that both make the same tables is checked first.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::process::{self, cargo, headline, root, target};
use crate::readers;

/// How many recordings the study has.
const RECORDINGS: u32 = 100;

/// Rounds in which everything runs once; the medians count. One after the other in each, since a shared
/// machine is faster at some times than at others.
const ROUNDS: usize = 5;

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
    let timed = |run| timed(run, &study);
    let (_, made) = timed(ours(1, "1"))?;
    let (_, also) = timed(theirs(&[]))?;
    let same = Command::new(&python)
        .arg(scripts.join("same.py"))
        .args([&made, &also])
        .status()?;
    anyhow::ensure!(same.success(), "the tables differ");
    let sizes = [bytes, size(&made)?, size(&also)?].map(|bytes| bytes as f64 / 1e6);
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push([
            timed(theirs(&[]))?.0,
            timed(theirs(&["--frombuffer"]))?.0,
            timed(ours(1, "1"))?.0,
            timed(ours(2, "2"))?.0,
        ]);
    }
    let medians: [f64; 4] = std::array::from_fn(|at| median(rounds.iter().map(|round| round[at])));
    headline("a study to wide Parquet at 60 Hz");
    let [size, ours, theirs] = sizes;
    println!(
        "{RECORDINGS} recordings, {size:.0} MB; Parquet {ours:.0} MB by the program, {theirs:.0} MB by \
         the script; medians of {ROUNDS} rounds"
    );
    let names = [
        "Python, key by key",
        "Python, a curve at once",
        "inputanim, one core",
        "inputanim, two cores",
    ];
    for (name, seconds) in names.iter().zip(medians) {
        let [.., one, _] = medians;
        println!(
            "  {name:<24} {seconds:>6.2} s {:>6.1} MB/s {:>6.2} times the program's on one core",
            size / seconds,
            seconds / one
        );
    }
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

/// How many seconds a run into an empty folder takes.
fn timed((mut command, out): (Command, PathBuf), study: &Path) -> Result<(f64, PathBuf)> {
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    // What was written before is not to be waited for, and the study is in memory, which a shared machine
    // takes back as it likes.
    Command::new("sync").status().ok();
    for file in files(study)? {
        fs::read(file)?;
    }
    let start = Instant::now();
    process::run(command.stderr(Stdio::null()))?;
    Ok((start.elapsed().as_secs_f64(), out))
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// How many bytes are in a folder.
fn size(folder: &Path) -> Result<u64> {
    let sizes = files(folder)?
        .into_iter()
        .map(|file| Ok(fs::metadata(file)?.len()));
    sizes.sum()
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => found.extend(files(&entry.path())?),
            false => found.push(entry.path()),
        }
    }
    Ok(found)
}
