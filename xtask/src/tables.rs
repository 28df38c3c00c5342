//! `cargo xtask tables`: measures the conversion of a study to Parquet, by the program and by a Python
//! script.
//!
//! The script, `comparison/tables/straightforward.py`, uses struct, NumPy and pyarrow. Before the
//! measurement, the task checks that both write the same tables.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};

use crate::process::{self, cargo, headline, root, target};
use crate::python_env;

/// The number of recordings in the study.
pub(crate) const RECORDINGS: u32 = 100;

/// The number of rounds. Each round runs every program once, because the speed of a shared machine
/// changes over time; the task prints medians.
const ROUNDS: usize = 5;

pub(crate) fn run() -> Result<()> {
    let Some(python) = python_env::of_readers()? else {
        return Ok(());
    };
    let program = release_program()?;
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
    let theirs = |arguments: &[&str]| {
        let out = folder.join("theirs");
        let mut command = pinned(&python, 1);
        command.arg(scripts.join("straightforward.py"));
        command.arg(&study).arg(&out).args(arguments);
        (command, out)
    };
    headline("comparison of the tables");
    let timed = |run| timed(run, &study);
    let (_, our_tables) = timed(ours(1, "1"))?;
    let (_, their_tables) = timed(theirs(&[]))?;
    let same = Command::new(&python)
        .arg(scripts.join("same.py"))
        .args([&our_tables, &their_tables])
        .status()?;
    anyhow::ensure!(same.success(), "the tables differ");
    let sizes = [bytes, size(&our_tables)?, size(&their_tables)?].map(|bytes| bytes as f64 / 1e6);
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
    headline("conversion of a study to wide Parquet at 60 Hz");
    let [size, ours, theirs] = sizes;
    println!(
        "{RECORDINGS} recordings, {size:.0} MB; Parquet {ours:.0} MB by the program, {theirs:.0} MB by \
         the script; medians of {ROUNDS} rounds"
    );
    let names = [
        "Python, key by key",
        "Python, curve by curve",
        "inputanim, one core",
        "inputanim, two cores",
    ];
    for (name, seconds) in names.iter().zip(medians) {
        let [.., one, _] = medians;
        println!(
            "  {name:<24} {seconds:>6.2} s {:>6.1} MB/s {:>6.2} times that of inputanim, one core",
            size / seconds,
            seconds / one
        );
    }
    Ok(())
}

/// Builds the optimised program with all formats for a measurement, and returns its path.
pub(crate) fn release_program() -> Result<PathBuf> {
    cargo(&[
        "build",
        "--quiet",
        "--release",
        // Parquet is not in the default features.
        "--features=full",
        "--package",
        "inputanim-cli",
    ])?;
    Ok(target().join("release/inputanim"))
}

/// Generates a study of [`RECORDINGS`] recordings of 10 to 50 s in the folder `study`, and returns their total size in
/// bytes.
pub(crate) fn generate(program: &Path, study: &Path) -> Result<u64> {
    fs::create_dir_all(study)?;
    for seed in 1..=RECORDINGS {
        // Lengths from 10 to 50 s, because the recordings of a study differ too.
        let seconds = (10 + seed % 41).to_string();
        let recording = study.join(format!("p{:03}/take.bin", seed));
        fs::create_dir_all(recording.parent().unwrap_or(study))?;
        let mut make = Command::new(program);
        make.args(["generate", "two-hands", "--force", "--seconds", &seconds]);
        process::run(
            make.args(["--seed", &seed.to_string(), "-o"])
                .arg(recording),
        )?;
    }
    size(study)
}

/// Returns a command that runs a program on one processor if `cores` is 1, otherwise on two. Without `taskset`, it runs
/// on all processors.
pub(crate) fn pinned(program: &Path, cores: usize) -> Command {
    // With one processor, a library that starts threads has no advantage.
    let processors = if cores == 1 { "0" } else { "0,1" };
    let mut taskset = Command::new("taskset");
    let status = taskset.arg("--version").stdout(Stdio::null()).status();
    if !status.is_ok_and(|status| status.success()) {
        return Command::new(program);
    }
    let mut taskset = Command::new("taskset");
    taskset.args(["-c", processors]).arg(program);
    taskset
}

/// Runs a conversion of a study into the folder that follows the command, which is emptied before. Returns its time in
/// seconds, and the folder.
fn timed((mut command, out): (Command, PathBuf), study: &Path) -> Result<(f64, PathBuf)> {
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    // Pending writes of earlier runs must not slow this run down. Every run must find the study in the file cache, but
    // a shared machine may have dropped it from the cache.
    Command::new("sync").status().ok();
    for file in files(study)? {
        fs::read(file)?;
    }
    let start = Instant::now();
    process::run(command.stderr(Stdio::null()))?;
    Ok((start.elapsed().as_secs_f64(), out))
}

pub(crate) fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the total size of the files in a folder and its subfolders, in bytes.
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
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?);
        } else {
            found.push(entry.path());
        }
    }
    Ok(found)
}
