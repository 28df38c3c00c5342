//! Controllers, trackers and other devices.

use std::sync::Arc;

use inputanim::edit::{self, Join, MirrorPlane};
use inputanim::names::ElementChoice;
use inputanim::reduce::Reduce;
use inputanim::{
    DeviceFrame, DeviceName, Element, EndAction, FloatCurve, Frame, Haptic, InputCurve, InputName,
    InputValue, Layout, LayoutLoss, Player, Pose, PoseName, Recorder, RecorderOptions, Recording,
    Sampler, Side, TimeRange, TransitionKind,
};
use inputanim_testkit::devices::device_recording;
use proptest::prelude::*;

const RIGHT: DeviceName = DeviceName::controller(Side::Right);
const LEFT: DeviceName = DeviceName::controller(Side::Left);
const INDEX: &str = "/interaction_profiles/valve/index_controller";

fn pose_name(name: &str) -> PoseName {
    name.parse().unwrap()
}

fn input_name(name: &str) -> InputName {
    name.parse().unwrap()
}

fn trigger() -> InputName {
    input_name("trigger/value")
}

fn element(name: &str) -> Element {
    match name.parse::<inputanim::CurvePath>() {
        Ok(path) => Element::from(path),
        Err(_) => inputanim::Known::element(name).unwrap(),
    }
}

fn device(time: f32) -> DeviceFrame {
    DeviceFrame {
        active: true,
        profile: Some(Arc::from(INDEX)),
        poses: vec![
            (pose_name("aim"), Pose::at([time, 1.0, 0.5])),
            (pose_name("grip"), Pose::at([time, 0.9, 0.4])),
        ],
        inputs: vec![
            (input_name("a/click"), InputValue::Boolean(time >= 0.5)),
            (input_name("thumbstick/x"), InputValue::Float(0.25)),
            (trigger(), InputValue::Float(time / 2.0)),
        ],
        ..DeviceFrame::new(RIGHT)
    }
}

/// Returns a recording of 1 s at 10 Hz with a head and a right controller.
fn recording() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=10 {
        let time = step as f32 / 10.0;
        let frame = Frame {
            time,
            head: Some(Pose::at([0.0, 1.6, 0.0])),
            devices: vec![device(time)],
            ..Frame::default()
        };
        recorder.push(&frame).unwrap();
    }
    let pulse = Haptic {
        time: 0.5,
        output: "haptic".parse().unwrap(),
        duration: Some(0.2),
        frequency: None,
        amplitude: 0.75,
    };
    recorder.haptic(RIGHT, pulse).unwrap();
    recorder.finish()
}

fn sampled(recording: &Recording<'_>, time: f32) -> Option<DeviceFrame> {
    let sampler = Sampler::new(recording).unwrap();
    sampler.frame_at(time).device(RIGHT).cloned()
}

fn number(frame: &DeviceFrame, name: &str) -> Option<f32> {
    frame.input(input_name(name)).map(InputValue::number)
}

#[test]
fn a_controller_is_recorded_and_sampled() {
    let recording = recording();
    assert!(recording.known.is_complete());
    for step in 0..=10 {
        let time = step as f32 / 10.0;
        assert_eq!(sampled(&recording, time), Some(device(time)));
    }
    let between = sampled(&recording, 0.55).unwrap();
    assert!((number(&between, "trigger/value").unwrap() - 0.275).abs() < 1e-6);
    assert_eq!(number(&between, "a/click"), Some(1.0));
    let controller = recording.device(RIGHT).unwrap();
    assert_eq!(controller.haptics[0].time, 0.5);
    // A button has keys where it changes.
    let Some(InputCurve::Boolean(button)) = controller.input(input_name("a/click")) else {
        panic!("a button");
    };
    assert_eq!(button.keys.len(), 2);
}

#[test]
fn columns_equal_frames() {
    let mut recording = recording();
    let gap = TimeRange {
        start: 0.2,
        end: 0.4,
    };
    recording
        .known
        .add_gap(element("right.controller.aim"), gap);
    recording.device_mut(RIGHT).set_inactive(0.8);
    let sampler = Sampler::new(&recording).unwrap();
    let times: Vec<f32> = (0..=40).map(|step| step as f32 / 40.0).collect();
    let columns = sampler.columns(times.iter().copied());
    let [device] = &columns.devices[..] else {
        panic!("one device");
    };
    for (index, frame) in sampler.frames(times.iter().copied()).enumerate() {
        let frame = frame.device(RIGHT).unwrap().clone();
        assert_eq!(device.active[index] == 1.0, frame.active);
        assert_eq!(device.profile[index], frame.profile);
        for (name, column) in &device.poses {
            let x = frame.pose(*name).map_or(f32::NAN, |pose| pose.position[0]);
            assert_eq!(column.position[0][index].to_bits(), x.to_bits());
        }
        for (name, column) in &device.inputs {
            let value = frame.input(*name).map_or(f32::NAN, InputValue::number);
            assert_eq!(column.values[index].to_bits(), value.to_bits());
        }
    }
    // Key times show the gap, and the middle of it.
    assert!(
        sampled(&recording, 0.3)
            .unwrap()
            .pose(pose_name("aim"))
            .is_none()
    );
    assert!(
        sampled(&recording, 0.2)
            .unwrap()
            .pose(pose_name("aim"))
            .is_some()
    );
    assert!(!sampled(&recording, 0.9).unwrap().active);
}

