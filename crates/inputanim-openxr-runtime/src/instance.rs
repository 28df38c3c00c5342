//! Instances, events, and the names of results.

use std::collections::HashSet;
use std::ffi::c_char;

use inputanim_openxr::{Player, Settings};
use openxr_sys as xr;

use crate::extensions::Extension;
use crate::over;
use crate::state::{CHANGED, Event, Instance, State};
use inputanim_openxr_ffi::{
    API_VERSION, Buffer, DONE, INVALID, In, OtherRuntime, Out, Parameter, Reply, Set, fixed_text,
    write_fixed,
};

const NAME: &str = "inputanim";

/// A text that may be missing.
pub(crate) struct LayerName;

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

pub(crate) fn enumerate_extensions(
    _layer: LayerName,
    capacity: u32,
    count: Set<u32>,
    properties: Buffer<xr::ExtensionProperties>,
) -> Reply {
    // Without settings, the creation of the instance says what is missing.
    let other = Settings::of_process().ok();
    let other = other.and_then(|settings| over::other(&settings)?.ok());
    let all = match other {
        Some(other) => over::extensions(other)?,
        None => {
            let own = Extension::ALL.iter();
            own.map(|&(_, name, version)| extension(name, version))
                .collect()
        }
    };
    properties.fill_structures(capacity, &count, all.len(), |index, property| {
        property.extension_name = all[index].extension_name;
        property.extension_version = all[index].extension_version;
    })
}

/// Returns the properties of an extension.
pub(crate) fn extension(name: &str, version: u32) -> xr::ExtensionProperties {
    let mut property = xr::ExtensionProperties {
        ty: xr::ExtensionProperties::TYPE,
        next: std::ptr::null_mut(),
        extension_name: [0; xr::MAX_EXTENSION_NAME_SIZE],
        extension_version: version,
    };
    write_fixed(name, &mut property.extension_name);
    property
}

pub(crate) fn create(info: In<xr::InstanceCreateInfo>, instance: Set<xr::Instance>) -> Reply {
    let application = &info.application_info;
    let name = fixed_text(&application.application_name);
    if name.is_none_or(|name| name.is_empty()) {
        return Err(xr::Result::ERROR_NAME_INVALID);
    }
    if fixed_text(&application.engine_name).is_none() {
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
        instance.set(over::create_instance(&info, other, player)?);
        return DONE;
    }
    let names = info.texts(info.enabled_extension_names, info.enabled_extension_count)?;
    let found: Option<HashSet<Extension>> = names.into_iter().map(Extension::named).collect();
    let extensions = found.ok_or(xr::Result::ERROR_EXTENSION_NOT_PRESENT)?;
    let made = State::lock().add_instance(None, |handle| {
        Instance::new(handle, version, extensions, player)
    })?;
    instance.set(made);
    DONE
}

/// Reads the settings and the recording, and loads the runtime over which it is played.
fn player() -> Result<(Player, Option<OtherRuntime>), String> {
    let settings = Settings::of_process().map_err(|error| error.to_string())?;
    let other = over::other(&settings).transpose()?;
    let player = Player::load(settings).map_err(|error| error.to_string())?;
    Ok((player, other))
}

pub(crate) fn destroy(instance: xr::Instance) -> Reply {
    // The objects are dropped without the lock, because Vulkan may wait.
    let removed = State::lock().remove_instance(instance)?;
    CHANGED.notify_all();
    removed.write_report();
    drop(removed);
    DONE
}

pub(crate) fn properties(
    instance: xr::Instance,
    mut properties: Out<xr::InstanceProperties>,
) -> Reply {
    State::lock().instance(instance)?;
    let part = |text: &str| text.parse().unwrap_or(0);
    properties.runtime_version = xr::Version::new(
        part(env!("CARGO_PKG_VERSION_MAJOR")),
        part(env!("CARGO_PKG_VERSION_MINOR")),
        env!("CARGO_PKG_VERSION_PATCH").parse().unwrap_or(0),
    );
    write_fixed(NAME, &mut properties.runtime_name);
    DONE
}

pub(crate) fn poll_event(instance: xr::Instance, buffer: Set<xr::EventDataBuffer>) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    instance.check_end();
    if instance.lost_events > 0 {
        buffer.set_event(xr::EventDataEventsLost {
            ty: xr::EventDataEventsLost::TYPE,
            next: std::ptr::null(),
            lost_event_count: std::mem::take(&mut instance.lost_events),
        });
        return DONE;
    }
    let Some(event) = instance.events.pop_front() else {
        return Ok(xr::Result::EVENT_UNAVAILABLE);
    };
    let session = instance.session()?;
    match event {
        Event::State(state, time) => {
            session.is_focused = state == xr::SessionState::FOCUSED;
            buffer.set_event(xr::EventDataSessionStateChanged {
                ty: xr::EventDataSessionStateChanged::TYPE,
                next: std::ptr::null(),
                session: session.handle,
                state,
                time,
            });
        }
        Event::Profiles => buffer.set_event(profiles_changed(session.handle)),
    }
    DONE
}

/// Returns the event of a session whose interaction profiles have changed.
pub(crate) const fn profiles_changed(
    session: xr::Session,
) -> xr::EventDataInteractionProfileChanged {
    xr::EventDataInteractionProfileChanged {
        ty: xr::EventDataInteractionProfileChanged::TYPE,
        next: std::ptr::null(),
        session,
    }
}

pub(crate) fn result_to_string(
    instance: xr::Instance,
    value: xr::Result,
    buffer: Buffer<c_char>,
) -> Reply {
    State::lock().instance(instance)?;
    let name = format!("{value:?}");
    let text = if name
        .chars()
        .all(|letter| letter.is_ascii_uppercase() || "_0123456789".contains(letter))
        && !name.starts_with(|letter: char| letter.is_ascii_digit())
    {
        format!("XR_{name}")
    } else if value.into_raw() < 0 {
        format!("XR_UNKNOWN_FAILURE_{}", value.into_raw())
    } else {
        format!("XR_UNKNOWN_SUCCESS_{}", value.into_raw())
    };
    buffer.write::<{ xr::MAX_RESULT_STRING_SIZE }>(&text)
}

pub(crate) fn structure_type_to_string(
    instance: xr::Instance,
    value: xr::StructureType,
    buffer: Buffer<c_char>,
) -> Reply {
    State::lock().instance(instance)?;
    let name = format!("{value:?}");
    let is_known = name.starts_with(|letter: char| letter.is_ascii_uppercase());
    let text = if is_known {
        format!("XR_TYPE_{name}")
    } else {
        format!("XR_UNKNOWN_STRUCTURE_TYPE_{}", value.into_raw())
    };
    buffer.write::<{ xr::MAX_STRUCTURE_NAME_SIZE }>(&text)
}
