//! The objects of the application that are recorded: instances, sessions, and the actions of the layer for both.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use inputanim::headset::Headset;
use inputanim::{DeviceName, PoseName};
use inputanim_openxr::{RecordReport, RecordSettings, STATE_MARKER};
use openxr_sys::{self as xr, Handle};

use crate::application::{Application, Owner};
use crate::bindings::{EYES, OwnActions};
use crate::extensions::Extension;
use crate::files;
use crate::frames::Frames;
use crate::messages::print;
use crate::plan::{Plan, RecordedUser, Usage};
use crate::recording::{self, Message, Recording};
use crate::sample::Inputs;
use inputanim_openxr_ffi::Next;

/// The failure of a handle that does not exist.
pub(crate) const NO_HANDLE: xr::Result = xr::Result::ERROR_HANDLE_INVALID;

/// The note if the application has no actions, and the layer attaches none.
const NO_ACTIONS: &str = "controllers, pinches and the gaze are unknown: the application attached no actions; with \
    --own-actions the layer attaches its own";

/// The note if the layer has no actions.
const NO_OWN_ACTIONS: &str = "the gaze, and pinches and inputs that the application does not read, are unknown: no actions of the \
    layer";

/// The message after a panic.
const INTERNAL_ERROR: &str = "internal error: the recording has stopped";

static INSTANCES: RwLock<BTreeMap<u64, Link>> = RwLock::new(BTreeMap::new());

static SESSIONS: RwLock<BTreeMap<u64, Arc<Session>>> = RwLock::new(BTreeMap::new());

/// The functions of an instance in the next layer or the runtime, and the data of this layer for the instance.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) next: Next,
    /// `None` if nothing is recorded.
    pub(crate) instance: Option<Arc<Instance>>,
}

/// An instance that is recorded.
pub(crate) struct Instance {
    pub(crate) handle: xr::Instance,
    pub(crate) next: Next,
    pub(crate) settings: RecordSettings,
    /// The extensions of the layer that the application did not enable.
    pub(crate) added: Vec<Extension>,
    /// All extensions that the layer can use.
    pub(crate) enabled: Vec<Extension>,
    /// The names of the versions and extensions that the application uses, such as `XR_VERSION_1_0`.
    pub(crate) names: Vec<String>,
    pub(crate) actions: Mutex<Actions>,
    pub(crate) has_failed: AtomicBool,
}

/// The action set, and its actions.
#[derive(Clone)]
pub(crate) struct RecorderSet {
    pub(crate) set: xr::ActionSet,
    pub(crate) gaze: xr::Action,
    pub(crate) devices: BTreeMap<DeviceName, OwnActions>,
}

/// The actions of an instance.
#[derive(Default)]
pub(crate) struct Actions {
    pub(crate) set: Option<RecorderSet>,
    /// The number of sets that were made, or refused.
    pub(crate) made: u32,
    /// The set was attached to a session, so the runtime accepts no more bindings for it.
    pub(crate) was_attached: bool,
    /// The application suggested bindings for hands.
    pub(crate) has_hands: bool,
    /// The application suggested bindings for eyes.
    pub(crate) has_eyes: bool,
    pub(crate) application: Application,
}

/// A session that is recorded.
pub(crate) struct Session {
    pub(crate) handle: xr::Session,
    pub(crate) instance: Arc<Instance>,
    pub(crate) spaces: Spaces,
    pub(crate) state: Mutex<State>,
    /// The application has polled that it has the input.
    pub(crate) is_focused: AtomicBool,
    /// The profiles of all users when the application last polled that one has changed.
    pub(crate) reported_profiles: Mutex<Vec<xr::Path>>,
}

/// The spaces and hand trackers of the layer.
#[derive(Default)]
pub(crate) struct Spaces {
    /// The space in which poses are recorded.
    pub(crate) base: Option<xr::Space>,
    pub(crate) view: Option<xr::Space>,
    /// The trackers of the left and the right hand.
    pub(crate) trackers: [Option<Tracker>; 2],
    /// Messages about spaces and trackers that the runtime does not offer.
    pub(crate) notes: Vec<String>,
}

/// A hand tracker.
#[derive(Clone, Copy)]
pub(crate) struct Tracker {
    pub(crate) handle: xr::HandTrackerEXT,
    /// The runtime answers whether the hand is seen, or computed from the state of a controller.
    pub(crate) has_source: bool,
}

