//! `cargo xtask samples --documents FOLDER`: writes the files that the examples of the documentation use.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use inputanim_testkit::{documents, samples};

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.context("expected the folder to write to")?;
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for name in documents::NAMES.into_iter().chain(["samples"]) {
        let path = folder.join(name);
        ensure!(!path.exists(), "{} already exists", path.display());
    }
    documents::write(&samples::root(), &folder);
    println!(
        "{}: samples, {}",
        folder.display(),
        documents::NAMES.join(", ")
    );
    Ok(())
}
