//! The registry of Windows, in which the loader of OpenXR finds runtimes and layers (OpenXR loader design, "Runtime
//! Discovery" and "API Layer Discovery").

use std::ffi::{OsStr, OsString};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::{fs, io, ptr};

use anyhow::Context;
use inputanim_openxr::{Folders, Manifest, RUNTIME};
use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_SUCCESS, WIN32_ERROR};
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, KEY_QUERY_VALUE, REG_DWORD, REG_SZ, RegCloseKey,
    RegDeleteKeyValueW, RegEnumValueW, RegOpenKeyExW, RegSetKeyValueW,
};
use windows_sys::core::PCWSTR;
use windows_sys::w;

use super::manifest::{self, remove, write};
use crate::files::output;
use crate::messages::diagnostics::note;
use crate::messages::outcome::Refusal;

/// The longest name of a value, with its NUL (Windows, "Registry element size limits").
const MAX_NAME: usize = 16384;

/// The longest data of a value that is read.
const MAX_DATA: usize = 1 << 16;

/// A value of a key.
struct Value {
    name: OsString,
    kind: u32,
    data: Vec<u8>,
}

/// The key of the loader, in which it finds the runtime of the computer.
const KEY: PCWSTR = w!(r"Software\Khronos\OpenXR\1");

/// The key of the layers that are on without the application.
const LAYERS: PCWSTR = w!(r"Software\Khronos\OpenXR\1\ApiLayers\Implicit");

/// The value with the path of the manifest of the runtime.
const ACTIVE: &str = "ActiveRuntime";

/// The value that keeps the path of the runtime that the runtime of inputanim replaces.
const REPLACED: &str = "ActiveRuntime.before-inputanim";

/// The runtime and the layer that `install` installs. The loader reads the runtime only from the part of the registry that
/// all users share, so the runtime and its settings are for all users. The layer is for one user.
pub(super) struct Installation {
    /// The folder of the settings and the manifests, whose path is ASCII. The loader opens no others.
    folder: PathBuf,
}

impl Installation {
    pub(super) fn open() -> anyhow::Result<Installation> {
        let folders = Folders::of_user();
        let folders = folders.context("the environment variable ProgramData is not set")?;
        let settings = folders.settings();
        let folder = settings.parent().context("the settings are in a folder")?;
        Ok(Installation {
            folder: folder.to_owned(),
        })
    }

    /// Returns the path of the settings file of the runtime of inputanim.
    pub(super) fn settings(&self) -> PathBuf {
        self.folder.join("openxr.json")
    }

    fn runtime(&self) -> PathBuf {
        self.folder.join("runtime.json")
    }

    fn layer(&self) -> PathBuf {
        self.folder.join("layer.json")
    }

    /// Writes the manifest of the runtime of inputanim, and makes this the active runtime of the computer. Stores the
    /// path of the previous runtime, so that it can be selected again. `manifest` is the text of the manifest.
    pub(super) fn select_runtime(&self, manifest: &str) -> anyhow::Result<()> {
        let path = self.runtime();
        if let Some(other) = text(ACTIVE).filter(|other| *other != path) {
            set(HKEY_LOCAL_MACHINE, KEY, REPLACED, &Data::Text(&other))?;
            note(format_args!(
                "the previous runtime is kept in the registry: {}",
                other.display()
            ));
        }
        write(&path, manifest)?;
        set(HKEY_LOCAL_MACHINE, KEY, ACTIVE, &Data::Text(&path))
    }

    /// If the runtime of inputanim is active, makes the previous runtime active again. Removes the manifest of the
    /// runtime of inputanim. Returns `true` if this runtime was active or had a manifest.
    pub(super) fn deselect_runtime(&self) -> anyhow::Result<bool> {
        let path = self.runtime();
        let was_selected = text(ACTIVE).is_some_and(|active| active == path);
        if was_selected {
            match text(REPLACED) {
                Some(other) => {
                    set(HKEY_LOCAL_MACHINE, KEY, ACTIVE, &Data::Text(&other))?;
                    note(format_args!(
                        "the previous runtime is selected again: {}",
                        other.display()
                    ));
                }
                None => delete(HKEY_LOCAL_MACHINE, KEY, ACTIVE.as_ref())?,
            }
        }
        if text(REPLACED).is_some() {
            delete(HKEY_LOCAL_MACHINE, KEY, REPLACED.as_ref())?;
        }
        Ok(remove(&path)? || was_selected)
    }

    /// Writes the manifest of the recording layer for this library, and registers the layer for the user.
    pub(super) fn add_layer(&self, library: PathBuf) -> anyhow::Result<()> {
        let path = self.layer();
        output::make_folder(&self.folder)?;
        let library = manifest::layer_library(library, &self.folder)?;
        write(&path, &manifest::layer_manifest(&library, true))?;
        set(HKEY_CURRENT_USER, LAYERS, path.as_os_str(), &Data::Zero)
    }

    /// Unregisters the recording layer, and removes its files. Returns `true` if its manifest existed.
    pub(super) fn remove_layer(&self) -> anyhow::Result<bool> {
        let path = self.layer();
        let installed = values(HKEY_CURRENT_USER, LAYERS);
        if installed.iter().any(|value| value.name == path.as_os_str()) {
            delete(HKEY_CURRENT_USER, LAYERS, path.as_os_str())?;
        }
        remove(
            &self
                .folder
                .join(manifest::file_name("inputanim_openxr_layer")),
        )?;
        let was_installed = remove(&path)?;
        // The folder stays if it has other files.
        fs::remove_dir(&self.folder).ok();
        Ok(was_installed)
    }
}

