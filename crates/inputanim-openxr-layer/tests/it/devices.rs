//! Controllers and other devices: the values that an application gets are those of the recording.

use inputanim::velocity::{VelocityKind, VelocityVector};
use inputanim::{
    Device, DeviceFrame, DeviceName, Element, InputName, InputValue, Layout, Pose, PoseName,
    Recording, Sampler, Side, TimeRange,
};
use inputanim_convert::{Format, WriteOptions, write_bytes};
use inputanim_openxr::{ComponentKind, Profile, RecordSpace, RecordedDevice, User};

use super::{Played, bits, play, play_with, sample, sampler};
use crate::client::Client;
use crate::controls::{Controls, Log};
use crate::loader::Refusal;

const TOUCH: Controls = Controls::new(
    "/interaction_profiles/oculus/touch_controller",
    &[
        "trigger/value",
        "squeeze/value",
        "thumbstick/x",
        "thumbstick/y",
        "thumbstick/click",
        "x/click",
        "a/click",
    ],
);
const SIMPLE: Controls = Controls::new(
    "/interaction_profiles/khr/simple_controller",
    &["select/click", "menu/click"],
);
/// Profiles that the runtime presents only for recordings with these controllers.
const OTHERS: [Controls; 3] = [
    Controls::new(
        "/interaction_profiles/valve/index_controller",
        &[
            "trigger/value",
            "trigger/click",
            "squeeze/value",
            "squeeze/force",
            "thumbstick/x",
            "a/click",
            "b/touch",
        ],
    ),
    Controls::new(
        "/interaction_profiles/htc/vive_controller",
        &[
            "trigger/value",
            "trigger/click",
            "squeeze/click",
            "trackpad/x",
            "trackpad/touch",
        ],
    ),
    Controls::new(
        "/interaction_profiles/microsoft/motion_controller",
        &[
            "trigger/value",
            "squeeze/click",
            "thumbstick/y",
            "menu/click",
        ],
    ),
];

fn client(controls: Controls) -> Client {
    Client {
        controls: Some(controls),
        ..Client::default()
    }
}

fn device(sampler: &Sampler, time: f32, side: Side) -> Option<DeviceFrame> {
    let frame = sampler.frame_at(time);
    frame.device(DeviceName::controller(side)).cloned()
}

/// Returns the pose of a log in the axes of a recording.
fn recorded(pose: Option<[f32; 7]>) -> Option<[u32; 7]> {
    let [x, y, z, qx, qy, qz, qw] = pose?;
    bits(Some(inputanim::Space::OpenXr.pose(inputanim::Pose {
        position: [x, y, z],
        rotation: [qx, qy, qz, qw],
    })))
}

/// Compares the log of each frame with the recording.
fn compare_logs(controls: Controls, played: &Played) {
    let found = sampler(played.recording.as_ref().expect("a recording"));
    let times = found.key_times();
    assert_eq!(times.len(), played.seen.logs.len());
    for (time, log) in times.into_iter().zip(&played.seen.logs) {
        let frame = found.frame_at(time);
        for (index, path) in controls.users().iter().enumerate() {
            let name = User::find(path).and_then(User::device).expect("a device");
            compare_log(controls, log, index, frame.device(name), time);
        }
    }
}

/// Compares the log of one user with the device that is recorded.
fn compare_log(
    controls: Controls,
    log: &Log,
    index: usize,
    device: Option<&DeviceFrame>,
    time: f32,
) {
    let device = device.expect("the device is known");
    let (user, profile) = (device.name, log.profiles[index].as_deref());
    assert_eq!(device.active, profile.is_some(), "{user} at {time} s");
    assert_eq!(device.profile.as_deref(), profile, "{user} at {time} s");
    for (name, value) in controls.inputs.iter().zip(&log.values[index]) {
        let found = device.input(name.parse().expect("a name"));
        let found = found.map(InputValue::number).map(f32::to_bits);
        assert_eq!(found, value.map(f32::to_bits), "{user} {name} at {time} s");
    }
    for (component, pose) in controls.poses().zip(&log.poses[index]) {
        let name = component.name.trim_end_matches("/pose");
        let found = device.pose(name.parse().expect("a name")).copied();
        assert_eq!(bits(found), recorded(*pose), "{user} {name} at {time} s");
    }
}

fn report(played: &Played, name: &str) -> RecordedDevice {
    let mut devices = played.report.devices.iter();
    let found = devices.find(|device| device.name == name);
    found.cloned().unwrap_or_default()
}

