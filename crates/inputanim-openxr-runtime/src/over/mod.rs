//! Playback over another runtime, which this runtime loads.
//!
//! This runtime answers everything about input, spaces and views with the recording. Graphics, swapchains, frames and the
//! states of the session belong to the other runtime. The pictures that an application draws for the recorded head are shown
//! to the person with the headset as if fixed to the real head, because [`layers`] moves them from the recorded head to the
//! real one.
//!
//! A layer between the loader and the other runtime could do the same, but the loader tells an application only the
//! extensions of the runtime and of installed layers. An application would then not find hand tracking over a runtime without
//! it.
//!
//! Handles of spaces are those of the other runtime, so that its functions that this runtime does not know get valid ones.

#[allow(unsafe_code, reason = "the types of the functions of the C interface")]
mod functions;
mod layers;

use std::ffi::c_char;
use std::path::Path;
use std::sync::OnceLock;

use inputanim_openxr::{Clock, Player, Settings, compose};
use inputanim_openxr_ffi::{
    Buffer, DONE, INVALID, In, Next, OtherRuntime, Out, Read, Reply, Set, Write, check, fixed_text,
};
use openxr_sys::{self as xr, Handle};

use crate::extensions::Extension;
use crate::frames::Prepared;
use crate::space::{Base, from_pose, to_pose};
use crate::state::{Event, Instance, Session, State, check_time};
use crate::{frames, graphics, instance, session, system};

pub(crate) use functions::get;

/// The runtime below a session.
#[derive(Clone, Copy)]
pub(crate) struct Below {
    pub(crate) next: Next,
    /// The real head.
    pub(crate) view: xr::Space,
    /// The session has no graphics. Some runtimes have no frames for such sessions, so this runtime makes them.
    is_headless: bool,
}

impl Below {
    /// Returns a space of the other runtime, of the same kind if it has one.
    pub(crate) fn space(
        &self,
        session: xr::Session,
        kind: Option<xr::ReferenceSpaceType>,
    ) -> Result<xr::Space, xr::Result> {
        let kind = kind.unwrap_or(xr::ReferenceSpaceType::VIEW);
        reference_space(&self.next, session, kind)
            .or_else(|_| reference_space(&self.next, session, xr::ReferenceSpaceType::VIEW))
    }
}

fn reference_space(
    next: &Next,
    session: xr::Session,
    kind: xr::ReferenceSpaceType,
) -> Result<xr::Space, xr::Result> {
    let info = xr::ReferenceSpaceCreateInfo {
        ty: xr::ReferenceSpaceCreateInfo::TYPE,
        next: std::ptr::null(),
        reference_space_type: kind,
        pose_in_reference_space: xr::Posef::IDENTITY,
    };
    let mut space = xr::Space::NULL;
    let result = next.create_reference_space(session, (&info).into(), (&mut space).into());
    check(result).map(|()| space)
}

/// Returns the other runtime of these settings, which is loaded once; `None` if the recording is played without one.
pub(crate) fn other(settings: &Settings) -> Option<Result<OtherRuntime, String>> {
    static OTHER: OnceLock<Result<OtherRuntime, String>> = OnceLock::new();
    let library: &Path = settings.over.as_deref()?;
    let loaded = OTHER.get_or_init(|| {
        let loaded = OtherRuntime::load(library);
        loaded.map_err(|error| format!("cannot load the runtime {}: {error}", library.display()))
    });
    Some(loaded.clone())
}

/// Returns the extensions of the other runtime, and those of the input.
pub(crate) fn extensions(other: OtherRuntime) -> Result<Vec<xr::ExtensionProperties>, xr::Result> {
    let mut all = other.extensions()?;
    for &(extension, name, version) in Extension::ALL {
        let property = instance::extension(name, version);
        let is_new = all
            .iter()
            .all(|one| one.extension_name != property.extension_name);
        if extension.is_input() && is_new {
            all.push(property);
        }
    }
    Ok(all)
}