#[test]
fn a_file_of_mrtk_says_that_it_loses_a_controller() {
    let recording = recording();
    let losses = recording.losses(Layout::Mrtk1_1);
    let texts: Vec<String> = losses.iter().map(LayoutLoss::to_string).collect();
    assert_eq!(
        texts,
        [
            "right.controller: aim, grip, a.click, thumbstick.x, trigger.value (178 keys), 1 profile change, 1 haptic pulse"
        ]
    );
    assert!(recording.to_bytes().is_err());
    let mut bytes = Vec::new();
    recording
        .write_lossy_as(&mut bytes, Layout::Mrtk1_1)
        .unwrap();
    assert_eq!(bytes.len() as u64, recording.encoded_len());
    let mut without = recording.clone();
    without.devices.clear();
    assert_eq!(Recording::parse(&bytes).unwrap(), without);
    assert_eq!(*recording.with_held_gaps(), without);
}

#[test]
fn recorders_refuse_haptic_pulses_out_of_range() {
    let pulse = recording().device(RIGHT).unwrap().haptics[0];
    let refused = |pulse: Haptic| {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        let error = recorder.haptic(RIGHT, pulse).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        refused(Haptic {
            amplitude: 1.5,
            ..pulse
        }),
        "haptic pulse of right.controller: expected finite numbers, a duration and a frequency of 0 or more, and an amplitude from \
         0 to 1, found time 0.5 s, duration 0.2 s, amplitude 1.5"
    );
    for pulse in [
        Haptic {
            amplitude: -0.5,
            ..pulse
        },
        Haptic {
            frequency: Some(-5.0),
            ..pulse
        },
        Haptic {
            duration: Some(-1.0),
            ..pulse
        },
        Haptic {
            time: f32::NAN,
            ..pulse
        },
    ] {
        assert!(refused(pulse).contains("found time "));
        let mut options = inputanim::session::SessionOptions::default();
        options.devices = true;
        let mut session = inputanim::session::SessionWriter::new(Vec::new(), options).unwrap();
        assert!(session.haptic(RIGHT, pulse).is_err());
    }
}

#[test]
fn the_unknown_and_inactive_times_of_devices_are_listed() {
    let mut recording = recording();
    let texts = |recording: &Recording<'_>| -> Vec<String> {
        let times = recording.unknown_times().into_iter();
        times.map(|time| time.to_string()).collect()
    };
    let gap = |start, end| TimeRange { start, end };
    recording
        .known
        .add_gap(element("right.controller.aim"), gap(0.2, 0.4));
    assert_eq!(
        texts(&recording),
        ["right.controller.aim is unknown for 0.2 s from 0.2 s on"]
    );
    recording.device_mut(RIGHT).set_inactive(0.8);
    // A gap while the device is not active does not count.
    recording
        .known
        .add_gap(element("right.controller.trigger.value"), gap(0.7, 0.9));
    recording
        .known
        .add_gap(element("right.controller.profile"), gap(0.5, 0.6));
    assert_eq!(
        texts(&recording),
        [
            "right.controller is unknown for 0.1 s from 0.5 s on",
            "2 parts of right.controller are unknown for 0.3 s in 2 gaps from 0.2 s on"
        ]
    );
    let info = inputanim::info::Info::of(&recording);
    assert_eq!(info.devices[0].active, [gap(0.0, 0.5), gap(0.6, 0.8)]);
    assert_eq!(
        info.unknown[0].element,
        Some(element("right.controller.profile"))
    );
    assert_eq!(info.unknown[1].element, None);
    // They are lost with the device.
    assert_eq!(recording.losses(Layout::Mrtk1_1).len(), 1);
}

#[test]
fn edits_of_time_move_everything_of_a_device() {
    let mut edited = recording();
    edited.device_mut(RIGHT).set_inactive(0.9);
    edit::shift(&mut edited, 2.0).unwrap();
    edit::retime(&mut edited, 0.5).unwrap();
    let pulse = edited.device(RIGHT).unwrap().haptics[0];
    assert_eq!((pulse.time, pulse.duration), (5.0, Some(0.4)));
    assert_eq!(sampled(&edited, 5.0), Some(device(0.5)));
    assert!(!sampled(&edited, 5.8).unwrap().active);
    edit::trim(
        &mut edited,
        TimeRange {
            start: 5.1,
            end: 5.6,
        },
    )
    .unwrap();
    let controller = edited.device(RIGHT).unwrap();
    assert_eq!(controller.profiles.len(), 1);
    assert_eq!(controller.profiles[0].time, 5.1);
    // The rest of a pulse that began before the range is kept.
    let [pulse] = controller.haptics[..] else {
        panic!("{:?}", controller.haptics)
    };
    assert_eq!(pulse.time, 5.1);
    assert!((pulse.duration.unwrap() - 0.3).abs() < 1e-6, "{pulse:?}");
    assert!(
        (number(&sampled(&edited, 5.1).unwrap(), "trigger/value").unwrap() - 0.275).abs() < 1e-6
    );
    assert_eq!(
        edited.time_range(),
        Some(TimeRange {
            start: 5.1,
            end: 5.6
        })
    );
}

