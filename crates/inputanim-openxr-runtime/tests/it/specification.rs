//! The rules of the OpenXR specification that can be checked without graphics.
//!
//! Names in quotes are sections of the specification of OpenXR 1.1.

mod actions;
mod controllers;
mod hands;
mod headset;
mod instances;
mod sessions;
mod spaces;
mod trackers;

use std::path::PathBuf;

use inputanim::{Frame, Joint, Layout, Pose, Recorder, Recording};
use inputanim_openxr::{AtEnd, Settings};
use openxr::{self as xr, sys};

use crate::entry;
pub(crate) use trackers::recording_of_trackers;

const OK: sys::Result = sys::Result::SUCCESS;
const INVALID: sys::Result = sys::Result::ERROR_VALIDATION_FAILURE;
const NO_HANDLE: sys::Result = sys::Result::ERROR_HANDLE_INVALID;

const LEFT: &str = "/user/hand/left";
const RIGHT: &str = "/user/hand/right";
const SIMPLE: &str = "/interaction_profiles/khr/simple_controller";
const TOUCH: &str = "/interaction_profiles/oculus/touch_controller";
const HANDS: &str = "/interaction_profiles/ext/hand_interaction_ext";

/// Returns a structure with its type. All other fields are zero, except those that are listed.
macro_rules! of {
    ($ty:ident $({ $($field:ident: $value:expr),* $(,)? })?) => {{
        // SAFETY: the structure has only numbers and pointers, for which zero is valid.
        #[allow(unused_mut, reason = "structures without other fields")]
        let mut value: sys::$ty = unsafe { std::mem::zeroed() };
        value.ty = sys::$ty::TYPE;
        $($(value.$field = $value;)*)?
        value
    }};
}

/// Calls a function of an instance.
macro_rules! raw {
    ($instance:expr, $name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the pointers of the tests are valid or null. The runtime checks handles and null pointers.
        unsafe { ($instance.fp().$name)($($argument),*) }
    };
}

pub(crate) use {of, raw};

/// Returns the result code of a call.
fn code<T>(result: xr::Result<T>) -> sys::Result {
    result.err().unwrap_or(OK)
}

/// Writes a text into an array of a structure.
fn write(text: &str, array: &mut [std::ffi::c_char]) {
    for (to, from) in array.iter_mut().zip(text.bytes()) {
        *to = from as std::ffi::c_char;
    }
}

/// Returns a list of at least two elements, after a check of the rules for the memory of lists ("Buffer Size Parameters").
fn list<T: Copy>(blank: T, call: impl Fn(u32, *mut u32, *mut T) -> sys::Result) -> Vec<T> {
    let mut count = 0;
    assert_eq!(call(0, &raw mut count, std::ptr::null_mut()), OK);
    let length = count;
    let mut all = vec![blank; length as usize];
    count = 0;
    let too_small = call(length - 1, &raw mut count, all.as_mut_ptr());
    assert_eq!(
        (too_small, count),
        (sys::Result::ERROR_SIZE_INSUFFICIENT, length)
    );
    assert_eq!(call(length, &raw mut count, std::ptr::null_mut()), INVALID);
    assert_eq!(
        call(length, std::ptr::null_mut(), all.as_mut_ptr()),
        INVALID
    );
    count = 0;
    assert_eq!(
        (call(length, &raw mut count, all.as_mut_ptr()), count),
        (OK, length)
    );
    all
}

fn text(letters: &[std::ffi::c_char]) -> String {
    let bytes = letters.iter().map(|&letter| letter as u8);
    let bytes: Vec<u8> = bytes.take_while(|&letter| letter != 0).collect();
    String::from_utf8(bytes).expect("UTF-8")
}

/// Returns the settings for a sample, whose last frame stays.
fn sample(name: &str) -> Settings {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut settings = Settings::default();
    settings.recording = folder.join(name);
    settings.at_end = AtEnd::Hold;
    settings
}

/// The speed of [`moving`] in metres per second, along +X.
const SPEED: f32 = 0.5;
/// The turn of the head of [`moving`] in radians per second, about +Y of a recording, which is −Y of OpenXR.
const TURN: f32 = 1.5;

/// Returns the settings for a recording in which the head and the left hand move at a constant speed.
fn moving(seconds: f32) -> Settings {
    let mut settings = Settings::default();
    settings.recording = saved(&recording_of_moving(seconds));
    settings
}

