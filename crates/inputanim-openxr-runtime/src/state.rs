//! Everything that the runtime keeps: an instance, its session, and the objects of both.
//!
//! One lock protects all of it, so that functions can be called by several threads. Numbers of handles are never used
//! twice, so a handle of a destroyed object, or of another type, is found to be invalid.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use inputanim_openxr::{Player, Report, Scene, Timeline};
use inputanim_openxr_ffi::Next;
use openxr_sys::{self as xr, Handle};

use crate::actions::{Action, ActionSet, Attached};
use crate::extensions::Extension;
use crate::frames::Frames;
use crate::graphics::Graphics;
use crate::hands::Tracker;
use crate::over::Below;
use crate::paths::Paths;
use crate::space::Space;
use crate::swapchains::Swapchain;

/// The failure of a handle that does not exist.
pub(crate) const NO_HANDLE: xr::Result = xr::Result::ERROR_HANDLE_INVALID;

static STATE: Mutex<State> = Mutex::new(State {
    last_handle: 0,
    instance: None,
});

/// Wakes functions that wait for another thread.
pub(crate) static CHANGED: Condvar = Condvar::new();

/// The state of the runtime.
pub(crate) struct State {
    last_handle: u64,
    instance: Option<Instance>,
}

/// An instance, and the objects that an application makes with it.
pub(crate) struct Instance {
    pub(crate) handle: xr::Instance,
    pub(crate) version: xr::Version,
    pub(crate) extensions: HashSet<Extension>,
    pub(crate) player: Player,
    pub(crate) paths: Paths,
    pub(crate) events: VecDeque<Event>,
    /// Events were lost because the application did not poll them.
    pub(crate) lost_events: u32,
    pub(crate) action_sets: HashMap<u64, ActionSet>,
    pub(crate) actions: HashMap<u64, Action>,
    /// Actions without a handle, whose bindings and spaces stay.
    pub(crate) destroyed_actions: HashMap<u64, Action>,
    /// The bindings that the application suggests for each profile: actions and paths.
    pub(crate) suggested: HashMap<&'static str, Vec<(u64, String)>>,
    /// The application has asked for the requirements of its graphics.
    pub(crate) has_requirements: bool,
    /// The Vulkan instance of the application, which some functions do not get; 0 before it is known.
    pub(crate) vulkan_instance: u64,
    pub(crate) session: Option<Session>,
    /// The runtime over which the recording is played; `None` if this is the runtime.
    pub(crate) below: Option<Next>,
    report: Report,
}

/// An event that the application has not polled yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    State(xr::SessionState, xr::Time),
    Profiles,
}

/// A session.
pub(crate) struct Session {
    pub(crate) handle: xr::Session,
    pub(crate) state: xr::SessionState,
    pub(crate) is_running: bool,
    /// The application has polled that it has the input.
    pub(crate) is_focused: bool,
    /// `None` without graphics.
    pub(crate) graphics: Option<Graphics>,
    pub(crate) timeline: Timeline,
    pub(crate) frames: Frames,
    pub(crate) spaces: HashMap<u64, Space>,
    pub(crate) swapchains: HashMap<u64, Swapchain>,
    pub(crate) trackers: HashMap<u64, Tracker>,
    /// The action sets of the session; `None` until they are attached.
    pub(crate) attached: Option<Attached>,
    /// The runtime over which the recording is played; `None` if this is the runtime.
    pub(crate) below: Option<Below>,
}

/// The number of events that wait at most.
const MAX_EVENTS: usize = 1000;

/// The number of objects of one type at most.
const MAX_OBJECTS: usize = 10_000;

impl State {
    /// Locks the state.
    pub(crate) fn lock() -> MutexGuard<'static, State> {
        STATE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of a new handle.
    pub(crate) fn new_handle(&mut self) -> u64 {
        self.last_handle += 1;
        self.last_handle
    }

    /// Returns whether there is an instance.
    pub(crate) fn has_instance(&self) -> bool {
        self.instance.is_some()
    }

    /// Adds the instance, with a handle of another runtime or a new one.
    pub(crate) fn add_instance(
        &mut self,
        handle: Option<xr::Instance>,
        make: impl FnOnce(xr::Instance) -> Instance,
    ) -> Result<xr::Instance, xr::Result> {
        // More instances than one are not required (OpenXR 1.1, section 4.3).
        if self.instance.is_some() {
            return Err(xr::Result::ERROR_LIMIT_REACHED);
        }
        let handle = handle.unwrap_or_else(|| xr::Instance::from_raw(self.new_handle()));
        self.instance = Some(make(handle));
        Ok(handle)
    }

    /// Removes the instance and everything that belongs to it.
    pub(crate) fn remove_instance(&mut self, handle: xr::Instance) -> Result<Instance, xr::Result> {
        self.instance(handle)?;
        self.instance.take().ok_or(NO_HANDLE)
    }

    /// Returns the instance.
    pub(crate) fn instance(&mut self, handle: xr::Instance) -> Result<&mut Instance, xr::Result> {
        let instance = self.instance.as_mut();
        instance
            .filter(|instance| instance.handle == handle)
            .ok_or(NO_HANDLE)
    }

