//! Recorded trackers (`XR_HTCX_vive_tracker_interaction`): their paths, their connections and the report.

use std::path::PathBuf;

use inputanim::velocity::{VelocityKind, VelocityVector};
use inputanim::{
    DeviceName, Element, Haptic, InputValue, Layout, Pose, Recording, Sampler, Space, TimeRange,
};
use inputanim_openxr::{Report, Settings};
use openxr::{self as xr, sys};

use super::controllers::{input, settings};
use super::{App, OK, code, extensions, list, locate, new_action, of, raw, same, temporary_file};
use crate::alone;

const PROFILE: &str = "/interaction_profiles/htc/vive_tracker_htcx";
const WAIST: &str = "/user/vive_tracker_htcx/role/waist";
const FOOT: &str = "/user/vive_tracker_htcx/role/left_foot";
const HIP: &str = "/devices/inputanim/hip";
const GAMEPAD: &str = "/interaction_profiles/microsoft/xbox_controller";
const UNSUPPORTED: sys::Result = sys::Result::ERROR_PATH_UNSUPPORTED;

fn name(text: &str) -> DeviceName {
    text.parse().expect("the name of a device")
}

/// Returns a recording of 2 seconds with three trackers that move. The left foot is connected from 1 s to 1.5 s. The hip is not a role
/// of OpenXR, and its profile is not known.
fn recording() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..=8_u8 {
        let time = f32::from(step) / 4.0;
        recording.head_mut().push(time, &Pose::at([0.0, 1.6, 0.0]));
        for (number, tracker) in ["waist", "left_foot", "hip"].into_iter().enumerate() {
            let device = recording.device_mut(name(&format!("tracker.{tracker}")));
            let pose = Pose::at([time, number as f32, 0.25]);
            device
                .pose_mut("grip".parse().expect("a name"))
                .push(time, &pose);
            device.push_input(input("trigger/value"), time, InputValue::Float(time / 2.0));
        }
    }
    recording
        .device_mut(name("tracker.waist"))
        .set_profile(0.0, PROFILE);
    let foot = recording.device_mut(name("tracker.left_foot"));
    foot.set_inactive(0.0);
    foot.set_profile(1.0, PROFILE);
    foot.set_inactive(1.5);
    recording
}

/// Saves the recording in a file of the test, and returns its path.
pub(crate) fn recording_of_trackers() -> PathBuf {
    settings(&recording()).recording
}

fn trackers() -> xr::ExtensionSet {
    let mut all = extensions();
    all.htcx_vive_tracker_interaction = true;
    all
}

impl App {
    /// Returns the persistent paths and the roles of the trackers that are connected.
    fn connected(&self) -> Vec<[String; 2]> {
        let functions = self.instance.exts().htcx_vive_tracker_interaction;
        let enumerate = functions.expect("enabled").enumerate_vive_tracker_paths;
        let blank = of!(ViveTrackerPathsHTCX);
        let found = list(blank, |capacity, count, all| {
            // SAFETY: the pointers are valid or null.
            unsafe { enumerate(self.instance.as_raw(), capacity, count, all) }
        });
        let texts = found
            .iter()
            .map(|one| [one.persistent_path, one.role_path].map(|path| self.text(path)));
        texts.collect()
    }

    /// Returns the string of a path; an empty string for the null path.
    fn text(&self, path: xr::Path) -> String {
        if path == xr::Path::NULL {
            return String::new();
        }
        self.instance.path_to_string(path).expect("a path")
    }

    /// Polls all events, and returns the persistent paths of the trackers that were connected.
    fn connections(&self) -> Vec<String> {
        let mut storage = xr::EventDataBuffer::new();
        let mut found = Vec::new();
        while let Some(event) = self
            .instance
            .poll_event(&mut storage)
            .expect("no call fails")
        {
            if let xr::Event::ViveTrackerConnectedHTCX(event) = event {
                found.push(self.text(event.paths().persistent));
            }
        }
        found
    }
}