#[test]
fn haptic_pulses_are_compared() {
    let a = recording();
    let options = inputanim::diff::DiffOptions::default();
    let compare = |change: fn(&mut inputanim::Haptic)| {
        let mut b = a.clone();
        change(&mut b.device_mut(RIGHT).haptics[0]);
        a.diff(&b, &options).unwrap()
    };
    let near = compare(|pulse| pulse.time += 0.0005);
    assert_eq!(near.verdict.name(), "equivalent");
    assert!(near.haptics.is_empty());
    for change in [
        (|pulse: &mut inputanim::Haptic| pulse.time += 0.25) as fn(&mut inputanim::Haptic),
        |pulse| pulse.amplitude = 0.125,
        |pulse| pulse.duration = None,
        |pulse| pulse.frequency = Some(99.0),
    ] {
        let found = compare(change);
        assert_eq!(found.verdict.name(), "different");
        let [pulses] = &found.haptics[..] else {
            panic!("{:?}", found.haptics)
        };
        assert_eq!((pulses.device, pulses.same), (RIGHT, 0));
        assert_eq!(pulses.only_in.each_ref().map(Vec::len), [1, 1]);
        assert_eq!(found.out_of_tolerance[0].to_string(), "right.controller");
    }
    let mut b = a.clone();
    b.device_mut(RIGHT).haptics.clear();
    let found = a.diff(&b, &options).unwrap();
    assert_eq!(found.haptics[0].only_in.each_ref().map(Vec::len), [1, 0]);
}

#[test]
fn the_duration_of_a_pulse_stays_in_edits_that_only_move_it() {
    for seconds in [0.5, 1000.0, 20_000.0, -3.0] {
        let mut edited = recording();
        edit::shift(&mut edited, seconds).unwrap();
        let before = recording().device(RIGHT).unwrap().haptics[0].duration;
        let after = edited.device(RIGHT).unwrap().haptics[0].duration;
        assert_eq!(after, before, "{seconds}");
    }
}

#[test]
fn a_reflection_exchanges_controllers_and_reverses_horizontal_axes() {
    let original = recording();
    let mut edited = original.clone();
    edited.known.add_gap(
        element("right.controller.grip"),
        TimeRange {
            start: 0.1,
            end: 0.3,
        },
    );
    edit::mirror(&mut edited, &MirrorPlane::WORLD).unwrap();
    assert!(edited.device(RIGHT).is_none());
    let left = Sampler::new(&edited)
        .unwrap()
        .frame_at(0.6)
        .device(LEFT)
        .unwrap()
        .clone();
    assert_eq!(number(&left, "thumbstick/x"), Some(-0.25));
    assert_eq!(number(&left, "a/click"), Some(1.0));
    assert_eq!(
        left.pose(pose_name("aim")).unwrap().position,
        [-0.6, 1.0, 0.5]
    );
    assert_eq!(edited.known.gaps(element("left.controller.grip")).len(), 1);
    edited.known.remove_gaps(
        element("left.controller.grip"),
        TimeRange {
            start: 0.0,
            end: 1.0,
        },
    );
    edit::mirror(&mut edited, &MirrorPlane::WORLD).unwrap();
    assert_eq!(edited, original);
}

#[test]
fn a_reflection_gives_buttons_and_sides_the_names_of_the_other_hand() {
    const TOUCH: &str = "/interaction_profiles/oculus/touch_controller";
    let names = |recording: &Recording<'_>| -> Vec<String> {
        let devices = recording.devices.iter().flat_map(|device| {
            let inputs = device.inputs.iter();
            inputs.map(|(input, _)| format!("{}.{input}", device.name))
        });
        devices.collect()
    };
    let with = |name: DeviceName, profiles: &[&str], inputs: &[&str]| {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let device = recording.device_mut(name);
        for (time, profile) in profiles.iter().enumerate() {
            device.set_profile(time as f32, profile);
        }
        for input in inputs {
            device.push_input(input_name(input), 0.0, InputValue::Float(0.25));
        }
        recording
    };
    let mirrored = |recording: &Recording<'static>| {
        let mut edited = recording.clone();
        edit::mirror(&mut edited, &MirrorPlane::WORLD).unwrap();
        let mut twice = edited.clone();
        edit::mirror(&mut twice, &MirrorPlane::WORLD).unwrap();
        assert_eq!(twice, *recording);
        edited
    };
    let buttons = ["a/click", "b/touch", "system/click", "trigger/value"];
    let mut touch = with(RIGHT, &[TOUCH], &buttons);
    let gap = TimeRange {
        start: 0.0,
        end: 1.0,
    };
    touch
        .known
        .add_gap(element("right.controller.a.click"), gap);
    let left = mirrored(&touch);
    assert_eq!(
        names(&left),
        [
            "left.controller.menu.click",
            "left.controller.trigger.value",
            "left.controller.x.click",
            "left.controller.y.touch"
        ]
    );
    assert_eq!(left.known.gaps(element("left.controller.x.click")), [gap]);
    // Both controllers of an Index have a and b, and nothing is known of the last two.
    for profiles in [&[INDEX][..], &[TOUCH, INDEX], &[]] {
        let kept = mirrored(&with(RIGHT, profiles, &buttons[..2]));
        assert_eq!(
            names(&kept),
            ["left.controller.a.click", "left.controller.b.touch"]
        );
    }
    let gamepad = "device.gamepad".parse().unwrap();
    let mut pad = with(
        gamepad,
        &["/interaction_profiles/microsoft/xbox_controller"],
        &["a/click", "thumbstick_left/x", "trigger_right/value"],
    );
    pad.device_mut(gamepad).haptics.push(Haptic {
        time: 0.5,
        output: "haptic_left_trigger".parse().unwrap(),
        duration: None,
        frequency: None,
        amplitude: 1.0,
    });
    let pad = mirrored(&pad);
    assert_eq!(
        names(&pad),
        [
            "device.gamepad.a.click",
            "device.gamepad.thumbstick_right.x",
            "device.gamepad.trigger_left.value"
        ]
    );
    let device = pad.device(gamepad).unwrap();
    assert_eq!(device.haptics[0].output.as_str(), "haptic_right_trigger");
    let Some(InputCurve::Float(stick)) = device.input(input_name("thumbstick_right/x")) else {
        panic!("a number")
    };
    assert_eq!(stick.keys.point(0), Some((0.0, -0.25)));
    let foot = mirrored(&with(
        "tracker.left_foot".parse().unwrap(),
        &[],
        &["a/click"],
    ));
    assert_eq!(foot.devices[0].name.as_str(), "tracker.right_foot");
}

