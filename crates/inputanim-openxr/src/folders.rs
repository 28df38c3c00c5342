//! The files by which the loader of OpenXR finds runtimes and layers (OpenXR loader design, "Runtime Discovery" and "API
//! Layer Discovery"), and the installed settings.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The name of the runtime, as it is in manifests.
pub const RUNTIME: &str = "inputanim";

/// The folders in which the loader of OpenXR looks on Linux. On Windows, only the file of the settings has a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    config: PathBuf,
    data: PathBuf,
    /// The folders of the system, the preferred ones first.
    system: Vec<PathBuf>,
}

/// A manifest that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Manifest {
    /// The path of the manifest.
    pub path: PathBuf,
    /// The content.
    pub content: Value,
}

impl Manifest {
    /// Reads a manifest; `None` if it is missing or not JSON.
    pub fn read(path: &Path) -> Option<Manifest> {
        let content = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        Some(Manifest {
            path: path.to_owned(),
            content,
        })
    }

    /// Returns the name of the runtime or layer; `None` if the manifest has no name, as those of some runtimes.
    pub fn name(&self) -> Option<&str> {
        self.text("name")
    }

    /// Returns the path of the library as it is in the manifest: absolute, relative to the folder of the manifest, or
    /// only a file name. `None` if the manifest has no such path.
    pub fn library(&self) -> Option<&str> {
        self.text("library_path")
    }

    /// Returns the path of the library; a relative path is resolved in the folder of the manifest. A file name without
    /// a folder is returned unchanged, because the system searches for it. `None` if the manifest has no path of a
    /// library.
    pub fn library_path(&self) -> Option<PathBuf> {
        let library = Path::new(self.library()?);
        let is_name = library.components().count() == 1;
        let folder = self.path.parent().filter(|_| !is_name);
        Some(folder.map_or_else(|| library.to_owned(), |folder| folder.join(library)))
    }

    /// Returns the string `member` of the runtime or layer that the manifest describes; `None` if it is missing or not
    /// a string.
    pub fn text(&self, member: &str) -> Option<&str> {
        let part = ["runtime", "api_layer"]
            .into_iter()
            .find_map(|part| self.content.get(part));
        part?.get(member)?.as_str()
    }

    /// Returns the name of the environment variable that enables or disables a layer. `member` is `enable_environment`
    /// or `disable_environment`; `None` if the manifest does not have this member.
    pub fn variable(&self, member: &str) -> Option<&str> {
        // Some manifests have an object of the variable and its value.
        let value = self.content.get("api_layer")?.get(member)?;
        value
            .as_str()
            .or_else(|| value.as_object()?.keys().next().map(String::as_str))
    }
}

impl Folders {
    /// Returns the folders for the user of this process. `None` if the environment has no absolute path of the home
    /// folder (`ProgramData` on Windows).
    pub fn of_user() -> Option<Folders> {
        Folders::with(|name| env::var_os(name))
    }

    /// Returns the folders that environment variables name. `variable` returns the value of the variable with a name.
    /// `None` if the variables name no home folder.
    fn with(variable: impl Fn(&str) -> Option<OsString>) -> Option<Folders> {
        let folder = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        if cfg!(windows) {
            // The loader finds the runtime of all users in the registry, so its settings are for all users too.
            let shared = folder("ProgramData")?;
            return Some(Folders {
                config: shared.clone(),
                data: shared,
                system: Vec::new(),
            });
        }
        let home = folder("HOME");
        let or_in_home = |name: &str, path: &str| {
            folder(name).or_else(|| home.as_ref().map(|home| home.join(path)))
        };
        Some(Folders {
            config: or_in_home("XDG_CONFIG_HOME", ".config")?,
            data: or_in_home("XDG_DATA_HOME", ".local/share")?,
            system: [
                "/etc/xdg",
                "/usr/local/etc",
                "/etc",
                "/usr/local/share",
                "/usr/share",
            ]
            .map(PathBuf::from)
            .to_vec(),
        })
    }

    /// Returns the path of the settings file that an installed runtime reads.
    pub fn settings(&self) -> PathBuf {
        self.config.join("inputanim/openxr.json")
    }

