//! Python environments in the build folder, with the packages of a requirements file. uv installs them: it downloads and
//! unpacks a package once, and environments share its files.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use fs_err as fs;

use crate::process::{self, Lock, root, target};

/// The version of uv, from PyPI.
const UV: &str = "uv==0.13.9";

/// Returns the path of the Python interpreter that has the packages of readers/requirements.txt, and installs them at
/// the first call. Without a network, it prints a message and returns `None`.
pub(crate) fn of_readers() -> Result<Option<PathBuf>> {
    installed(&root().join("readers/requirements.txt"))
}

/// Returns the path of a Python interpreter that has the packages of a requirements file, and installs them at the
/// first call. Without a network, it prints a message and returns `None`.
pub(crate) fn installed(requirements: &Path) -> Result<Option<PathBuf>> {
    let parts = [requirements.parent(), Some(requirements)];
    let parts = parts.map(|part| part.and_then(Path::file_stem).unwrap_or_default());
    let name = parts.join(std::ffi::OsStr::new("-"));
    let folder = target().join("xtask/python").join(&name);
    let program = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    // Several tasks may need the same environment at the same time.
    let _lock = Lock::take(&folder.with_extension("lock"))?;
    let wanted = fs::read(requirements)?;
    // A copy of the requirements is written last, so it marks a complete installation.
    let installed = folder.join("requirements.txt");
    if fs::read(&installed).ok().as_ref() == Some(&wanted) {
        return Ok(Some(program));
    }
    let install = || -> Result<()> {
        let uv = uv()?;
        process::run(uv_command(&uv).args(["venv", "--clear"]).arg(&folder))?;
        let mut install = uv_command(&uv);
        install.args(["pip", "install", "--python"]).arg(&program);
        process::run(install.arg("--requirement").arg(requirements))
    };
    match install() {
        Ok(()) => fs::write(&installed, wanted)?,
        Err(error) => {
            let mut pip = Command::new("python3");
            pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
                .arg(target().join("xtask/python"))
                .arg("pip");
            return process::skip_without_network(&mut pip, error);
        }
    }
    Ok(Some(program))
}

/// Installs a wheel into the environment of the interpreter `python`, which already has the dependencies of the wheel.
pub(crate) fn install_wheel(python: &Path, wheel: &Path) -> Result<()> {
    let mut install = uv_command(&uv()?);
    install.args(["pip", "install", "--no-deps", "--reinstall", "--python"]);
    process::run(install.arg(python).arg(wheel))
}

/// Sets the environment of a Python command so that it writes its caches of compiled modules into the build folder, not
/// into the source tree. Returns the same command.
pub(crate) fn quiet(python: &mut Command) -> &mut Command {
    python
        .env("PYTHONPYCACHEPREFIX", target().join("xtask/pycache"))
        // Some machines switch the caches off. Every process would then compile its packages, which takes seconds.
        .env_remove("PYTHONDONTWRITEBYTECODE")
}

/// Installs the package manager uv into a folder of its own, unless it is installed, and returns the path of the
/// program.
fn uv() -> Result<PathBuf> {
    let folder = target().join("xtask/uv");
    let program = folder.join(if cfg!(windows) {
        "Scripts/uv.exe"
    } else {
        "bin/uv"
    });
    let _lock = Lock::take(&folder.with_extension("lock"))?;
    let installed = folder.join("version.txt");
    if fs::read_to_string(&installed).is_ok_and(|version| version == UV) {
        return Ok(program);
    }
    process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
        .context("this task needs Python 3.11 or newer with venv")?;
    let mut pip = Command::new(program.with_file_name("pip"));
    process::run(pip.args(["install", "--quiet", "--disable-pip-version-check", UV]))?;
    fs::write(installed, UV)?;
    Ok(program)
}

fn uv_command(uv: &Path) -> Command {
    let mut command = Command::new(uv);
    command
        .env("UV_CACHE_DIR", target().join("xtask/uv-cache"))
        // The interpreter of the machine, and never one that uv would download.
        .env("UV_PYTHON_DOWNLOADS", "never")
        .env("UV_PYTHON", "python3")
        // Packages of a slow network.
        .env("UV_HTTP_TIMEOUT", "180")
        .args(["--quiet", "--no-progress"]);
    command
}
