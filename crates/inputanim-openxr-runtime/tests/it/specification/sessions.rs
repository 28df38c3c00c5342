//! Sessions, their states, and the order of frames.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use inputanim::Marker;
use inputanim_openxr::{AtEnd, Clock, Settings};
use openxr::sys::Handle;
use openxr::{self as xr, sys};

use super::{
    App, INVALID, NO_HANDLE, OK, code, extensions, instance, locate, moving, new_action, of, raw,
    recording_of_moving, sample, saved,
};
use crate::alone;

const ORDER: sys::Result = sys::Result::ERROR_CALL_ORDER_INVALID;
const NOT_RUNNING: sys::Result = sys::Result::ERROR_SESSION_NOT_RUNNING;

impl App {
    fn begin_frame(&self) -> sys::Result {
        raw!(self.instance, begin_frame(self.session.as_raw(), null()))
    }

    fn wait_frame(&self) -> (sys::Result, sys::FrameState) {
        let mut state = of!(FrameState);
        let session = self.session.as_raw();
        (
            raw!(self.instance, wait_frame(session, null(), &raw mut state)),
            state,
        )
    }

    /// Ends a frame, after a change of its arguments.
    fn end_frame(&self, change: impl FnOnce(&mut sys::FrameEndInfo)) -> sys::Result {
        let mut info = of!(FrameEndInfo {
            display_time: xr::Time::from_nanos(1),
            environment_blend_mode: xr::EnvironmentBlendMode::OPAQUE,
        });
        change(&mut info);
        raw!(
            self.instance,
            end_frame(self.session.as_raw(), &raw const info)
        )
    }

    fn frame_codes(&self) -> [sys::Result; 3] {
        [
            self.wait_frame().0,
            self.begin_frame(),
            self.end_frame(|_| ()),
        ]
    }
}

#[test]
fn a_session_has_all_states_in_order_and_refuses_calls_in_other_states() {
    use xr::SessionState as State;
    let _alone = alone();
    let app = App::new(&sample("wave.bin"));
    let stereo = xr::ViewConfigurationType::PRIMARY_STEREO;
    let (begin, end) = (
        || code(app.session.begin(stereo)),
        || code(app.session.end()),
    );
    let exit = || code(app.session.request_exit());

    assert_eq!(app.frame_codes(), [NOT_RUNNING; 3]);
    assert_eq!([end(), exit()], [NOT_RUNNING; 2]);
    assert_eq!(app.states(), [State::IDLE, State::READY]);
    assert_eq!(begin(), OK);
    assert_eq!(begin(), sys::Result::ERROR_SESSION_RUNNING);
    let start = [State::SYNCHRONIZED, State::VISIBLE, State::FOCUSED];
    assert_eq!(app.states(), start);
    assert_eq!(end(), sys::Result::ERROR_SESSION_NOT_STOPPING);
    assert_eq!(app.sync(&[]), OK);
    assert_eq!(exit(), OK);
    assert_eq!(app.sync(&[]), sys::Result::SESSION_NOT_FOCUSED);
    let stop = [State::VISIBLE, State::SYNCHRONIZED, State::STOPPING];
    assert_eq!(app.states(), stop);
    assert_eq!(begin(), sys::Result::ERROR_SESSION_RUNNING);
    assert_eq!(end(), OK);
    assert_eq!(app.states(), [State::IDLE, State::EXITING]);
    assert_eq!(begin(), sys::Result::ERROR_SESSION_NOT_READY);
    assert_eq!([end(), exit()], [NOT_RUNNING; 2]);
    assert_eq!(app.frame_codes(), [NOT_RUNNING; 3]);
}

