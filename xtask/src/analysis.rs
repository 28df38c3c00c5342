//! `cargo xtask analysis`: compares the measures and events of `inputanim-analysis` with the results of SciPy, NumPy,
//! pymovements and movement, on the generated samples and the corpus.

use fs_err as fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::process::{self, headline, root, target};
use crate::{host, python_env, spec, tables};

/// Prints the times of `inputanim stats` and of a Python script for a study of 100 recordings. The script computes most
/// of the same measures with NumPy, SciPy and pymovements.
pub(crate) fn measure() -> Result<()> {
    let folder = root().join("comparison/analysis");
    let Some(python) = python_env::installed(&folder.join("requirements.txt"))? else {
        return Ok(());
    };
    let program = tables::release_program()?;
    let out = target().join("xtask/measures");
    let study = out.join("study");
    let bytes = tables::generate(&program, &study)?;
    let long = out.join("ten-minutes.bin");
    let mut generate = Command::new(&program);
    let options = ["two-hands", "--seconds", "600", "--force", "-o"];
    process::run(generate.arg("generate").args(options).arg(&long))?;
    let stats = |cores: usize, input: &Path| {
        let mut command = tables::pinned(&program, cores);
        command.args(["stats", "--force", "-j", &cores.to_string(), "-r"]);
        command.arg(input).arg("-o").arg(out.join("stats.csv"));
        command
    };
    let script = |options: &[&str]| {
        let mut command = tables::pinned(&python, 1);
        command.arg(folder.join("measures.py")).arg(&study);
        command.arg(out.join("script.csv")).args(options);
        command
    };
    let mut rounds = Vec::new();
    for _ in 0..3 {
        rounds.push([
            timed(script(&[]))?,
            timed(script(&["--frombuffer"]))?,
            timed(stats(1, &study))?,
            timed(stats(2, &study))?,
            timed(stats(1, &long))?,
            timed(stats(2, &long))?,
        ]);
    }
    let medians: [f64; 6] =
        std::array::from_fn(|at| tables::median(rounds.iter().map(|round| round[at])));
    headline("measures of a study");
    println!(
        "{} recordings, {:.0} MB; medians of 3 rounds",
        tables::RECORDINGS,
        bytes as f64 / 1e6
    );
    let names = [
        "Python, key by key",
        "Python, curve by curve",
        "inputanim, one core",
        "inputanim, two cores",
    ];
    let [_, _, one, ..] = medians;
    for (name, seconds) in names.iter().zip(medians) {
        let ratio = seconds / one;
        println!("  {name:<22} {seconds:>7.2} s {ratio:>7.2} times that of inputanim, one core");
    }
    let [.., one, two] = medians;
    println!(
        "one recording of two hands for ten minutes: {one:.2} s on one core, {two:.2} s on two"
    );
    Ok(())
}

/// Runs a command without its output, and returns how long it ran in seconds.
fn timed(mut command: Command) -> Result<f64> {
    let start = Instant::now();
    process::run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
    Ok(start.elapsed().as_secs_f64())
}

pub(crate) fn run() -> Result<()> {
    let folder = root().join("comparison/analysis");
    let Some(python) = python_env::installed(&folder.join("requirements.txt"))? else {
        return Ok(());
    };
    host::build()?;
    headline("comparison of measures and events with SciPy, NumPy, pymovements and movement");
    let reference = target().join("xtask/analysis.ndjson");
    fs::create_dir_all(target().join("xtask"))?;
    let mut command = Command::new(host::example("reference"));
    command.args(spec::distinct_recordings()?);
    fs::write(&reference, process::output(&mut command)?)?;
    let input = fs::File::open(&reference)?.into_parts().0;
    let mut check = Command::new(&python);
    let status = python_env::quiet(&mut check)
        .arg(folder.join("check.py"))
        .stdin(Stdio::from(input))
        .status()
        .context("cannot run check.py")?;
    ensure!(status.success(), "measures or events differ");
    headline(
        "comparison of measures, segments and events with their definitions in docs/analysis.md",
    );
    let recordings = spec::distinct_recordings()?;
    // The script reads the layouts that MRTK writes.
    let recordings = recordings.iter().filter(|path| {
        let is_of_mrtk = !path.iter().any(|part| part == "documented");
        is_of_mrtk && fs::metadata(path).is_ok_and(|metadata| metadata.len() > 10_000)
    });
    let program = host::build_program()?;
    let mut command = Command::new(&python);
    command
        .arg(folder.join("definitions.py"))
        .arg(&program)
        .args(recordings);
    process::run(python_env::quiet(&mut command))?;
    headline("comparison of measures and events of devices with their definitions");
    let mut command = Command::new(&python);
    command.arg(folder.join("devices.py")).arg(program);
    process::run(python_env::quiet(&mut command))
}
