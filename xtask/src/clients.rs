//! `cargo xtask clients`: tests with software that is too large or too slow for a test of every change.
//!
//! Blender and Rerun read converted files. Daft, Ray, Dask, and Apache Spark with two executor processes read a
//! thousand recordings through the Python package, and their rows are compared with the rows of the scan and of the
//! program. An application with the engine Bevy gets recordings over OpenXR. LeRobot reads datasets and trains a policy,
//! only with `--lerobot`, because PyTorch takes eight gigabytes.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, headline, root};
use crate::{host, openxr, python, python_env, readers};

/// The software to test with.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the checks of this format, in Blender and Rerun
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["engines", "bench", "openxr"])]
    format: Option<String>,
    /// Run only the tests of engines for several machines: Apache Spark, Daft, Ray and Dask
    #[arg(long)]
    engines: bool,
    /// Run the tests of engines, then measure Apache Spark and Sail, and print rates and a projection to a million
    /// recordings
    #[arg(long)]
    bench: bool,
    /// Run only the test of OpenXR with the engine Bevy, which takes 20 minutes to compile
    #[arg(long, conflicts_with_all = ["engines", "bench"])]
    openxr: bool,
    /// Run only the checks of datasets with LeRobot, which installs PyTorch: eight gigabytes
    #[arg(long, conflicts_with_all = ["engines", "bench", "openxr", "format"])]
    lerobot: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.lerobot {
        return readers::run_lerobot();
    }
    if args.openxr {
        return openxr::bevy::run();
    }
    if args.engines || args.bench {
        return engines(args.bench);
    }
    readers::run_clients(&readers::Args {
        format: args.format.clone(),
    })?;
    if args.format.is_some() {
        return Ok(());
    }
    engines(false)?;
    openxr::bevy::run()
}

/// Tests the Python package in engines for large data: the data source of Spark, and the examples of docs/scale.md.
/// Also prints the speed of Spark and Sail if `is_measured` is `true`. Skipped without a network.
fn engines(is_measured: bool) -> Result<()> {
    let folder = root().join("python");
    // Sail and Apache Spark need different versions of pyspark. Sail's environment also has maturin.
    let Some(sail) = python_env::installed(&folder.join("requirements.txt"))? else {
        return Ok(());
    };
    let Some(spark) = python_env::installed(&folder.join("clients/requirements.txt"))? else {
        return Ok(());
    };
    let program = host::build_program()?;
    headline("the Python package");
    // Without optimisation, the scans of a thousand recordings take minutes.
    let wheel = python::wheel(&sail, &["--release"])?;
    python_env::install_wheel(&sail, &wheel)?;
    python_env::install_wheel(&spark, &wheel)?;
    headline("Apache Spark, Daft, Ray and Dask");
    let mut pytest = python::pytest(&spark, "clients");
    // This option prints why tests are skipped, for example because Java is missing.
    pytest.arg("-rs");
    process::run(pytest.env("INPUTANIM_PROGRAM", program))?;
    if is_measured {
        headline("speed of the engines");
        let mut bench = Command::new(&spark);
        bench.arg(folder.join("clients/bench.py"));
        python_env::quiet(&mut bench);
        process::run(bench.env("INPUTANIM_SAIL_PYTHON", sail))?;
    }
    Ok(())
}
