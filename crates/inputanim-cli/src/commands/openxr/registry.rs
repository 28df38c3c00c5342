//! The registry of Windows, in which the loader of OpenXR finds runtimes and layers (OpenXR loader design, "Runtime
//! Discovery" and "API Layer Discovery").

use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt;
use std::path::PathBuf;
use std::ptr;

use inputanim_openxr::Manifest;
use windows_sys::Win32::Foundation::ERROR_SUCCESS;
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, KEY_QUERY_VALUE, REG_DWORD, REG_SZ, RegCloseKey,
    RegEnumValueW, RegOpenKeyExW,
};
use windows_sys::w;

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

/// Returns the manifest of the runtime that the loader uses without `XR_RUNTIME_JSON`.
pub(super) fn runtime() -> Option<Manifest> {
    let values = values(HKEY_LOCAL_MACHINE, w!(r"Software\Khronos\OpenXR\1"));
    let is_runtime = |value: &Value| value.name == "ActiveRuntime" && value.kind == REG_SZ;
    let data = values.into_iter().find(is_runtime)?.data;
    let (units, _) = data.as_chunks::<2>();
    let units = units.iter().map(|&unit| u16::from_le_bytes(unit));
    // The text may end with a NUL.
    let text: Vec<u16> = units.take_while(|&unit| unit != 0).collect();
    Manifest::read(&PathBuf::from(OsString::from_wide(&text)))
}

/// Returns the manifests of the implicit layers that are not switched off.
pub(super) fn implicit_layers() -> Vec<Manifest> {
    let key = w!(r"Software\Khronos\OpenXR\1\ApiLayers\Implicit");
    let values = [HKEY_LOCAL_MACHINE, HKEY_CURRENT_USER].map(|root| values(root, key));
    // The name of a value is the path of a manifest. A layer with another number than 0 is switched off.
    let paths = values
        .into_iter()
        .flatten()
        .filter(|value| value.kind == REG_DWORD && value.data == [0; 4]);
    paths
        .filter_map(|value| Manifest::read(&PathBuf::from(value.name)))
        .collect()
}

/// Returns the values of a key; none if it does not exist. `key` ends with a NUL.
#[allow(unsafe_code)]
fn values(root: HKEY, key: windows_sys::core::PCWSTR) -> Vec<Value> {
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
