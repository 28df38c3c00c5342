//! `cargo xtask readers`: every format that we write is read by the program it is for, and what
//! that reads is compared with what plays.
//!
//! A check is a script `readers/FORMAT/check.py` or `check.mjs`; those that need large programs are
//! `in_blender.py` and `in_rerun.py`, and run by `cargo xtask clients`. Readers are installed into the build
//! folder, at the versions that readers/ names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo, headline, root, target};
use crate::spec;

/// Which readers.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only the checks of this format
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
}

/// The readers that install in a minute.
pub(crate) fn run(args: &Args) -> Result<()> {
    check(scripts(args, &["check.py", "check.mjs"])?)
}

/// The large programs: Blender, Rerun.
pub(crate) fn run_clients(args: &Args) -> Result<()> {
    check(scripts(args, &["in_blender.py", "in_rerun.py"])?)
}

fn check(scripts: Vec<PathBuf>) -> Result<()> {
    ensure!(!scripts.is_empty(), "there is no such check in readers/");
    let mut python = Python::new("requirements.txt");
    let mut blender = Python::new("blender.txt");
    let mut rerun = Python::new("rerun.txt");
    let mut modules = None;
    cargo(&["build", "--quiet", "--package", "inputanim-cli"])?;
    for script in scripts {
        let name = script.strip_prefix(root()).unwrap_or(&script).display();
        headline(&name.to_string());
        let mut check = match script.extension().is_some_and(|e| e == "mjs") {
            true => {
                if modules.is_none() {
                    modules = Some(node_modules()?);
                }
                let Some(Some(modules)) = &modules else {
                    continue;
                };
                let mut node = Command::new("node");
                node.env("INPUTANIM_NODE_MODULES", modules);
                node
            }
            false => {
                // Blender and Rerun want versions of what they are made of that exclude each other.
                let name = script.file_stem().unwrap_or_default();
                let python = match name.to_str() {
                    Some("in_blender") => &mut blender,
                    Some("in_rerun") => &mut rerun,
                    _ => &mut python,
                };
                let Some(python) = python.installed()? else {
                    continue;
                };
                Command::new(python)
            }
        };
        prepare(&mut check, &script)?;
        process::run(check.arg(&script))?;
    }
    Ok(())
}

/// The Python of the readers, with their packages; `None` without a network, which is said.
pub(crate) fn python() -> Result<Option<PathBuf>> {
    let mut python = Python::new("requirements.txt");
    Ok(python.installed()?.map(Path::to_owned))
}

fn scripts(args: &Args, names: &[&str]) -> Result<Vec<PathBuf>> {
    let mut scripts = Vec::new();
    for folder in fs::read_dir(root().join("readers"))? {
        let folder = folder?.path();
        let is_wanted = args
            .format
            .as_deref()
            .is_none_or(|format| folder.file_name().is_some_and(|name| name == format));
        let there = names
            .iter()
            .map(|name| folder.join(name))
            .filter(|path| path.is_file());
        if is_wanted {
            scripts.extend(there);
        }
    }
    scripts.sort();
    Ok(scripts)
}

fn prepare(check: &mut Command, script: &Path) -> Result<()> {
    let format = script
        .parent()
        .and_then(Path::file_name)
        .unwrap_or_default();
    let out = target().join("xtask/readers").join(format);
    fs::create_dir_all(&out)?;
    let recordings: Vec<String> = spec::recordings()?
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    check
        .env("INPUTANIM_PROGRAM", spec::program())
        .env("INPUTANIM_OUT", out)
        .env("INPUTANIM_RECORDINGS", recordings.join("\n"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(())
}

/// A Python with packages of its own.
struct Python {
    /// In readers/: what to install.
    requirements: &'static str,
    /// Once it was tried.
    program: Option<Option<PathBuf>>,
}

impl Python {
    fn new(requirements: &'static str) -> Python {
        Python {
            requirements,
            program: None,
        }
    }

    /// The program; `None` without a network, which is said.
    fn installed(&mut self) -> Result<Option<&Path>> {
        if self.program.is_none() {
            self.program = Some(self.install()?);
        }
        Ok(self.program.as_ref().and_then(Option::as_deref))
    }

    fn install(&self) -> Result<Option<PathBuf>> {
        let folder = target()
            .join("xtask/python")
            .join(self.requirements.trim_end_matches(".txt"));
        let program = match cfg!(windows) {
            true => folder.join("Scripts/python.exe"),
            false => folder.join("bin/python"),
        };
        let wanted = fs::read(root().join("readers").join(self.requirements))?;
        let there = folder.join(self.requirements);
        if fs::read(&there).ok().as_ref() == Some(&wanted) {
            return Ok(Some(program));
        }
        fs::create_dir_all(&folder)?;
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .context("Python 3.11 or newer with venv is needed: it runs readers of our files")?;
        let mut pip = Command::new(&program);
        pip.args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(root().join("readers").join(self.requirements));
        match process::run(&mut pip) {
            Ok(()) => fs::write(&there, wanted)?,
            Err(error) => {
                let mut pip = Command::new(&program);
                pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
                    .arg(&folder)
                    .arg("pip");
                return skip_without_network(&mut pip, error);
            }
        }
        Ok(Some(program))
    }
}

/// The folder of npm's packages; `None` without a network, which is said.
fn node_modules() -> Result<Option<PathBuf>> {
    let from = root().join("readers");
    let folder = target().join("xtask/node");
    match spec::install_npm(&from, &folder) {
        Ok(modules) => Ok(Some(modules)),
        Err(error) => skip_without_network(Command::new("npm").arg("ping"), error),
    }
}

/// An error of an installation, unless nothing at all can be fetched.
fn skip_without_network<T>(probe: &mut Command, error: anyhow::Error) -> Result<Option<T>> {
    let quiet = probe.stdout(Stdio::null()).stderr(Stdio::null());
    ensure!(!quiet.status().is_ok_and(|status| status.success()), error);
    println!("skipped, since there is no network: {error}");
    Ok(None)
}