#[test]
fn the_recording_has_the_values_that_an_application_gets() {
    for controls in [TOUCH, SIMPLE].into_iter().chain(OTHERS) {
        for name in ["pinch-drag", "two-hands"] {
            let played = play(&sample(name), client(controls), &[]);
            compare_logs(controls, &played);
        }
    }
    // The values above are not all the same.
    let played = play(&sample("pinch-drag"), client(TOUCH), &[]);
    let triggers = played.seen.logs.iter().map(|log| log.values[1][0]);
    let mut triggers: Vec<_> = triggers.collect();
    triggers.dedup();
    assert!(
        triggers.contains(&Some(1.0)) && triggers.contains(&Some(0.0)),
        "{triggers:?}"
    );
}

#[test]
fn inputs_that_the_application_does_not_bind_are_recorded_too() {
    let few = Controls::new(TOUCH.profile, &["a/click"]);
    let played = play(&sample("pinch-drag"), client(few), &[]);
    compare_logs(few, &played);
    let device = report(&played, "right.controller");
    assert_eq!(device.profiles, [TOUCH.profile]);
    assert_eq!(device.frames, played.report.frames);
    assert_eq!(device.poses, ["aim", "grip"]);
    for name in ["trigger/value", "a/click", "thumbstick/x", "system/click"] {
        assert!(
            device.inputs.iter().any(|input| input == name),
            "{device:?}"
        );
    }
    assert!(
        !device.inputs.iter().any(|input| input == "x/click"),
        "{device:?}"
    );
    let triggers = |played: Played| {
        let found = sampler(played.recording.as_ref().expect("a recording"));
        let name = "trigger/value".parse().expect("a name");
        let times = found.key_times().into_iter();
        let values = times.map(|time| device_input(&found, time, name));
        values.collect::<Vec<_>>()
    };
    // Only one application runs at a time.
    let few = triggers(played);
    let all = triggers(play(&sample("pinch-drag"), client(TOUCH), &[]));
    assert_eq!(few, all);
}

fn device_input(found: &Sampler, time: f32, name: inputanim::InputName) -> Option<InputValue> {
    device(found, time, Side::Right).and_then(|device| device.input(name))
}

#[test]
fn an_action_set_with_a_higher_priority_hides_nothing() {
    let controls = Controls {
        priority: 5,
        ..TOUCH
    };
    let path = sample("pinch-drag");
    let played = play(&path, client(controls), &[]);
    compare_logs(controls, &played);
    super::compare_all(&super::read(&path), &played);
    // The touch of the trigger belongs to the same input as its value, and the application does not read it.
    let device = report(&played, "right.controller");
    let found = device
        .not_read
        .iter()
        .find(|(name, _)| name == "trigger/touch");
    let why = "the action set controls with the priority 5 has trigger";
    assert_eq!(found.map(|(_, why)| why.as_str()), Some(why), "{device:?}");
}

#[test]
fn an_action_with_several_inputs_does_not_give_the_value_of_one() {
    let controls = Controls {
        priority: 5,
        is_shared: true,
        ..TOUCH
    };
    let played = play(&sample("pinch-drag"), client(controls), &[]);
    let device = report(&played, "right.controller");
    let found = device
        .not_read
        .iter()
        .find(|(name, _)| name == "trigger/value");
    let why = "the action set controls with the priority 5 has trigger; the action trigger_value has 2 inputs";
    assert_eq!(found.map(|(_, why)| why.as_str()), Some(why), "{device:?}");
    // Only the right hand has this button.
    assert!(
        device.inputs.iter().any(|input| input == "a/click"),
        "{device:?}"
    );
    drop(played);
    // With the same priority, the actions of the layer give all values.
    let controls = Controls {
        priority: 0,
        ..controls
    };
    let played = play(&sample("pinch-drag"), client(controls), &[]);
    let device = report(&played, "right.controller");
    assert_eq!(device.not_read, []);
}

#[test]
fn an_application_attaches_its_actions_late() {
    let late = 20;
    let controls = Controls { late, ..TOUCH };
    let path = sample("pinch-drag");
    let played = play_with(&path, client(controls), &[], RecordSpace::Auto, false);
    let found = sampler(played.recording.as_ref().expect("a recording"));
    let times = found.key_times();
    for (number, (time, log)) in times.into_iter().zip(&played.seen.logs).enumerate() {
        let device = device(&found, time, Side::Right);
        if number < late {
            assert_eq!(device, None, "unknown at {time} s");
        } else {
            compare_log(controls, log, 1, device.as_ref(), time);
        }
    }
}

#[test]
fn without_actions_of_the_layer_the_values_of_the_application_are_recorded() {
    for refusal in [Refusal::Attach, Refusal::Sync, Refusal::ActionSets] {
        let played = play(&sample("pinch-drag"), client(TOUCH), &[refusal]);
        compare_logs(TOUCH, &played);
        let device = report(&played, "right.controller");
        assert_eq!(device.inputs.len(), 6, "{refusal:?} {device:?}");
    }
}