/// The changes of the session happen with the frames at their times, in each lap of a loop.
#[test]
fn the_recorded_focus_and_origins_change_again() {
    let _alone = alone();
    let mut recording = recording_of_moving(1.0);
    recording.markers = [
        (0.0, "session focused"),
        (0.25, "session visible"),
        (0.3, "recentred local"),
        (0.5, "session focused"),
        (0.9, "recentred stage"),
        (0.95, "recentred unbounded"),
    ]
    .map(|(time, name)| Marker::new(time, name))
    .into();
    let mut settings = Settings::default();
    settings.recording = saved(&recording);
    settings.clock = Clock::Step;
    settings.at_end = AtEnd::Loop;
    let mut app = App::new(&settings);
    let set = app.set("set", 0);
    let action: xr::Action<bool> = new_action(&set, "select", &[]);
    let profile = "/interaction_profiles/khr/simple_controller";
    let select = (action.as_raw(), "/user/hand/left/input/select/click");
    assert_eq!(app.suggest(profile, &[select]), OK);
    app.attach(&[&set]);
    app.begin();
    let mut seen = Vec::new();
    for _ in 0..2 * 61 {
        let time = app.frame();
        let lap = app.seconds(time) % (61.0 / 60.0);
        let mut storage = xr::EventDataBuffer::new();
        while let Some(event) = app.instance.poll_event(&mut storage).expect("an event") {
            match event {
                xr::Event::SessionStateChanged(change) => {
                    assert_eq!(change.time(), time);
                    seen.push((lap, format!("{:?}", change.state())));
                }
                xr::Event::ReferenceSpaceChangePending(change) => {
                    assert_eq!((change.change_time(), change.pose_valid()), (time, false));
                    seen.push((lap, format!("{:?}", change.reference_space_type())));
                }
                _ => {}
            }
        }
        let has_focus = !(0.245..0.495).contains(&lap);
        let expected = if has_focus {
            OK
        } else {
            sys::Result::SESSION_NOT_FOCUSED
        };
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), expected, "{lap} s");
        let state = app.state(&action, xr::Path::NULL);
        assert_eq!(state.is_active, has_focus, "{lap} s");
    }
    let lap = [
        (0.25, "VISIBLE"),
        (0.3, "LOCAL"),
        (0.5, "FOCUSED"),
        (0.9, "STAGE"),
    ];
    let expected = [lap, lap].concat();
    assert_eq!(seen.len(), expected.len(), "{seen:?}");
    for ((time, name), (expected_time, expected)) in seen.into_iter().zip(expected) {
        assert!((time - expected_time).abs() < 0.02, "{name} at {time} s");
        assert_eq!(name, expected);
    }
}

#[test]
fn sessions_follow_each_other_and_a_second_one_is_refused() {
    let _alone = alone();
    let app = App::new(&sample("wave.bin"));
    let create = |system_id| {
        let mut made = sys::Session::NULL;
        let info = of!(SessionCreateInfo {
            system_id: system_id
        });
        let handle = app.instance.as_raw();
        (
            raw!(
                app.instance,
                create_session(handle, &raw const info, &raw mut made)
            ),
            made,
        )
    };
    assert_eq!(create(app.system).0, sys::Result::ERROR_LIMIT_REACHED);
    let mut open = app.session.as_raw();
    for _ in 0..50 {
        assert_eq!(raw!(app.instance, destroy_session(open)), OK);
        assert_eq!(raw!(app.instance, destroy_session(open)), NO_HANDLE);
        assert_eq!(
            create(xr::SystemId::NULL).0,
            sys::Result::ERROR_SYSTEM_INVALID
        );
        let (result, made) = create(app.system);
        assert_eq!(result, OK);
        open = made;
        // Events of a destroyed session do not come.
        assert_eq!(app.states().len(), 2);
    }
}

#[test]
fn a_session_without_graphics_needs_the_extension() {
    let _alone = alone();
    let open = instance(&sample("wave.bin"), 0, &xr::ExtensionSet::default());
    let system = open
        .system(xr::FormFactor::HEAD_MOUNTED_DISPLAY)
        .expect("the system");
    // SAFETY: a session without graphics has no handles.
    let made =
        unsafe { open.create_session::<xr::Headless>(system, &xr::headless::SessionCreateInfo {}) };
    assert_eq!(made.err(), Some(sys::Result::ERROR_GRAPHICS_DEVICE_INVALID));
}

