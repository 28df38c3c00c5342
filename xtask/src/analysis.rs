//! `cargo xtask analysis`: compares the measures and events of `inputanim-analysis` with those of SciPy,
//! NumPy, pymovements and movement, on the generated samples and the corpus.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo, headline, root, target};
use crate::{readers, spec, tables};

/// Measures `stats` on a study of 100 recordings, against a script with NumPy, SciPy and pymovements that
/// computes most of the same measures.
pub(crate) fn measure() -> Result<()> {
    let folder = root().join("comparison/analysis");
    let Some(python) = readers::python_with(&folder.join("requirements.txt"))? else {
        return Ok(());
    };
    let program = tables::release_program()?;
    let out = target().join("xtask/measures");
    let study = out.join("study");
    let bytes = tables::generate(&program, &study)?;
    let stats = |cores: usize| {
        let mut command = tables::pinned(&program, cores);
        command.args(["stats", "--force", "-j", &cores.to_string(), "-r"]);
        command.arg(&study).arg("-o").arg(out.join("stats.csv"));
        command
    };
    let script = || {
        let mut command = tables::pinned(&python, 1);
        command.arg(folder.join("measures.py")).arg(&study);
        command.arg(out.join("script.csv"));
        command
    };
    let mut rounds = Vec::new();
    for _ in 0..3 {
        rounds.push([timed(script())?, timed(stats(1))?, timed(stats(2))?]);
    }
    let medians: [f64; 3] =
        std::array::from_fn(|at| tables::median(rounds.iter().map(|round| round[at])));
    headline("measures of a study");
    println!(
        "{} recordings, {:.0} MB; medians of 3 rounds",
        tables::RECORDINGS,
        bytes as f64 / 1e6
    );
    let names = [
        "Python, one core",
        "inputanim, one core",
        "inputanim, two cores",
    ];
    for (name, seconds) in names.iter().zip(medians) {
        let ratio = seconds / medians[1];
        println!("  {name:<21} {seconds:>7.2} s {ratio:>7.2} times that of inputanim, one core");
    }
    Ok(())
}

/// Runs a command, and returns its time in seconds.
fn timed(mut command: Command) -> Result<f64> {
    let start = Instant::now();
    process::run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
    Ok(start.elapsed().as_secs_f64())
}

pub(crate) fn run() -> Result<()> {
    let folder = root().join("comparison/analysis");
    let Some(python) = readers::python_with(&folder.join("requirements.txt"))? else {
        return Ok(());
    };
    let example = ["--package", "inputanim-analysis", "--example", "reference"];
    cargo(&[&["build", "--quiet", "--features", "serde"], &example[..]].concat())?;
    let program = target().join("debug/examples/reference");
    headline("comparison of measures and events with SciPy, NumPy, pymovements and movement");
    let reference = target().join("xtask/analysis.ndjson");
    fs::create_dir_all(target().join("xtask"))?;
    let mut command = Command::new(program);
    command.args(spec::recordings()?);
    fs::write(&reference, process::output(&mut command)?)?;
    let input = fs::File::open(&reference)?;
    let status = Command::new(python)
        .arg(folder.join("check.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::from(input))
        .status()
        .context("cannot run check.py")?;
    ensure!(status.success(), "measures or events differ");
    Ok(())
}
