//! An application without graphics that reads everything that a recording has.

use std::time::{Duration, Instant};

use openxr as xr;
use serde::Serialize;

/// What the application got for one frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Seen {
    pub(crate) time: i64,
    pub(crate) head: Option<[f32; 7]>,
    /// The left and the right hand, if they are active.
    pub(crate) hands: [Option<Vec<Option<[f32; 7]>>>; 2],
    pub(crate) is_pinching: [bool; 2],
    /// The state of both hands together, and whether it has changed.
    pub(crate) any_pinch: [bool; 2],
    pub(crate) gaze: Option<[f32; 7]>,
    pub(crate) grips: [Option<[f32; 7]>; 2],
}

/// Numbers of a pose: the position and the rotation.
fn numbers(pose: xr::Posef) -> [f32; 7] {
    let (p, q) = (pose.position, pose.orientation);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}

fn located(flags: xr::SpaceLocationFlags, pose: xr::Posef) -> Option<[f32; 7]> {
    let valid = xr::SpaceLocationFlags::POSITION_VALID | xr::SpaceLocationFlags::ORIENTATION_VALID;
    flags.contains(valid).then(|| numbers(pose))
}

/// Inserts a debug label, which the layer records as a marker.
fn label(session: &xr::Session<xr::Headless>) {
    if let Some(functions) = session.instance().exts().ext_debug_utils {
        let label = xr::sys::DebugUtilsLabelEXT {
            ty: xr::sys::DebugUtilsLabelEXT::TYPE,
            next: std::ptr::null(),
            label_name: c"client began".as_ptr(),
        };
        // SAFETY: the session and the label are valid.
        unsafe { (functions.session_insert_debug_utils_label)(session.as_raw(), &raw const label) };
    }
}

/// Plays until the runtime asks the application to exit, or for `frames` frames, and returns what it got since it had
/// the input.
pub(crate) fn play(entry: &xr::Entry, frames: usize) -> xr::Result<Vec<Seen>> {
    play_with(entry, frames, false)
}

/// Plays like [`play`], and inserts a debug label in the first frame, for which the runtime needs a loader.
pub(crate) fn play_with(
    entry: &xr::Entry,
    frames: usize,
    has_label: bool,
) -> xr::Result<Vec<Seen>> {
    let mut all = Vec::new();
    play_each(entry, frames, false, has_label, |seen| all.push(seen))?;
    Ok(all)
}