/// The action set of the layer in a session, and the spaces of its actions.
#[derive(Clone)]
pub(crate) struct Attached {
    pub(crate) set: Arc<RecorderSet>,
    /// The spaces of the poses of each device.
    pub(crate) poses: BTreeMap<DeviceName, Vec<(PoseName, xr::Space)>>,
    pub(crate) gaze: Option<xr::Space>,
}

/// A plan with the spaces of the poses of the devices.
#[derive(Clone)]
pub(crate) struct Planned {
    pub(crate) plan: Arc<Plan>,
    pub(crate) poses: Arc<Vec<(DeviceName, Vec<PoseSpaces>)>>,
}

/// The spaces that give a pose of a device: the first one that the runtime can locate does.
pub(crate) struct PoseSpaces {
    pub(crate) name: PoseName,
    pub(crate) spaces: Vec<xr::Space>,
}

/// The part of a session that changes.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) frames: Frames<Inputs>,
    /// The views of the application; `None` before it begins the session.
    pub(crate) views: Option<xr::ViewConfigurationType>,
    /// The last known values of the headset. They are recorded in each frame, because they belong to the headset and the user, also
    /// while a hand is not tracked.
    pub(crate) headset: Headset,
    pub(crate) recording: Option<Recording>,
    pub(crate) attached: Option<Attached>,
    /// The action sets of the application that are attached.
    pub(crate) sets: Vec<u64>,
    /// The users whose inputs are recorded; empty until actions are attached.
    pub(crate) users: Arc<Vec<RecordedUser>>,
    /// The plan for the profiles of the users.
    pub(crate) planned: Option<Planned>,
    /// The actions that were active and the inputs that were read in earlier plans.
    usage: Usage,
    /// The spaces of actions of the application for users; `None` if the runtime refuses a space.
    pub(crate) action_spaces: HashMap<(xr::Action, xr::Path), Option<xr::Space>>,
    /// Haptic pulses whose device, output or form is not known.
    pub(crate) lost_haptics: u64,
    /// The layer has tried to attach its action set alone.
    pub(crate) has_tried_alone: bool,
    /// The application synchronises actions.
    pub(crate) is_synchronised: bool,
    pub(crate) notes: Vec<String>,
}

/// Returns the data of an instance. Fails with `ERROR_HANDLE_INVALID` if there is no instance with this handle.
pub(crate) fn link(handle: xr::Instance) -> Result<Link, xr::Result> {
    let instances = INSTANCES.read().unwrap_or_else(PoisonError::into_inner);
    instances.get(&handle.into_raw()).cloned().ok_or(NO_HANDLE)
}

/// Returns the instance that is recorded and whose application has an action set or action for which `is_own` returns `true`; any
/// instance that is recorded if there is none, so that the application gets the error of the runtime. Fails with
/// `ERROR_HANDLE_INVALID` if no instance is recorded.
pub(crate) fn find_owner(
    is_own: impl Fn(&Application) -> bool,
) -> Result<Arc<Instance>, xr::Result> {
    let instances = INSTANCES.read().unwrap_or_else(PoisonError::into_inner);
    let recorded = || instances.values().filter_map(|link| link.instance.as_ref());
    let owner = recorded().find(|instance| is_own(&instance.actions().application));
    owner
        .or_else(|| recorded().next())
        .cloned()
        .ok_or(NO_HANDLE)
}

/// Returns the recorded instance if the layer has added an extension to it; `None` otherwise.
pub(crate) fn find_hiding(extension: Extension) -> Option<Arc<Instance>> {
    let instances = INSTANCES.read().unwrap_or_else(PoisonError::into_inner);
    let mut recorded = instances.values().filter_map(|link| link.instance.as_ref());
    let found = recorded.find(|instance| instance.added.contains(&extension));
    found.cloned()
}

/// Returns an instance that is recorded. Fails with `ERROR_HANDLE_INVALID` if there is none with this handle, or if it
/// is not recorded.
pub(crate) fn find_instance(handle: xr::Instance) -> Result<Arc<Instance>, xr::Result> {
    link(handle)?.instance.ok_or(NO_HANDLE)
}

/// Stores the data of a new instance.
pub(crate) fn add_instance(handle: xr::Instance, link: Link) {
    let mut instances = INSTANCES.write().unwrap_or_else(PoisonError::into_inner);
    instances.insert(handle.into_raw(), link);
}

