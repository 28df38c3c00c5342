//! The functions that an application calls before it has an instance: the loader gets them first.

use std::collections::HashSet;
use std::ffi::c_char;

use inputanim_openxr::{Player, Settings, SettingsError};
use openxr_sys::{self as xr, Handle, pfn::VoidFunction};

use crate::extensions::{Extension, property};
use crate::functions::table::lookup;
use crate::objects::instance::Instance;
use crate::objects::state::State;
use crate::over;
use inputanim_openxr_ffi::{
    API_VERSION, Buffer, DONE, INVALID, In, OtherRuntime, Parameter, Reply, Set, Str, entry,
    fixed_string,
};

fn get_proc_addr() -> VoidFunction {
    entry!(GetInstanceProcAddr, get, instance: xr::Instance, name: Str, function: Set<Option<VoidFunction>>)
}

/// Returns this runtime's function `xrGetInstanceProcAddr`, with its type in C.
pub(crate) fn get_instance_proc_addr() -> xr::pfn::GetInstanceProcAddr {
    // SAFETY: `get_proc_addr` checked that the function has this type.
    unsafe { std::mem::transmute::<VoidFunction, xr::pfn::GetInstanceProcAddr>(get_proc_addr()) }
}

fn get(instance: xr::Instance, name: Str, function: Set<Option<VoidFunction>>) -> Reply {
    function.set(None);
    let mut state = State::lock();
    let instance = match instance {
        xr::Instance::NULL => None,
        handle => Some(&*state.instance(handle)?),
    };
    function.set(Some(select(instance, &name)?));
    DONE
}

/// Returns the function with a name for an application: of this runtime, or of the other runtime over which the
/// instance plays. Fails with `ERROR_FUNCTION_UNSUPPORTED` if there is no such function.
fn select(instance: Option<&Instance>, name: &str) -> Result<VoidFunction, xr::Result> {
    Ok(match name {
        "xrGetInstanceProcAddr" => get_proc_addr(),
        "xrEnumerateInstanceExtensionProperties" => {
            entry!(EnumerateInstanceExtensionProperties, enumerate_extensions, layer: LayerName, capacity: u32, count: Set<u32>, properties: Buffer<xr::ExtensionProperties>)
        }
        "xrCreateInstance" => {
            entry!(CreateInstance, create, info: In<xr::InstanceCreateInfo>, instance: Set<xr::Instance>)
        }
        _ => match instance.and_then(|instance| Some((instance, instance.below?))) {
            Some((instance, next)) => over::table::get(instance, next, name)?,
            None => lookup(instance, name)?,
        },
    })
}

/// The name of a layer, which must be missing.
struct LayerName;

impl Parameter for LayerName {
    type Raw = *const c_char;

    unsafe fn take(raw: *const c_char) -> Result<LayerName, xr::Result> {
        // A runtime has no layers.
        if raw.is_null() {
            Ok(LayerName)
        } else {
            Err(xr::Result::ERROR_API_LAYER_NOT_PRESENT)
        }
    }
}

fn enumerate_extensions(
    _layer: LayerName,
    capacity: u32,
    count: Set<u32>,
    properties: Buffer<xr::ExtensionProperties>,
) -> Reply {
    // Without settings, the creation of the instance says what is missing.
    let other = Settings::of_process().ok();
    let other = other.and_then(|settings| over::runtime::other(&settings)?.ok());
    let all = match other {
        Some(other) => over::runtime::extensions(other)?,
        None => {
            let own = Extension::ALL.iter();
            own.map(|&(_, name, version)| property(name, version))
                .collect()
        }
    };
    properties.fill_structures(capacity, &count, all.len(), |index, property| {
        property.extension_name = all[index].extension_name;
        property.extension_version = all[index].extension_version;
    })
}

fn create(info: In<xr::InstanceCreateInfo>, instance: Set<xr::Instance>) -> Reply {
    let application = &info.application_info;
    let name = fixed_string(&application.application_name);
    if name.is_none_or(|name| name.is_empty()) {
        return Err(xr::Result::ERROR_NAME_INVALID);
    }
    if fixed_string(&application.engine_name).is_none() {
        return Err(xr::Result::ERROR_NAME_INVALID);
    }
    if info.create_flags != xr::InstanceCreateFlags::EMPTY {
        return Err(INVALID);
    }
    let version = application.api_version;
    if version.major() != 1 || version.minor() > API_VERSION.minor() {
        return Err(xr::Result::ERROR_API_VERSION_UNSUPPORTED);
    }
    let (player, other) = player().map_err(|message| {
        eprintln!("inputanim: {message}");
        xr::Result::ERROR_RUNTIME_UNAVAILABLE
    })?;
    if let Some(other) = other {
        instance.set(over::runtime::create_instance(&info, other, player)?);
        return DONE;
    }
    let names = info.strings(info.enabled_extension_names, info.enabled_extension_count)?;
    let found: Option<HashSet<Extension>> = names.into_iter().map(Extension::named).collect();
    let extensions = found.ok_or(xr::Result::ERROR_EXTENSION_NOT_PRESENT)?;
    let made = State::lock().add_instance(None, |handle, reported| {
        Instance::new(handle, version, extensions, player, reported)
    })?;
    instance.set(made);
    DONE
}

/// Reads the settings and the recording of this process. Also returns the runtime over which the recording is played;
/// `None` if there is none. The error is a message for the user.
fn player() -> Result<(Player, Option<OtherRuntime>), String> {
    let settings = Settings::of_process().map_err(|error| match error {
        SettingsError::Missing => format!(
            "{error}\nhint: start the application with `inputanim openxr play FILE -- APPLICATION`, or install a recording \
             with `inputanim openxr install FILE`"
        ),
        error => error.to_string(),
    })?;
    let other = over::runtime::other(&settings).transpose()?;
    let player = Player::load(settings).map_err(|error| error.to_string())?;
    Ok((player, other))
}
