//! Debug messages, names and labels (`XR_EXT_debug_utils`).
//!
//! The runtime has no messages for an application. It accepts messengers, names and labels, so that layers see them.

use openxr_sys::{self as xr, Handle};

use crate::state::{NO_HANDLE, State};
use inputanim_openxr_border::{DONE, INVALID, In, Reply, Set};

pub(crate) fn create_messenger(
    instance: xr::Instance,
    info: In<xr::DebugUtilsMessengerCreateInfoEXT>,
    messenger: Set<xr::DebugUtilsMessengerEXT>,
) -> Reply {
    let mut state = State::lock();
    let number = state.new_handle();
    let instance = state.instance(instance)?;
    if info.message_severities.is_empty()
        || info.message_types.is_empty()
        || info.user_callback.is_none()
    {
        return Err(INVALID);
    }
    instance.messengers.insert(number);
    messenger.set(xr::DebugUtilsMessengerEXT::from_raw(number));
    DONE
}

pub(crate) fn destroy_messenger(messenger: xr::DebugUtilsMessengerEXT) -> Reply {
    let mut state = State::lock();
    let is_known = state.any()?.messengers.remove(&messenger.into_raw());
    if is_known { DONE } else { Err(NO_HANDLE) }
}

pub(crate) fn submit_message(
    instance: xr::Instance,
    _severity: xr::DebugUtilsMessageSeverityFlagsEXT,
    _types: xr::DebugUtilsMessageTypeFlagsEXT,
    _data: In<xr::DebugUtilsMessengerCallbackDataEXT>,
) -> Reply {
    State::lock().instance(instance)?;
    DONE
}

pub(crate) fn name_object(
    instance: xr::Instance,
    _info: In<xr::DebugUtilsObjectNameInfoEXT>,
) -> Reply {
    State::lock().instance(instance)?;
    DONE
}

pub(crate) fn begin_label(session: xr::Session, label: In<xr::DebugUtilsLabelEXT>) -> Reply {
    insert_label(session, label)
}

pub(crate) fn end_label(session: xr::Session) -> Reply {
    State::lock().session(session)?;
    DONE
}

pub(crate) fn insert_label(session: xr::Session, label: In<xr::DebugUtilsLabelEXT>) -> Reply {
    State::lock().session(session)?;
    label.text(label.label_name)?;
    DONE
}
