//! Sessions of the application, and the spaces and hand trackers of the layer.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use inputanim::Side;
use inputanim_openxr::{RecordReport, RecordSpace};
use openxr_sys::{self as xr, Handle};

use crate::actions::RecorderSet;
use crate::bindings::HANDS;
use crate::extensions::Extension;
use crate::files;
use crate::frames::Frames;
use crate::instance::{self, INTERNAL_ERROR, Instance, NO_HANDLE};
use crate::messages::print;
use crate::recording::{self, Message, Recording};
use inputanim_openxr_ffi::Reply;
use inputanim_openxr_ffi::{Next, check};
use inputanim_openxr_ffi::{Read, Write};

static SESSIONS: RwLock<BTreeMap<u64, Arc<Session>>> = RwLock::new(BTreeMap::new());

/// A session that is recorded.
pub(crate) struct Session {
    pub(crate) handle: xr::Session,
    pub(crate) instance: Arc<Instance>,
    pub(crate) places: Places,
    state: Mutex<State>,
    /// The application has polled that it has the input.
    is_focused: AtomicBool,
}

/// The spaces and hand trackers of the layer.
#[derive(Default)]
pub(crate) struct Places {
    /// The space in which poses are recorded.
    pub(crate) base: Option<xr::Space>,
    pub(crate) view: Option<xr::Space>,
    /// The trackers of the left and the right hand.
    pub(crate) trackers: [Option<xr::HandTrackerEXT>; 2],
    /// What the runtime does not offer.
    notes: Vec<String>,
}

/// The action set of the layer in a session, and the spaces of its actions.
#[derive(Clone, Copy)]
pub(crate) struct Attached {
    pub(crate) set: RecorderSet,
    /// The paths of the hands.
    pub(crate) hands: [xr::Path; 2],
    pub(crate) grips: [Option<xr::Space>; 2],
    pub(crate) gaze: Option<xr::Space>,
}

/// What changes during a session.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) frames: Frames,
    pub(crate) recording: Option<Recording>,
    pub(crate) attached: Option<Attached>,
    /// The layer has tried to attach its action set alone.
    pub(crate) has_tried_alone: bool,
    /// The application synchronises actions.
    pub(crate) is_synchronised: bool,
    pub(crate) notes: Vec<String>,
}

/// Returns a session that is recorded.
pub(crate) fn find(handle: xr::Session) -> Result<Arc<Session>, xr::Result> {
    let sessions = SESSIONS.read().unwrap_or_else(PoisonError::into_inner);
    sessions.get(&handle.into_raw()).cloned().ok_or(NO_HANDLE)
}

fn add(session: Arc<Session>) {
    let mut sessions = SESSIONS.write().unwrap_or_else(PoisonError::into_inner);
    sessions.insert(session.handle.into_raw(), session);
}