#[test]
fn parts_of_a_controller_are_selected_by_name() {
    let selected = |joints: &[&str], exclude: &[&str]| {
        let choice = ElementChoice::new(joints, exclude).unwrap();
        let mut edited = recording();
        edit::select(&mut edited, |element| choice.keeps(element));
        let names = edited.devices.iter().flat_map(|device| device.elements());
        names.map(|element| element.to_string()).collect::<Vec<_>>()
    };
    let trigger = ["right.controller.profile", "right.controller.trigger.value"];
    assert_eq!(selected(&["right.controller.trigger.value"], &[]), trigger);
    assert_eq!(selected(&["*.trigger.*"], &[]), trigger);
    assert_eq!(selected(&["right"], &[]).len(), 6);
    assert_eq!(selected(&["head"], &[]), [""; 0]);
    assert_eq!(selected(&[], &["controller"]), [""; 0]);
    assert_eq!(selected(&[], &["hands", "*.a.click"]).len(), 5);
}

#[test]
fn the_profile_is_removed_only_with_its_device() {
    let select = |exclude: &[&str]| {
        let mut select = edit::Select::default();
        select.exclude = exclude.iter().map(|&name| name.to_owned()).collect();
        let mut edited = recording();
        let limits = inputanim::Limits::default();
        let applied = edit::Edit::from(select).apply(&mut edited, &limits);
        applied.map(|_| edited).map_err(|error| error.to_string())
    };
    for name in [
        "right.controller.profile",
        "*.profile",
        "controller.profile",
    ] {
        assert_eq!(
            select(&[name]).unwrap_err(),
            "cannot remove right.controller.profile: the other data of right.controller is valid only while it is active"
        );
    }
    for exclude in [
        &["right.controller"][..],
        &["*.profile", "controller"],
        &["right"],
    ] {
        assert!(select(exclude).unwrap().devices.is_empty(), "{exclude:?}");
    }
    assert!(select(&["left.controller.profile"]).is_ok());
}

#[test]
fn a_controller_that_only_one_part_has_is_not_active_in_the_other() {
    let with = recording();
    let mut without = recording();
    without.devices.clear();
    let joined = edit::concat(&[without.clone(), with.clone(), without], Join::Cut).unwrap();
    let active: Vec<bool> = [0.5, 0.9, 1.1, 1.9, 2.1]
        .into_iter()
        .map(|time| sampled(&joined, time).unwrap().active)
        .collect();
    assert_eq!(active, [false, false, true, true, false]);
    assert!(joined.known.is_complete());
    assert_eq!(sampled(&joined, 1.5).unwrap(), device(0.5));
    assert_eq!(joined.device(RIGHT).unwrap().haptics[0].time, 1.5);
    // Each change has a time of its own.
    let times: Vec<f32> = joined
        .device(RIGHT)
        .unwrap()
        .profiles
        .iter()
        .map(|change| change.time)
        .collect();
    assert_eq!(times, [1.0, 2.0]);
    let twice = edit::concat(&[with.clone(), with], Join::Cut).unwrap();
    assert_eq!(twice.device(RIGHT).unwrap().profiles.len(), 1);
    assert_eq!(number(&sampled(&twice, 1.4).unwrap(), "a/click"), Some(0.0));
}

#[test]
fn a_device_without_profiles_is_unknown_where_it_is_not_recorded() {
    let mut tracker = Recording::new(Layout::Mrtk1_1);
    let waist = tracker.device_mut("tracker.waist".parse().unwrap());
    for time in [0.0, 1.0] {
        waist
            .pose_mut(pose_name("grip"))
            .push(time, &Pose::at([time, 0.0, 0.0]));
    }
    let mut head = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 1.0] {
        head.head_mut().push(time, &Pose::IDENTITY);
    }
    let joined = edit::concat(&[head, tracker], Join::Cut).unwrap();
    let sampler = Sampler::new(&joined).unwrap();
    assert_eq!(sampler.frame_at(0.5).devices, []);
    let frame = sampler.frame_at(1.5);
    assert!(frame.head.is_none());
    assert_eq!(frame.devices[0].poses[0].1.position, [0.5, 0.0, 0.0]);
}

#[test]
fn transforms_move_poses_and_leave_inputs() {
    let mut edited = recording();
    edit::transform(
        &mut edited,
        &edit::Transform::from_translation([1.0, 2.0, 3.0]),
    )
    .unwrap();
    let frame = sampled(&edited, 0.6).unwrap();
    assert_eq!(
        frame.pose(pose_name("aim")).unwrap().position,
        [1.6, 3.0, 3.5]
    );
    assert_eq!(frame.inputs, device(0.6).inputs);
}

