//! The libraries that the loader of OpenXR loads, and their manifests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim_openxr::LAYER;
use serde_json::{Value, json};

use crate::messages::outcome::Refusal;

/// Finds a library: the one of the option, or the one that is installed with the program.
pub(super) fn find(option: Option<&Path>, name: &str) -> anyhow::Result<PathBuf> {
    if let Some(path) = option {
        let found = fs::canonicalize(path);
        return found.with_context(|| format!("cannot open {}", path.display()));
    }
    let file = format!(
        "{}{name}{}",
        env::consts::DLL_PREFIX,
        env::consts::DLL_SUFFIX
    );
    let program = fs::canonicalize(env::current_exe()?)?;
    let folder = program.parent().unwrap_or(Path::new("."));
    // Packages for Unix have the libraries in `lib/inputanim` next to `bin`.
    let places = [folder.to_owned(), folder.join("../lib/inputanim")];
    let found = places
        .iter()
        .map(|place| place.join(&file))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        let message = format!("{file} is not next to the program");
        let hint = "install inputanim from a package, or name the library with --library";
        Refusal::failure(message, hint)
    })
}

/// Writes the manifest of the layer (OpenXR loader design, "API Layer Manifest Files").
pub(super) fn write_layer_manifest(path: &Path, library: &Path) -> anyhow::Result<()> {
    let manifest = json!({
        "file_format_version": "1.0.0",
        "api_layer": {
            "name": LAYER,
            "library_path": library,
            "api_version": "1.1",
            "implementation_version": "1",
            "description": "Records what an application gets from its runtime",
        },
    });
    write(path, &manifest)
}

/// Writes the manifest of a runtime (OpenXR loader design, "Runtime Manifest Files").
pub(super) fn write_runtime_manifest(path: &Path, library: &Path) -> anyhow::Result<()> {
    let manifest = json!({
        "file_format_version": "1.0.0",
        "runtime": { "name": "inputanim", "library_path": library },
    });
    write(path, &manifest)
}

fn write(path: &Path, manifest: &Value) -> anyhow::Result<()> {
    fs::write(path, manifest.to_string())
        .with_context(|| format!("cannot write {}", path.display()))
}
