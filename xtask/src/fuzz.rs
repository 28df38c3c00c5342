//! `cargo xtask fuzz`

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, root, target};

/// The version of cargo-fuzz that is installed where there is none.
const CARGO_FUZZ: &str = "0.13.2";

/// Which targets to run, and for how long.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Seconds that each target runs
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u32,
    /// Only this target
    #[arg(long)]
    pub(crate) target: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let targets = targets()?;
    if let Some(only) = args.target.as_ref().filter(|only| !targets.contains(only)) {
        bail!(
            "there is no fuzz target {only}: expected one of {}",
            targets.join(", ")
        );
    }
    let path = path_with(&install()?)?;
    let fuzz = |task: &str| {
        let mut command = Command::new("cargo");
        command.args(["+nightly", "fuzz", task, "--target-dir"]);
        command.arg(target().join("fuzz")).env("PATH", &path);
        command
    };
    if args.target.is_none() {
        // All at once, on all processors.
        process::run(&mut fuzz("build"))?;
    }
    for name in targets {
        if args.target.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        // New inputs go to the first folder, so the committed ones stay as they are.
        let found = target().join("xtask/fuzz-found").join(&name);
        fs::create_dir_all(&found)?;
        let committed = root().join("fuzz/corpus").join(&name);
        let seeds = root().join("fuzz/seeds");
        let time = format!("-max_total_time={}", args.seconds);
        process::run(
            fuzz("run")
                .arg(&name)
                .args([&found, &committed, &seeds])
                .args(["--", &time, "-dict=fuzz/inputanim.dict", "-max_len=16384"])
                .args([
                    "-print_final_stats=1",
                    "-verbosity=0",
                    "-print_funcs=0",
                    "-rss_limit_mb=2048",
                ]),
        )?;
    }
    Ok(())
}

/// The fuzz targets, by their files.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        let name = path.file_stem().context("a file without a name")?;
        names.push(name.to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The folder of a cargo-fuzz of ours, installed if need be.
fn install() -> Result<PathBuf> {
    let folder = target().join("xtask/tools");
    let program = folder
        .join("bin")
        .join(format!("cargo-fuzz{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        process::run(
            Command::new("cargo")
                .args(["install", "--quiet", "--locked", "--version", CARGO_FUZZ])
                .args(["cargo-fuzz", "--root"])
                .arg(&folder),
        )?;
    }
    Ok(folder.join("bin"))
}

fn path_with(folder: &Path) -> Result<std::ffi::OsString> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&old));
    Ok(std::env::join_paths(folders)?)
}