#[test]
fn inputs_are_resampled_and_reduced_within_their_bound() {
    let original = recording();
    let mut resampled = original.clone();
    edit::resample(&mut resampled, 40.0).unwrap();
    let keys = |recording: &Recording<'_>| {
        let input = recording.device(RIGHT).unwrap().input(trigger()).unwrap();
        input.curve().len()
    };
    assert_eq!((keys(&original), keys(&resampled)), (11, 41));
    let mut reduced = resampled.clone();
    reduced.reduce(&Reduce::default()).unwrap();
    assert_eq!(keys(&reduced), 2);
    let errors = inputanim::reduce::measure(&resampled, &reduced).unwrap();
    let of_device = errors
        .iter()
        .find(|errors| errors.stream == inputanim::Stream::Device(RIGHT));
    let inputs = of_device.unwrap().input.unwrap();
    // The trigger and the thumbstick have numbers.
    assert_eq!(inputs.samples, 82);
    assert!(inputs.largest <= 0.001);
    assert!(inputs.input.is_some() && inputs.joint.is_none());
    let mut worse = reduced.clone();
    let stick = input_name("thumbstick/x");
    worse
        .device_mut(RIGHT)
        .set_input(stick, InputCurve::Float(FloatCurve::linear([(0.0, 0.75)])));
    let errors = inputanim::reduce::measure(&resampled, &worse).unwrap();
    let inputs = errors.iter().find_map(|errors| errors.input).unwrap();
    assert_eq!((inputs.input, inputs.largest), (Some(stick), 0.5));
    for step in 0..=40 {
        let time = step as f32 / 40.0;
        let value =
            |recording| number(&sampled(recording, time).unwrap(), "trigger/value").unwrap();
        assert!((value(&reduced) - value(&original)).abs() <= 0.001);
        let button = |recording| number(&sampled(recording, time).unwrap(), "a/click");
        assert_eq!(button(&reduced), button(&original));
    }
}

/// Returns a recording of a controller that is not active from 1 s to 2 s, and is then at another place.
fn interrupted() -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=30 {
        let time = step as f32 / 10.0;
        let mut controller = device(0.0);
        controller.poses[0].1.position[0] = if time < 1.5 { time } else { 5.0 + time };
        controller.active = !(1.0..2.0).contains(&time);
        let frame = Frame {
            time,
            head: Some(Pose::at([time, 1.6, 0.0])),
            devices: vec![controller],
            ..Frame::default()
        };
        recorder.push(&frame).unwrap();
    }
    recorder.finish()
}

#[test]
fn resampling_and_smoothing_do_not_cross_times_in_which_a_device_is_not_active() {
    let original = interrupted();
    let x = |recording: &Recording<'_>, time| {
        let frame = sampled(recording, time).unwrap();
        frame.pose(pose_name("aim")).map(|pose| pose.position[0])
    };
    let mut resampled = original.clone();
    edit::resample(&mut resampled, 7.0).unwrap();
    let mut smoothed = original.clone();
    let mut smooth = edit::Smooth::default();
    smooth.joints = vec!["right.controller.aim".to_owned()];
    edit::smooth(&mut smoothed, &smooth).unwrap();
    for edited in [&resampled, &smoothed] {
        assert_eq!(x(edited, 1.5), None);
        // The filter starts again at the first sample.
        assert_eq!(x(edited, 2.0), Some(7.0));
    }
    assert_eq!(x(&resampled, 0.9), Some(0.9));
    let buttons = ["right.controller.a.click", "right.controller.profile"];
    for name in buttons {
        smooth.joints = vec![name.to_owned()];
        let error = edit::smooth(&mut smoothed, &smooth).unwrap_err();
        assert!(error.to_string().contains("not a pose"), "{error}");
    }
}

#[test]
fn a_reduction_of_inputs_alone_makes_a_recording_smaller() {
    let mut resampled = recording();
    resampled.head = None;
    edit::resample(&mut resampled, 40.0).unwrap();
    let mut reduced = resampled.clone();
    let edit = edit::Edit::from(Reduce::default());
    edit.apply(&mut reduced, &inputanim::Limits::default())
        .unwrap();
    assert_eq!(reduced.encoded_len(), resampled.encoded_len());
    assert!(reduced.content_len() < resampled.content_len());
}

#[test]
fn the_maximum_rate_keeps_presses() {
    let mut options = RecorderOptions::new(Layout::Mrtk1_1);
    options.max_rate = Some(1.0);
    let mut recorder = Recorder::with_options(options).unwrap();
    for step in 0..=100 {
        let time = step as f32 / 100.0;
        let mut frame = Frame {
            time,
            devices: vec![device(0.0)],
            ..Frame::default()
        };
        frame.devices[0].inputs[0].1 = InputValue::Boolean(step == 30);
        recorder.push(&frame).unwrap();
    }
    let recording = recorder.finish();
    assert_eq!(
        number(&sampled(&recording, 0.3).unwrap(), "a/click"),
        Some(1.0)
    );
    assert_eq!(
        number(&sampled(&recording, 0.31).unwrap(), "a/click"),
        Some(0.0)
    );
}

#[test]
fn a_rolling_buffer_drops_devices_with_their_frames() {
    let mut options = RecorderOptions::new(Layout::Mrtk1_1);
    options.keep_last = Some(0.5);
    let mut recorder = Recorder::with_options(options).unwrap();
    for step in 0..=1000 {
        let time = step as f32 / 100.0;
        let frame = Frame {
            time,
            devices: vec![device(time)],
            ..Frame::default()
        };
        recorder.push(&frame).unwrap();
    }
    let recording = recorder.finish();
    assert_eq!(
        recording.time_range(),
        Some(TimeRange {
            start: 9.5,
            end: 10.0
        })
    );
    assert_eq!(
        recording
            .device(RIGHT)
            .unwrap()
            .input(trigger())
            .unwrap()
            .curve()
            .len(),
        51
    );
}