#[test]
fn connected_trackers_are_listed_and_reported() {
    let _alone = alone();
    let recording = recording();
    let mut app = App::with(&settings(&recording), 0, &trackers());
    let waist = ["/devices/inputanim/waist", WAIST].map(str::to_owned);
    let foot = ["/devices/inputanim/left_foot", FOOT].map(str::to_owned);
    let hip = [HIP, ""].map(str::to_owned);
    // Nothing states that the hip is not active.
    let mut at_start = [waist.clone(), hip.clone()];
    at_start.sort();
    let sorted = |mut paths: Vec<[String; 2]>| {
        paths.sort();
        paths
    };
    assert_eq!(sorted(app.connected()), at_start);
    let mut connections = app.connections();
    connections.sort();
    assert_eq!(connections, [HIP, "/devices/inputanim/waist"]);
    let set = app.set("set", 0);
    let action = new_action::<f32>(&set, "a", &[]);
    let binding = (action.as_raw(), &*format!("{WAIST}/input/trigger/value"));
    assert_eq!(app.suggest(PROFILE, &[binding]), OK);
    app.attach(&[&set]);
    app.begin();
    let mut all = [waist, foot, hip];
    all.sort();
    for time in Sampler::new(&recording).expect("valid").key_times() {
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
        app.frame();
        let is_foot_connected = (1.0..1.5).contains(&time);
        let wanted = if is_foot_connected {
            &all[..]
        } else {
            &at_start
        };
        assert_eq!(sorted(app.connected()), wanted, "at {time} s");
        let events = app.connections();
        let wanted: &[&str] = if time == 1.0 {
            &["/devices/inputanim/left_foot"]
        } else {
            &[]
        };
        assert_eq!(events, wanted, "at {time} s");
    }
}

#[test]
fn a_persistent_path_means_the_tracker_of_the_role() {
    let _alone = alone();
    let recording = recording();
    let sampler = Sampler::new(&recording).expect("valid");
    let mut app = App::with(&settings(&recording), 0, &trackers());
    let persistent = "/devices/inputanim/waist";
    let users = [WAIST, persistent, HIP].map(|user| app.path(user));
    let set = app.set("set", 0);
    let grip = new_action::<xr::Posef>(&set, "grip", &users);
    let trigger = new_action::<f32>(&set, "trigger", &users);
    let mut bindings = Vec::new();
    for user in [persistent, HIP] {
        bindings.push((grip.as_raw(), format!("{user}/input/grip/pose")));
        bindings.push((trigger.as_raw(), format!("{user}/input/trigger/value")));
    }
    let bindings: Vec<_> = bindings
        .iter()
        .map(|(action, path)| (*action, &**path))
        .collect();
    assert_eq!(app.suggest(PROFILE, &bindings), OK);
    app.attach(&[&set]);
    let spaces = users.map(|user| app.action_space(&grip, user));
    let stage = app.stage();
    app.begin();
    for time in sampler.key_times() {
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
        let display = app.frame();
        let frame = sampler.frame_at(time);
        for (index, device) in ["tracker.waist", "tracker.waist", "tracker.hip"]
            .into_iter()
            .enumerate()
        {
            let device = frame.device(name(device)).expect("a tracker");
            let pose = device.pose("grip".parse().expect("a name")).copied();
            let pose = pose.map(|pose| Space::OpenXr.pose(pose));
            same(&locate(&spaces[index], &stage, display), pose);
            let state = app.state(&trigger, users[index]);
            assert!(state.is_active);
            let value = device.input(input("trigger/value")).expect("a value");
            assert_eq!(state.current_state, value.number());
            let profile = app.session.current_interaction_profile(users[index]);
            assert_eq!(profile, Ok(app.path(PROFILE)));
        }
    }
}