#[test]
fn a_session_needs_the_call_for_the_requirements_of_its_graphics() {
    let _alone = alone();
    let invalid = sys::Result::ERROR_GRAPHICS_DEVICE_INVALID;
    let missing = sys::Result::ERROR_GRAPHICS_REQUIREMENTS_CALL_MISSING;
    // All handles are null.
    let vulkan = of!(GraphicsBindingVulkanKHR);
    #[cfg(target_os = "linux")]
    let other = of!(GraphicsBindingOpenGLXlibKHR);
    #[cfg(windows)]
    let other = of!(GraphicsBindingD3D11KHR);
    let vulkan: *const c_void = (&raw const vulkan).cast();
    let other: *const c_void = (&raw const other).cast();
    let system_of = |open: &xr::Instance| {
        let system = open.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY);
        system.expect("the system of the runtime")
    };
    let codes = |open: &xr::Instance| {
        [vulkan, other].map(|next| {
            let info = of!(SessionCreateInfo {
                next: next,
                system_id: system_of(open)
            });
            let (handle, mut made) = (open.as_raw(), sys::Session::NULL);
            raw!(open, create_session(handle, &raw const info, &raw mut made))
        })
    };
    let mut enabled = xr::ExtensionSet::default();
    let open = instance(&sample("wave.bin"), 0, &enabled);
    assert_eq!(codes(&open), [invalid; 2]);
    drop(open);

    enabled.khr_vulkan_enable = true;
    #[cfg(target_os = "linux")]
    {
        enabled.khr_opengl_enable = true;
    }
    #[cfg(windows)]
    {
        enabled.khr_d3d11_enable = true;
    }
    let open = instance(&sample("wave.bin"), 0, &enabled);
    assert_eq!(codes(&open), [missing; 2]);
    let asked = open.graphics_requirements::<xr::Vulkan>(system_of(&open));
    assert!(asked.is_ok());
    assert_eq!(codes(&open), [invalid, missing]);
    // Direct3D needs a screen, so the example `direct3d` checks it.
    #[cfg(target_os = "linux")]
    {
        let asked = open.graphics_requirements::<xr::OpenGL>(system_of(&open));
        assert!(asked.is_ok());
        assert_eq!(codes(&open), [invalid; 2]);
    }
}

#[test]
fn a_session_without_graphics_has_no_swapchains() {
    let _alone = alone();
    let mut app = App::new(&sample("wave.bin"));
    let handle = app.session.as_raw();
    let mut count = 7;
    let formats = raw!(
        app.instance,
        enumerate_swapchain_formats(handle, 0, &raw mut count, null_mut())
    );
    assert_eq!((formats, count), (OK, 0));
    let info = of!(SwapchainCreateInfo {
        format: 43,
        sample_count: 1,
        width: 64,
        height: 64,
        face_count: 1,
        array_size: 1,
        mip_count: 1,
    });
    let mut made = sys::Swapchain::NULL;
    let result = raw!(
        app.instance,
        create_swapchain(handle, &raw const info, &raw mut made)
    );
    assert_eq!(result, sys::Result::ERROR_SWAPCHAIN_FORMAT_UNSUPPORTED);
    app.begin();
    let (result, state) = app.wait_frame();
    assert_eq!((result, state.should_render), (OK, sys::FALSE));
}

#[test]
fn frames_have_one_order() {
    let _alone = alone();
    let mut app = App::new(&sample("wave.bin"));
    app.begin();
    assert_eq!([app.begin_frame(), app.end_frame(|_| ())], [ORDER; 2]);
    let mut last = 0;
    for _ in 0..3 {
        let (result, state) = app.wait_frame();
        assert_eq!(result, OK);
        let time = state.predicted_display_time.as_nanos();
        assert!(time > last && state.predicted_display_period.as_nanos() > 0);
        last = time;
        assert_eq!(app.end_frame(|_| ()), ORDER);
        assert_eq!([app.begin_frame(), app.begin_frame()], [OK, ORDER]);
        // A frame that begins before the end of the last one discards it ("Frame Synchronization").
        assert_eq!(app.wait_frame().0, OK);
        assert_eq!(app.begin_frame(), sys::Result::FRAME_DISCARDED);
        assert_eq!(app.end_frame(|_| ()), OK);
        assert_eq!(app.end_frame(|_| ()), ORDER);
        last += state.predicted_display_period.as_nanos();
    }
}

#[test]
fn a_second_wait_returns_when_the_first_frame_begins() {
    let _alone = alone();
    let mut app = App::new(&sample("wave.bin"));
    app.begin();
    assert_eq!(app.wait_frame().0, OK);
    let (sender, receiver) = mpsc::channel();
    let app = &app;
    std::thread::scope(|scope| {
        scope.spawn(move || sender.send(app.wait_frame().0));
        let early = receiver.recv_timeout(Duration::from_millis(100));
        assert_eq!(early, Err(mpsc::RecvTimeoutError::Timeout));
        assert_eq!(app.begin_frame(), OK);
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(OK));
    });
}

