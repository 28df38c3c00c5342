//! The libraries that the loader of OpenXR loads.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim_openxr::{Manifest, RUNTIME};

use super::manifest::file_name;
use crate::messages::outcome::Refusal;

/// The folder of the libraries.
#[derive(Debug, clap::Args)]
pub(super) struct LibraryArgs {
    /// The folder of the libraries [default: the folder of the installed libraries]
    #[arg(long, value_name = "FOLDER")]
    libraries: Option<PathBuf>,
}

impl LibraryArgs {
    /// Returns the path of a library in the folder of `--libraries`, otherwise where it is installed with the
    /// program. `name` has no prefix or extension. Fails if the library does not exist.
    pub(super) fn find(&self, name: &str) -> anyhow::Result<PathBuf> {
        let Some(folder) = &self.libraries else {
            return installed(name);
        };
        let path = folder.join(file_name(name));
        let found = dunce::canonicalize(&path);
        found.with_context(|| format!("cannot open {}", path.display()))
    }
}

/// Returns the path of a library that is installed with the program. `name` has no prefix or extension. Fails if it is
/// not installed.
pub(super) fn installed(name: &str) -> anyhow::Result<PathBuf> {
    let file = file_name(name);
    // Without /proc, a program on Linux does not know its path.
    let program = env::current_exe().and_then(dunce::canonicalize).ok();
    let folder = program.as_deref().and_then(Path::parent);
    // Packages for Unix have the libraries in `lib/inputanim` next to `bin`.
    let beside = folder.map(|folder| [folder.to_owned(), folder.join("../lib/inputanim")]);
    let usual = ["/usr/local/lib/inputanim", "/usr/lib/inputanim"].map(PathBuf::from);
    let folders = beside.into_iter().flatten().chain(usual);
    let found = folders
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file());
    found.ok_or_else(|| {
        let message = format!("{file} is not installed");
        let hint = "install a package of inputanim, or name the folder of its libraries: --libraries FOLDER";
        Refusal::failure(message, hint)
    })
}

/// Returns the path of the runtime library that applications use without inputanim: of `XR_RUNTIME_JSON`, or of the
/// system. Fails if this is the runtime of inputanim, or there is none.
pub(super) fn other_runtime() -> anyhow::Result<PathBuf> {
    let selected = env::var_os("XR_RUNTIME_JSON").map(PathBuf::from);
    let found = match &selected {
        Some(path) => Manifest::read(path),
        #[cfg(windows)]
        None => super::registry::other_runtime(),
        #[cfg(not(windows))]
        None => inputanim_openxr::Folders::of_user().and_then(|folders| folders.other_runtime()),
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
