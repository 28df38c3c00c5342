//! The other runtime, and instances over it.

use std::ffi::c_char;
use std::path::Path;
use std::sync::OnceLock;

use inputanim_openxr::{Player, Settings};
use openxr_sys::{self as xr, Handle};

use crate::extensions::{Extension, is_of_graphics, property};
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

/// Returns the extensions that an application gets: those of the other runtime that are for graphics, composition and the
/// process, and those of this runtime that belong to the input. With all others, the real person and the real surroundings
/// would be mixed into the recording.
pub(crate) fn extensions(other: OtherRuntime) -> Result<Vec<xr::ExtensionProperties>, xr::Result> {
    let mut all = other.extensions()?;
    all.retain(|one| fixed_string(&one.extension_name).is_some_and(|name| is_of_graphics(&name)));
    let own = Extension::ALL.iter();
    let own = own.filter(|(extension, ..)| extension.is_input());
    all.extend(own.map(|&(_, name, version)| property(name, version)));
    Ok(all)
}

/// Creates an instance of the other runtime, adds it to the state with the recording, and returns its handle. The other
/// runtime gets the extensions for graphics that the application enables. Fails if the application enables an extension that is
/// not one of [`extensions`].
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
    let is_own = |extension: Option<Extension>| extension.is_some_and(Extension::is_input);
    let mut all = texts.iter().zip(known.clone());
    if !all.all(|(text, extension)| is_own(extension) || is_of_graphics(text)) {
        return Err(xr::Result::ERROR_EXTENSION_NOT_PRESENT);
    }
    let passed = names.iter().zip(known.clone());
    let passed = passed.filter(|(_, extension)| !is_own(*extension));
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
    let added = State::lock().add_instance(Some(handle), |handle, reported| {
        let mut instance = Instance::new(handle, version, extensions, player, reported);
        instance.below = Some(next);
        instance
    });
    added.inspect_err(|_| {
        next.destroy_instance(handle);
    })
}
