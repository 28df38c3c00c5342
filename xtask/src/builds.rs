//! `cargo xtask builds`: how long a clean release build of the program takes, by feature.

use std::fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::process::{self, headline, target};

/// What is built, by the arguments that say so.
const BUILDS: [(&str, &[&str]); 4] = [
    ("everything", &[]),
    ("tables", &["--no-default-features", "--features", "tables"]),
    ("mcap", &["--no-default-features", "--features", "mcap"]),
    ("neither", &["--no-default-features"]),
];

pub(crate) fn run() -> Result<()> {
    let folder = target().join("xtask/builds");
    // What is fetched is no part of it.
    process::cargo(&["fetch", "--locked"])?;
    let mut lines = Vec::new();
    for (name, features) in BUILDS {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let start = Instant::now();
        let mut build = Command::new("cargo");
        build.args(["build", "--quiet", "--release", "--locked"]);
        build.args(["--package", "inputanim-cli"]).args(features);
        // As a user builds it.
        build.env_remove("CARGO_INCREMENTAL");
        process::run(build.env("CARGO_TARGET_DIR", &folder))?;
        let time = start.elapsed().as_secs();
        let program = folder
            .join("release")
            .join(format!("inputanim{}", std::env::consts::EXE_SUFFIX));
        let size = fs::metadata(&program)
            .context("no program was built")?
            .len();
        let (minutes, seconds, size) = (time / 60, time % 60, size as f64 / 1e6);
        lines.push(format!(
            "{name:<12} {minutes:>2} min {seconds:>2} s  {size:>5.1} MB"
        ));
    }
    fs::remove_dir_all(&folder)?;
    headline("a clean release build of the program");
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}
