//! `cargo xtask analysis`: compares the measures and events of `inputanim-analysis` with those of SciPy,
//! NumPy, pymovements and movement, on the generated samples and the corpus.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo, headline, root, target};
use crate::{readers, spec};

pub(crate) fn run() -> Result<()> {
    let folder = root().join("comparison/analysis");
    let Some(python) = readers::python_with(&folder.join("requirements.txt"))? else {
        return Ok(());
    };
    let example = ["--package", "inputanim-analysis", "--example", "reference"];
    cargo(&[&["build", "--quiet", "--features", "serde"], &example[..]].concat())?;
    let program = target().join("debug/examples/reference");
    headline("comparison of measures and events with SciPy, NumPy, pymovements and movement");
    let reference = target().join("xtask/analysis.ndjson");
    fs::create_dir_all(target().join("xtask"))?;
    let mut command = Command::new(program);
    command.args(spec::recordings()?);
    fs::write(&reference, process::output(&mut command)?)?;
    let input = fs::File::open(&reference)?;
    let status = Command::new(python)
        .arg(folder.join("check.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::from(input))
        .status()
        .context("cannot run check.py")?;
    ensure!(status.success(), "measures or events differ");
    Ok(())
}
