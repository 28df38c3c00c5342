//! `cargo xtask spec`: spec/inputanim.ksy is compiled to a reader that shares nothing with ours,
//! and every value that it reads is compared with the lossless JSON that we write.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo, root, target};

/// Installs what the package.json of a folder names into another; the folder of the packages.
pub(crate) fn install_npm(from: &Path, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let mut is_new = !folder.join("node_modules").exists();
    for file in ["package.json", "package-lock.json"] {
        let wanted = fs::read(from.join(file))?;
        let there = folder.join(file);
        if fs::read(&there).ok().as_ref() != Some(&wanted) {
            fs::write(&there, wanted)?;
            is_new = true;
        }
    }
    if is_new {
        process::run(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
                .current_dir(folder),
        )
        .context("Node.js 20 or newer with npm is needed for this test")?;
    }
    Ok(folder.join("node_modules"))
}

/// The program, once it is built.
pub(crate) fn program() -> PathBuf {
    target()
        .join("debug")
        .join(format!("inputanim{}", std::env::consts::EXE_SUFFIX))
}

pub(crate) fn run() -> Result<()> {
    let modules = install_npm(
        &root().join("spec/check"),
        &target().join("xtask/spec-check"),
    )?;
    let folder = target().join("xtask/spec-json");
    fs::create_dir_all(&folder)?;
    cargo(&["build", "--quiet", "--package", "inputanim-cli"])?;
    let mut check = Command::new("node");
    check.arg(root().join("spec/check/check.mjs"));
    check.env("INPUTANIM_NODE_MODULES", modules);
    let recordings = recordings()?;
    for recording in &recordings {
        let mut name = recording
            .file_name()
            .context("a file without a name")?
            .to_owned();
        // Not `with_extension`, which takes `.1-p32` for one.
        name.push(".json");
        let json = folder.join(name);
        process::run(
            Command::new(program())
                .args(["convert", "--force"])
                .args([recording, &json]),
        )?;
        check.args([recording, &json]);
    }
    process::run(&mut check)
}

/// The samples, and the corpus where there is one.
pub(crate) fn recordings() -> Result<Vec<PathBuf>> {
    let mut files = bin_files(&root().join("samples"))?;
    ensure!(!files.is_empty(), "there are no samples");
    if let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from) {
        for folder in ["device", "documented", "mrtk"] {
            files.extend(bin_files(&root().join(&corpus).join(folder))?);
        }
    }
    Ok(files)
}

fn bin_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot look into {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
