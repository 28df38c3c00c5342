//! Recorded controllers and other devices: an application gets their profiles, poses and inputs.

use std::collections::HashMap;
use std::path::PathBuf;

use inputanim::{
    BooleanCurve, DeviceName, Element, FloatCurve, Frame, FullKey, Haptic, InputCurve, InputName,
    InputValue, Layout, Pose, Recording, Sampler, Side, Space, TimeRange,
};
use inputanim_convert::{Format, WriteOptions, write_bytes};
use inputanim_openxr::{AtEnd, Clock, Component, ComponentKind, Profile, Report, Settings, User};
use openxr as xr;

use super::{App, LEFT, OK, RIGHT, SIMPLE, TOUCH, extensions, new_action, temporary_file};
use crate::alone;

const TRACKER: &str = "/interaction_profiles/htc/vive_tracker_htcx";
const INDEX: &str = "/interaction_profiles/valve/index_controller";
const PROFILES: [&str; 12] = [
    INDEX,
    TOUCH,
    "/interaction_profiles/htc/vive_controller",
    "/interaction_profiles/microsoft/motion_controller",
    SIMPLE,
    super::HANDS,
    // The devices of these profiles are not in a hand.
    TRACKER,
    "/interaction_profiles/htc/vive_pro",
    "/interaction_profiles/htc/vive_wrist_tracker",
    "/interaction_profiles/htc/hand_interaction",
    "/interaction_profiles/microsoft/xbox_controller",
    "/interaction_profiles/android/mouse_interaction_android",
];
/// Extensions that add these profiles, and components of them.
const EXTENSIONS: [&str; 6] = [
    "XR_ANDROID_mouse_interaction",
    "XR_EXT_hand_interaction",
    "XR_EXT_palm_pose",
    "XR_HTCX_vive_tracker_interaction",
    "XR_HTC_hand_interaction",
    "XR_HTC_vive_wrist_tracker_interaction",
];
/// The end of the recordings in seconds.
const END: f32 = 2.0;

/// Returns the users of a profile with their paths. The left hand is before the right one.
fn users(profile: &str) -> Vec<(DeviceName, &'static str)> {
    let profile = Profile::find(profile).expect("a profile of the registry");
    let device = |path: &&'static str| Some((User::find(path)?.device()?, *path));
    profile.users.iter().filter_map(device).collect()
}

/// Returns the extensions of the tests and [`EXTENSIONS`].
fn all_extensions() -> xr::ExtensionSet {
    let mut all = extensions();
    all.htcx_vive_tracker_interaction = true;
    all.htc_vive_wrist_tracker_interaction = true;
    all.htc_hand_interaction = true;
    all.other = vec![b"XR_ANDROID_mouse_interaction\0".to_vec()];
    all
}

/// Random numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) as u32) % count
    }

    /// Returns a number from −1 to 1.
    fn number(&mut self) -> f32 {
        self.below(2001) as f32 / 1000.0 - 1.0
    }

    /// Returns increasing times from 0 to the end.
    fn times(&mut self) -> Vec<f32> {
        let all = (0..=64).map(|step| step as f32 * END / 64.0);
        all.filter(|&time| time == 0.0 || self.below(5) == 0)
            .collect()
    }

    fn float(&mut self) -> FloatCurve<'static> {
        let points: Vec<(f32, f32)> = self
            .times()
            .into_iter()
            .map(|time| (time, self.number()))
            .collect();
        if self.below(2) == 0 {
            return FloatCurve::linear(points);
        }
        let step = f32::INFINITY;
        FloatCurve::full(
            points
                .into_iter()
                .map(|(time, value)| FullKey::hermite(time, value, step, step)),
        )
    }
}

/// Returns the components of a profile that OpenXR 1.1 and the extensions of the tests have, for a user.
fn components(profile: &str, user: &str) -> Vec<&'static Component> {
    let profile = Profile::find(profile).expect("a profile of the registry");
    let has = |name: &str| {
        ["XR_VERSION_1_0", "XR_VERSION_1_1"].contains(&name) || EXTENSIONS.contains(&name)
    };
    let all = profile.components.iter();
    all.filter(|one| one.is_of(user) && one.is_enabled(has))
        .collect()
}