#[test]
fn an_application_gets_the_recorded_velocities() {
    const LINEAR: [f32; 3] = [0.1, -2.5, 0.7];
    const ANGULAR: [f32; 3] = [1.5, 0.3, -0.9];
    let _alone = alone();
    let mut recording = recording();
    let (waist, pose) = (name("tracker.waist"), "grip".parse().expect("a name"));
    let times = Sampler::new(&recording).expect("valid").key_times();
    for (kind, vector) in [
        (VelocityKind::Linear, LINEAR),
        (VelocityKind::Angular, ANGULAR),
    ] {
        let names = VelocityVector { pose, kind }.inputs().expect("short names");
        for (input, number) in names.into_iter().zip(vector) {
            for &time in &times {
                let device = recording.device_mut(waist);
                device.push_input(input, time, InputValue::Float(number));
            }
            let gap = TimeRange {
                start: 1.0,
                end: 1.5,
            };
            recording.known.add_gap(Element::Input(waist, input), gap);
        }
    }
    let mut app = App::with(&settings(&recording), 0, &trackers());
    let users = [WAIST, HIP].map(|user| app.path(user));
    let set = app.set("set", 0);
    let grip = new_action::<xr::Posef>(&set, "grip", &users);
    let bindings = [WAIST, HIP].map(|user| format!("{user}/input/grip/pose"));
    let bindings = bindings.each_ref().map(|path| (grip.as_raw(), &**path));
    assert_eq!(app.suggest(PROFILE, &bindings), OK);
    app.attach(&[&set]);
    let [space, hip] = users.map(|user| app.action_space(&grip, user));
    let offset = xr::Posef {
        position: xr::Vector3f {
            x: 0.0,
            y: 0.0,
            z: -1.0,
        },
        ..xr::Posef::IDENTITY
    };
    let ahead = grip.create_space(&app.session, users[0], offset);
    let ahead = ahead.expect("the user of the action");
    let half = std::f32::consts::FRAC_1_SQRT_2;
    // A quarter turn about +Y.
    let turned = app.reference(
        xr::ReferenceSpaceType::STAGE,
        xr::Posef {
            orientation: xr::Quaternionf {
                x: 0.0,
                y: half,
                z: 0.0,
                w: half,
            },
            ..offset
        },
    );
    let stage = app.stage();
    app.begin();
    let velocity = |space: &xr::Space, base: &xr::Space, display: xr::Time| {
        let found = space.relate(base, display).expect("no call fails").1;
        assert_eq!(found.velocity_flags, xr::SpaceVelocityFlags::from_raw(3));
        let [v, w] = [found.linear_velocity, found.angular_velocity];
        ([v.x, v.y, v.z], [w.x, w.y, w.z])
    };
    let near = |found: [f32; 3], wanted: [f32; 3]| {
        let mut pairs = found.iter().zip(wanted);
        assert!(
            pairs.all(|(a, b)| (a - b).abs() < 1e-5),
            "{found:?}, not {wanted:?}"
        );
    };
    let [[x, y, z], [rx, ry, rz]] = [[0.1, -2.5, -0.7_f32], [-1.5, -0.3, -0.9_f32]];
    for time in times {
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
        let display = app.frame();
        // Nothing is recorded for the hip, which moves at 1 m/s.
        near(velocity(&hip, &stage, display).0, [1.0, 0.0, 0.0]);
        if (1.0..1.5).contains(&time) && time != 1.0 {
            near(velocity(&space, &stage, display).0, [1.0, 0.0, 0.0]);
            continue;
        }
        if time == 1.0 || time == 1.5 {
            // The ends of the gap are known.
            continue;
        }
        assert_eq!(velocity(&space, &stage, display), ([x, y, z], [rx, ry, rz]));
        // The velocity of a point of a rigid body is v + ω × r; r is (0, 0, −1).
        let (linear, angular) = velocity(&ahead, &stage, display);
        near(linear, [x - ry, y + rx, z]);
        assert_eq!(angular, [rx, ry, rz]);
        let (linear, angular) = velocity(&space, &turned, display);
        near(linear, [-z, y, x]);
        near(angular, [-rz, ry, rx]);
        // A base that moves.
        near(velocity(&ahead, &space, display).0, [0.0; 3]);
        near(velocity(&stage, &space, display).1, [-rx, -ry, -rz]);
        near(velocity(&hip, &space, display).1, [-rx, -ry, -rz]);
    }
}

#[test]
fn an_application_without_the_extension_has_no_trackers() {
    let _alone = alone();
    let settings = settings(&recording());
    for extensions in [trackers(), extensions()] {
        let has_trackers = extensions.htcx_vive_tracker_interaction;
        let app = App::with(&settings, 0, &extensions);
        let set = app.set("set", 0);
        let make = |user: &str| code(set.create_action::<bool>("b", "B", &[app.path(user)]));
        let action = new_action::<f32>(&set, "a", &[]);
        let suggest = |user: &str| {
            let path = format!("{user}/input/trigger/value");
            app.suggest(PROFILE, &[(action.as_raw(), &*path)])
        };
        for (user, is_user) in [
            (WAIST, true),
            (HIP, true),
            // The recording does not have it.
            ("/user/vive_tracker_htcx/role/chest", true),
            ("/user/vive_tracker_htcx/role/hip", false),
            ("/devices/inputanim/chest", false),
            ("/devices/other/hip", false),
        ] {
            let wanted = if is_user && has_trackers {
                OK
            } else {
                UNSUPPORTED
            };
            assert_eq!(make(user), wanted, "{user}");
            assert_eq!(suggest(user), wanted, "{user}");
        }
        assert_eq!(app.connections().is_empty(), !has_trackers);
    }
}

