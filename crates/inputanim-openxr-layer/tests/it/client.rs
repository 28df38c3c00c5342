//! An application without graphics.

use std::ffi::CStr;
use std::ptr;
use std::sync::mpsc;
use std::thread;

use openxr as xr;

use crate::controls::{Controls, Log};

/// When the application synchronises its actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sync {
    /// Before it waits for a frame.
    #[default]
    BeforeWait,
    /// After it has waited for a frame.
    AfterWait,
    /// Never, although it has attached its actions.
    Never,
    /// The application has no actions.
    NoActions,
}

/// What the application does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Client {
    pub(crate) sync: Sync,
    /// The application waits for frames in one thread, and draws them in another.
    pub(crate) has_two_threads: bool,
    /// The application destroys its session after this number of frames, and does not end it before.
    pub(crate) max_frames: Option<usize>,
    /// The application has these actions instead of one for the trigger.
    pub(crate) controls: Option<Controls>,
}

/// What the application saw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The states of the trigger of the right hand after each synchronisation.
    pub(crate) triggers: Vec<bool>,
    /// The values of the actions in each frame with input.
    pub(crate) logs: Vec<Log>,
    /// The number of frames with input.
    pub(crate) frames: usize,
    /// `xrGetInstanceProcAddr` finds the functions of hand tracking, which the application did not enable.
    pub(crate) has_hand_tracking: bool,
}

/// The frame with input in which the application inserts a label, from 1 on.
pub(crate) const LABELLED: usize = 4;

pub(crate) fn never<T>(result: xr::Result<T>) -> T {
    result.expect("the application makes no mistake")
}