pub(crate) fn create_instance(
    info: &In<xr::InstanceCreateInfo>,
    other: OtherRuntime,
    player: Player,
) -> Result<xr::Instance, xr::Result> {
    if State::lock().has_instance() {
        return Err(xr::Result::ERROR_LIMIT_REACHED);
    }
    let names = info.array(info.enabled_extension_names, info.enabled_extension_count)?;
    let texts = info.texts(info.enabled_extension_names, info.enabled_extension_count)?;
    let known = texts.iter().map(|text| Extension::named(text));
    // Other extensions may need those of the input, so the other runtime gets all that it has.
    let offered = other.extensions()?;
    let offered: Vec<String> = offered
        .iter()
        .filter_map(|one| fixed_text(&one.extension_name))
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

/// Returns the functions of the other runtime.
fn next(handle: xr::Instance) -> Result<Next, xr::Result> {
    State::lock().instance(handle)?.below.ok_or(INVALID)
}

/// Returns the functions of the other runtime, and its real head.
fn below(handle: xr::Session) -> Result<Below, xr::Result> {
    State::lock().session(handle)?.below.ok_or(INVALID)
}

fn destroy_instance(handle: xr::Instance) -> Reply {
    let result = next(handle)?.destroy_instance(handle);
    check(result)?;
    instance::destroy(handle)?;
    Ok(result)
}

fn poll_event(handle: xr::Instance, event: Write<xr::EventDataBuffer>) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(handle)?;
    let next = instance.below.ok_or(INVALID)?;
    instance.check_end();
    if let Some(Event::Profiles) = instance.events.pop_front() {
        let session = instance.session()?.handle;
        let place = event.place().ok_or(INVALID)?;
        place.set_event(instance::profiles_changed(session));
        return DONE;
    }
    drop(state);
    let result = next.poll_event(handle, event);
    if result == xr::Result::SUCCESS
        && let Some(change) = event.event::<xr::EventDataSessionStateChanged>()
        && let Ok(open) = State::lock().session(change.session)
    {
        open.state = change.state;
        open.is_focused = change.state == xr::SessionState::FOCUSED;
    }
    Ok(result)
}

fn system_properties(
    handle: xr::Instance,
    system: xr::SystemId,
    properties: Write<xr::SystemProperties>,
) -> Reply {
    let result = next(handle)?.get_system_properties(handle, system, properties);
    if let (Ok(()), Some(properties)) = (check(result), properties.edit()) {
        system::add_input(State::lock().instance(handle)?, &properties);
    }
    Ok(result)
}

fn create_session(
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
    let is_headless = info
        .read()
        .is_some_and(|info| !graphics::has_binding(&info));
    open.below = Some(Below {
        next,
        view,
        is_headless,
    });
    instance.session = Some(open);
    Ok(result)
}

fn destroy_session(handle: xr::Session) -> Reply {
    let result = below(handle)?.next.destroy_session(handle);
    check(result)?;
    session::destroy(handle)?;
    Ok(result)
}

fn begin_session(handle: xr::Session, info: Read<xr::SessionBeginInfo>) -> Reply {
    let result = below(handle)?.next.begin_session(handle, info);
    check(result)?;
    let mut state = State::lock();
    let instance = state.of_session(handle)?;
    instance.session()?.is_running = true;
    instance.report(|report| report.has_session = true);
    Ok(result)
}

fn end_session(handle: xr::Session) -> Reply {
    let result = below(handle)?.next.end_session(handle);
    check(result)?;
    State::lock().session(handle)?.stopped();
    Ok(result)
}

fn wait_frame(
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

fn begin_frame(handle: xr::Session, info: Read<xr::FrameBeginInfo>) -> Reply {
    let below = below(handle)?;
    if below.is_headless {
        return frames::begin(handle, info.read());
    }
    let result = below.next.begin_frame(handle, info);
    check(result)?;
    State::lock().session(handle)?.frames.begin();
    Ok(result)
}

fn end_frame(handle: xr::Session, info: Read<xr::FrameEndInfo>) -> Reply {
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

fn locate_views(
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
    let head = Base::new(instance, &scene, base).locate(scene.head);
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
    view_state.view_state_flags = system::view_flags(head.is_some());
    let head = head.unwrap_or_default();
    views.fill_structures(capacity, &count, found.len(), |index, view| {
        let eye = to_pose(found[index].pose).unwrap_or_default();
        view.pose = from_pose(compose(head, eye));
        view.fov = found[index].fov;
    })
}

/// The views of a headset at most.
const MAX_VIEWS: usize = 8;
