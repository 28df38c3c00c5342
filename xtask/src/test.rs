//! `cargo xtask test`

use anyhow::Result;

use crate::process::{cargo, headline};
use crate::{fuzz, readme, spec};

/// How much to test.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Seconds that each fuzz target runs
    #[arg(long, default_value_t = 5)]
    fuzz_seconds: u32,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    headline("unit, integration and documentation tests; every command in README and docs");
    cargo(&["test", "--workspace", "--locked"])?;
    headline("the first command of the README");
    readme::run()?;
    headline("an independent reader made from spec/inputanim.ksy");
    spec::run()?;
    headline("fuzz targets");
    fuzz::run(&fuzz::Args {
        seconds: args.fuzz_seconds,
        target: None,
    })?;
    headline("all passed");
    Ok(())
}