pub(super) fn input(name: &str) -> InputName {
    name.parse().expect("the name of an input")
}

/// Returns a recording of devices of a profile for all of its users, with random values of all their components. The last one is
/// not active for a time, an input is not known for a time, and then the whole device.
fn random(profile: &str, seed: u64) -> Recording<'static> {
    let mut random = Random(seed);
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, END] {
        recording.head_mut().push(time, &Pose::at([0.0, 1.6, 0.0]));
    }
    let users = users(profile);
    for &(name, user) in &users {
        let device = recording.device_mut(name);
        device.set_profile(0.0, profile);
        if users.last().is_some_and(|(last, _)| *last == name) {
            device.set_inactive(0.5);
            device.set_profile(0.75, profile);
        }
        for component in components(profile, user) {
            match component.kind {
                ComponentKind::Boolean => {
                    let times = random.times().into_iter().enumerate();
                    let keys = times.map(|(index, time)| (time, index % 2 == 1));
                    let curve = InputCurve::Boolean(BooleanCurve::new(keys));
                    device.set_input(input(component.name), curve);
                }
                ComponentKind::Float => {
                    device.set_input(input(component.name), InputCurve::Float(random.float()));
                }
                ComponentKind::Pose => {
                    let pose = component.name.strip_suffix("/pose").expect("a pose");
                    let pose = device.pose_mut(pose.parse().expect("the name of a pose"));
                    for time in random.times() {
                        let rotation = [[0.0, 0.6, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0]];
                        let position = [random.number(), random.number(), random.number()];
                        let rotation = rotation[random.below(2) as usize];
                        pose.push(time, &Pose { position, rotation });
                    }
                }
                ComponentKind::Vector => {
                    for part in ["x", "y"] {
                        // Most vectors have components for their parts.
                        let part = input(&format!("{}/{part}", component.name));
                        device.set_input(part, InputCurve::Float(random.float()));
                    }
                }
                _ => {}
            }
        }
        let unknown = device.inputs[0].0;
        let gap = |start: f32, end: f32| TimeRange { start, end };
        recording
            .known
            .add_gap(Element::Input(name, unknown), gap(1.0, 1.25));
        recording
            .known
            .add_gap(Element::Profile(name), gap(1.25, 1.5));
    }
    recording
}

/// Returns settings for a recording with devices at the times of its keys.
pub(super) fn settings(recording: &Recording<'_>) -> Settings {
    let path: PathBuf = temporary_file().with_extension("json");
    let written = write_bytes(Format::Json, recording, &WriteOptions::default());
    let (bytes, report) = written.expect("JSON holds devices");
    assert_eq!(report.losses, []);
    std::fs::write(&path, bytes).expect("the file can be written");
    let mut settings = Settings::from(path);
    settings.clock = Clock::Keys;
    settings.at_end = AtEnd::Hold;
    settings
}

/// An action that is bound to a component of one user.
enum Read {
    Boolean(xr::Action<bool>),
    Float(xr::Action<f32>),
    Vector(xr::Action<xr::Vector2f>),
    Pose(xr::Action<xr::Posef>, xr::Space),
}

/// The state of an action, as an application gets it, with the bits of its value.
#[derive(Clone, Debug, Default, PartialEq)]
struct Got {
    value: Vec<u32>,
    is_active: bool,
    has_changed: bool,
    changed_at: i64,
}

impl Got {
    fn new<T: xr::ActionInput>(state: &xr::ActionState<T>, value: Vec<u32>) -> Got {
        Got {
            value,
            is_active: state.is_active,
            has_changed: state.changed_since_last_sync,
            changed_at: state.last_change_time.as_nanos(),
        }
    }
}

fn bits(pose: Pose) -> Vec<u32> {
    let parts = pose.position.iter().chain(&pose.rotation);
    parts.map(|part| part.to_bits()).collect()
}

