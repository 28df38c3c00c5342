//! Instances, events, and the names of results (OpenXR 1.1, sections 2 and 4).

use std::ffi::c_char;

use openxr_sys as xr;

use crate::objects::handles::NO_HANDLE;
use crate::objects::instance::Event;
use crate::objects::state::{CHANGED, State};
use crate::objects::users::Tracker;
use inputanim_openxr_ffi::{Buffer, DONE, Out, Reply, Set, write_fixed};

const NAME: &str = "inputanim";

pub(crate) fn destroy(instance: xr::Instance) -> Reply {
    // The objects are dropped without the lock, because Vulkan may wait.
    let removed = State::lock().remove_instance(instance)?;
    CHANGED.notify_all();
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
    match event {
        Event::State(state, time) => {
            let session = instance.session()?;
            session.is_focused = state == xr::SessionState::FOCUSED;
            buffer.set_event(xr::EventDataSessionStateChanged {
                ty: xr::EventDataSessionStateChanged::TYPE,
                next: std::ptr::null(),
                session: session.handle,
                state,
                time,
            });
        }
        Event::Profiles => buffer.set_event(profiles_changed(instance.session()?.handle)),
        Event::Tracker(name) => {
            let tracker = instance.trackers.iter().find(|one| one.name == name);
            tracker.ok_or(NO_HANDLE)?.set_event(&buffer);
        }
        Event::Recentred(space, time) => {
            let session = instance.session()?;
            buffer.set_event(xr::EventDataReferenceSpaceChangePending {
                ty: xr::EventDataReferenceSpaceChangePending::TYPE,
                next: std::ptr::null(),
                session: session.handle,
                reference_space_type: space,
                change_time: time,
                // The recording does not state by how much the origin moved.
                pose_valid: false.into(),
                pose_in_previous_space: xr::Posef::IDENTITY,
            });
        }
    }
    DONE
}

pub(crate) fn trackers(
    instance: xr::Instance,
    capacity: u32,
    count: Set<u32>,
    paths: Buffer<xr::ViveTrackerPathsHTCX>,
) -> Reply {
    let mut state = State::lock();
    let trackers = state.instance(instance)?.trackers.iter();
    let connected: Vec<&Tracker> = trackers.filter(|one| one.is_connected).collect();
    paths.fill_structures(capacity, &count, connected.len(), |index, paths| {
        paths.persistent_path = connected[index].persistent_path;
        paths.role_path = connected[index].role_path;
    })
}

/// Returns the event that reports new interaction profiles of a session.
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