#[test]
fn vibrations_are_recorded() {
    let controls = Controls {
        vibrates: Some(10),
        ..TOUCH
    };
    let played = play(&sample("pinch-drag"), client(controls), &[]);
    let recording = played.recording.as_ref().expect("a recording");
    let times = sampler(recording).key_times();
    let haptics = |side| {
        let device = recording.device(DeviceName::controller(side));
        let haptics = device.expect("a controller").haptics.iter();
        haptics
            .map(|one| (one.time, one.duration, one.frequency, one.amplitude))
            .collect::<Vec<_>>()
    };
    let shortest = (times[9], None, None, 1.0);
    assert_eq!(haptics(Side::Left), [shortest]);
    assert_eq!(
        haptics(Side::Right),
        [
            (times[9], Some(0.25), Some(160.0), 0.5),
            shortest,
            (times[10], Some(0.0), None, 0.0),
        ]
    );
    assert_eq!(report(&played, "right.controller").haptics, 3);
}

#[test]
fn bare_hands_are_a_device_with_their_profile() {
    let played = play(
        &sample("pinch-drag"),
        Client {
            sync: super::Sync::NoActions,
            ..Client::default()
        },
        &[],
    );
    let device = report(&played, "right.controller");
    assert_eq!(
        device.profiles,
        ["/interaction_profiles/ext/hand_interaction_ext"]
    );
    assert!(
        device.inputs.iter().any(|input| input == "pinch_ext/value"),
        "{device:?}"
    );
}

#[test]
fn actions_that_are_never_active_are_in_the_report() {
    let [index, ..] = OTHERS;
    let played = play(&sample("pinch-drag"), client(index), &[]);
    // The runtime has no such controller for this recording.
    assert_eq!(played.report.devices, []);
    drop(played);
    let played = play(&sample("pinch-drag"), client(TOUCH), &[]);
    assert_eq!(report(&played, "right.controller").never_active, [""; 0]);
}

/// Profiles whose devices are not in a hand, with some of their inputs. The layer also reads the inputs that the application does not
/// bind.
const NOT_IN_A_HAND: [Controls; 5] = [
    Controls::new(TRACKER, &["trigger/value", "menu/click"]),
    Controls::new("/interaction_profiles/htc/vive_pro", &["volume_up/click"]),
    Controls::new(
        "/interaction_profiles/htc/vive_wrist_tracker",
        &["menu/click"],
    ),
    Controls::new(
        "/interaction_profiles/htc/hand_interaction",
        &["select/value"],
    ),
    Controls::new(
        "/interaction_profiles/microsoft/xbox_controller",
        &["a/click", "thumbstick_left/x"],
    ),
];
const TRACKER: &str = "/interaction_profiles/htc/vive_tracker_htcx";

/// Returns a recording of a device for each user of a profile, with all its poses and inputs. The last device is not active for a
/// time, and one of its inputs is not known for a time.
fn devices_of(controls: Controls) -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let users = controls.users();
    for step in 0..=40_u16 {
        let time = f32::from(step) / 20.0;
        recording.head_mut().push(time, &Pose::at([0.0, 1.6, 0.0]));
        for (number, path) in users.iter().enumerate() {
            let name = User::find(path).and_then(User::device).expect("a device");
            let device = recording.device_mut(name);
            let seed = step as usize * 31 + number * 7;
            for component in controls.poses() {
                let name = component.name.trim_end_matches("/pose");
                let rotations = [[0.0, 0.6, 0.0, 0.8], [0.6, 0.0, 0.0, 0.8]];
                let pose = Pose {
                    position: [time, number as f32, (seed % 13) as f32 / 8.0],
                    rotation: rotations[seed % 2],
                };
                let name = name.parse().expect("a name");
                device.pose_mut(name).push(time, &pose);
                add_velocities(device, name, time, seed as f32);
            }
            for (index, (name, kind)) in inputs_of(controls, path).into_iter().enumerate() {
                let value = match kind {
                    ComponentKind::Boolean => InputValue::Boolean((seed + index).is_multiple_of(3)),
                    _ => InputValue::Float(((seed + index) % 17) as f32 / 16.0),
                };
                device.push_input(name, time, value);
            }
        }
    }
    for path in users {
        let name = User::find(path).and_then(User::device).expect("a device");
        let device = recording.device_mut(name);
        device.set_profile(0.0, controls.profile);
        if Some(path) == users.last() {
            device.set_inactive(0.5);
            device.set_profile(0.8, controls.profile);
            let range = TimeRange {
                start: 1.0,
                end: 1.5,
            };
            let mut inputs = device.inputs.iter().map(|(input, _)| *input);
            let input = inputs.find(|input| is_control(*input));
            let element = Element::Input(name, input.expect("an input"));
            recording.known.add_gap(element, range);
        }
    }
    recording
}