#[test]
fn a_frame_with_wrong_arguments_does_not_end() {
    let _alone = alone();
    let mut app = App::new(&sample("wave.bin"));
    app.begin();
    assert_eq!((app.wait_frame().0, app.begin_frame()), (OK, OK));
    for time in [0, -1, i64::MIN] {
        let result = app.end_frame(|info| info.display_time = xr::Time::from_nanos(time));
        assert_eq!(result, sys::Result::ERROR_TIME_INVALID);
    }
    for (mode, wanted) in [
        (2, sys::Result::ERROR_ENVIRONMENT_BLEND_MODE_UNSUPPORTED),
        (3, sys::Result::ERROR_ENVIRONMENT_BLEND_MODE_UNSUPPORTED),
        (0, INVALID),
    ] {
        let mode = xr::EnvironmentBlendMode::from_raw(mode);
        assert_eq!(
            app.end_frame(|info| info.environment_blend_mode = mode),
            wanted
        );
    }
    let layers = [null::<sys::CompositionLayerBaseHeader>(); 17];
    for (count, wanted) in [
        (1, sys::Result::ERROR_LAYER_INVALID),
        (16, sys::Result::ERROR_LAYER_INVALID),
        (17, sys::Result::ERROR_LAYER_LIMIT_EXCEEDED),
    ] {
        let result = app.end_frame(|info| {
            info.layer_count = count;
            info.layers = layers.as_ptr().cast();
        });
        assert_eq!(result, wanted);
    }
    assert_eq!(app.end_frame(|info| info.layer_count = 1), INVALID);
    // Without swapchains, a quad has no image.
    let quad = of!(CompositionLayerQuad {
        space: app.stage().as_raw()
    });
    let layers = [(&raw const quad).cast::<sys::CompositionLayerBaseHeader>()];
    let result = app.end_frame(|info| {
        info.layer_count = 1;
        info.layers = layers.as_ptr().cast();
    });
    assert_eq!(result, NO_HANDLE);
    assert_eq!(app.end_frame(|_| ()), OK);
}

#[test]
fn the_session_stops_after_the_last_frame_with_the_end_mode_stop_only() {
    let _alone = alone();
    for (at_end, stops) in [
        (AtEnd::Stop, true),
        (AtEnd::Hold, false),
        (AtEnd::Loop, false),
    ] {
        // With this clock, each lap has the same frames.
        let clock = Clock::Keys;
        let mut app = App::new(&{
            let mut settings = moving(0.2);
            settings.at_end = at_end;
            settings.clock = clock;
            settings
        });
        app.begin();
        let view = app.reference(xr::ReferenceSpaceType::VIEW, xr::Posef::IDENTITY);
        let stage = app.stage();
        let mut all = Vec::new();
        for _ in 0..26 {
            let time = app.frame();
            all.push(locate(&view, &stage, time).pose.position.x);
            if !app.states().is_empty() {
                break;
            }
        }
        // 0.2 s have 13 keys.
        assert_eq!(all.len(), if stops { 13 } else { 26 }, "{at_end:?}");
        let is_like = |index: usize, other: usize| (all[index] - all[other]).abs() < 1e-4;
        match at_end {
            AtEnd::Hold => assert!(is_like(25, 12) && !is_like(12, 11)),
            AtEnd::Loop => assert!((0..13).all(|index| is_like(index, index + 13))),
            AtEnd::Stop => assert_eq!(app.session.end(), Ok(OK)),
        }
    }
}

#[test]
fn a_session_without_frames_stops_when_the_recording_ends() {
    let _alone = alone();
    let mut app = App::new(&{
        let mut settings = moving(0.2);
        settings.clock = Clock::Real;
        settings
    });
    app.begin();
    let start = Instant::now();
    let mut states = Vec::new();
    while states.last() != Some(&xr::SessionState::STOPPING) {
        assert!(start.elapsed() < Duration::from_secs(10), "{states:?}");
        states.extend(app.states());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(start.elapsed() >= Duration::from_millis(200));
    assert_eq!(app.session.end(), Ok(OK));
    assert_eq!(app.states().last(), Some(&xr::SessionState::EXITING));
}

#[test]
fn a_new_interaction_profile_has_one_event() {
    let _alone = alone();
    let mut app = App::with(&sample("wave.bin"), 0, &extensions());
    let set = app
        .instance
        .create_action_set("set", "Set", 0)
        .expect("a set");
    let select = new_action::<bool>(&set, "select", &[]);
    let bindings = [(select.as_raw(), "/user/hand/right/input/select/click")];
    assert_eq!(app.suggest(super::SIMPLE, &bindings), OK);
    app.attach(&[&set]);
    app.begin();
    for count in [1, 0, 0] {
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
        let mut storage = xr::EventDataBuffer::new();
        let mut events = 0;
        while let Some(event) = app
            .instance
            .poll_event(&mut storage)
            .expect("no call fails")
        {
            assert!(matches!(event, xr::Event::InteractionProfileChanged(_)));
            events += 1;
        }
        assert_eq!(events, count);
    }
}