#[test]
fn numbers_that_are_not_finite_are_refused_with_their_name() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let refused = |change: fn(&mut DeviceFrame), recorder: &mut Recorder| {
        let mut device = device(0.0);
        change(&mut device);
        let frame = Frame {
            devices: vec![device],
            ..Frame::default()
        };
        recorder.push(&frame).unwrap_err().to_string()
    };
    let error = refused(
        |device| device.inputs[2].1 = InputValue::Float(f32::NAN),
        &mut recorder,
    );
    assert_eq!(
        error,
        "right.controller.trigger.value at 0 s: expected a finite number, found NaN"
    );
    let error = refused(
        |device| device.poses[1].1.rotation = [0.0; 4],
        &mut recorder,
    );
    assert!(
        error.starts_with("right.controller.grip.rotation.w at 0 s"),
        "{error}"
    );
    let frame = Frame {
        devices: vec![device(0.0), device(0.0)],
        ..Frame::default()
    };
    assert!(recorder.push(&frame).is_err());
    assert_eq!(recorder.frames(), 0);
}

fn any_device(name: DeviceName) -> impl Strategy<Value = Option<DeviceFrame>> {
    let aim = proptest::option::weighted(0.8, 0..3_u8);
    let value = proptest::option::weighted(0.8, 0..=4_u8);
    let button = proptest::option::weighted(0.8, any::<bool>());
    let active = proptest::option::weighted(0.8, 0..4_u8);
    (active, aim, value, button).prop_map(move |(active, aim, value, button)| {
        let active = active?;
        let mut frame = DeviceFrame::new(name);
        if active == 0 {
            return Some(frame);
        }
        frame.active = true;
        frame.profile =
            [None, Some(Arc::from("a")), Some(Arc::from("b"))][usize::from(active - 1)].clone();
        frame
            .poses
            .extend(aim.map(|aim| (pose_name("aim"), Pose::at([f32::from(aim), 1.0, 0.0]))));
        frame
            .inputs
            .extend(button.map(|on| (input_name("a/click"), InputValue::Boolean(on))));
        frame
            .inputs
            .extend(value.map(|value| (trigger(), InputValue::Float(f32::from(value) / 4.0))));
        Some(frame)
    })
}

proptest! {
    #[test]
    fn sampling_at_the_times_of_frames_gives_their_devices(
        frames in proptest::collection::vec((any_device(LEFT), any_device(RIGHT)), 1..20),
    ) {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        let frames: Vec<Frame> = frames
            .into_iter()
            .enumerate()
            .map(|(step, (left, right))| Frame {
                time: step as f32 / 60.0,
                devices: left.into_iter().chain(right).collect(),
                ..Frame::default()
            })
            .collect();
        for frame in &frames {
            recorder.push(frame).unwrap();
        }
        let recording = recorder.snapshot();
        prop_assert_eq!(&recorder.finish(), &recording);
        if frames.iter().any(|frame| !frame.devices.is_empty()) {
            prop_assert_eq!(&recording.hands, &None);
            let range = TimeRange { start: 0.0, end: frames[frames.len() - 1].time };
            prop_assert_eq!(recording.time_range(), Some(range));
        }
        let sampler = Sampler::new(&recording).unwrap();
        for frame in &frames {
            prop_assert_eq!(&sampler.frame_at(frame.time).devices, &frame.devices);
        }
        // The same is true after a round trip through the other side.
        let mut mirrored = recording.clone();
        edit::mirror(&mut mirrored, &MirrorPlane::WORLD).unwrap();
        edit::mirror(&mut mirrored, &MirrorPlane::WORLD).unwrap();
        prop_assert_eq!(mirrored, recording);
    }
}

#[test]
fn a_comparison_names_what_differs_of_a_device() {
    use inputanim::diff::{DiffOptions, Verdict};
    let original = recording();
    let difference =
        |changed: &Recording<'_>| original.diff(changed, &DiffOptions::default()).unwrap();
    let found = difference(&original);
    assert_eq!((found.verdict, found.inputs.len()), (Verdict::Equal, 0));

    let mut changed = original.clone();
    let controller = changed.device_mut(RIGHT);
    let squeezed =
        FloatCurve::linear([(0.0, 0.0), (0.4, 0.2), (0.5, 0.75), (0.6, 0.3), (1.0, 0.5)]);
    controller.set_input(trigger(), InputCurve::Float(squeezed));
    let found = difference(&changed);
    assert_eq!(found.verdict, Verdict::Different);
    let [input] = &found.inputs[..] else {
        panic!("{:?}", found.inputs)
    };
    assert_eq!(input.element.to_string(), "right.controller.trigger.value");
    assert_eq!((input.largest, input.at, input.count), (0.5, 0.5, 1));
    assert_eq!(found.out_of_tolerance[0].to_string(), "right.controller");

    let mut options = DiffOptions::default();
    options.compare_only(&ElementChoice::new([""; 0], ["*.trigger.value"]).unwrap());
    assert_eq!(
        original.diff(&changed, &options).unwrap().verdict,
        Verdict::Equivalent
    );

    let mut changed = original.clone();
    changed.device_mut(RIGHT).set_inactive(0.5);
    let found = difference(&changed);
    assert_eq!(
        found.inputs[0].element.to_string(),
        "right.controller.profile"
    );
    assert_eq!(found.inputs[0].seconds, 0.5);

    let mut changed = original.clone();
    changed.known.add_gap(
        element("right.controller.aim"),
        TimeRange {
            start: 0.2,
            end: 0.4,
        },
    );
    let found = difference(&changed);
    assert_eq!(found.only_in[0], [element("right.controller.aim")]);
    assert_eq!(found.verdict, Verdict::Different);

    let mut changed = original.clone();
    changed.devices.clear();
    let found = difference(&changed);
    assert_eq!(found.only_in[0], [element("right.controller.profile")]);
    assert_eq!(found.verdict, Verdict::Different);
}

