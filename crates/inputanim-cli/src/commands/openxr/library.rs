//! The libraries that the loader of OpenXR loads, and their manifests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim_openxr::{LAYER, Manifest, RECORD_SETTINGS, RUNTIME};
use serde_json::json;
use tempfile::TempDir;

use crate::messages::outcome::Refusal;

/// The place of the libraries.
#[derive(Debug, clap::Args)]
pub(super) struct LibraryArgs {
    /// The folder of the libraries [default: the folder of the installed libraries]
    #[arg(long, value_name = "FOLDER")]
    libraries: Option<PathBuf>,
}

impl LibraryArgs {
    /// Finds a library in the folder of the option, or where it is installed with the program.
    pub(super) fn find(&self, name: &str) -> anyhow::Result<PathBuf> {
        let Some(folder) = &self.libraries else {
            return installed(name);
        };
        let path = folder.join(file_name(name));
        let found = dunce::canonicalize(&path);
        found.with_context(|| format!("cannot open {}", path.display()))
    }
}

/// Finds a library that is installed with the program.
pub(super) fn installed(name: &str) -> anyhow::Result<PathBuf> {
    let file = file_name(name);
    // Without /proc, a program on Linux does not know its path.
    let program = env::current_exe().and_then(dunce::canonicalize).ok();
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
        let hint = "install a package of inputanim, or name the folder of its libraries: --libraries FOLDER";
        Refusal::failure(message, hint)
    })
}

/// Returns the library of the runtime that applications get without inputanim: of `XR_RUNTIME_JSON`, or of the system.
pub(super) fn other_runtime() -> anyhow::Result<PathBuf> {
    let selected = env::var_os("XR_RUNTIME_JSON").map(PathBuf::from);
    let found = match &selected {
        Some(path) => Manifest::read(path),
        #[cfg(windows)]
        None => super::registry::other_runtime(),
        #[cfg(not(windows))]
        None => inputanim_openxr::Places::of_user().and_then(|places| places.other_runtime()),
    };
    // The recording cannot be played over a recording.
    let found = found.filter(|manifest| manifest.name() != Some(RUNTIME));
    let library = found.as_ref().and_then(Manifest::library_path);
    library.ok_or_else(|| {
        let message = match &selected {
            Some(path) => format!("{} is not the manifest of another runtime", path.display()),
            None => "no other OpenXR runtime is installed".to_owned(),
        };
        let hint = "install a runtime such as Monado or SteamVR, or set XR_RUNTIME_JSON to the manifest of one";
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

/// Returns the path of the library of the layer for a manifest in a folder.
///
/// On Windows, the loader finds the library of a layer only if its path is ASCII. A library at another path is copied to the
/// manifest. The library of a runtime may have any path.
pub(super) fn layer_library(library: PathBuf, manifests: &Path) -> anyhow::Result<PathBuf> {
    if !cfg!(windows) || library.as_os_str().is_ascii() {
        return Ok(library);
    }
    let copy = manifests.join(file_name("inputanim_openxr_layer"));
    fs::copy(&library, &copy).with_context(|| format!("cannot copy {}", library.display()))?;
    Ok(copy)
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