/// Returns the report that the runtime writes for an application.
fn report(settings: &mut Settings, run: impl FnOnce(&Settings)) -> Report {
    let path = temporary_file().with_extension("report");
    settings.report = Some(path.clone());
    run(settings);
    let text = std::fs::read(path).expect("the report");
    serde_json::from_slice(&text).expect("a report is JSON")
}

#[test]
fn the_report_lists_devices_that_are_not_in_a_hand() {
    let _alone = alone();
    let mut recording = recording();
    let gamepad = recording.device_mut(name("device.gamepad"));
    gamepad.set_profile(0.0, GAMEPAD);
    gamepad.push_input(input("a/click"), 0.0, InputValue::Boolean(true));
    gamepad.haptics.push(Haptic {
        time: 0.5,
        output: "haptic_left".parse().expect("a name"),
        duration: None,
        frequency: None,
        amplitude: 1.0,
    });
    let report = report(&mut settings(&recording), |settings| {
        let mut app = App::with(settings, 0, &trackers());
        let set = app.set("set", 0);
        let trigger = new_action::<f32>(&set, "trigger", &[]);
        let menu = new_action::<bool>(&set, "menu", &[]);
        let chest = new_action::<bool>(&set, "chest", &[]);
        let pad = new_action::<bool>(&set, "pad", &[]);
        let buzz = new_action::<xr::Haptic>(&set, "buzz", &[]);
        let of_waist = |input: &str| format!("{WAIST}/input/{input}");
        let bindings = [
            (trigger.as_raw(), &*of_waist("trigger/value")),
            (menu.as_raw(), &*of_waist("menu/click")),
            (
                chest.as_raw(),
                "/user/vive_tracker_htcx/role/chest/input/menu/click",
            ),
        ];
        assert_eq!(app.suggest(PROFILE, &bindings), OK);
        let bindings = [
            (pad.as_raw(), "/user/gamepad/input/a/click"),
            (buzz.as_raw(), "/user/gamepad/output/haptic_left"),
        ];
        assert_eq!(app.suggest(GAMEPAD, &bindings), OK);
        app.attach(&[&set]);
        app.begin();
        for _ in 0..3 {
            assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
            app.frame();
            let user = xr::Path::NULL;
            let vibration = xr::HapticVibration::new();
            let applied = buzz.apply_feedback(&app.session, user, &vibration);
            applied.expect("a vibration");
        }
        assert!(app.state(&pad, xr::Path::NULL).current_state);
        let source = app.path("/user/vive_tracker_htcx/role/left_foot/input/menu/click");
        assert_eq!(app.source(source), "Tracker left foot menu click");
    });
    assert!(!report.input.is_meaningless());
    assert_eq!(
        report.input.lines(),
        [
            "left hand: profile none (no controller is recorded)",
            "right hand: profile none (no controller is recorded)",
            "device.gamepad: profile microsoft/xbox_controller (as recorded)",
            "device.gamepad: 3 haptic pulses, 1 recorded",
            "tracker.hip: profile none (the recorded profile is not known)",
            "tracker.hip: recorded inputs that the application did not ask for: trigger/value, grip",
            "tracker.left_foot: profile none (recorded: htc/vive_tracker_htcx)",
            "tracker.left_foot: recorded inputs that the application did not ask for: trigger/value, grip",
            "tracker.waist: profile htc/vive_tracker_htcx (as recorded)",
            "tracker.waist: actions that were never active: set/menu",
            "tracker.waist: inputs that are not recorded: menu/click",
            "tracker.waist: recorded inputs that the application did not ask for: grip",
            "devices that the application asked for and that are not recorded: tracker.chest",
        ]
    );
}

impl App {
    /// Returns the name of an input for people, with its user.
    fn source(&self, path: xr::Path) -> String {
        let parts = xr::InputSourceLocalizedNameFlags::USER_PATH
            | xr::InputSourceLocalizedNameFlags::COMPONENT;
        let info = of!(InputSourceLocalizedNameGetInfo {
            source_path: path,
            which_components: parts,
        });
        let mut letters = [0; 64];
        let mut count = 0;
        let result = raw!(
            self.instance,
            get_input_source_localized_name(
                self.session.as_raw(),
                &raw const info,
                letters.len() as u32,
                &raw mut count,
                letters.as_mut_ptr(),
            )
        );
        assert_eq!(result, OK);
        super::text(&letters)
    }
}
