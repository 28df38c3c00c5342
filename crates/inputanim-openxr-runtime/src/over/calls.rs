//! The functions that change what the other runtime answers.

use inputanim_openxr::{Clock, compose};
use openxr_sys as xr;

use super::layers;
use crate::functions::checks::check_time;
use crate::functions::locate::Base;
use crate::functions::{frames, instances, sessions, systems};
use crate::graphics::has_binding;
use crate::objects::below::{Below, reference_space};
use crate::objects::frames::Prepared;
use crate::objects::instance::Event;
use crate::objects::session::Session;
use crate::objects::state::State;
use crate::poses::{from_pose, to_pose};
use inputanim_openxr_ffi::{Buffer, INVALID, In, Next, Out, Read, Reply, Set, Write, check};

/// Returns the functions of the other runtime for this instance. Fails if it does not play over another runtime.
fn next(handle: xr::Instance) -> Result<Next, xr::Result> {
    State::lock().instance(handle)?.below.ok_or(INVALID)
}

/// Returns the data of the other runtime for this session. Fails if it does not play over another runtime.
fn below(handle: xr::Session) -> Result<Below, xr::Result> {
    State::lock().session(handle)?.below.ok_or(INVALID)
}

pub(super) fn destroy_instance(handle: xr::Instance) -> Reply {
    let result = next(handle)?.destroy_instance(handle);
    check(result)?;
    instances::destroy(handle)?;
    Ok(result)
}

pub(super) fn poll_event(handle: xr::Instance, event: Write<xr::EventDataBuffer>) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(handle)?;
    let next = instance.below.ok_or(INVALID)?;
    instance.check_end();
    let is_own = |event: &Event| matches!(event, Event::Profiles | Event::Tracker(_));
    instance.events.retain(is_own);
    if !instance.events.is_empty() {
        drop(state);
        return instances::poll_event(handle, event.output().ok_or(INVALID)?);
    }
    drop(state);
    let mut result = next.poll_event(handle, event);
    // The spaces and the input are those of the recording.
    while result == xr::Result::SUCCESS
        && (event
            .event::<xr::EventDataReferenceSpaceChangePending>()
            .is_some()
            || event
                .event::<xr::EventDataInteractionProfileChanged>()
                .is_some())
    {
        event.empty();
        result = next.poll_event(handle, event);
    }
    if result == xr::Result::SUCCESS
        && let Some(change) = event.event::<xr::EventDataSessionStateChanged>()
        && let Ok(open) = State::lock().session(change.session)
    {
        open.state = change.state;
        open.is_focused = change.state == xr::SessionState::FOCUSED;
    }
    Ok(result)
}

pub(super) fn system_properties(
    handle: xr::Instance,
    system: xr::SystemId,
    properties: Write<xr::SystemProperties>,
) -> Reply {
    let result = next(handle)?.get_system_properties(handle, system, properties);
    if let (Ok(()), Some(properties)) = (check(result), properties.edit()) {
        systems::add_input(State::lock().instance(handle)?, &properties);
    }
    Ok(result)
}

pub(super) fn create_session(
    handle: xr::Instance,
    info: Read<xr::SessionCreateInfo>,
    made: Write<xr::Session>,
) -> Reply {
    let next = next(handle)?;
    if State::lock().instance(handle)?.session.is_some() {
        return Err(xr::Result::ERROR_LIMIT_REACHED);
    }
    let result = next.create_session(handle, info, made);
    check(result)?;
    let session = made.value().ok_or(INVALID)?;
    let view = reference_space(&next, session, xr::ReferenceSpaceType::VIEW);
    let view = view.inspect_err(|_| {
        next.destroy_session(session);
    })?;
    let mut state = State::lock();
    let instance = state.instance(handle)?;
    instance.report(|report| report.is_over = false);
    let mut open = Session::new(session, None, instance.player.timeline());
    let is_headless = info.read().is_some_and(|info| !has_binding(&info));
    open.below = Some(Below {
        next,
        view,
        is_headless,
    });
    instance.session = Some(open);
    Ok(result)
}

pub(super) fn destroy_session(handle: xr::Session) -> Reply {
    let result = below(handle)?.next.destroy_session(handle);
    check(result)?;
    sessions::destroy(handle)?;
    Ok(result)
}

pub(super) fn begin_session(handle: xr::Session, info: Read<xr::SessionBeginInfo>) -> Reply {
    let result = below(handle)?.next.begin_session(handle, info);
    check(result)?;
    let mut state = State::lock();
    let instance = state.of_session(handle)?;
    instance.session()?.is_running = true;
    instance.report(|report| report.has_session = true);
    Ok(result)
}

pub(super) fn end_session(handle: xr::Session) -> Reply {
    let result = below(handle)?.next.end_session(handle);
    check(result)?;
    State::lock().session(handle)?.stopped();
    Ok(result)
}