#[test]
fn a_session_holds_devices_and_haptic_pulses() {
    use inputanim::session::{self, SessionOptions, SessionWriter};
    use inputanim::{About, Limits};
    let mut options = SessionOptions::new(Layout::Mrtk1_1);
    options.devices = true;
    options.about = [(About::TASK, "press")].into_iter().collect();
    let mut writer = SessionWriter::new(Vec::new(), options).unwrap();
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let pulse = Haptic {
        time: 0.5,
        output: "haptic".parse().unwrap(),
        duration: Some(0.2),
        frequency: None,
        amplitude: 0.75,
    };
    for step in 0..=30 {
        let time = step as f32 / 10.0;
        let mut frame = Frame {
            time,
            head: Some(Pose::at([0.0, 1.6, 0.0])),
            devices: vec![device(time)],
            ..Frame::default()
        };
        if step == 12 {
            frame.devices.clear();
        }
        if step > 20 {
            frame.devices.insert(0, DeviceFrame::new(LEFT));
        }
        recorder.push(&frame).unwrap();
        writer.push(&frame).unwrap();
        if step == 5 {
            recorder.haptic(RIGHT, pulse).unwrap();
            writer.haptic(RIGHT, pulse).unwrap();
        }
    }
    recorder.mark(2.0, "end").unwrap();
    writer.mark(2.0, "end").unwrap();
    let bytes = writer.finish().unwrap();
    let mut expected = recorder.finish();
    expected.about = [(About::TASK, "press")].into_iter().collect();
    let recovered = session::recover(&bytes, &Limits::default()).unwrap();
    assert!(recovered.is_intact() && recovered.is_finished);
    assert_eq!(recovered.recording, expected);
    // Any damage costs blocks, and no panic.
    for place in (0..bytes.len()).step_by(37) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x5a;
        let _ = session::recover(&damaged, &Limits::default());
        let _ = session::recover(&bytes[..place], &Limits::default());
    }

    let mut writer = SessionWriter::new(Vec::new(), SessionOptions::new(Layout::Mrtk1_1)).unwrap();
    let frame = Frame {
        devices: vec![device(0.0)],
        ..Frame::default()
    };
    let error = writer.push(&frame).unwrap_err().to_string();
    assert_eq!(
        error,
        "unexpected device right.controller: the options of the session say that frames have no devices"
    );
    assert!(writer.haptic(RIGHT, pulse).is_err());
}

/// Returns a recording of three frames that a function changes.
fn three_frames(layout: Layout, change: impl Fn(usize, &mut Frame)) -> Recording<'static> {
    let mut recorder = Recorder::new(layout);
    for step in 0..3 {
        let mut frame = Frame {
            time: step as f32 / 10.0,
            ..Frame::default()
        };
        change(step, &mut frame);
        recorder.push(&frame).unwrap();
    }
    recorder.finish()
}

#[test]
fn frames_of_devices_alone_say_nothing_of_hands() {
    let always = [TimeRange {
        start: f32::NEG_INFINITY,
        end: f32::INFINITY,
    }];
    let recording = three_frames(Layout::Mrtk1_1, |_, frame| {
        frame.devices.push(device(frame.time));
    });
    assert_eq!(recording.hands, None);
    for side in Side::BOTH {
        assert_eq!(recording.known.gaps(Element::Tracked(side)), always);
        let frame = Sampler::new(&recording).unwrap().frame_at(0.1);
        assert!(frame.hand(side).unknown);
    }
    // Nothing is lost of hands that the recording does not have.
    assert_eq!(recording.unknown_times(), []);
    // Version 1.0 always has hands.
    let recording = three_frames(Layout::Documented1_0, |_, frame| {
        frame.devices.push(device(frame.time));
    });
    assert!(recording.hands.is_some());
    assert_eq!(recording.known.gaps(Element::Tracked(Side::Left)), always);
}

#[test]
fn hands_that_are_unknown_in_all_frames_are_not_recorded() {
    // A hand that is lost is an observation, beside devices too.
    let recording = three_frames(Layout::Mrtk1_1, |step, frame| {
        frame.devices.push(device(frame.time));
        frame.left.tracked = step == 0;
        frame.right.unknown = true;
    });
    assert!(recording.hands.is_some());
    assert_eq!(recording.known.gaps(Element::Tracked(Side::Left)), []);
    assert_eq!(recording.known.gaps(Element::Tracked(Side::Right)).len(), 1);
    let recording = three_frames(Layout::Mrtk1_1, |_, frame| {
        frame.head = Some(Pose::IDENTITY);
        (frame.left.unknown, frame.right.unknown) = (true, true);
    });
    assert_eq!(recording.hands, None);
    assert!(Sampler::new(&recording).unwrap().frame_at(0.1).left.unknown);
    // Without anything else, the hands state how long the recording is.
    let recording = three_frames(Layout::Mrtk1_1, |_, frame| {
        (frame.left.unknown, frame.right.unknown) = (true, true);
    });
    assert_eq!(recording.duration(), 0.2);
    // A head that is recorded without devices still has hands that are not tracked.
    let recording = three_frames(Layout::Mrtk1_1, |_, frame| {
        frame.head = Some(Pose::IDENTITY);
    });
    assert!(recording.hands.is_some() && recording.known.is_complete());
}

