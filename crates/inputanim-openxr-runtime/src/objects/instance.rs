//! An instance, its events, and its report.

use std::collections::{HashMap, HashSet, VecDeque};

use inputanim::{DeviceName, Side};
use inputanim_openxr::{
    Clock, InputReport, Player, ReferenceSpace, Report, Scene, User, UserReport,
};
use inputanim_openxr_ffi::Next;
use openxr_sys as xr;

use super::actions::{Action, ActionSet};
use super::handles::NO_HANDLE;
use super::paths::Paths;
use super::session::Session;
use super::users::Tracker;
use crate::clock;
use crate::extensions::Extension;
use crate::graphics::Api;

/// The states after the session of an application has the input, until it must stop.
const STOP: [xr::SessionState; 3] = [
    xr::SessionState::VISIBLE,
    xr::SessionState::SYNCHRONIZED,
    xr::SessionState::STOPPING,
];

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
    /// The graphics APIs for whose requirements the application has asked.
    pub(crate) requirements: HashSet<Api>,
    /// The Vulkan instance of the application, which some functions do not get; 0 before it is known.
    pub(crate) vulkan_instance: u64,
    pub(crate) session: Option<Session>,
    /// The recorded trackers; empty if the application has not enabled their extension.
    pub(crate) trackers: Vec<Tracker>,
    /// The runtime over which the recording is played; `None` if this is the runtime.
    pub(crate) below: Option<Next>,
    report: Report,
}

/// An event that the application has not polled yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    State(xr::SessionState, xr::Time),
    Profiles,
    /// A tracker is connected.
    Tracker(DeviceName),
    /// The origin of a reference space moves at this time.
    Recentred(xr::ReferenceSpaceType, xr::Time),
}

/// The number of events that wait at most.
const MAX_EVENTS: usize = 1000;