fn recording_of_moving(seconds: f32) -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let frames = (seconds * 60.0).round() as u32;
    for index in 0..=frames {
        let time = index as f32 / 60.0;
        let half = TURN * time / 2.0;
        let mut frame = Frame {
            time,
            head: Some(Pose {
                position: [SPEED * time, 1.7, 0.0],
                rotation: [0.0, half.sin(), 0.0, half.cos()],
            }),
            ..Frame::default()
        };
        frame.left.tracked = true;
        for joint in Joint::OPENXR {
            frame.left.joints[joint] = Some(Pose::at([SPEED * time, 1.0, 0.5]));
        }
        recorder.push(&frame).expect("the time increases");
    }
    recorder.finish()
}

/// Saves a recording in a file of the test.
fn saved(recording: &Recording<'_>) -> PathBuf {
    let path = temporary_file();
    let bytes = recording.to_bytes().expect("the recording can be written");
    std::fs::write(&path, bytes).expect("the file can be written");
    path
}

/// Returns the path of a file that only this test uses.
fn temporary_file() -> PathBuf {
    let thread = std::thread::current();
    let test = thread
        .name()
        .expect("the name of the test")
        .replace("::", "-");
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(test + ".bin")
}

/// Returns the extensions that need no graphics.
fn extensions() -> xr::ExtensionSet {
    let mut all = xr::ExtensionSet::default();
    all.mnd_headless = true;
    all.ext_hand_tracking = true;
    all.ext_hand_tracking_data_source = true;
    all.ext_hand_interaction = true;
    all.ext_eye_gaze_interaction = true;
    all.ext_palm_pose = true;
    all.khr_locate_spaces = true;
    all
}

/// Returns an instance with the version `1.minor` of OpenXR.
fn instance(settings: &Settings, minor: u16, extensions: &xr::ExtensionSet) -> xr::Instance {
    let application = xr::ApplicationInfo {
        application_name: "specification",
        api_version: xr::Version::new(1, minor, 0),
        ..xr::ApplicationInfo::default()
    };
    let made = entry(settings).create_instance(&application, extensions, &[], &());
    made.expect("the runtime has the extensions")
}

/// An application without graphics.
struct App {
    instance: xr::Instance,
    system: xr::SystemId,
    session: xr::Session<xr::Headless>,
    waiter: xr::FrameWaiter,
    stream: xr::FrameStream<xr::Headless>,
    /// The display time of the first frame of the recording.
    began: Option<i64>,
}

impl App {
    /// Creates an application whose session has not begun.
    fn new(settings: &Settings) -> App {
        App::with(settings, 0, &extensions())
    }