/// An application that reads components of controllers.
struct Reader {
    app: App,
    set: xr::ActionSet,
    stage: xr::Space,
    /// The actions by the device, the component and the index of the type.
    actions: Vec<(DeviceName, &'static Component, usize, Read)>,
    /// The states of the synchronisation before.
    before: HashMap<usize, Got>,
}

impl Reader {
    /// Creates an application with actions of all fitting types for the components of a profile.
    fn new(settings: &Settings, profile: &str, with_names: impl Fn(&str) -> String) -> Reader {
        let app = App::with(settings, 1, &all_extensions());
        let set = app.set("all", 0);
        let mut actions = Vec::new();
        let mut bindings: Vec<(xr::sys::Action, String)> = Vec::new();
        for (device, user) in users(profile) {
            let path = app.path(user);
            for component in components(profile, user) {
                let types: &[usize] = match component.kind {
                    ComponentKind::Boolean | ComponentKind::Float => &[0, 1],
                    ComponentKind::Vector => &[2],
                    ComponentKind::Pose => &[3],
                    _ => &[],
                };
                for &kind in types {
                    let name = format!("{device}.{}.{kind}", component.name.replace('/', "."));
                    let (action, raw) = match kind {
                        0 => {
                            let action = new_action::<bool>(&set, &name, &[path]);
                            (Ok(Read::Boolean(action.clone())), action.as_raw())
                        }
                        1 => {
                            let action = new_action::<f32>(&set, &name, &[path]);
                            (Ok(Read::Float(action.clone())), action.as_raw())
                        }
                        2 => {
                            let action = new_action::<xr::Vector2f>(&set, &name, &[path]);
                            (Ok(Read::Vector(action.clone())), action.as_raw())
                        }
                        _ => {
                            let action = new_action::<xr::Posef>(&set, &name, &[path]);
                            (Err(action.clone()), action.as_raw())
                        }
                    };
                    bindings.push((raw, with_names(&(user.to_owned() + &component.path()))));
                    actions.push((device, component, kind, action));
                }
            }
        }
        let bindings: Vec<_> = bindings
            .iter()
            .map(|(action, path)| (*action, &**path))
            .collect();
        assert_eq!(app.suggest(profile, &bindings), OK);
        app.attach(&[&set]);
        let actions = actions
            .into_iter()
            .map(|(device, component, kind, action)| {
                let user = app.path(path_of(device));
                let action = action.unwrap_or_else(|action| {
                    let space = app.action_space(&action, user);
                    Read::Pose(action, space)
                });
                (device, component, kind, action)
            });
        let actions = actions.collect();
        let stage = app.stage();
        Reader {
            app,
            set,
            stage,
            actions,
            before: HashMap::new(),
        }
    }

    /// Shows the next frame, and checks that each action has the value that `wanted` returns: the numbers of an input, a vector
    /// or a pose as their bits; `None` for an inactive action. Returns the number of active actions.
    fn check(
        &mut self,
        wanted: impl Fn(DeviceName, &Component, usize) -> Option<Vec<u32>>,
    ) -> usize {
        assert_eq!(self.app.sync(&[(&self.set, xr::Path::NULL)]), OK);
        let time = self.app.frame();
        let mut count = 0;
        for (index, (device, component, kind, action)) in self.actions.iter().enumerate() {
            let user = self.app.path(path_of(*device));
            let got = match action {
                Read::Boolean(action) => {
                    let state = self.app.state(action, user);
                    Got::new(&state, vec![u32::from(state.current_state)])
                }
                Read::Float(action) => {
                    let state = self.app.state(action, user);
                    Got::new(&state, vec![state.current_state.to_bits()])
                }
                Read::Vector(action) => {
                    let state = self.app.state(action, user);
                    let xr::Vector2f { x, y } = state.current_state;
                    Got::new(&state, vec![x.to_bits(), y.to_bits()])
                }
                Read::Pose(action, space) => {
                    let is_active = action.is_active(&self.app.session, user).expect("a pose");
                    let located = super::locate(space, &self.stage, time);
                    assert_eq!(
                        located.location_flags.into_raw(),
                        if is_active { 0xf } else { 0 }
                    );
                    let (p, q) = (located.pose.position, located.pose.orientation);
                    let pose = Pose {
                        position: [p.x, p.y, p.z],
                        rotation: [q.x, q.y, q.z, q.w],
                    };
                    let value = if is_active { bits(pose) } else { Vec::new() };
                    Got {
                        value,
                        is_active,
                        ..Got::default()
                    }
                }
            };
            let expected = match wanted(*device, component, *kind) {
                None => Got {
                    value: vec![0; got.value.len()],
                    ..Got::default()
                },
                Some(value) => {
                    let mut expected = Got {
                        value,
                        is_active: true,
                        ..Got::default()
                    };
                    if *kind != 3 {
                        let before = self.before.get(&index).filter(|before| before.is_active);
                        expected.has_changed =
                            before.is_some_and(|before| before.value != expected.value);
                        expected.changed_at = match before {
                            Some(before) if !expected.has_changed => before.changed_at,
                            _ => time.as_nanos(),
                        };
                    }
                    expected
                }
            };
            assert_eq!(got, expected, "{device} {component:?} {kind}");
            count += usize::from(got.is_active);
            self.before.insert(index, got);
        }
        count
    }