impl Instance {
    /// Creates an instance without a session, and reports its creation. `version` is the version of OpenXR that the
    /// application uses. The report contains the sessions and frames of its instances before, from the report `earlier`.
    pub(crate) fn new(
        handle: xr::Instance,
        version: xr::Version,
        extensions: HashSet<Extension>,
        player: Player,
        earlier: &Report,
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
            requirements: HashSet::new(),
            vulkan_instance: 0,
            session: None,
            trackers: Vec::new(),
            below: None,
            report: Report::default(),
        };
        instance.add_trackers();
        let start = instance.scene(xr::Time::from_nanos(0));
        instance.connect(&start);
        instance.report(|report| {
            report.has_instance = true;
            report.has_session = earlier.has_session;
            report.frames = earlier.frames;
            report.unsaved_layers = earlier.unsaved_layers;
        });
        instance
    }

    /// Changes the report, and writes it to its file if it has changed.
    pub(crate) fn report(&mut self, change: impl FnOnce(&mut Report)) {
        let state = |report: &Report| {
            let Report {
                has_instance,
                has_session,
                is_over,
                ..
            } = *report;
            let InputReport {
                is_wanted,
                is_active,
                ..
            } = report.input;
            [has_instance, has_session, is_over, is_wanted, is_active]
        };
        let before = state(&self.report);
        change(&mut self.report);
        if state(&self.report) != before {
            self.write_report();
        }
    }

    /// Returns the report on this instance and the instances before.
    pub(crate) const fn reported(&self) -> &Report {
        &self.report
    }

    /// Counts a frame of the recording. The report is not written before the session ends.
    pub(crate) fn count_frame(&mut self) {
        self.report.frames += 1;
    }

    /// Counts layers of a frame that its images do not show. The report is not written before the session ends.
    pub(crate) fn count_unsaved_layers(&mut self, count: u64) {
        self.report.unsaved_layers += count;
    }

    /// Writes the report to the file that the settings name; does nothing if they name none. Errors are ignored,
    /// because without the report, only the messages of the program that started the application are less exact.
    pub(crate) fn write_report(&mut self) {
        let Some(path) = self.player.settings().report.clone() else {
            return;
        };
        let trackers = self
            .session
            .iter()
            .flat_map(|session| session.trackers.values());
        self.report.input.is_wanted |= trackers.into_iter().any(|one| one.is_of_application);
        if let Some(users) = self.user_reports() {
            self.report.input.users = users;
        }
        if let Ok(text) = serde_json::to_string(&self.report) {
            // The program may read the report at this moment.
            let new = path.with_extension("new");
            let _ = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path));
        }
    }

    /// Returns the reports on the hands, and on the other devices that are recorded or for which the application has bindings. `None`
    /// if the application has attached no actions.
    fn user_reports(&self) -> Option<Vec<UserReport>> {
        let session = self.session.as_ref()?;
        let attached = session.attached.as_ref()?;
        let hands = Side::BOTH.map(DeviceName::controller);
        let recorded = self.player.devices().iter().map(|device| device.name);
        let bound = attached.profiles.keys().filter_map(|user| user.device());
        let mut others: Vec<DeviceName> = recorded.chain(bound).collect();
        others.retain(|name| !hands.contains(name));
        others.sort();
        others.dedup();
        let squeezes = self.player.settings().pinch_squeezes;
        let report = |name: DeviceName| {
            let mut report = attached.report(name, self.player.device(name), squeezes);
            let haptics = session.haptics.get(&User::Device(name));
            report.haptics = haptics.copied().unwrap_or_default();
            report
        };
        Some(hands.into_iter().chain(others).map(report).collect())
    }

    /// Returns the only session. Fails with `ERROR_HANDLE_INVALID` if there is none.
    pub(crate) fn session(&mut self) -> Result<&mut Session, xr::Result> {
        self.session.as_mut().ok_or(NO_HANDLE)
    }

    /// Returns `true` if the application has enabled this extension.
    pub(crate) fn has(&self, extension: Extension) -> bool {
        self.extensions.contains(&extension)
    }

    /// Adds an event to the queue of the application. If the queue is full, the oldest event is lost.
    pub(crate) fn send(&mut self, event: Event) {
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
            self.lost_events += 1;
        }
        self.events.push_back(event);
    }

    /// Changes the state of the session to each of `states` in turn, and sends an event for each. `time` is the time of
    /// the changes in nanoseconds.
    pub(crate) fn enter(&mut self, states: &[xr::SessionState], time: i64) {
        for &state in states {
            if let Some(session) = &mut self.session {
                session.state = state;
            }
            self.send(Event::State(state, xr::Time::from_nanos(time.max(1))));
        }
    }

    /// Repeats what changed in the recorded session until a frame: the application loses the input and gets it again, and the
    /// origins of reference spaces move. The poses contain the movement of the origins, so spaces stay where they are.
    pub(crate) fn repeat_changes(&mut self, display: i64) {
        let has_floor = self.offers("XR_VERSION_1_1");
        let Some(session) = &mut self.session else {
            return;
        };
        if !session.timeline.has_begun() {
            return;
        }
        let now = session.timeline.recording_time(display);
        let before = session.repeated.replace(now);
        // A lap of a loop begins again.
        let before = before.filter(|&before| before <= now);
        let spaces = self.player.recentred(before.unwrap_or(f32::MIN), now);
        let spaces: Vec<_> = spaces
            .filter_map(|space| match space {
                ReferenceSpace::Local => Some(xr::ReferenceSpaceType::LOCAL),
                ReferenceSpace::Stage => Some(xr::ReferenceSpaceType::STAGE),
                ReferenceSpace::LocalFloor => {
                    has_floor.then_some(xr::ReferenceSpaceType::LOCAL_FLOOR)
                }
                _ => None,
            })
            .collect();
        let state = session.state;
        for space in spaces {
            self.send(Event::Recentred(space, xr::Time::from_nanos(display)));
        }
        match (state, self.player.has_focus_at(now)) {
            (xr::SessionState::FOCUSED, false) => {
                self.enter(&[xr::SessionState::VISIBLE], display);
            }
            (xr::SessionState::VISIBLE, true) => {
                self.enter(&[xr::SessionState::FOCUSED], display);
            }
            _ => {}
        }
    }

    /// Sends an event for each tracker that is connected in a scene and was not before. A tracker is connected unless the recording
    /// states that it is not active.
    pub(crate) fn connect(&mut self, scene: &Scene) {
        let mut events = Vec::new();
        for tracker in &mut self.trackers {
            let device = scene.device(tracker.name);
            let is_connected = device.is_some_and(|device| device.is_active || !device.is_known);
            if is_connected && !tracker.is_connected {
                events.push(Event::Tracker(tracker.name));
            }
            tracker.is_connected = is_connected;
        }
        events.into_iter().for_each(|event| self.send(event));
    }

    /// Converts a display time to the time in the recording in seconds: the start of the recording before playback
    /// begins, and 0 without a session.
    pub(crate) fn seconds(&self, time: xr::Time) -> f32 {
        let timeline = self.session.as_ref().map(|session| &session.timeline);
        timeline.map_or(0.0, |timeline| timeline.recording_time(time.as_nanos()))
    }

    /// Returns the poses and states that the application gets at a display time.
    pub(crate) fn scene(&self, time: xr::Time) -> Scene {
        self.player.scene_at(self.seconds(time))
    }

    /// Returns `true` if the application uses a version of OpenXR or an extension, such as `XR_VERSION_1_1`.
    pub(crate) fn offers(&self, name: &str) -> bool {
        match name {
            "XR_VERSION_1_0" => true,
            "XR_VERSION_1_1" => self.version.minor() >= 1,
            _ => Extension::named(name).is_some_and(|extension| self.has(extension)),
        }
    }

    /// Asks the application to end the session. Does nothing if there is no session, or if it is idle or already stops.
    pub(crate) fn stop(&mut self) {
        let session = self.session.as_ref();
        if let Some((handle, below)) = session.and_then(|one| Some((one.handle, one.below?))) {
            below.next.request_exit_session(handle);
            return;
        }
        let Some(state) = self.session.as_ref().map(|session| session.state) else {
            return;
        };
        // The states between the present one and the end.
        let rest = match state {
            xr::SessionState::FOCUSED => &STOP[..],
            xr::SessionState::VISIBLE => &STOP[1..],
            xr::SessionState::SYNCHRONIZED => &STOP[2..],
            xr::SessionState::READY => &STOP[1..],
            _ => return,
        };
        let now = self.now();
        self.enter(rest, now);
    }

    /// Asks the application to end the session, and notes in the report that the recording is over.
    pub(crate) fn finish(&mut self) {
        self.stop();
        self.report(|report| report.is_over = true);
    }

    /// Returns the time of the session in nanoseconds: the time of the computer, or for other clocks the display time
    /// of the last frame.
    pub(crate) fn now(&self) -> i64 {
        let timeline = self.session.as_ref().map(|session| &session.timeline);
        timeline.map_or_else(clock::now, |timeline| timeline.now(clock::now()))
    }

    /// Ends the session when its recording is over, if the application has no graphics and waits for no frames. Other
    /// sessions end with their last frame.
    pub(crate) fn check_end(&mut self) {
        let clock = self.player.settings().clock;
        let Ok(session) = self.session() else { return };
        if session.graphics.is_some() || clock != Clock::Real || session.frames.were_used() {
            return;
        }
        let now = clock::now();
        if session.is_focused {
            session.timeline.begin(now);
        }
        if session.timeline.is_over(now) {
            self.finish();
        }
    }
}
