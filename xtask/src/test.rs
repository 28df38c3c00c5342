//! `cargo xtask test`

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo, headline};
use crate::{fuzz, readers, readme, spec};

/// How much to test.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Seconds that each fuzz target runs
    #[arg(long, default_value_t = 5)]
    fuzz_seconds: u32,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    install_toolchain()?;
    if std::env::var_os("INPUTANIM_CORPUS").is_none() {
        println!("INPUTANIM_CORPUS names no corpus: the tests on real recordings will be skipped");
    }
    headline("unit, integration and documentation tests; every command in README and docs");
    cargo(&["test", "--workspace", "--locked"])?;
    headline("the first command of the README");
    readme::run()?;
    headline("an independent reader made from spec/inputanim.ksy");
    spec::run()?;
    headline("readers of the formats that we write");
    readers::run(&readers::Args { format: None })?;
    headline("fuzz targets");
    fuzz::run(&fuzz::Args {
        seconds: args.fuzz_seconds,
        target: None,
    })?;
    headline("all passed");
    Ok(())
}

/// What cargo cannot fetch: better to know before the long part.
fn install_toolchain() -> Result<()> {
    let answers = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    ensure!(
        answers("node", &["--version"]) && answers("npm", &["--version"]),
        "Node.js 20 or newer with npm is needed: it runs the independent reader"
    );
    if !answers("cargo", &["+nightly", "--version"]) {
        let install = ["toolchain", "install", "nightly", "--profile", "minimal"];
        process::run(Command::new("rustup").args(install))
            .context("the fuzz targets need a nightly toolchain")?;
    }
    Ok(())
}