    /// Returns the number of events of new profiles. All other events change the state of the session.
    fn profile_events(&self) -> usize {
        let mut storage = xr::EventDataBuffer::new();
        let mut count = 0;
        while let Some(event) = self
            .app
            .instance
            .poll_event(&mut storage)
            .expect("no call fails")
        {
            count += usize::from(matches!(event, xr::Event::InteractionProfileChanged(_)));
        }
        count
    }
}

/// Returns the path of the user with a device.
fn path_of(device: DeviceName) -> &'static str {
    let user = User::of_device(device).expect("the device of a user");
    user.path().expect("a user of the registry")
}

/// Returns the bits of the value that an action of a type gets for a component, from a frame of the recording. `read` returns the
/// value of an input by its name.
fn expected(
    frame: &Frame,
    device: DeviceName,
    component: &Component,
    kind: usize,
    read: impl Fn(&str) -> Option<InputValue>,
) -> Option<Vec<u32>> {
    let device = frame.device(device)?;
    let name = component.name;
    Some(match kind {
        0 => match read(name)? {
            InputValue::Boolean(is_on) => vec![u32::from(is_on)],
            InputValue::Float(number) => vec![u32::from(number > 0.5)],
        },
        1 => vec![read(name)?.number().to_bits()],
        2 => {
            let part = |part: &str| Some(read(&format!("{name}/{part}"))?.number().to_bits());
            vec![part("x")?, part("y")?]
        }
        _ => {
            let name = name.strip_suffix("/pose")?.parse().ok()?;
            bits(Space::OpenXr.pose(*device.pose(name)?))
        }
    })
}

#[test]
fn an_application_gets_each_component_of_a_recorded_device() {
    let _alone = alone();
    for (seed, profile) in PROFILES.into_iter().enumerate() {
        let recording = random(profile, seed as u64);
        let sampler = Sampler::new(&recording).expect("a valid recording");
        let mut reader = Reader::new(&settings(&recording), profile, str::to_owned);
        reader.app.begin();
        let users = users(profile);
        let mut profiles = vec![xr::Path::NULL; users.len()];
        let mut counts = Vec::new();
        for time in sampler.key_times() {
            let frame = sampler.frame_at(time);
            counts.push(reader.check(|name, component, kind| {
                let device = frame.device(name)?;
                expected(&frame, name, component, kind, |name| {
                    device.input(input(name))
                })
            }));
            let wanted = users.iter().map(|(name, _)| {
                let device = frame.device(*name);
                let is_active = device.is_some_and(|device| device.active);
                if is_active {
                    reader.app.path(profile)
                } else {
                    xr::Path::NULL
                }
            });
            let wanted: Vec<xr::Path> = wanted.collect();
            let found = users.iter().map(|(_, user)| {
                let user = reader.app.path(user);
                reader
                    .app
                    .session
                    .current_interaction_profile(user)
                    .expect("attached")
            });
            let found: Vec<xr::Path> = found.collect();
            assert_eq!(found, wanted, "{profile} at {time} s");
            let events = usize::from(found != profiles);
            assert_eq!(reader.profile_events(), events, "{profile} at {time} s");
            profiles = found;
        }
        let most = counts.iter().max().copied().unwrap_or(0);
        assert_eq!(most, reader.actions.len(), "{profile}");
        assert!(counts.contains(&0), "{profile}");
    }
}