/// Removes the data of an instance.
pub(crate) fn remove_instance(handle: xr::Instance) {
    let mut instances = INSTANCES.write().unwrap_or_else(PoisonError::into_inner);
    instances.remove(&handle.into_raw());
}

/// Returns a session that is recorded. Fails with `ERROR_HANDLE_INVALID` if there is none with this handle.
pub(crate) fn find_session(handle: xr::Session) -> Result<Arc<Session>, xr::Result> {
    let sessions = SESSIONS.read().unwrap_or_else(PoisonError::into_inner);
    sessions.get(&handle.into_raw()).cloned().ok_or(NO_HANDLE)
}

/// Adds a session to the table of recorded sessions.
pub(crate) fn add_session(session: Arc<Session>) {
    let mut sessions = SESSIONS.write().unwrap_or_else(PoisonError::into_inner);
    sessions.insert(session.handle.into_raw(), session);
}

/// Removes a session from the table of recorded sessions.
pub(crate) fn remove_session(handle: xr::Session) {
    let mut sessions = SESSIONS.write().unwrap_or_else(PoisonError::into_inner);
    sessions.remove(&handle.into_raw());
}

/// Removes the sessions of an instance, ends their recordings, and returns the sessions.
pub(crate) fn remove_sessions(instance: xr::Instance) -> Vec<Arc<Session>> {
    let mut sessions = SESSIONS.write().unwrap_or_else(PoisonError::into_inner);
    let is_of = |session: &Arc<Session>| session.instance.handle == instance;
    let removed: Vec<_> = sessions
        .values()
        .filter(|one| is_of(one))
        .cloned()
        .collect();
    sessions.retain(|_, session| !is_of(session));
    drop(sessions);
    for session in &removed {
        session.finish();
    }
    removed
}

impl Instance {
    /// Returns `true` if the extension is enabled in this instance, by the application or by the layer.
    pub(crate) fn has(&self, extension: Extension) -> bool {
        self.enabled.contains(&extension)
    }

    /// Returns `true` if the application uses a version or an extension of OpenXR, such as `XR_VERSION_1_1`, or the layer has added the
    /// extension.
    pub(crate) fn uses(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }

    /// Returns `true` if the application itself uses a version or an extension of OpenXR.
    pub(crate) fn shows(&self, name: &str) -> bool {
        self.uses(name) && !self.added.iter().any(|extension| extension.is(name))
    }

