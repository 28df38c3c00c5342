//! `cargo xtask readers`: reads files of every format with the usual software for the format, and
//! compares the values with the values of the sampler.
//!
//! A check is a script `readers/FORMAT/check.py` or `check.mjs`. The checks that need large programs are
//! `in_blender.py`, `in_rerun.py` and `in_lerobot.py`; `cargo xtask clients` runs them. Packages are installed into the
//! build folder, at the versions that readers/ pins.

use fs_err as fs;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Result, bail, ensure};

use crate::process::{self, root, target};
use crate::{host, python_env, spec};

/// The checks to run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the checks of this format
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
}

/// Runs the checks of all formats, or of one, whose software installs in a minute: it reads converted files.
pub(crate) fn run(args: &Args) -> Result<()> {
    check(scripts(args, &["check.py", "check.mjs"])?)
}

/// Runs the checks of converted files with the large programs Blender and Rerun.
pub(crate) fn run_clients(args: &Args) -> Result<()> {
    check(scripts(args, &["in_blender.py", "in_rerun.py"])?)
}

/// Runs the checks of converted datasets with LeRobot, which installs PyTorch.
pub(crate) fn run_lerobot() -> Result<()> {
    check(scripts(&Args { format: None }, &["in_lerobot.py"])?)
}

fn check(scripts: Vec<PathBuf>) -> Result<()> {
    ensure!(!scripts.is_empty(), "no check of this format in readers/");
    host::build()?;
    // Checks share what they expect, see readers/inputanim.py.
    let expected = target().join("xtask/readers/expected");
    if expected.exists() {
        fs::remove_dir_all(&expected)?;
    }
    let mut checks = Vec::new();
    let mut modules = None;
    for script in scripts {
        let mut check = if script.extension().is_some_and(|e| e == "mjs") {
            if modules.is_none() {
                modules = Some(node_modules()?);
            }
            let Some(Some(modules)) = &modules else {
                continue;
            };
            let mut node = Command::new("node");
            node.env("INPUTANIM_NODE_MODULES", modules);
            node
        } else {
            let Some(python) = python_env::installed(&requirements(&script))? else {
                continue;
            };
            Command::new(python)
        };
        prepare(&mut check, &script)?;
        check.arg(&script);
        let name = script.strip_prefix(root()).unwrap_or(&script);
        checks.push((name.display().to_string(), check));
    }
    run_in_parallel(checks)
}

/// Runs the named checks, as many at the same time as there are processors, and prints the output of each check when it
/// has ended. Fails after all checks if one has failed.
fn run_in_parallel(checks: Vec<(String, Command)>) -> Result<()> {
    let checks = Mutex::new(checks.into_iter());
    let next = || checks.lock().ok().and_then(|mut checks| checks.next());
    // All checks run, so that one run shows all failures.
    let work = || {
        let mut result = Ok(());
        while let Some((name, mut check)) = next() {
            let start = Instant::now();
            let (output, own) = process::captured(&mut check);
            let seconds = start.elapsed().as_secs();
            println!("\n== {name}, {seconds} s\n{output}");
            if let Err(error) = own {
                eprintln!("{error}");
                result = Err(error);
            }
        }
        result
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let results: Vec<Result<()>> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| bail!("a check panicked")))
            .collect();
        results.into_iter().collect()
    })
}

/// Returns the path of the requirements file of a check script. Large programs, and Isaac Capture, depend on
/// incompatible versions of the same packages, so that they have requirements of their own.
fn requirements(script: &Path) -> PathBuf {
    let readers = root().join("readers");
    let stem = script.file_stem().unwrap_or_default().to_string_lossy();
    if let Some(program) = stem.strip_prefix("in_") {
        return readers.join(format!("{program}.txt"));
    }
    let own = script.with_file_name("requirements.txt");
    if own.is_file() {
        own
    } else {
        readers.join("requirements.txt")
    }
}

fn scripts(args: &Args, names: &[&str]) -> Result<Vec<PathBuf>> {
    let mut scripts = Vec::new();
    for folder in fs::read_dir(root().join("readers"))? {
        let folder = folder?.path();
        let is_wanted = args
            .format
            .as_deref()
            .is_none_or(|format| folder.file_name().is_some_and(|name| name == format));
        let existing = names
            .iter()
            .map(|name| folder.join(name))
            .filter(|path| path.is_file());
        if is_wanted {
            scripts.extend(existing);
        }
    }
    scripts.sort();
    Ok(scripts)
}

/// The size in bytes from which on only checks of tables read a file.
const LARGE: u64 = 1_500_000;

fn prepare(check: &mut Command, script: &Path) -> Result<()> {
    let format = script
        .parent()
        .and_then(Path::file_name)
        .unwrap_or_default();
    let out = target().join("xtask/readers").join(format);
    fs::create_dir_all(&out)?;
    let mut recordings = spec::distinct_recordings()?;
    // Two of the generated recordings have everything that the others have, and so has a recording of MRTK with markers.
    let others = ["reach.bin", "wave.bin", "mrtk-1.1-p0.bin"].map(OsStr::new);
    recordings.retain(|path| !path.file_name().is_some_and(|name| others.contains(&name)));
    // The writers of other formats share the sampler with those of tables, whose checks also read the largest file.
    let is_table = ["csv", "parquet", "arrow"]
        .map(Some)
        .contains(&format.to_str());
    recordings.retain(|path| is_table || fs::metadata(path).is_ok_and(|file| file.len() < LARGE));
    let recordings: Vec<String> = recordings
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    check
        .env("INPUTANIM_PROGRAM", host::program())
        .env("INPUTANIM_OUT", out)
        .env("INPUTANIM_RECORDINGS", recordings.join("\n"));
    python_env::quiet(check);
    Ok(())
}

/// Installs the npm packages of readers/, and returns their folder. Without a network, it prints a message and returns
/// `None`.
pub(crate) fn node_modules() -> Result<Option<PathBuf>> {
    let from = root().join("readers");
    let folder = target().join("xtask/node");
    match spec::install_npm(&from, &folder) {
        Ok(modules) => Ok(Some(modules)),
        Err(error) => process::skip_without_network(Command::new("npm").arg("ping"), error),
    }
}