#[test]
fn a_parent_of_components_means_the_component_of_the_type() {
    let _alone = alone();
    let recording = random(INDEX, 9);
    let sampler = Sampler::new(&recording).expect("a valid recording");
    // `/input/trigger` instead of `/input/trigger/value`.
    let parent = |path: &str| {
        let parts: Vec<&str> = path.split('/').take(6).collect();
        parts.join("/")
    };
    let mut reader = Reader::new(&settings(&recording), INDEX, parent);
    reader.app.begin();
    for time in sampler.key_times() {
        let frame = sampler.frame_at(time);
        reader.check(|name, component, kind| {
            let device = frame.device(name)?;
            let parent = component.name.split('/').next()?;
            let index = Profile::find(INDEX)?;
            let last: &[&str] = match kind {
                0 => &["click", "value"],
                1 => &["value", "click"],
                _ => {
                    return expected(&frame, name, component, kind, |name| {
                        device.input(input(name))
                    });
                }
            };
            let names = last.iter().map(|last| format!("{parent}/{last}"));
            let mut names = names.filter(|name| index.component(name).is_some());
            // The specification does not say what the others mean; this runtime takes the first component of the type.
            let first = index.components.iter().find(|other| {
                let is_number = matches!(other.kind, ComponentKind::Boolean | ComponentKind::Float);
                is_number && other.is_of(LEFT) && other.name.starts_with(&format!("{parent}/"))
            });
            let of_parent = names
                .next()
                .unwrap_or_else(|| first.expect("a component").name.to_owned());
            expected(&frame, name, component, kind, |_| {
                device.input(input(&of_parent))
            })
        });
    }
}

#[test]
fn inputs_that_are_not_recorded_are_not_active() {
    let _alone = alone();
    let mut recording = random(INDEX, 3);
    for device in &mut recording.devices {
        device.inputs.retain(|(name, _)| {
            name.as_str() != "trigger/click" && !name.as_str().starts_with("a/")
        });
        device.poses.retain(|(name, _)| name.as_str() == "aim");
    }
    let sampler = Sampler::new(&recording).expect("a valid recording");
    let mut reader = Reader::new(&settings(&recording), INDEX, str::to_owned);
    reader.app.begin();
    let frame = sampler.frame_at(0.0);
    let active = reader.check(|name, component, kind| {
        let device = frame.device(name)?;
        expected(&frame, name, component, kind, |name| {
            device.input(input(name))
        })
    });
    // Three inputs with two types each, and five poses, of both hands.
    assert_eq!(reader.actions.len() - active, 2 * (3 * 2 + 5));
}

#[test]
fn an_application_without_the_recorded_profile_gets_nothing() {
    let _alone = alone();
    let recording = random(INDEX, 4);
    let mut reader = Reader::new(&settings(&recording), SIMPLE, str::to_owned);
    reader.app.begin();
    assert_eq!(reader.check(|_, _, _| None), 0);
    let user = reader.app.path(RIGHT);
    assert_eq!(
        reader.app.session.current_interaction_profile(user),
        Ok(xr::Path::NULL)
    );
}

/// Returns the input of an Index controller that stands for an input of another profile.
fn of_index(name: &str) -> &str {
    match name {
        "select/click" => "trigger/click",
        "x/click" => "a/click",
        "x/touch" => "a/touch",
        "y/click" => "b/click",
        "y/touch" => "b/touch",
        name => name,
    }
}