    fn with(settings: &Settings, minor: u16, extensions: &xr::ExtensionSet) -> App {
        let instance = instance(settings, minor, extensions);
        let system = instance.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY);
        let system = system.expect("the system of the runtime");
        // SAFETY: a session without graphics has no handles.
        let made = unsafe {
            instance.create_session::<xr::Headless>(system, &xr::headless::SessionCreateInfo {})
        };
        let (session, waiter, stream) = made.expect("a session");
        App {
            instance,
            system,
            session,
            waiter,
            stream,
            began: None,
        }
    }

    /// Begins the session, and takes the input.
    fn begin(&mut self) {
        let view = xr::ViewConfigurationType::PRIMARY_STEREO;
        assert_eq!(self.session.begin(view), Ok(OK));
        assert_eq!(self.states().last(), Some(&xr::SessionState::FOCUSED));
    }

    /// Polls all events, and returns the states of the session.
    fn states(&self) -> Vec<xr::SessionState> {
        let mut states = Vec::new();
        let mut storage = xr::EventDataBuffer::new();
        while let Some(event) = self
            .instance
            .poll_event(&mut storage)
            .expect("no call fails")
        {
            if let xr::Event::SessionStateChanged(change) = event {
                assert!(change.time().as_nanos() > 0);
                states.push(change.state());
            }
        }
        states
    }

    /// Shows a frame, and returns its display time.
    fn frame(&mut self) -> xr::Time {
        let time = self.waiter.wait().expect("a frame").predicted_display_time;
        self.stream.begin().expect("the frame begins");
        let blend = xr::EnvironmentBlendMode::OPAQUE;
        self.stream.end(time, blend, &[]).expect("the frame ends");
        self.began.get_or_insert(time.as_nanos());
        time
    }

    /// Returns the time in the recording.
    fn seconds(&self, time: xr::Time) -> f32 {
        let began = self.began.expect("playback has begun");
        ((time.as_nanos() - began) as f64 / 1e9) as f32
    }

    fn path(&self, text: &str) -> xr::Path {
        self.instance
            .string_to_path(text)
            .expect("the text is a path")
    }

    fn reference(&self, kind: xr::ReferenceSpaceType, offset: xr::Posef) -> xr::Space {
        let space = self.session.create_reference_space(kind, offset);
        space.expect("the space is offered")
    }

    fn stage(&self) -> xr::Space {
        self.reference(xr::ReferenceSpaceType::STAGE, xr::Posef::IDENTITY)
    }

    fn set(&self, name: &str, priority: u32) -> xr::ActionSet {
        let set = self.instance.create_action_set(name, name, priority);
        set.expect("a new name")
    }

    fn action_space(&self, action: &xr::Action<xr::Posef>, user: xr::Path) -> xr::Space {
        let space = action.create_space(&self.session, user, xr::Posef::IDENTITY);
        space.expect("the user of the action")
    }

    fn state<T: xr::ActionInput>(
        &self,
        action: &xr::Action<T>,
        user: xr::Path,
    ) -> xr::ActionState<T> {
        action.state(&self.session, user).expect("a state")
    }

    /// Suggests bindings for a profile.
    fn suggest(&self, profile: &str, bindings: &[(sys::Action, &str)]) -> sys::Result {
        let binding = |&(action, text): &(sys::Action, &str)| sys::ActionSuggestedBinding {
            action,
            binding: self.path(text),
        };
        let bindings: Vec<_> = bindings.iter().map(binding).collect();
        let info = of!(InteractionProfileSuggestedBinding {
            interaction_profile: self.path(profile),
            count_suggested_bindings: bindings.len() as u32,
            suggested_bindings: bindings.as_ptr(),
        });
        raw!(
            self.instance,
            suggest_interaction_profile_bindings(self.instance.as_raw(), &raw const info)
        )
    }

    fn attach(&self, sets: &[&xr::ActionSet]) {
        self.session
            .attach_action_sets(sets)
            .expect("the first attachment");
    }

    /// Synchronises action sets for users; a null path stands for all users.
    fn sync(&self, sets: &[(&xr::ActionSet, xr::Path)]) -> sys::Result {
        let active = |&(set, subaction_path): &(&xr::ActionSet, xr::Path)| sys::ActiveActionSet {
            action_set: set.as_raw(),
            subaction_path,
        };
        let active: Vec<_> = sets.iter().map(active).collect();
        let info = of!(ActionsSyncInfo {
            count_active_action_sets: active.len() as u32,
            active_action_sets: active.as_ptr(),
        });
        raw!(
            self.instance,
            sync_actions(self.session.as_raw(), &raw const info)
        )
    }
}

/// Creates an action.
fn new_action<T: xr::ActionTy>(
    set: &xr::ActionSet,
    name: &str,
    users: &[xr::Path],
) -> xr::Action<T> {
    set.create_action(name, name, users).expect("a new name")
}

fn locate(space: &xr::Space, base: &xr::Space, time: xr::Time) -> xr::SpaceLocation {
    space.locate(base, time).expect("no call fails")
}

/// Checks that a location is a pose, or that it is not known.
fn same(found: &xr::SpaceLocation, wanted: Option<Pose>) {
    let flags = xr::SpaceLocationFlags::from_raw(if wanted.is_some() { 0xf } else { 0 });
    assert_eq!(found.location_flags, flags);
    if let Some(wanted) = wanted {
        near(found.pose, wanted);
    }
}

/// Checks that a pose is equal to another one, up to rounding.
fn near(found: xr::Posef, wanted: Pose) {
    let (p, q) = (found.position, found.orientation);
    let found = [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
    let ([x, y, z], [qx, qy, qz, qw]) = (wanted.position, wanted.rotation);
    for (found_part, part) in found.iter().zip([x, y, z, qx, qy, qz, qw]) {
        assert!((found_part - part).abs() < 1e-5, "{found:?} {wanted:?}");
    }
}
