//! The other runtime, and instances over it.

use std::ffi::c_char;
use std::path::Path;
use std::sync::OnceLock;

use inputanim_openxr::{Player, Settings};
use openxr_sys::{self as xr, Handle};

use crate::extensions::{Extension, property};
use crate::objects::instance::Instance;
use crate::objects::state::State;
use inputanim_openxr_ffi::{In, OtherRuntime, check, fixed_string};

/// Returns the runtime that the settings name in `over`. It is loaded by the first call only. `None` if the settings
/// name no other runtime; the error is a message for the user.
pub(crate) fn other(settings: &Settings) -> Option<Result<OtherRuntime, String>> {
    static OTHER: OnceLock<Result<OtherRuntime, String>> = OnceLock::new();
    let library: &Path = settings.over.as_deref()?;
    let loaded = OTHER.get_or_init(|| {
        let loaded = OtherRuntime::load(library);
        loaded.map_err(|error| format!("cannot load the runtime {}: {error}", library.display()))
    });
    Some(loaded.clone())
}

/// Returns the extensions of the other runtime, and those extensions of this runtime that belong to the input.
pub(crate) fn extensions(other: OtherRuntime) -> Result<Vec<xr::ExtensionProperties>, xr::Result> {
    let mut all = other.extensions()?;
    for &(extension, name, version) in Extension::ALL {
        let property = property(name, version);
        let is_new = all
            .iter()
            .all(|one| one.extension_name != property.extension_name);
        if extension.is_input() && is_new {
            all.push(property);
        }
    }
    Ok(all)
}

/// Creates an instance of the other runtime, adds it to the state with the recording, and returns its handle. The other
/// runtime gets all extensions that the application enables, except those of the input that it does not have.
pub(crate) fn create_instance(
    info: &In<xr::InstanceCreateInfo>,
    other: OtherRuntime,
    player: Player,
) -> Result<xr::Instance, xr::Result> {
    if State::lock().has_instance() {
        return Err(xr::Result::ERROR_LIMIT_REACHED);
    }
    let names = info.array(info.enabled_extension_names, info.enabled_extension_count)?;
    let texts = info.strings(info.enabled_extension_names, info.enabled_extension_count)?;
    let known = texts.iter().map(|text| Extension::named(text));
    // Other extensions may need those of the input, so the other runtime gets all that it has.
    let offered = other.extensions()?;
    let offered: Vec<String> = offered
        .iter()
        .filter_map(|one| fixed_string(&one.extension_name))
        .collect();
    let is_passed = |(text, extension): (&&str, Option<Extension>)| {
        let is_input = extension.is_some_and(Extension::is_input);
        !is_input || offered.iter().any(|name| name == *text)
    };
    let passed = names.iter().zip(texts.iter().zip(known.clone()));
    let passed = passed.filter(|(_, one)| is_passed(*one));
    let passed: Vec<*const c_char> = passed.map(|(&name, _)| name).collect();
    let changed = xr::InstanceCreateInfo {
        enabled_extension_count: passed.len() as u32,
        enabled_extension_names: passed.as_ptr(),
        ..**info
    };
    let mut handle = xr::Instance::NULL;
    check(other.create((&changed).into(), (&mut handle).into()))?;
    let next = other.functions(handle);
    let version = info.application_info.api_version;
    let extensions = known.flatten().collect();
    let added = State::lock().add_instance(Some(handle), |handle| {
        let mut instance = Instance::new(handle, version, extensions, player);
        instance.below = Some(next);
        instance
    });
    added.inspect_err(|_| {
        next.destroy_instance(handle);
    })
}