    /// Returns the path of `active_runtime.json` of the user, which tells the loader of OpenXR the runtime to use.
    pub fn active_runtime(&self) -> PathBuf {
        self.config.join("openxr/1/active_runtime.json")
    }

    /// Returns the path at which the manifest of the recording layer is installed. The file may not exist.
    pub fn layer(&self) -> PathBuf {
        self.data
            .join("openxr/1/api_layers/implicit.d/inputanim_record.json")
    }

    /// Returns the manifest of the runtime that the loader uses without `XR_RUNTIME_JSON`: that of the user, otherwise
    /// that of the system. `None` if neither can be read.
    pub fn runtime(&self) -> Option<Manifest> {
        let of_system = self
            .system
            .iter()
            .map(|folder| folder.join("openxr/1/active_runtime.json"));
        let mut paths = std::iter::once(self.active_runtime()).chain(of_system);
        paths.find_map(|path| Manifest::read(&path))
    }

    /// Returns the manifest of the runtime that the loader would use if inputanim were not installed. `None` if there
    /// is no other runtime.
    pub fn other_runtime(&self) -> Option<Manifest> {
        let active = self.active_runtime();
        let of_user = [self.replaced_runtime(), active];
        let of_system = self
            .system
            .iter()
            .map(|folder| folder.join("openxr/1/active_runtime.json"));
        let found = of_user
            .into_iter()
            .chain(of_system)
            .filter_map(|path| Manifest::read(&path));
        found
            .into_iter()
            .find(|manifest| manifest.name() != Some(RUNTIME))
    }

    /// Returns the path to which `install` moves another `active_runtime.json` of the user, and from which `uninstall`
    /// restores it.
    pub fn replaced_runtime(&self) -> PathBuf {
        self.active_runtime()
            .with_extension("json.before-inputanim")
    }

    /// Returns the manifests of the implicit layers, which the loader enables without a request of the application:
    /// first those of the user, then those of the system.
    pub fn implicit_layers(&self) -> Vec<Manifest> {
        let folders = std::iter::once(&self.data).chain(&self.system);
        let folders = folders.map(|folder| folder.join("openxr/1/api_layers/implicit.d"));
        let mut found = Vec::new();
        for folder in folders {
            let Ok(entries) = fs::read_dir(folder) else {
                continue;
            };
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.retain(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "json")
            });
            paths.sort();
            found.extend(paths.iter().filter_map(|path| Manifest::read(path)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Windows has no such folders, and a path without a drive is not absolute there.
    #[cfg(unix)]
    #[test]
    fn variables_name_the_folders() {
        let with_home = |name: &str| (name == "HOME").then(|| "/home/user".into());
        let folders = Folders::with(with_home).expect("there is a home folder");
        assert_eq!(
            folders.settings(),
            Path::new("/home/user/.config/inputanim/openxr.json")
        );
        let config = |name: &str| match name {
            "XDG_CONFIG_HOME" => Some("/config".into()),
            "XDG_DATA_HOME" => Some("relative".into()),
            other => with_home(other),
        };
        let folders = Folders::with(config).expect("there is a home folder");
        assert_eq!(
            folders.active_runtime(),
            Path::new("/config/openxr/1/active_runtime.json")
        );
        assert!(
            folders
                .layer()
                .starts_with("/home/user/.local/share/openxr/1/api_layers")
        );
        assert_eq!(Folders::with(|_| None), None);
    }

    #[test]
    fn a_manifest_has_a_name_a_library_and_variables() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("layer.json");
        let text = r#"{"api_layer": {"name": "A", "library_path": "./a.so", "enable_environment": "ON",
            "disable_environment": {"OFF": "1"}}}"#;
        fs::write(&path, text).expect("the manifest");
        let manifest = Manifest::read(&path).expect("the manifest is JSON");
        assert_eq!(
            (manifest.name(), manifest.library()),
            (Some("A"), Some("./a.so"))
        );
        assert_eq!(manifest.library_path(), Some(folder.path().join("./a.so")));
        assert_eq!(manifest.variable("enable_environment"), Some("ON"));
        assert_eq!(manifest.variable("disable_environment"), Some("OFF"));
        fs::write(&path, "{").expect("the manifest");
        assert_eq!(Manifest::read(&path), None);
    }
}