/// The data of a value.
enum Data<'a> {
    Text(&'a Path),
    /// The number 0, with which a layer is on.
    Zero,
}

/// Converts a text to UTF-16 with a NUL at its end, as Windows functions expect it.
fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// Converts the result code of a change of the registry to an error.
fn check(code: WIN32_ERROR) -> anyhow::Result<()> {
    match code {
        ERROR_SUCCESS => Ok(()),
        ERROR_ACCESS_DENIED => Err(Refusal::failure(
            "selecting the runtime of all applications needs administrator rights",
            "start a terminal with \"Run as administrator\"; `inputanim openxr play` needs no rights",
        )),
        code => {
            Err(io::Error::from_raw_os_error(code as i32)).context("cannot change the registry")
        }
    }
}

/// Writes a value of a registry key, and creates the key if necessary. `key` is its path below `root`.
#[allow(unsafe_code)]
fn set(root: HKEY, key: PCWSTR, name: impl AsRef<OsStr>, data: &Data<'_>) -> anyhow::Result<()> {
    let (kind, bytes) = match data {
        Data::Text(path) => {
            let units = wide(path.as_os_str());
            (
                REG_SZ,
                units.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
            )
        }
        Data::Zero => (REG_DWORD, vec![0; 4]),
    };
    let name = wide(name.as_ref());
    // SAFETY: the key and the name end with a NUL, and the length is the length of the data.
    check(unsafe {
        RegSetKeyValueW(
            root,
            key,
            name.as_ptr(),
            kind,
            bytes.as_ptr().cast(),
            bytes.len() as u32,
        )
    })
}

/// Deletes a value of a registry key.
#[allow(unsafe_code)]
fn delete(root: HKEY, key: PCWSTR, name: &OsStr) -> anyhow::Result<()> {
    let name = wide(name);
    // SAFETY: the key and the name end with a NUL.
    check(unsafe { RegDeleteKeyValueW(root, key, name.as_ptr()) })
}

/// Returns the path in a text value of the loader's registry key. `None` if there is no such text.
fn text(name: &str) -> Option<PathBuf> {
    let values = values(HKEY_LOCAL_MACHINE, KEY);
    let is_found = |value: &Value| value.name == name && value.kind == REG_SZ;
    let data = values.into_iter().find(is_found)?.data;
    let (units, _) = data.as_chunks::<2>();
    let units = units.iter().map(|&unit| u16::from_le_bytes(unit));
    // The text may end with a NUL.
    let text: Vec<u16> = units.take_while(|&unit| unit != 0).collect();
    Some(PathBuf::from(OsString::from_wide(&text)))
}

/// Returns the manifest of the runtime that the loader uses without `XR_RUNTIME_JSON`. `None` if there is none, or it
/// cannot be read.
pub(super) fn runtime() -> Option<Manifest> {
    Manifest::read(&text(ACTIVE)?)
}

/// Returns the manifest of the runtime that the loader would use without the installation of inputanim. `None` if there
/// is none.
pub(super) fn other_runtime() -> Option<Manifest> {
    let found = [text(REPLACED), text(ACTIVE)].into_iter().flatten();
    let mut found = found.filter_map(|path| Manifest::read(&path));
    found.find(|manifest| manifest.name() != Some(RUNTIME))
}

/// Returns the manifests of the implicit layers that are not switched off.
pub(super) fn implicit_layers() -> Vec<Manifest> {
    let values = [HKEY_LOCAL_MACHINE, HKEY_CURRENT_USER].map(|root| values(root, LAYERS));
    // The name of a value is the path of a manifest. A layer with another number than 0 is switched off.
    let paths = values
        .into_iter()
        .flatten()
        .filter(|value| value.kind == REG_DWORD && value.data == [0; 4]);
    paths
        .filter_map(|value| Manifest::read(&PathBuf::from(value.name)))
        .collect()
}

/// Returns the values of a registry key; empty if the key does not exist. `key` ends with a NUL.
#[allow(unsafe_code)]
fn values(root: HKEY, key: PCWSTR) -> Vec<Value> {
    let mut handle = ptr::null_mut();
    // SAFETY: `key` ends with a NUL, and there is memory for the handle.
    let result = unsafe { RegOpenKeyExW(root, key, 0, KEY_QUERY_VALUE, &raw mut handle) };
    if result != ERROR_SUCCESS {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut name, mut data) = (vec![0_u16; MAX_NAME], vec![0_u8; MAX_DATA]);
    loop {
        let (mut name_length, mut data_length) = (MAX_NAME as u32, MAX_DATA as u32);
        let mut kind = 0;
        // SAFETY: the handle is valid, and the lengths are the lengths of the memory.
        let result = unsafe {
            RegEnumValueW(
                handle,
                found.len() as u32,
                name.as_mut_ptr(),
                &raw mut name_length,
                ptr::null(),
                &raw mut kind,
                data.as_mut_ptr(),
                &raw mut data_length,
            )
        };
        // No more values, or a value that no runtime or layer has.
        if result != ERROR_SUCCESS {
            break;
        }
        found.push(Value {
            name: OsString::from_wide(&name[..name_length as usize]),
            kind,
            data: data[..data_length as usize].to_vec(),
        });
    }
    // SAFETY: the handle is valid, and not used again.
    unsafe { RegCloseKey(handle) };
    found
}
