//! `cargo xtask fuzz`: runs the fuzz targets for a limited time.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::process::{self, root, target};

/// The version of cargo-fuzz that is installed.
const CARGO_FUZZ: &str = "0.13.2";

/// The targets to run, and their time.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run each target for this many seconds
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u32,
    /// Run only this target
    #[arg(long)]
    pub(crate) target: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut targets = targets()?;
    if let Some(only) = &args.target {
        let known: Vec<&str> = targets.iter().map(|target| &*target.name).collect();
        ensure!(
            known.contains(&only.as_str()),
            "unknown fuzz target `{only}`; expected one of {}",
            known.join(", ")
        );
        targets.retain(|target| target.name == *only);
    }
    require_nightly()?;
    let path = path_with(&install()?)?;
    let fuzz = |task: &str, features: &str| {
        let mut command = Command::new("cargo");
        command.args(["+nightly", "fuzz", task, "--target-dir"]);
        command.arg(target().join("fuzz")).env("PATH", &path);
        if !features.is_empty() {
            command.args(["--features", features]);
        }
        command
    };
    // Targets are grouped by features, so that the targets of the core are built without the converters.
    targets.sort_by(|a, b| (&a.features, &a.name).cmp(&(&b.features, &b.name)));
    for group in targets.chunk_by(|a, b| a.features == b.features) {
        let features = &group[0].features;
        if group.len() > 1 {
            // One build for the group uses all processors.
            process::run(&mut fuzz("build", features))?;
        }
        for FuzzTarget { name, .. } in group {
            // libFuzzer writes new inputs to the first folder and only reads the others.
            let found = target().join("xtask/fuzz-found").join(name);
            fs::create_dir_all(&found)?;
            let committed = root().join("fuzz/corpus").join(name);
            let seeds = root().join("fuzz/seeds");
            let time = format!("-max_total_time={}", args.seconds);
            process::run(
                fuzz("run", features)
                    .arg(name)
                    .args([&found, &committed, &seeds])
                    .args(["--", &time, "-dict=fuzz/inputanim.dict", "-max_len=16384"])
                    .args(["-print_final_stats=1", "-verbosity=0"])
                    .args(["-print_funcs=0", "-rss_limit_mb=2048"]),
            )?;
        }
    }
    Ok(())
}

/// A fuzz target, and the features that it is built with.
struct FuzzTarget {
    name: String,
    /// The features, separated by commas. Empty for a target of the core.
    features: String,
}

/// Returns the fuzz targets that fuzz/Cargo.toml declares.
fn targets() -> Result<Vec<FuzzTarget>> {
    let metadata = process::output(
        Command::new("cargo")
            .args(["metadata", "--no-deps", "--format-version=1"])
            .args(["--manifest-path", "fuzz/Cargo.toml"]),
    )?;
    let metadata: Value = serde_json::from_slice(&metadata)?;
    let targets = metadata["packages"][0]["targets"].as_array();
    let targets = targets.context("cargo metadata lists no targets")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let target = |target: &Value| {
        let features = target["required-features"].as_array();
        let features: Vec<String> = features.into_iter().flatten().map(text).collect();
        FuzzTarget {
            name: text(&target["name"]),
            features: features.join(","),
        }
    };
    Ok(targets.iter().map(target).collect())
}

/// Fails if the machine has no nightly toolchain, which sanitizers need. Tasks do not install toolchains.
fn require_nightly() -> Result<()> {
    process::output(Command::new("cargo").args(["+nightly", "--version"]))
        .context("the fuzz targets need a nightly toolchain: `rustup toolchain install nightly`")?;
    Ok(())
}

/// Installs cargo-fuzz if it is missing, and returns the folder of its program.
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
