//! `cargo xtask python`: builds the Python package and installs it in an environment under the build folder. Then runs
//! its tests, the examples of its documentation, and its type checkers.

use fs_err as fs;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, headline, root, target};
use crate::{host, openxr, python_env, viewer};

/// The extent of the task.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Build a wheel for all Linux systems (manylinux2014) in target/wheels instead of testing; installs the compiler
    /// Zig under target/
    #[arg(long)]
    wheel: bool,
    /// Measure the speed instead of testing, and print ratios
    #[arg(long, conflicts_with = "wheel")]
    bench: bool,
    /// Test only the conversions to movement, pymovements and MNE, with these packages, which are large downloads
    #[arg(long, conflicts_with_all = ["wheel", "bench"])]
    field: bool,
    /// Test only the recipe that drives a robot hand with dex-retargeting, a large download
    #[arg(long, conflicts_with_all = ["wheel", "bench", "field"])]
    retargeting: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = root().join("python");
    let name = if args.wheel {
        "wheel.txt"
    } else if args.field {
        "field.txt"
    } else if args.retargeting {
        "retargeting.txt"
    } else {
        "requirements.txt"
    };
    let Some(python) = python_env::installed(&folder.join(name))? else {
        return Ok(());
    };
    if !viewer::is_built() {
        println!("the package will not contain the viewer: `cargo xtask web` builds it");
    }
    if args.wheel {
        headline("a wheel of the Python package");
        let wheels = target().join("wheels");
        let portable = ["--release", "--zig", "--compatibility", "manylinux2014"];
        build(&python, &wheels, maturin(&python, "build").args(portable))?;
        return process::run(maturin(&python, "sdist").arg("--out").arg(&wheels));
    }
    headline("the Python package");
    // Only a measurement needs the optimised build, which takes several times as long.
    let wheel = if args.bench {
        wheel(&python, &["--release"])?
    } else {
        wheel_of_tests(&python)?
    };
    python_env::install_wheel(&python, &wheel)?;
    if args.bench {
        headline("speed of the Python package");
        return process::run(Command::new(&python).arg(folder.join("bench/speed.py")));
    }
    if args.field {
        headline("the Python package with movement, pymovements and MNE");
        return process::run(&mut pytest(&python, "tests/test_field.py"));
    }
    if args.retargeting {
        headline("the Python package with dex-retargeting");
        return process::run(&mut pytest(&python, "tests/test_retargeting.py"));
    }
    let doctests = ["--doctest-modules", "--pyargs", "inputanim"];
    let mut tests = pytest(&python, "tests");
    tests.env("INPUTANIM_PROGRAM", host::build_program()?);
    match openxr::client_command() {
        Some(client) => _ = tests.env("INPUTANIM_OPENXR_CLIENT", client),
        None => println!("skipped: the test of OpenXR needs `cargo xtask openxr` before"),
    }
    process::run(tests.args(doctests))?;
    headline("the types of the Python package");
    let mut mypy = Command::new(&python);
    mypy.args(["-m", "mypy", "--cache-dir"]);
    mypy.arg(target().join("xtask/mypy")).current_dir(&folder);
    process::run(python_env::quiet(&mut mypy))?;
    let mut pyright = Command::new(&python);
    // Pyright needs the interpreter to find NumPy.
    pyright.args(["-m", "pyright", "--pythonpath"]).arg(&python);
    pyright.current_dir(&folder);
    process::run(python_env::quiet(&mut pyright))
}

/// Returns the pytest command for the tests in a folder or file of python/.
pub(crate) fn pytest(python: &Path, tests: &str) -> Command {
    let folder = root().join("python");
    let mut pytest = Command::new(python);
    // pytest runs in the root of the workspace, so that it imports the installed package and not the folder of its
    // sources.
    pytest.args(["-m", "pytest", "--rootdir", ".", "-c"]);
    pytest.arg(folder.join("pyproject.toml"));
    pytest.args(["-p", "no:cacheprovider"]);
    pytest.arg(folder.join(tests));
    // Hypothesis would write its examples into the source tree.
    let examples = target().join("xtask/hypothesis");
    pytest.env("HYPOTHESIS_STORAGE_DIRECTORY", examples);
    python_env::quiet(&mut pytest);
    pytest
}

/// Builds a wheel of the Python package for this machine, with the maturin of the environment of `python`, and returns
/// its path. `profile` are more options of `maturin build`, such as `--release`.
pub(crate) fn wheel(python: &Path, profile: &[&str]) -> Result<PathBuf> {
    wheel_with(python, maturin(python, "build").args(profile))
}

/// Makes a wheel of the Python package with the native module that the other tests have built, and returns its path.
fn wheel_of_tests(python: &Path) -> Result<PathBuf> {
    host::build()?;
    if cfg!(windows) {
        return wheel(python, &[]);
    }
    // maturin would build the module with the features of this package alone, which compiles most crates again. It runs
    // the program that `CARGO` names, and takes the library from the messages of this program.
    let cargo = target().join("xtask/cargo-for-maturin");
    let script = format!(
        "#!/bin/sh\n\
         unset CARGO\n\
         [ \"$1\" = rustc ] || exec cargo \"$@\"\n\
         exec cat '{}'\n",
        host::messages().display()
    );
    fs::write(&cargo, script)?;
    process::run(Command::new("chmod").arg("+x").arg(&cargo))?;
    wheel_with(python, maturin(python, "build").env("CARGO", &cargo))
}

fn wheel_with(python: &Path, maturin: &mut Command) -> Result<PathBuf> {
    let wheels = target().join("xtask/wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    build(python, &wheels, maturin)?;
    let wheel = fs::read_dir(&wheels)?.next();
    Ok(wheel.context("maturin has built no wheel")??.path())
}

/// Returns the command of a task of maturin, such as `build`, in the environment of the interpreter `python`.
fn maturin(python: &Path, task: &str) -> Command {
    let folder: PathBuf = python.parent().map(Path::to_owned).unwrap_or_default();
    let mut maturin = Command::new(folder.join(format!("maturin{EXE_SUFFIX}")));
    maturin.arg(task).current_dir(root().join("python"));
    // This selects the interpreter of the environment. The system might find another one first.
    maturin.env("PYO3_PYTHON", python);
    maturin.env("CARGO_TARGET_DIR", target());
    maturin
}

/// Runs a command of [`maturin`] that writes a wheel to the folder `wheels`.
fn build(python: &Path, wheels: &Path, maturin: &mut Command) -> Result<()> {
    // Zig is a Python package, and maturin looks for it in PATH.
    let folders = python.parent().map(Path::to_owned).into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)))?;
    process::run(
        maturin
            .args(["--quiet", "--out"])
            .arg(wheels)
            .env("PATH", path),
    )
}