#[test]
fn another_profile_gets_the_inputs_that_stand_for_its_own() {
    let _alone = alone();
    for (seed, profile) in [(5, SIMPLE), (6, TOUCH)] {
        let recording = random(INDEX, seed);
        let sampler = Sampler::new(&recording).expect("a valid recording");
        let mut settings = settings(&recording);
        settings.profile = Some(profile.to_owned());
        let mut reader = Reader::new(&settings, profile, str::to_owned);
        reader.app.begin();
        for time in sampler.key_times() {
            let frame = sampler.frame_at(time);
            let active = reader.check(|name, component, kind| {
                let device = frame.device(name)?;
                expected(&frame, name, component, kind, |name| {
                    device.input(input(of_index(name)))
                })
            });
            let user = reader.app.path(LEFT);
            let found = reader.app.session.current_interaction_profile(user);
            if active > reader.actions.len() / 2 {
                assert_eq!(found, Ok(reader.app.path(profile)));
            }
        }
    }
}

#[test]
fn a_controller_without_a_profile_of_openxr_has_the_profile_with_most_of_its_inputs() {
    let _alone = alone();
    for name in [None, Some("valve-index")] {
        let mut recording = random(INDEX, 7);
        for device in &mut recording.devices {
            device.profiles.clear();
            if let Some(name) = name {
                device.set_profile(0.0, name);
            }
        }
        let app = App::with(&settings(&recording), 1, &extensions());
        let set = app.set("set", 0);
        let squeeze = new_action::<f32>(&set, "squeeze", &[]);
        for profile in [SIMPLE, TOUCH, INDEX] {
            let path = match profile {
                SIMPLE => "/user/hand/left/input/select/click",
                _ => "/user/hand/left/input/squeeze/value",
            };
            assert_eq!(app.suggest(profile, &[(squeeze.as_raw(), path)]), OK);
        }
        app.attach(&[&set]);
        let mut app = app;
        app.begin();
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
        let found = app.session.current_interaction_profile(app.path(LEFT));
        assert_eq!(found, Ok(app.path(INDEX)), "{name:?}");
        let frame = Sampler::new(&recording)
            .expect("a valid recording")
            .frame_at(0.0);
        let device = frame
            .device(DeviceName::controller(Side::Left))
            .expect("the controller");
        let value = device
            .input(input("squeeze/value"))
            .expect("a value")
            .number();
        assert_eq!(app.state(&squeeze, xr::Path::NULL).current_state, value);
    }
}

#[test]
fn a_pinch_is_select_and_trigger_and_squeezes_on_request() {
    let _alone = alone();
    for (profile, squeezes) in [(TOUCH, false), (TOUCH, true), (INDEX, true)] {
        let mut settings = super::sample("pinch-drag.bin");
        settings.pinch_squeezes = squeezes;
        settings.profile = (profile == INDEX).then(|| profile.to_owned());
        let mut app = App::new(&settings);
        let set = app.set("set", 0);
        let trigger = new_action::<f32>(&set, "trigger", &[]);
        let squeeze = new_action::<bool>(&set, "squeeze", &[]);
        let path = |name: &str| format!("{RIGHT}/input/{name}/value");
        let bindings = [
            (trigger.as_raw(), &*path("trigger")),
            (squeeze.as_raw(), &*path("squeeze")),
        ];
        assert_eq!(app.suggest(profile, &bindings), OK);
        app.attach(&[&set]);
        app.begin();
        let mut pinches = 0;
        for _ in 0..400 {
            assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
            app.frame();
            let trigger = app.state(&trigger, xr::Path::NULL);
            let squeeze = app.state(&squeeze, xr::Path::NULL);
            assert!(trigger.is_active && squeeze.is_active);
            let is_pinching = trigger.current_state == 1.0;
            assert_eq!(squeeze.current_state, is_pinching && squeezes);
            pinches += u32::from(is_pinching);
        }
        assert!(pinches > 10, "{pinches}");
    }
}