    /// Returns the only instance, for functions that get another object.
    pub(crate) fn any(&mut self) -> Result<&mut Instance, xr::Result> {
        self.instance.as_mut().ok_or(NO_HANDLE)
    }

    /// Returns the instance of a session.
    pub(crate) fn of_session(&mut self, handle: xr::Session) -> Result<&mut Instance, xr::Result> {
        let instance = self.any()?;
        let session = instance.session.as_ref();
        session
            .filter(|session| session.handle == handle)
            .ok_or(NO_HANDLE)?;
        Ok(instance)
    }

    /// Returns a session.
    pub(crate) fn session(&mut self, handle: xr::Session) -> Result<&mut Session, xr::Result> {
        self.of_session(handle)?.session()
    }
}

impl Instance {
    /// Creates an instance.
    pub(crate) fn new(
        handle: xr::Instance,
        version: xr::Version,
        extensions: HashSet<Extension>,
        player: Player,
    ) -> Instance {
        let mut instance = Instance {
            handle,
            version,
            extensions,
            player,
            paths: Paths::default(),
            events: VecDeque::new(),
            lost_events: 0,
            action_sets: HashMap::new(),
            actions: HashMap::new(),
            destroyed_actions: HashMap::new(),
            suggested: HashMap::new(),
            has_requirements: false,
            vulkan_instance: 0,
            session: None,
            below: None,
            report: Report::default(),
        };
        instance.report(|report| report.has_instance = true);
        instance
    }

    /// Changes the report, and writes it. Frames alone are written when the session ends.
    pub(crate) fn report(&mut self, change: impl FnOnce(&mut Report)) {
        let before = self.report;
        change(&mut self.report);
        let frames = self.report.frames;
        if self.report != (Report { frames, ..before }) {
            self.write_report();
        }
    }

    /// Writes the report, if the settings want it. Without the report, only the messages of the program are less exact.
    pub(crate) fn write_report(&self) {
        if let Some(path) = &self.player.settings().report
            && let Ok(text) = serde_json::to_string(&self.report)
        {
            // The program may read the report at this moment.
            let new = path.with_extension("new");
            let _ = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path));
        }
    }

    /// Returns the only session.
    pub(crate) fn session(&mut self) -> Result<&mut Session, xr::Result> {
        self.session.as_mut().ok_or(NO_HANDLE)
    }

    /// Returns whether an extension is enabled.
    pub(crate) fn has(&self, extension: Extension) -> bool {
        self.extensions.contains(&extension)
    }

    /// Adds an event to the queue.
    pub(crate) fn send(&mut self, event: Event) {
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
            self.lost_events += 1;
        }
        self.events.push_back(event);
    }

    /// Brings the session into states, one after the other.
    pub(crate) fn enter(&mut self, states: &[xr::SessionState], time: i64) {
        for &state in states {
            if let Some(session) = &mut self.session {
                session.state = state;
            }
            self.send(Event::State(state, xr::Time::from_nanos(time.max(1))));
        }
    }

    /// Returns the time in the recording. Before playback it is the first time.
    pub(crate) fn seconds(&self, time: xr::Time) -> f32 {
        let timeline = self.session.as_ref().map(|session| &session.timeline);
        timeline.map_or(0.0, |timeline| timeline.recording_time(time.as_nanos()))
    }

    /// Returns what the application sees at a time.
    pub(crate) fn scene(&self, time: xr::Time) -> Scene {
        self.player.scene_at(self.seconds(time))
    }
}

impl Session {
    /// Creates a session.
    pub(crate) fn new(
        handle: xr::Session,
        graphics: Option<Graphics>,
        timeline: Timeline,
    ) -> Session {
        Session {
            handle,
            state: xr::SessionState::UNKNOWN,
            is_running: false,
            is_focused: false,
            graphics,
            timeline,
            frames: Frames::default(),
            spaces: HashMap::new(),
            swapchains: HashMap::new(),
            trackers: HashMap::new(),
            attached: None,
            below: None,
        }
    }

    /// Forgets what belongs to a running session.
    pub(crate) fn stopped(&mut self) {
        self.is_running = false;
        self.frames = Frames::default();
        if let Some(attached) = &mut self.attached {
            attached.clear();
        }
    }

    /// Returns whether the application gets the input of hands and eyes.
    pub(crate) fn has_input(&self) -> bool {
        self.is_focused && self.state == xr::SessionState::FOCUSED
    }
}

/// Adds an object to a table under a new number.
pub(crate) fn add<T>(
    objects: &mut HashMap<u64, T>,
    handle: u64,
    object: T,
) -> Result<(), xr::Result> {
    if objects.len() >= MAX_OBJECTS {
        return Err(xr::Result::ERROR_LIMIT_REACHED);
    }
    objects.insert(handle, object);
    Ok(())
}

/// Checks a time of OpenXR.
pub(crate) fn check_time(time: xr::Time) -> Result<(), xr::Result> {
    if time.as_nanos() > 0 {
        Ok(())
    } else {
        Err(xr::Result::ERROR_TIME_INVALID)
    }
}
