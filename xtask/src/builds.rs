//! `cargo xtask builds`: measures the time of a clean release build of the program and its size, by
//! feature.

use fs_err as fs;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::process::{self, headline, output, target};

/// The name of each build, and the arguments that select its features.
const BUILDS: [(&str, &[&str]); 5] = [
    ("full", &["--features=full"]),
    ("parquet", &["--features=parquet"]),
    ("mcap", &["--features=mcap"]),
    ("png", &["--features=png"]),
    ("default", &[]),
];

pub(crate) fn run() -> Result<()> {
    let folder = target().join("xtask/builds");
    // Crates are downloaded before the measurement, so that the network does not count.
    process::cargo(&["fetch", "--locked"])?;
    let mut lines = Vec::new();
    for (name, features) in BUILDS {
        // The builds have a separate folder, so that the build folder of the developer stays unchanged.
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let start = Instant::now();
        let mut build = Command::new("cargo");
        build.args(["build", "--quiet", "--release", "--locked"]);
        build.args(["--package", "inputanim-cli"]).args(features);
        // Users have no such variable set.
        build.env_remove("CARGO_INCREMENTAL");
        process::run(build.env("CARGO_TARGET_DIR", &folder))?;
        let time = start.elapsed().as_secs();
        let program = folder
            .join("release")
            .join(format!("inputanim{}", std::env::consts::EXE_SUFFIX));
        let size = fs::metadata(&program)
            .with_context(|| format!("cannot find {}", program.display()))?
            .len();
        // Packages are compressed.
        let compressed = output(Command::new("gzip").args(["-9", "-c"]).arg(&program))?.len();
        let (minutes, seconds) = (time / 60, time % 60);
        let [size, compressed] = [size as f64, compressed as f64].map(|bytes| bytes / 1e6);
        lines.push(format!(
            "{name:<12} {minutes:>2} min {seconds:>2} s  {size:>5.1} MB  {compressed:>5.1} MB compressed"
        ));
    }
    fs::remove_dir_all(&folder)?;
    headline("clean release build of the program");
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}