pub(super) fn wait_frame(
    handle: xr::Session,
    info: Read<xr::FrameWaitInfo>,
    frame_state: Write<xr::FrameState>,
) -> Reply {
    // Another thread may poll events while this one waits.
    let has_input = State::lock().session(handle)?.has_input();
    let below = below(handle)?;
    if below.is_headless {
        return frames::wait(handle, info.read(), frame_state.edit().ok_or(INVALID)?);
    }
    let result = below.next.wait_frame(handle, info, frame_state);
    check(result)?;
    let mut given = frame_state.edit().ok_or(INVALID)?;
    let mut state = State::lock();
    let instance = state.of_session(handle)?;
    let is_real = instance.player.settings().clock == Clock::Real;
    let open = instance.session()?;
    let real = given.predicted_display_time.as_nanos();
    let period = given.predicted_display_period.as_nanos();
    let time = if is_real {
        open.timeline.follow(real, period, has_input)
    } else {
        if has_input {
            open.timeline.begin(real);
        }
        open.timeline.wait(real)
    };
    given.predicted_display_time = xr::Time::from_nanos(time.display);
    given.predicted_display_period = xr::Duration::from_nanos(time.period);
    open.frames.wait(Prepared { time, real });
    Ok(result)
}

pub(super) fn begin_frame(handle: xr::Session, info: Read<xr::FrameBeginInfo>) -> Reply {
    let below = below(handle)?;
    if below.is_headless {
        return frames::begin(handle, info.read());
    }
    let result = below.next.begin_frame(handle, info);
    check(result)?;
    State::lock().session(handle)?.frames.begin();
    Ok(result)
}

pub(super) fn end_frame(handle: xr::Session, info: Read<xr::FrameEndInfo>) -> Reply {
    let below = below(handle)?;
    if below.is_headless {
        return frames::end(handle, info.read().ok_or(INVALID)?);
    }
    let mut state = State::lock();
    let instance = state.of_session(handle)?;
    let drawn = instance.session()?.frames.drawn();
    let (Some(drawn), Some(read)) = (drawn, info.read()) else {
        drop(state);
        // The other runtime finds the error.
        return Ok(below.next.end_frame(handle, info));
    };
    check_time(read.display_time)?;
    let layers = layers::moved(instance, &read, below.view)?;
    drop(state);
    let pointers = layers.pointers();
    let moved = xr::FrameEndInfo {
        display_time: xr::Time::from_nanos(drawn.real),
        layer_count: pointers.len() as u32,
        layers: pointers.as_ptr(),
        ..*read
    };
    let result = below.next.end_frame(handle, (&moved).into());
    check(result)?;
    let mut state = State::lock();
    let instance = state.of_session(handle)?;
    instance.session()?.frames.end();
    let is_of_recording = drawn.time.index.is_some();
    instance.report(|report| report.frames += u64::from(is_of_recording));
    if drawn.time.is_last {
        instance.finish();
    }
    Ok(result)
}

pub(super) fn locate_views(
    handle: xr::Session,
    info: In<xr::ViewLocateInfo>,
    mut view_state: Out<xr::ViewState>,
    capacity: u32,
    count: Set<u32>,
    views: Buffer<xr::View>,
) -> Reply {
    let below = below(handle)?;
    check_time(info.display_time)?;
    let mut state = State::lock();
    let instance = state.of_session(handle)?;
    let base = instance.session()?.space(info.space)?;
    let scene = instance.scene(info.display_time);
    let head = Base::head(instance, &scene, base);
    let real = instance.session()?.frames.real(info.display_time);
    drop(state);
    // The optics are those of the real headset.
    let optics = xr::ViewLocateInfo {
        display_time: real,
        space: below.view,
        ..*info
    };
    let mut found = [xr::View {
        ty: xr::View::TYPE,
        next: std::ptr::null_mut(),
        pose: xr::Posef::IDENTITY,
        fov: xr::Fovf::default(),
    }; MAX_VIEWS];
    let mut real_state = xr::ViewState {
        ty: xr::ViewState::TYPE,
        next: std::ptr::null_mut(),
        view_state_flags: xr::ViewStateFlags::EMPTY,
    };
    let mut length = 0;
    let result = below.next.locate_views(
        handle,
        (&optics).into(),
        (&mut real_state).into(),
        MAX_VIEWS as u32,
        (&mut length).into(),
        found.as_mut_slice().into(),
    );
    check(result)?;
    let found = found.get(..length as usize).ok_or(INVALID)?;
    view_state.view_state_flags = systems::view_flags(head.is_some());
    let head = head.unwrap_or_default();
    views.fill_structures(capacity, &count, found.len(), |index, view| {
        let eye = to_pose(found[index].pose).unwrap_or_default();
        view.pose = from_pose(compose(head, eye));
        view.fov = found[index].fov;
    })
}

/// The views of a headset at most.
const MAX_VIEWS: usize = 8;