/// Adds velocities of a pose that are not the differences of its positions and rotations.
fn add_velocities(device: &mut Device<'_>, pose: PoseName, time: f32, seed: f32) {
    for kind in VelocityKind::ALL.iter().copied() {
        let names = VelocityVector { pose, kind }.inputs().expect("short names");
        for (axis, name) in names.into_iter().enumerate() {
            let number =
                (seed * 0.37 + axis as f32 + f32::from(u8::from(kind == VelocityKind::Linear)))
                    .sin();
            device.push_input(name, time, InputValue::Float(number * 3.0));
        }
    }
}

/// Returns `true` for an input that is not a velocity.
fn is_control(input: InputName) -> bool {
    VelocityVector::of(input).is_none()
}

/// Returns the inputs that a profile always has for a user.
fn inputs_of(controls: Controls, path: &str) -> Vec<(InputName, ComponentKind)> {
    let profile = Profile::find(controls.profile).expect("a profile of the registry");
    let components = profile.components.iter();
    let components = components.filter(|one| one.is_of(path) && one.enabled_by.is_empty());
    components
        .filter(|one| matches!(one.kind, ComponentKind::Boolean | ComponentKind::Float))
        .map(|one| (one.name.parse().expect("a name"), one.kind))
        .collect()
}

/// Plays a recording with devices into a client, and records the client.
fn play_devices(recording: &Recording<'_>, client: Client) -> Played {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("take.json");
    let written = write_bytes(Format::Json, recording, &WriteOptions::default());
    let (bytes, report) = written.expect("JSON holds devices");
    assert_eq!(report.losses, []);
    std::fs::write(&path, bytes).expect("the file can be written");
    play(&path, client, &[])
}

/// Returns the values of a device at a time with their bits. All unknown values are missing.
fn values(device: Option<&DeviceFrame>) -> (Option<String>, Vec<String>) {
    let Some(device) = device.filter(|device| device.active) else {
        return (None, Vec::new());
    };
    let poses = device.poses.iter();
    let poses = poses.map(|(name, pose)| format!("{name} {:?}", bits(Some(*pose))));
    let inputs = device.inputs.iter();
    let inputs = inputs.map(|(name, value)| match value {
        InputValue::Boolean(is_on) => format!("{name} {is_on}"),
        InputValue::Float(number) => format!("{name} {}", number.to_bits()),
    });
    let profile = device.profile.as_deref().map(str::to_owned);
    (profile, poses.chain(inputs).collect())
}

#[test]
fn devices_that_are_not_in_a_hand_are_recorded_as_they_were_played() {
    let [tracker, ..] = NOT_IN_A_HAND;
    let persistent = Controls {
        is_persistent: true,
        ..tracker
    };
    for controls in NOT_IN_A_HAND.into_iter().chain([persistent]) {
        let recording = devices_of(controls);
        let wanted = sampler(&recording);
        let played = play_devices(&recording, client(controls));
        compare_logs(controls, &played);
        let found = sampler(played.recording.as_ref().expect("a recording"));
        assert_eq!(found.key_times(), wanted.key_times());
        for time in wanted.key_times() {
            let (wanted, found) = (wanted.frame_at(time), found.frame_at(time));
            for device in &recording.devices {
                let name = device.name;
                assert_eq!(
                    values(found.device(name)),
                    values(wanted.device(name)),
                    "{name} at {time} s"
                );
            }
        }
        for device in &recording.devices {
            let report = report(&played, device.name.as_str());
            assert_eq!(report.profiles, [controls.profile]);
            let inputs = device.inputs.iter();
            let inputs = inputs.filter(|(input, _)| is_control(*input)).count();
            assert_eq!(report.inputs.len(), inputs, "{report:?}");
            assert_eq!(report.never_active, [""; 0]);
            assert_eq!(report.not_read, []);
        }
    }
}

#[test]
fn users_without_bindings_of_the_application_are_not_recorded() {
    let [tracker, ..] = NOT_IN_A_HAND;
    let played = play_devices(&devices_of(tracker), client(TOUCH));
    let recording = played.recording.as_ref().expect("a recording");
    let trackers = recording.devices.iter();
    let trackers = trackers.filter(|device| device.name.as_str().starts_with("tracker."));
    assert_eq!(trackers.count(), 0);
}

#[test]
fn vibrations_of_trackers_are_recorded() {
    let [tracker, ..] = NOT_IN_A_HAND;
    let controls = Controls {
        vibrates: Some(10),
        ..tracker
    };
    let played = play_devices(&devices_of(tracker), client(controls));
    let recording = played.recording.as_ref().expect("a recording");
    // The application lets the second user vibrate and stop, and meanwhile all users.
    for (index, path) in controls.users().iter().enumerate() {
        let name = User::find(path).and_then(User::device).expect("a device");
        let device = recording.device(name).expect("a tracker");
        let count = if index == 1 { 3 } else { 1 };
        assert_eq!(device.haptics.len(), count, "{name}");
    }
}