#[test]
fn a_recording_of_a_controller_alone_is_not_empty() {
    use inputanim::{doctor, info::Info};
    let mut recording = recording();
    (recording.head, recording.hands) = (None, None);
    let info = Info::of(&recording);
    assert_eq!(info.keys, 178);
    let stream = info.stream(inputanim::Stream::Device(RIGHT)).unwrap();
    assert_eq!((stream.recorded_curves, stream.instants), (17, 11));
    let findings = doctor::findings(&recording);
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn playback_reports_presses_pulses_and_profiles() {
    let mut recording = recording();
    recording.known.add_gap(
        Element::Input(RIGHT, input_name("a/click")),
        TimeRange {
            start: 0.7,
            end: 0.8,
        },
    );
    let right = recording.device_mut(RIGHT);
    right.set_profile(0.9, "/interaction_profiles/khr/simple_controller");
    right.set_inactive(0.95);
    let transitions = Player::transitions(Sampler::new(&recording).unwrap());
    let lines: Vec<String> = transitions
        .iter()
        .map(|event| format!("{:.2} {}", event.time, event.kind))
        .collect();
    let expected = [
        "0.00 right.controller connected",
        "0.00 right.controller profile /interaction_profiles/valve/index_controller",
        "0.50 right.controller.a.click down",
        "0.50 right.controller.haptic amplitude 0.75, 0.2 s",
        "0.70 right.controller.a.click up",
        "0.80 right.controller.a.click down",
        "0.90 right.controller profile /interaction_profiles/khr/simple_controller",
        "0.95 right.controller.a.click up",
        "0.95 right.controller disconnected",
    ];
    assert_eq!(lines, expected);
    let press = &transitions[2].kind;
    assert_eq!(
        (press.name(), press.side()),
        ("press_down", Some(Side::Right))
    );
    assert_eq!(press.subject().unwrap(), "right.controller.a.click");
    // MRTK's player reports no pulses, as it reports no markers.
    let mut player = Player::mrtk(Sampler::new(&recording).unwrap());
    player.play();
    assert!(
        player
            .advance(0.85)
            .all(|event| event.kind.haptic().is_none())
    );
}

/// The states of devices that events have reported.
#[derive(Debug, Default, PartialEq)]
struct Reported {
    devices: Vec<(DeviceName, Option<Arc<str>>)>,
    pressed: Vec<(DeviceName, InputName)>,
}

impl Reported {
    fn apply(&mut self, kind: TransitionKind) {
        match kind {
            TransitionKind::Connected(device) => {
                assert!(self.devices.iter().all(|(other, _)| *other != device));
                self.devices.push((device, None));
                self.devices.sort();
            }
            TransitionKind::Disconnected(device) => {
                assert!(self.pressed.iter().all(|(other, _)| *other != device));
                let before = self.devices.len();
                self.devices.retain(|(other, _)| *other != device);
                assert_eq!(self.devices.len() + 1, before);
            }
            TransitionKind::ProfileChanged(device, profile) => {
                let mut devices = self.devices.iter_mut();
                let (_, known) = devices.find(|(other, _)| *other == device).unwrap();
                assert_ne!(*known, profile);
                *known = profile;
            }
            TransitionKind::PressDown(device, input) => {
                assert!(!self.pressed.contains(&(device, input)));
                self.pressed.push((device, input));
                self.pressed.sort();
            }
            TransitionKind::PressUp(device, input) => {
                let before = self.pressed.len();
                self.pressed.retain(|other| *other != (device, input));
                assert_eq!(self.pressed.len() + 1, before);
            }
            _ => {}
        }
    }

    fn of(frame: &Frame) -> Reported {
        let mut reported = Reported::default();
        for device in frame.devices.iter().filter(|device| device.active) {
            reported.devices.push((device.name, device.profile.clone()));
            let inputs = device.inputs.iter();
            let pressed = inputs.filter(|(_, value)| *value == InputValue::Boolean(true));
            reported
                .pressed
                .extend(pressed.map(|(input, _)| (device.name, *input)));
        }
        reported
    }
}

proptest! {
    #[test]
    fn events_of_devices_agree_with_frames(
        recording in device_recording(),
        steps in proptest::collection::vec(-48..96_i32, 1..12),
    ) {
        let mut player = Player::new(Sampler::new(&recording).unwrap());
        player.set_ending(EndAction::Loop);
        player.play();
        let mut reported = Reported::default();
        for step in steps {
            let seconds = step as f32 / 32.0;
            let events: Vec<_> = player.advance(seconds).collect();
            events.into_iter().for_each(|event| reported.apply(event.kind));
            prop_assert_eq!(&reported, &Reported::of(player.frame()));
        }
        // One pass reaches each pulse once.
        let pulses = recording.devices.iter().map(|device| device.haptics.len());
        let transitions = Player::transitions(Sampler::new(&recording).unwrap());
        let reached = transitions.iter().filter(|event| event.kind.haptic().is_some());
        prop_assert_eq!(reached.count(), pulses.sum::<usize>());
    }
}