#[test]
fn the_report_counts_the_sessions_of_all_instances() {
    let _alone = alone();
    let path = temporary_file().with_extension("report");
    let mut settings = settings(&random(INDEX, 8));
    settings.report = Some(path.clone());
    let report = || -> Report {
        let text = std::fs::read(&path).expect("the report");
        serde_json::from_slice(&text).expect("a report is JSON")
    };
    let mut app = App::new(&settings);
    app.begin();
    app.frame();
    drop(app);
    let before = report();
    assert!(before.has_session && before.frames > 0, "{before:?}");
    // Many applications make an instance only to ask for the system.
    drop(App::new(&settings));
    let after = report();
    assert!(
        after.has_session && after.frames == before.frames,
        "{after:?}"
    );
}

#[test]
fn the_report_names_what_the_application_did_not_get() {
    let _alone = alone();
    let mut recording = random(INDEX, 8);
    for device in &mut recording.devices {
        let keep = ["a/click", "trigger/value", "squeeze/value"];
        device
            .inputs
            .retain(|(name, _)| keep.contains(&name.as_str()));
        device.poses.retain(|(name, _)| name.as_str() == "aim");
        device.haptics = vec![Haptic {
            time: 0.5,
            output: "haptic".parse().expect("a name"),
            duration: None,
            frequency: None,
            amplitude: 1.0,
        }];
    }
    let path = temporary_file().with_extension("report");
    let mut settings = settings(&recording);
    settings.report = Some(path.clone());
    let report = || -> Report {
        let text = std::fs::read(&path).expect("the report");
        serde_json::from_slice(&text).expect("a report is JSON")
    };
    for (profile, select) in [(INDEX, "trigger/value"), (SIMPLE, "select/click")] {
        let mut app = App::new(&settings);
        assert!(!report().input.is_wanted);
        let set = app.set("set", 0);
        let select_action = new_action::<bool>(&set, "select", &[]);
        let b = new_action::<bool>(&set, "b", &[]);
        let grip = new_action::<xr::Posef>(&set, "grip", &[]);
        let buzz = new_action::<xr::Haptic>(&set, "buzz", &[]);
        let of_right = |name: &str| format!("{RIGHT}/{name}");
        let mut bindings = vec![
            (select_action.as_raw(), of_right("input/") + select),
            (grip.as_raw(), of_right("input/grip/pose")),
            (buzz.as_raw(), of_right("output/haptic")),
        ];
        if profile == INDEX {
            bindings.push((b.as_raw(), of_right("input/b/click")));
        }
        let bindings: Vec<_> = bindings
            .iter()
            .map(|(action, path)| (*action, &**path))
            .collect();
        assert_eq!(app.suggest(profile, &bindings), OK);
        app.attach(&[&set]);
        app.begin();
        for _ in 0..3 {
            assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
            app.frame();
            let vibration = xr::HapticVibration::new();
            buzz.apply_feedback(&app.session, xr::Path::NULL, &vibration)
                .expect("a vibration");
        }
        drop((select_action, b, grip, buzz, set, app));
        let input = report().input;
        assert!(input.is_wanted);
        assert_eq!(input.is_meaningless(), profile == SIMPLE);
        let lines = input.lines();
        let right: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.strip_prefix("right hand: "))
            .collect();
        if profile == INDEX {
            assert_eq!(
                right,
                [
                    "profile valve/index_controller (as recorded)",
                    "actions that were never active: set/b, set/grip",
                    "inputs that are not recorded: b/click, grip",
                    "recorded inputs that the application did not ask for: a/click, squeeze/value, aim",
                    "3 haptic pulses, 1 recorded",
                ]
            );
        } else {
            assert_eq!(
                right,
                [
                    "profile none (recorded: valve/index_controller)",
                    "the application has bindings for khr/simple_controller",
                    "actions that were never active: set/grip, set/select",
                    "recorded inputs that the application did not ask for: a/click, squeeze/value, trigger/value, aim",
                    "0 haptic pulses, 1 recorded",
                ]
            );
            assert_eq!(input.presentable_profile(), Some(SIMPLE));
        }
    }
}