impl Client {
    /// Runs until the session ends. Panics if a call of the application fails.
    pub(crate) fn run(self, entry: &xr::Entry) -> Seen {
        let mut extensions = xr::ExtensionSet::default();
        extensions.mnd_headless = true;
        extensions.ext_debug_utils = true;
        extensions.other = self.controls.map_or_else(Vec::new, Controls::extensions);
        let application = xr::ApplicationInfo {
            application_name: "client",
            api_version: xr::Version::new(1, 0, 0),
            ..xr::ApplicationInfo::default()
        };
        let instance = never(entry.create_instance(&application, &extensions, &[], &()));
        let mut seen = Seen {
            has_hand_tracking: has_function(&instance, c"xrCreateHandTrackerEXT"),
            ..Seen::default()
        };
        let system = never(instance.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY));
        let right = never(instance.string_to_path("/user/hand/right"));
        let has_trigger = self.sync != Sync::NoActions && self.controls.is_none();
        let actions = has_trigger.then(|| {
            let set = never(instance.create_action_set("all", "All", 0));
            let trigger = never(set.create_action::<bool>("trigger", "Trigger", &[right]));
            let path = |text: &str| never(instance.string_to_path(text));
            let binding = path("/user/hand/right/input/trigger/value");
            never(instance.suggest_interaction_profile_bindings(
                path("/interaction_profiles/oculus/touch_controller"),
                &[xr::Binding::new(&trigger, binding)],
            ));
            (set, trigger)
        });
        // SAFETY: a session without graphics has no handles.
        let (session, mut waiter, stream) = never(unsafe {
            instance.create_session::<xr::Headless>(system, &xr::headless::SessionCreateInfo {})
        });
        if let Some((set, _)) = &actions {
            never(session.attach_action_sets(&[set]));
        }
        let mut controls = None;
        let make_controls = |frames: usize| {
            let controls = self.controls.filter(|controls| controls.late == frames)?;
            let mut bound = controls.bind(&instance);
            bound.attach(&session);
            Some(bound)
        };
        let synchronise = |seen: &mut Seen, when: Sync| {
            let Some((set, trigger)) = actions.as_ref().filter(|_| when == self.sync) else {
                return;
            };
            never(session.sync_actions(&[xr::ActiveActionSet::new(set)]));
            let state = never(trigger.state(&session, right));
            seen.triggers.push(state.current_state);
        };
        let mut storage = xr::EventDataBuffer::new();
        let (mut is_running, mut is_focused) = (false, false);
        let (to_draw, drawn) = mpsc::sync_channel::<xr::FrameState>(0);
        thread::scope(|scope| {
            let mut stream = Some(stream);
            if self.has_two_threads
                && let Some(mut stream) = stream.take()
            {
                scope.spawn(move || {
                    for state in drawn {
                        // The other thread may have ended the session.
                        let _ = draw(&mut stream, state);
                    }
                });
            }
            loop {
                while let Some(event) = never(instance.poll_event(&mut storage)) {
                    let xr::Event::SessionStateChanged(change) = event else {
                        continue;
                    };
                    is_focused = change.state() == xr::SessionState::FOCUSED;
                    match change.state() {
                        xr::SessionState::READY => {
                            never(session.begin(xr::ViewConfigurationType::PRIMARY_STEREO));
                            is_running = true;
                        }
                        xr::SessionState::STOPPING => {
                            never(session.end());
                            is_running = false;
                        }
                        _ => {}
                    }
                }
                if !is_running || self.max_frames == Some(seen.frames) {
                    break;
                }
                controls = controls.or_else(|| make_controls(seen.frames));
                if is_focused {
                    synchronise(&mut seen, Sync::BeforeWait);
                    let mut log = Log::default();
                    if let Some(controls) = &controls {
                        never(session.sync_actions(&[xr::ActiveActionSet::new(&controls.set)]));
                        log = controls.log(&instance, &session);
                    }
                    seen.logs.push(log);
                }
                let state = never(waiter.wait());
                if is_focused {
                    seen.frames += 1;
                }
                if let (Some(controls), Some(log), true) =
                    (&controls, seen.logs.last_mut(), is_focused)
                {
                    controls.locate(log, state.predicted_display_time);
                    controls.vibrate(&session, seen.frames);
                }
                if is_focused {
                    synchronise(&mut seen, Sync::AfterWait);
                    if seen.frames == LABELLED {
                        label(&instance, &session);
                    }
                }
                match &mut stream {
                    Some(stream) => never(draw(stream, state)),
                    None => to_draw.send(state).expect("the other thread draws"),
                }
            }
            drop(to_draw);
        });
        seen
    }
}

fn draw(stream: &mut xr::FrameStream<xr::Headless>, state: xr::FrameState) -> xr::Result<()> {
    stream.begin()?;
    let time = state.predicted_display_time;
    stream.end(time, xr::EnvironmentBlendMode::OPAQUE, &[])
}

/// Inserts a label, and begins a region.
fn label(instance: &xr::Instance, session: &xr::Session<xr::Headless>) {
    let functions = instance
        .exts()
        .ext_debug_utils
        .expect("the extension is enabled");
    let label = |name: &CStr| xr::sys::DebugUtilsLabelEXT {
        ty: xr::sys::DebugUtilsLabelEXT::TYPE,
        next: ptr::null(),
        label_name: name.as_ptr(),
    };
    let session = session.as_raw();
    // SAFETY: the session and the labels are valid.
    let results = unsafe {
        [
            (functions.session_insert_debug_utils_label)(session, &label(c"Übung")),
            (functions.session_begin_debug_utils_label_region)(session, &label(c"region")),
            (functions.session_end_debug_utils_label_region)(session),
        ]
    };
    assert_eq!(results, [xr::sys::Result::SUCCESS; 3]);
}

fn has_function(instance: &xr::Instance, name: &CStr) -> bool {
    let entry = instance.entry();
    let mut function = None;
    // SAFETY: the name ends with a NUL, and there is memory for the function.
    let result = unsafe {
        (entry.fp().get_instance_proc_addr)(instance.as_raw(), name.as_ptr(), &raw mut function)
    };
    result == xr::sys::Result::SUCCESS && function.is_some()
}
