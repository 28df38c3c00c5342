//! `cargo xtask spec`: compiles spec/inputanim.ksy to a reader that shares no code with the library,
//! and compares every value that it reads with the lossless JSON of the program.

use fs_err as fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::host;
use crate::process::{self, Lock, root, target};

/// Installs the npm packages of the package.json in `from` into `folder`, unless they are installed, and returns the
/// path of `node_modules`.
pub(crate) fn install_npm(from: &Path, folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let _lock = Lock::take(&folder.with_extension("lock"))?;
    // `npm ci` deletes everything and installs it again, so it runs only after a change.
    let mut is_new = !folder.join("node_modules").exists();
    for file in ["package.json", "package-lock.json"] {
        let wanted = fs::read(from.join(file))?;
        let installed = folder.join(file);
        if fs::read(&installed).ok().as_ref() != Some(&wanted) {
            fs::write(&installed, wanted)?;
            is_new = true;
        }
    }
    if is_new {
        process::run(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
                .current_dir(folder),
        )
        .context("this check needs Node.js 20 or newer with npm")?;
    }
    Ok(folder.join("node_modules"))
}

/// Installs the Kaitai Struct compiler with npm, and returns the path of `node_modules`.
pub(crate) fn install() -> Result<PathBuf> {
    install_npm(
        &root().join("spec/check"),
        &target().join("xtask/spec-check"),
    )
}

pub(crate) fn run() -> Result<()> {
    let modules = install()?;
    let folder = target().join("xtask/spec-json");
    fs::create_dir_all(&folder)?;
    host::build()?;
    let mut check = Command::new("node");
    check.arg(root().join("spec/check/check.mjs"));
    check.env("INPUTANIM_NODE_MODULES", modules);
    let recordings = recordings()?;
    for recording in &recordings {
        let mut name = recording
            .file_name()
            .context("a recording has no file name")?
            .to_owned();
        // `with_extension` would replace `.1-p32` in `mrtk-1.1-p32.bin`.
        name.push(".json");
        let json = folder.join(name);
        process::run(
            Command::new(host::program())
                .args(["convert", "--force"])
                .args([recording, &json]),
        )?;
        check.args([recording, &json]);
    }
    process::run(&mut check)
}

/// Returns the paths of the recordings in samples/, and of those of the corpus if `INPUTANIM_CORPUS` is set.
pub(crate) fn recordings() -> Result<Vec<PathBuf>> {
    let mut files = bin_files(&root().join("samples"))?;
    ensure!(!files.is_empty(), "no recordings found in samples/");
    if let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS").map(PathBuf::from) {
        for folder in ["device", "documented", "mrtk"] {
            files.extend(bin_files(&root().join(&corpus).join(folder))?);
        }
    }
    Ok(files)
}

/// Returns the same paths without the second and third file of a motion: the corpus has the same motion in three
/// partitions, which differ only in their keys. Checks that take seconds for each recording use them.
pub(crate) fn distinct_recordings() -> Result<Vec<PathBuf>> {
    let mut files = recordings()?;
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.ends_with("-p7.bin") && !name.ends_with("-p32.bin")
    });
    Ok(files)
}

fn bin_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            files.push(path);
        }
    }
    // The order of files in a folder differs between systems, but reports should not differ.
    files.sort();
    Ok(files)
}
