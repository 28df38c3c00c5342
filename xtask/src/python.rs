//! `cargo xtask python`: builds the Python package and installs it in an environment under the build folder. Then runs
//! its tests, the examples of its documentation, and its type checkers.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::dist::has_viewer;
use crate::process::{self, headline, root, target};
use crate::{openxr, readers, spec};

/// The extent of the task.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Build a wheel for all Linux systems (manylinux2014) in target/wheels instead of testing; installs the compiler Zig
    /// under target/
    #[arg(long)]
    wheel: bool,
    /// Measure the speed instead of testing, and print ratios
    #[arg(long, conflicts_with = "wheel")]
    bench: bool,
    /// Test only the conversions to movement, pymovements and MNE, with these packages, which are large downloads
    #[arg(long, conflicts_with_all = ["wheel", "bench"])]
    field: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = root().join("python");
    let name = if args.wheel {
        "wheel.txt"
    } else if args.field {
        "field.txt"
    } else {
        "requirements.txt"
    };
    let Some(python) = readers::python_with(&folder.join(name))? else {
        return Ok(());
    };
    if !has_viewer() {
        println!("the package will not contain the viewer: `cargo xtask web` builds it");
    }
    if args.wheel {
        headline("a wheel of the Python package");
        let wheels = target().join("wheels");
        let portable = ["--release", "--zig", "--compatibility", "manylinux2014"];
        build(&python, &wheels, &portable)?;
        return process::run(maturin(&python).args(["sdist", "--out"]).arg(&wheels));
    }
    headline("the Python package");
    // Only a measurement needs the optimised build, which takes several times as long.
    let profile: &[&str] = if args.bench { &["--release"] } else { &[] };
    let wheel = wheel(&python, profile)?;
    install(&python, &wheel)?;
    if args.bench {
        headline("speed of the Python package");
        return process::run(Command::new(&python).arg(folder.join("bench/speed.py")));
    }
    if args.field {
        headline("the Python package with movement, pymovements and MNE");
        return process::run(&mut pytest(&python, "tests/test_field.py"));
    }
    let doctests = ["--doctest-modules", "--pyargs", "inputanim"];
    let mut tests = pytest(&python, "tests");
    tests.env("INPUTANIM_PROGRAM", spec::build_program()?);
    match openxr::client_command() {
        Some(client) => _ = tests.env("INPUTANIM_OPENXR_CLIENT", client),
        None => println!("skipped: the test of OpenXR needs `cargo xtask openxr` before"),
    }
    process::run(tests.args(doctests))?;
    headline("the types of the Python package");
    let mut mypy = Command::new(&python);
    mypy.args(["-m", "mypy", "--cache-dir"]);
    mypy.arg(target().join("xtask/mypy")).current_dir(&folder);
    process::run(quiet(&mut mypy))?;
    let mut pyright = Command::new(&python);
    // Pyright needs the interpreter to find NumPy.
    pyright.args(["-m", "pyright", "--pythonpath"]).arg(&python);
    pyright.current_dir(&folder);
    process::run(quiet(&mut pyright))
}

/// Returns the command that runs tests in a folder or file of python/.
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
    quiet(&mut pytest);
    pytest
}

/// Builds a wheel for this machine with the maturin of an environment, and returns its path.
pub(crate) fn wheel(python: &Path, profile: &[&str]) -> Result<PathBuf> {
    let wheels = target().join("xtask/wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    build(python, &wheels, profile)?;
    let wheel = fs::read_dir(&wheels)?.next();
    Ok(wheel.context("maturin has built no wheel")??.path())
}

/// Installs a wheel into an environment that already has the dependencies of the wheel.
pub(crate) fn install(python: &Path, wheel: &Path) -> Result<()> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps"]);
    process::run(pip.arg("--force-reinstall").arg(wheel))
}

/// Prevents that Python writes caches into the source tree.
fn quiet(command: &mut Command) -> &mut Command {
    command.env("PYTHONDONTWRITEBYTECODE", "1")
}

fn maturin(python: &Path) -> Command {
    let folder: PathBuf = python.parent().map(Path::to_owned).unwrap_or_default();
    let mut maturin = Command::new(folder.join(format!("maturin{EXE_SUFFIX}")));
    maturin.current_dir(root().join("python"));
    // This selects the interpreter of the environment. The system might find another one first.
    maturin.env("PYO3_PYTHON", python);
    maturin.env("CARGO_TARGET_DIR", target());
    maturin
}

fn build(python: &Path, wheels: &Path, arguments: &[&str]) -> Result<()> {
    let mut maturin = maturin(python);
    maturin.args(["build", "--quiet", "--out"]).arg(wheels);
    // Zig is a Python package, and maturin looks for it in PATH.
    let folders = python.parent().map(Path::to_owned).into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)))?;
    process::run(maturin.args(arguments).env("PATH", path))
}