    /// Splits the path of a binding into its owner and the rest, such as `/input/trigger/value`. `None` if the user is not known.
    pub(crate) fn split<'p>(&self, path: &'p str) -> Option<(Owner, &'p str)> {
        let trackers = || {
            let text = |path| self.next.string(path);
            let paths = self.next.trackers().into_iter();
            paths
                .filter_map(|[persistent, role]| Some((text(persistent)?, text(role))))
                .collect()
        };
        Owner::split_with(path, trackers)
    }

    /// Returns `true` if the application must not get the user with this path, because the user belongs to an extension that only
    /// the layer has enabled.
    pub(crate) fn hides_user(&self, user: xr::Path) -> bool {
        self.added.contains(&Extension::EyeGaze) && self.next.string(user).as_deref() == Some(EYES)
    }

    /// Returns `true` if the application must not get this function, because it belongs to an extension that only the
    /// layer has enabled.
    pub(crate) fn hides(&self, function: &str) -> bool {
        let mut added = self.added.iter();
        added.any(|extension| extension.has_function(function))
    }

    /// Returns `true` if a panic has ended the recording of this instance.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Calls `work`, which is for the recording, and returns its result. `None` after a panic: it ends the recording,
    /// and does not reach the application.
    pub(crate) fn protect<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        if self.has_failed() {
            return None;
        }
        let done = catch_unwind(AssertUnwindSafe(work));
        if done.is_err() && !self.has_failed.swap(true, Ordering::Relaxed) {
            print(INTERNAL_ERROR);
        }
        done.ok()
    }

    /// Locks the actions of the layer in this instance.
    pub(crate) fn actions(&self) -> MutexGuard<'_, Actions> {
        self.actions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    pub(crate) fn next(&self) -> &Next {
        &self.instance.next
    }

    /// Locks the state of the session. Do not call functions of the next layer while it is locked.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work`, which is for the recording, and returns its result. `None` after a panic: it ends the recording,
    /// and does not reach the application.
    pub(crate) fn protect<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        self.instance.protect(work)
    }

    /// Returns `true` if the session has the focus, and the application has polled the event that reports it.
    pub(crate) fn is_focused(&self) -> bool {
        self.is_focused.load(Ordering::Relaxed)
    }

    /// Stores whether the session has the focus, and sends the new state, of which the application has been told, to
    /// the recording.
    pub(crate) fn change(&self, state: xr::SessionState) {
        let is_focused = state == xr::SessionState::FOCUSED;
        self.is_focused.store(is_focused, Ordering::Relaxed);
        // The name of a state in the specification, in words.
        let name = format!("{state:?}").to_lowercase().replace('_', " ");
        let name = STATE_MARKER.to_owned() + &name;
        self.send(|time| Message::State { time, name });
    }

    /// Adds a marker to the recording at the time of the newest frame. Does nothing before the recording begins.
    pub(crate) fn mark(&self, name: String) {
        self.send(|time| Message::Marker { time, name });
    }

    /// Adds a marker to the recording at a time of OpenXR, but not before the newest frame. Does nothing before the recording begins.
    pub(crate) fn mark_at(&self, time: xr::Time, name: String) {
        let mut state = self.lock();
        if let (Some(now), Some(at)) = (state.frames.now(), state.frames.seconds(time.as_nanos())) {
            state.send(Message::Marker {
                time: at.max(now),
                name,
            });
        }
    }

    /// Sends the message that `message` creates for the time of the newest frame, in seconds, to the recording. Does
    /// nothing before the recording begins.
    fn send(&self, message: impl FnOnce(f32) -> Message) {
        let mut state = self.lock();
        if let Some(time) = state.frames.now() {
            state.send(message(time));
        }
    }

    /// Begins a recording, and stores it in `state`. If this fails, prints the reason.
    pub(crate) fn begin(&self, state: &mut State) {
        match Recording::start(&self.instance.settings) {
            Ok(recording) => state.recording = Some(recording),
            Err(error) => print(format_args!("nothing is recorded: {error}")),
        }
    }

    pub(crate) fn attached(&self) -> Option<Attached> {
        self.lock().attached.clone()
    }

    /// Stops to use the action set of the layer in this session. `reason` becomes a note in the report.
    pub(crate) fn lose_actions(&self, reason: &str) {
        let mut state = self.lock();
        state.attached = None;
        state.notes.push(reason.to_owned());
    }

    /// Ends the recording, if there is one, and waits until its files are written.
    pub(crate) fn finish(&self) {
        let mut state = self.lock();
        let recording = state.recording.take();
        state.frames = Frames::default();
        state.headset = Headset::default();
        let mut notes = self.spaces.notes.clone();
        notes.append(&mut state.notes);
        if state.attached.is_none() {
            notes.push(match state.sets.is_empty() {
                true => NO_ACTIONS.to_owned(),
                false => NO_OWN_ACTIONS.to_owned(),
            });
        }
        if state.lost_haptics > 0 {
            notes.push(format!(
                "haptic pulses of an unknown device or form, which are not recorded: {}",
                state.lost_haptics
            ));
        }
        state.set_plan(None);
        let usage = std::mem::take(&mut state.usage);
        drop(state);
        if let Some(recording) = recording {
            let error = self.instance.has_failed().then_some(INTERNAL_ERROR);
            // Frames before a panic are written too, and a second panic does not reach the application either.
            let finished =
                AssertUnwindSafe(|| recording.finish(notes, usage.into_devices(), error));
            if catch_unwind(finished).is_err() {
                print("internal error while the recording was written");
            }
        }
    }

    /// Writes a report that nothing was recorded, unless the process has begun a recording.
    pub(crate) fn report_nothing(&self) {
        let mut notes = self.spaces.notes.clone();
        notes.push("the application never had the input, so nothing was recorded".to_owned());
        let mut report = RecordReport::default();
        report.notes = notes;
        // A report of an earlier recording stays.
        let settings = &self.instance.settings;
        if let Some(path) = &settings.report
            && !recording::has_begun(&settings.output)
        {
            files::write_report(path, &report);
        }
    }
}

impl State {
    /// Uses another plan from now on.
    pub(crate) fn set_plan(&mut self, planned: Option<Planned>) {
        if let Some(before) = std::mem::replace(&mut self.planned, planned) {
            self.usage.add(&before.plan);
        }
    }

    /// Sends a message to the recording. Does nothing if nothing is recorded.
    pub(crate) fn send(&mut self, message: Message) {
        if let Some(recording) = &mut self.recording {
            recording.send(message);
        }
    }
}