/// Ends the recordings of an instance, and returns its sessions.
pub(crate) fn remove_all(instance: xr::Instance) -> Vec<Arc<Session>> {
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

/// Keeps sessions whose instance could not be destroyed.
pub(crate) fn restore(sessions: Vec<Arc<Session>>) {
    sessions.into_iter().for_each(add);
}

pub(crate) fn create(
    handle: xr::Instance,
    info: Read<xr::SessionCreateInfo>,
    session: Write<xr::Session>,
) -> Reply {
    let instance = instance::find(handle)?;
    let result = instance.next.create_session(handle, info, session);
    if check(result).is_ok()
        && let Some(handle) = session.value()
    {
        let places = instance.protect(|| Places::new(&instance, handle));
        add(Arc::new(Session {
            handle,
            instance,
            places: places.unwrap_or_default(),
            state: Mutex::default(),
            is_focused: AtomicBool::new(false),
        }));
    }
    Ok(result)
}

pub(crate) fn end(handle: xr::Session) -> Reply {
    let session = find(handle)?;
    let result = session.next().end_session(handle);
    if check(result).is_ok() {
        session.finish();
    }
    Ok(result)
}

pub(crate) fn destroy(handle: xr::Session) -> Reply {
    let session = find(handle)?;
    // The recording is complete before the runtime does anything.
    session.finish();
    session.report_nothing();
    let result = session.next().destroy_session(handle);
    if check(result).is_ok() {
        let mut sessions = SESSIONS.write().unwrap_or_else(PoisonError::into_inner);
        sessions.remove(&handle.into_raw());
    }
    Ok(result)
}

impl Session {
    pub(crate) fn next(&self) -> &Next {
        &self.instance.next
    }

    /// Locks the state. No function of the next layer is called meanwhile.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work for the recording. A panic does not reach the application.
    pub(crate) fn protect<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        self.instance.protect(work)
    }

    /// Returns whether the application knows that it has the input.
    pub(crate) fn is_focused(&self) -> bool {
        self.is_focused.load(Ordering::Relaxed)
    }

    /// Notes a state of which the application has been told.
    pub(crate) fn change(&self, state: xr::SessionState) {
        let is_focused = state == xr::SessionState::FOCUSED;
        self.is_focused.store(is_focused, Ordering::Relaxed);
        // The name of a state in the specification, in words.
        let name = format!("{state:?}").to_lowercase().replace('_', " ");
        let name = format!("session {name}");
        self.send(|time| Message::State { time, name });
    }

    /// Adds a marker at the time of the present frame, if a recording has begun.
    pub(crate) fn mark(&self, name: String) {
        self.send(|time| Message::Marker { time, name });
    }

    /// Sends a message with the time of the present frame, if a recording has begun.
    fn send(&self, message: impl FnOnce(f32) -> Message) {
        let mut state = self.lock();
        if let Some(time) = state.frames.now() {
            state.send(message(time));
        }
    }

    /// Begins a recording.
    pub(crate) fn begin(&self, state: &mut State) {
        match Recording::start(&self.instance.settings) {
            Ok(recording) => state.recording = Some(recording),
            Err(error) => print(format_args!("nothing is recorded: {error}")),
        }
    }

    /// Uses the action set of the layer, which is attached.
    pub(crate) fn attach(&self, set: RecorderSet) {
        let path = |hand| self.next().path(hand).unwrap_or(xr::Path::NULL);
        let hands = HANDS.map(path);
        let attached = Attached {
            set,
            hands,
            grips: hands.map(|hand| self.action_space(set.grip, hand)),
            gaze: self.action_space(set.gaze, xr::Path::NULL),
        };
        self.lock().attached = Some(attached);
    }

    pub(crate) fn attached(&self) -> Option<Attached> {
        self.lock().attached
    }

    /// Does without the action set of the layer.
    pub(crate) fn lose_actions(&self, reason: &str) {
        let mut state = self.lock();
        state.attached = None;
        state.notes.push(reason.to_owned());
    }

    /// Notes that the application has synchronised actions.
    pub(crate) fn synchronised(&self, result: xr::Result, own: Option<Attached>) {
        let pinches = match own {
            // Without the focus, all actions are inactive.
            Some(own) if result == xr::Result::SUCCESS => self.pinches(&own),
            _ => [false; 2],
        };
        let mut state = self.lock();
        if check(result).is_ok() {
            state.is_synchronised = true;
            state.frames.sync(pinches);
        }
    }

    /// Ends a recording, and writes its files.
    pub(crate) fn finish(&self) {
        let mut state = self.lock();
        let recording = state.recording.take();
        state.frames = Frames::default();
        let mut notes = self.places.notes.clone();
        notes.append(&mut state.notes);
        if state.attached.is_none() {
            notes.push("pinches and the gaze are unknown: no actions of the layer".to_owned());
        }
        drop(state);
        if let Some(recording) = recording {
            let error = self.instance.has_failed().then_some(INTERNAL_ERROR);
            // Frames before a panic are written too, and a second panic does not reach the application either.
            let finished = AssertUnwindSafe(|| recording.finish(notes, error));
            if catch_unwind(finished).is_err() {
                print("internal error while the recording was written");
            }
        }
    }

    /// Reports that nothing was recorded, if that is so.
    fn report_nothing(&self) {
        let mut notes = self.places.notes.clone();
        notes.push("the application never had the input, so nothing was recorded".to_owned());
        let report = RecordReport {
            notes,
            ..RecordReport::default()
        };
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
    /// Sends a frame or marker to the recording.
    pub(crate) fn send(&mut self, message: Message) {
        if let Some(recording) = &mut self.recording {
            recording.send(message);
        }
    }
}

impl Places {
    fn new(instance: &Instance, session: xr::Session) -> Places {
        let mut places = Places::default();
        let space = |kind| {
            let info = xr::ReferenceSpaceCreateInfo {
                ty: xr::ReferenceSpaceCreateInfo::TYPE,
                next: ptr::null(),
                reference_space_type: kind,
                pose_in_reference_space: xr::Posef::IDENTITY,
            };
            let mut space = xr::Space::NULL;
            let (info, made) = ((&info).into(), (&mut space).into());
            check(instance.next.create_reference_space(session, info, made)).map(|()| space)
        };
        let stage = match instance.settings.space {
            RecordSpace::Local => None,
            RecordSpace::Auto | RecordSpace::Stage => space(xr::ReferenceSpaceType::STAGE)
                .inspect_err(|error| {
                    let note = format!(
                        "the runtime has no stage ({error:?}): poses are in the local space"
                    );
                    places.notes.push(note);
                })
                .ok(),
        };
        places.base = stage.or_else(|| {
            let local = space(xr::ReferenceSpaceType::LOCAL);
            local
                .inspect_err(|error| {
                    places
                        .notes
                        .push(format!("the runtime has no local space: {error:?}"));
                })
                .ok()
        });
        places.view = space(xr::ReferenceSpaceType::VIEW).ok();
        for side in Side::BOTH {
            places.trackers[usize::from(side == Side::Right)] =
                places.tracker(instance, session, side);
        }
        if !instance.has(Extension::EyeGaze) {
            places
                .notes
                .push("the runtime does not offer eye gaze".to_owned());
        }
        places
    }

    fn tracker(
        &mut self,
        instance: &Instance,
        session: xr::Session,
        side: Side,
    ) -> Option<xr::HandTrackerEXT> {
        if !instance.has(Extension::HandTracking) {
            if side == Side::Left {
                self.notes
                    .push("the runtime does not offer hand tracking".to_owned());
            }
            return None;
        }
        // Hands that a runtime makes from controllers are better than none.
        let mut sources = [
            xr::HandTrackingDataSourceEXT::UNOBSTRUCTED,
            xr::HandTrackingDataSourceEXT::CONTROLLER,
        ];
        let source = xr::HandTrackingDataSourceInfoEXT {
            ty: xr::HandTrackingDataSourceInfoEXT::TYPE,
            next: ptr::null(),
            requested_data_source_count: sources.len() as u32,
            requested_data_sources: sources.as_mut_ptr(),
        };
        let plain = xr::HandTrackerCreateInfoEXT {
            ty: xr::HandTrackerCreateInfoEXT::TYPE,
            next: ptr::null(),
            hand: match side {
                Side::Left => xr::HandEXT::LEFT,
                Side::Right => xr::HandEXT::RIGHT,
            },
            hand_joint_set: xr::HandJointSetEXT::DEFAULT,
        };
        let chained = xr::HandTrackerCreateInfoEXT {
            next: (&raw const source).cast(),
            ..plain
        };
        let create = |info: &xr::HandTrackerCreateInfoEXT| {
            let mut tracker = xr::HandTrackerEXT::NULL;
            let (info, made) = (info.into(), (&mut tracker).into());
            check(instance.next.create_hand_tracker(session, info, made)).map(|()| tracker)
        };
        let with_source = instance
            .has(Extension::HandDataSource)
            .then(|| create(&chained).ok());
        let tracker = with_source.flatten().map_or_else(|| create(&plain), Ok);
        tracker
            .inspect_err(|error| {
                self.notes
                    .push(format!("the {side} hand cannot be tracked: {error:?}"));
            })
            .ok()
    }
}
