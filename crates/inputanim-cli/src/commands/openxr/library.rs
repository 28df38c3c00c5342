//! The libraries that the loader of OpenXR loads, and their manifests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim_openxr::{LAYER, RECORD_SETTINGS, RUNTIME};
use serde_json::json;

use crate::messages::outcome::Refusal;

/// Finds a library: the one of the option, or the one that is installed with the program.
pub(super) fn find(option: Option<&Path>, name: &str) -> anyhow::Result<PathBuf> {
    if let Some(path) = option {
        let found = fs::canonicalize(path);
        return found.with_context(|| format!("cannot open {}", path.display()));
    }
    let file = file_name(name);
    // Without /proc, a program on Linux does not know its path.
    let program = env::current_exe().and_then(fs::canonicalize).ok();
    let folder = program.as_deref().and_then(Path::parent);
    // Packages for Unix have the libraries in `lib/inputanim` next to `bin`.
    let beside = folder.map(|folder| [folder.to_owned(), folder.join("../lib/inputanim")]);
    let usual = ["/usr/local/lib/inputanim", "/usr/lib/inputanim"].map(PathBuf::from);
    let places = beside.into_iter().flatten().chain(usual);
    let found = places
        .map(|place| place.join(&file))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        let message = format!("{file} is not installed");
        let hint = "install a package of inputanim, or name the place of the library (see --help)";
        Refusal::failure(message, hint)
    })
}

/// Returns the file name of a library.
pub(super) fn file_name(name: &str) -> String {
    format!(
        "{}{name}{}",
        env::consts::DLL_PREFIX,
        env::consts::DLL_SUFFIX
    )
}

/// Returns the manifest of the layer (OpenXR loader design, "API Layer Manifest Files"). An implicit layer is found without
/// the variables of the loader, and enabled by the variable of its settings.
pub(super) fn layer_manifest(library: &Path, is_implicit: bool) -> String {
    let mut layer = json!({
        "name": LAYER,
        "library_path": library.to_string_lossy(),
        "api_version": "1.1",
        "implementation_version": "1",
        "description": "Records what an application gets from its runtime",
    });
    if is_implicit {
        layer["enable_environment"] = RECORD_SETTINGS.into();
        layer["disable_environment"] = "DISABLE_INPUTANIM_OPENXR_RECORD".into();
    }
    json!({ "file_format_version": "1.0.0", "api_layer": layer }).to_string()
}

/// Returns the manifest of a runtime (OpenXR loader design, "Runtime Manifest Files").
pub(super) fn runtime_manifest(library: &Path) -> String {
    let runtime = json!({ "name": RUNTIME, "library_path": library.to_string_lossy() });
    json!({ "file_format_version": "1.0.0", "runtime": runtime }).to_string()
}