/// Plays like [`play_with`], gives what it got for each frame to `each`, and returns how long the end of the session took. After
/// `frames` frames, it leaves the session, or ends it if `is_ended` is `true`.
pub(crate) fn play_each(
    entry: &xr::Entry,
    frames: usize,
    is_ended: bool,
    has_label: bool,
    mut each: impl FnMut(Seen),
) -> xr::Result<Duration> {
    let mut extensions = xr::ExtensionSet::default();
    extensions.mnd_headless = true;
    extensions.ext_hand_tracking = true;
    extensions.ext_hand_interaction = true;
    extensions.ext_eye_gaze_interaction = true;
    extensions.ext_debug_utils = has_label;
    let application = xr::ApplicationInfo {
        application_name: "client",
        api_version: xr::Version::new(1, 0, 0),
        ..xr::ApplicationInfo::default()
    };
    let instance = entry.create_instance(&application, &extensions, &[], &())?;
    let system = instance.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY)?;

    let set = instance.create_action_set("all", "All", 0)?;
    let paths = [
        instance.string_to_path("/user/hand/left")?,
        instance.string_to_path("/user/hand/right")?,
    ];
    let pinch = set.create_action::<bool>("pinch", "Pinch", &paths)?;
    let grip = set.create_action::<xr::Posef>("grip", "Grip", &paths)?;
    let gaze = set.create_action::<xr::Posef>("gaze", "Gaze", &[])?;
    let path = |text: &str| instance.string_to_path(text);
    instance.suggest_interaction_profile_bindings(
        path("/interaction_profiles/ext/hand_interaction_ext")?,
        &[
            xr::Binding::new(&pinch, path("/user/hand/left/input/pinch_ext/value")?),
            xr::Binding::new(&pinch, path("/user/hand/right/input/pinch_ext/value")?),
            xr::Binding::new(&grip, path("/user/hand/left/input/grip/pose")?),
            xr::Binding::new(&grip, path("/user/hand/right/input/grip/pose")?),
        ],
    )?;
    // For recordings of these controllers only: a hand without one has the profile above.
    instance.suggest_interaction_profile_bindings(
        path("/interaction_profiles/valve/index_controller")?,
        &[
            xr::Binding::new(&pinch, path("/user/hand/left/input/trigger/click")?),
            xr::Binding::new(&pinch, path("/user/hand/right/input/trigger/click")?),
            xr::Binding::new(&grip, path("/user/hand/left/input/grip/pose")?),
            xr::Binding::new(&grip, path("/user/hand/right/input/grip/pose")?),
        ],
    )?;
    instance.suggest_interaction_profile_bindings(
        path("/interaction_profiles/ext/eye_gaze_interaction")?,
        &[xr::Binding::new(
            &gaze,
            path("/user/eyes_ext/input/gaze_ext/pose")?,
        )],
    )?;

    // SAFETY: a session without graphics has no handles.
    let (session, mut waiter, mut stream) = unsafe {
        instance.create_session::<xr::Headless>(system, &xr::headless::SessionCreateInfo {})?
    };
    session.attach_action_sets(&[&set])?;
    let stage =
        session.create_reference_space(xr::ReferenceSpaceType::STAGE, xr::Posef::IDENTITY)?;
    let view = session.create_reference_space(xr::ReferenceSpaceType::VIEW, xr::Posef::IDENTITY)?;
    let eyes = gaze.create_space(&session, xr::Path::NULL, xr::Posef::IDENTITY)?;
    let grips = [
        grip.create_space(&session, paths[0], xr::Posef::IDENTITY)?,
        grip.create_space(&session, paths[1], xr::Posef::IDENTITY)?,
    ];
    let trackers = [
        session.create_hand_tracker(xr::Hand::LEFT)?,
        session.create_hand_tracker(xr::Hand::RIGHT)?,
    ];

    let (mut count, mut end) = (0, Duration::ZERO);
    let mut storage = xr::EventDataBuffer::new();
    let (mut is_running, mut is_focused) = (false, false);
    loop {
        while let Some(event) = instance.poll_event(&mut storage)? {
            let xr::Event::SessionStateChanged(change) = event else {
                continue;
            };
            is_focused = change.state() == xr::SessionState::FOCUSED;
            match change.state() {
                xr::SessionState::READY => {
                    session.begin(xr::ViewConfigurationType::PRIMARY_STEREO)?;
                    is_running = true;
                }
                xr::SessionState::STOPPING => {
                    let start = Instant::now();
                    session.end()?;
                    end = start.elapsed();
                    is_running = false;
                }
                xr::SessionState::EXITING => return Ok(end),
                _ => {}
            }
        }
        if count == frames && is_ended {
            session.request_exit()?;
            count += 1;
            continue;
        }
        if !is_running || (count >= frames && !is_ended) {
            return Ok(end);
        }
        let state = waiter.wait()?;
        stream.begin()?;
        let time = state.predicted_display_time;
        if is_focused {
            if count == 0 {
                label(&session);
            }
            session.sync_actions(&[xr::ActiveActionSet::new(&set)])?;
            let mut seen = Seen {
                time: time.as_nanos(),
                ..Seen::default()
            };
            let head = view.locate(&stage, time)?;
            seen.head = located(head.location_flags, head.pose);
            for index in 0..2 {
                let joints = stage.locate_hand_joints(&trackers[index], time)?;
                let joint =
                    |joint: &xr::HandJointLocation| located(joint.location_flags, joint.pose);
                seen.hands[index] = joints.map(|joints| joints.iter().map(joint).collect());
                seen.is_pinching[index] = pinch.state(&session, paths[index])?.current_state;
                let place = grips[index].locate(&stage, time)?;
                seen.grips[index] = located(place.location_flags, place.pose);
            }
            let any = pinch.state(&session, xr::Path::NULL)?;
            seen.any_pinch = [any.current_state, any.changed_since_last_sync];
            let place = eyes.locate(&stage, time)?;
            seen.gaze = located(place.location_flags, place.pose);
            count += 1;
            each(seen);
        }
        stream.end(time, xr::EnvironmentBlendMode::OPAQUE, &[])?;
    }
}
