//! The manifests by which the loader of OpenXR finds the libraries.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim_openxr::{LAYER, RECORD_SETTINGS, RUNTIME};
use serde_json::json;
use tempfile::TempDir;

use crate::files::output;

/// Returns the file name of a library on this system: `libNAME.so` on Linux.
pub(super) fn file_name(name: &str) -> String {
    format!(
        "{}{name}{}",
        env::consts::DLL_PREFIX,
        env::consts::DLL_SUFFIX
    )
}

/// Makes a temporary folder for manifests.
///
/// On Windows, the loader of OpenXR opens a manifest only if its path is ASCII. The folder for temporary files is in the
/// folder of the user, whose name may have other characters.
pub(super) fn manifest_folder() -> anyhow::Result<TempDir> {
    let is_readable = !cfg!(windows) || env::temp_dir().as_os_str().is_ascii();
    // Every user can create folders in these folders.
    let names: &[&str] = if is_readable {
        &[]
    } else {
        &["ProgramData", "PUBLIC"]
    };
    let folders = names.iter().filter_map(env::var_os);
    let mut made = folders
        .filter(|folder| folder.is_ascii())
        .filter_map(|folder| tempfile::tempdir_in(folder).ok());
    let made = made.next().map_or_else(tempfile::tempdir, Ok);
    made.context("cannot make a temporary folder")
}

/// Returns the path of the layer's library, as its manifest in the folder `manifests` must name it.
///
/// On Windows, the loader finds the library of a layer only if its path is ASCII. A library at another path is copied
/// to `manifests`. The library of a runtime may have any path.
pub(super) fn layer_library(library: PathBuf, manifests: &Path) -> anyhow::Result<PathBuf> {
    if !cfg!(windows) || library.as_os_str().is_ascii() {
        return Ok(library);
    }
    let copy = manifests.join(file_name("inputanim_openxr_layer"));
    fs::copy(&library, &copy).with_context(|| format!("cannot copy {}", library.display()))?;
    Ok(copy)
}

/// Returns the text of the layer's manifest (OpenXR loader design, "API Layer Manifest Files"). The loader finds an
/// implicit layer without the variables for layers, and enables it if the variable of its settings is set.
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

/// Returns the text of the runtime's manifest (OpenXR loader design, "Runtime Manifest Files").
pub(super) fn runtime_manifest(library: &Path) -> String {
    let runtime = json!({ "name": RUNTIME, "library_path": library.to_string_lossy() });
    json!({ "file_format_version": "1.0.0", "runtime": runtime }).to_string()
}

/// Writes a text file of the installation, and creates its folder. Replaces an existing file.
pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    output::make_folder(output::folder_of(path))?;
    output::write_to(path, true, false, |file| Ok(writeln!(file, "{text}")?))
}

/// Removes a file of the installation. Returns `true` if it existed.
pub(super) fn remove(path: &Path) -> anyhow::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("cannot remove {}", path.display())),
    }
}
