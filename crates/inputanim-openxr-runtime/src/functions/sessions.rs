//! Sessions and their states (OpenXR 1.1, section 9).

use openxr_sys::{self as xr, Handle};

use super::checks::{check_system, check_view};
use crate::graphics::Graphics;
use crate::objects::instance::Event;
use crate::objects::session::{START, Session};
use crate::objects::state::{CHANGED, State};
use inputanim_openxr_ffi::{DONE, In, Reply, Set};

pub(crate) fn create(
    instance: xr::Instance,
    info: In<xr::SessionCreateInfo>,
    session: Set<xr::Session>,
) -> Reply {
    let mut state = State::lock();
    let number = state.new_handle();
    let instance = state.instance(instance)?;
    check_system(info.system_id)?;
    if instance.session.is_some() {
        return Err(xr::Result::ERROR_LIMIT_REACHED);
    }
    let graphics = Graphics::new(&instance.extensions, &instance.requirements, &info)?;
    let handle = xr::Session::from_raw(number);
    instance.report(|report| report.is_over = false);
    let timeline = instance.player.timeline();
    instance.session = Some(Session::new(handle, graphics, timeline));
    let now = instance.now();
    instance.enter(&[xr::SessionState::IDLE, xr::SessionState::READY], now);
    session.set(handle);
    DONE
}

pub(crate) fn destroy(session: xr::Session) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    // A tracker belongs to the instance.
    instance
        .events
        .retain(|event| matches!(event, Event::Tracker(_)));
    instance.write_report();
    for action in instance.actions.values_mut() {
        action.is_attached = false;
    }
    for set in instance.action_sets.values_mut() {
        set.is_attached = false;
    }
    let removed = instance.session.take();
    CHANGED.notify_all();
    drop(state);
    // Without the lock, because Vulkan may wait.
    drop(removed);
    DONE
}

pub(crate) fn begin(session: xr::Session, info: In<xr::SessionBeginInfo>) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let open = instance.session()?;
    if open.is_running {
        return Err(xr::Result::ERROR_SESSION_RUNNING);
    }
    if open.state != xr::SessionState::READY {
        return Err(xr::Result::ERROR_SESSION_NOT_READY);
    }
    // Without graphics, applications may leave out the views.
    let is_headless = open.graphics.is_none();
    if !is_headless {
        check_view(info.primary_view_configuration_type)?;
    }
    open.is_running = true;
    instance.report(|report| report.has_session = true);
    if is_headless {
        // Nothing has to be drawn before the session has the input.
        let now = instance.now();
        instance.enter(&START, now);
    }
    DONE
}

pub(crate) fn end(session: xr::Session) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let open = instance.session()?;
    if !open.is_running {
        return Err(xr::Result::ERROR_SESSION_NOT_RUNNING);
    }
    if open.state != xr::SessionState::STOPPING {
        return Err(xr::Result::ERROR_SESSION_NOT_STOPPING);
    }
    open.stopped();
    CHANGED.notify_all();
    let now = instance.now();
    instance.enter(&[xr::SessionState::IDLE, xr::SessionState::EXITING], now);
    DONE
}

pub(crate) fn request_exit(session: xr::Session) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    if !instance.session()?.is_running {
        return Err(xr::Result::ERROR_SESSION_NOT_RUNNING);
    }
    instance.stop();
    DONE
}
