//! Action recordings of IWER: written recordings come back, recordings of other programs are read, and errors state
//! their place.

use inputanim::{
    DeviceName, Flags, FloatCurve, Frame, Haptic, InputValue, Joint, Layout, Marker, Pose,
    Recorder, Recording, Sampler, Side,
};
use inputanim_convert::iwer::{self, IwerError};
use inputanim_convert::{
    Error, Format, LossKind, NoteKind, ReadOptions, Report, SampleError, Sampling, WriteOptions,
};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::devices::device_recording;
use proptest::prelude::*;

fn try_write(recording: &Recording<'_>, rate: f64) -> Result<(Vec<u8>, Report), Error> {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    let mut text = Vec::new();
    let report = inputanim_convert::write(Format::Iwer, recording, &options, &mut text)?;
    Ok((text, report))
}

fn to_text(recording: &Recording<'_>, rate: f64) -> (String, Report) {
    let (text, report) = try_write(recording, rate).unwrap();
    (String::from_utf8(text).unwrap(), report)
}

fn read(text: &[u8]) -> Result<(Recording<'_>, Report), Error> {
    inputanim_convert::read(Format::Iwer, text, &ReadOptions::default())
}

fn read_with_palms(text: &[u8]) -> Result<(Recording<'_>, Report), Error> {
    let mut options = ReadOptions::default();
    options.palms_from_controllers = true;
    inputanim_convert::read(Format::Iwer, text, &options)
}

/// Returns the messages of all losses.
fn losses(report: &Report) -> Vec<&str> {
    report.losses.iter().map(|loss| &*loss.message).collect()
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let square = |(a, b): (f32, f32)| (a - b) * (a - b);
    a.into_iter().zip(b).map(square).sum::<f32>().sqrt()
}

/// Returns the similarity of two rotations, which is 1 for equal ones.
fn alike(a: [f32; 4], b: [f32; 4]) -> f64 {
    let parts = a.into_iter().zip(b);
    let product: f64 = parts.map(|(a, b)| f64::from(a) * f64::from(b)).sum();
    product.abs()
}

fn assert_near(a: &Pose, b: &Pose, what: &str) {
    let apart = distance(a.position, b.position);
    let alike = alike(a.rotation, b.rotation);
    assert!(apart < 1e-6 && alike > 1.0 - 1e-6, "{what}: {a:?} {b:?}");
}

#[test]
fn samples_come_back_at_every_frame() {
    for (scene, seed) in [
        (Scene::TwoHands, 1),
        (Scene::Reach, 2),
        (Scene::PinchDrag, 3),
    ] {
        let mut recording = Motion::new(scene, seed, 6.0).record(30.0, Layout::Mrtk1_1);
        let markers = std::mem::take(&mut recording.markers);
        let (text, report) = to_text(&recording, 60.0);
        assert_eq!(report.losses, []);
        recording.markers = markers;
        let (_, report) = to_text(&recording, 60.0);
        let kinds: Vec<_> = report.notes.iter().map(|note| note.kind).collect();
        assert_eq!(kinds, [NoteKind::Sampling, NoteKind::UnwrittenMarkers]);

        let (back, report) = read(text.as_bytes()).unwrap();
        assert_eq!(report, Report::default());
        let before = Sampler::new(&recording).unwrap();
        let after = Sampler::new(&back).unwrap();
        assert_eq!(before.duration(), after.duration());
        for time in after.key_times() {
            let (a, b) = (before.frame_at(time), after.frame_at(time));
            assert_near(&a.head.unwrap(), &b.head.unwrap(), "head");
            let (gaze, back) = (a.gaze.unwrap(), b.gaze.unwrap());
            assert!(distance(gaze.origin, back.origin) < 1e-6);
            // Interpolated quaternions are shorter than 1.
            let length = distance(gaze.direction, [0.0; 3]);
            let direction = gaze.direction.map(|part| part / length);
            assert!(distance(direction, back.direction) < 1e-6, "{back:?}");
            for side in Side::BOTH {
                let (a, b) = (a.hand(side), b.hand(side));
                assert_eq!((a.tracked, a.pinching), (b.tracked, b.pinching), "{time}");
                for (joint, pose) in a.joints.iter().filter(|(joint, _)| *joint != Joint::Palm) {
                    match (pose, &b.joints[joint]) {
                        (Some(a), Some(b)) => assert_near(a, b, joint.name()),
                        (a, b) => assert_eq!((a, b), (&None, &None), "{joint}"),
                    }
                }
            }
        }
        // A second conversion changes all numbers only by rounding, even the numbers of the palm.
        let (text, _) = to_text(&back, 60.0);
        let (again, _) = read(text.as_bytes()).unwrap();
        let again = Sampler::new(&again).unwrap();
        for time in after.key_times() {
            let (a, b) = (after.frame_at(time), again.frame_at(time));
            for (joint, pose) in a.right.joints.iter() {
                if let (Some(a), Some(b)) = (pose, &b.right.joints[joint]) {
                    assert_near(a, b, joint.name());
                }
            }
        }
    }
}

#[test]
fn the_text_equals_the_file_that_players_expect() {
    let recording = Motion::new(Scene::TwoHands, 1, 0.1).record(20.0, Layout::Mrtk1_1);
    let (text, _) = to_text(&recording, 10.0);
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/two-hands.iwer.json"].raw());
}

#[test]
fn a_hand_with_an_unknown_joint_is_dropped_and_reported() {
    let motion = Motion::new(Scene::TwoHands, 1, 1.0);
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=10 {
        let mut frame = motion.frame_at(step as f32 / 10.0);
        frame.left.joints[Joint::RingTip] = None;
        recorder.push(&frame).unwrap();
    }
    let mut recording = recorder.finish();
    recording.markers.clear();
    let right = &mut recording.hands_mut().right.joints[Joint::IndexTip];
    right.position[1] = FloatCurve::linear([(0.0, 1.0), (0.5, f32::NAN), (0.55, 1.0)]);
    let (text, report) = to_text(&recording, 10.0);
    assert_eq!(
        losses(&report),
        [
            "left hand: dropped in 11 frames, because joints such as RingTip are unknown",
            "right hand: dropped in 5 frames, because joints such as IndexTip are unknown",
        ]
    );
    let kinds = report.losses.iter().map(|loss| (loss.kind, loss.count));
    let kinds: Vec<_> = kinds.collect();
    assert_eq!(kinds, [(LossKind::Joints, 11), (LossKind::Joints, 5)]);
    assert!(!text.contains("\"left\""));
    let (back, _) = read(text.as_bytes()).unwrap();
    assert!(!Sampler::new(&back).unwrap().frame_at(0.3).right.tracked);
}

#[test]
fn an_unknown_head_keeps_its_pose_and_an_empty_recording_has_one_frame() {
    let empty = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    let (text, losses) = to_text(&empty, 60.0);
    assert_eq!(
        text,
        "{\"schema\":[],\n\"inputanim\":{\"head\":false},\n\"frames\":[\n[0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0]\n]}\n"
    );
    assert_eq!(losses.losses, []);
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for (time, height) in [(0.0, 1.6), (1.0, 1.7), (2.0, f32::INFINITY)] {
        recording
            .head_mut()
            .push(time, &Pose::at([0.0, height, 0.0]));
    }
    let (text, _) = to_text(&recording, 1.0);
    let last = text.lines().rev().nth(1).unwrap();
    assert_eq!(last, "[2000.0,0.0,1.7,0.0,0.0,0.0,0.0,1.0]");
}

#[test]
fn a_recording_without_end_is_refused() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().position[0] = FloatCurve::linear([(0.0, 1.0), (1e9, 2.0)]);
    let error = try_write(&recording, 60.0).unwrap_err();
    assert!(
        matches!(error, Error::Sample(SampleError::TooLong { .. })),
        "{error}"
    );
}

/// Returns text as IWER's recorder writes it: few digits, times from any start, grips and buttons.
fn recorded(hand: &str) -> String {
    let names = iwer::JOINT_NAMES.map(|name| format!("{name:?}")).join(",");
    format!(
        r#"{{"schema":[
          [0,{{"handedness":"right","targetRayMode":"tracked-pointer","profiles":["oculus-hand"],
               "hasGrip":true,"hasHand":true,"hasGamepad":true,"jointSequence":[{names}],
               "mapping":"","numButtons":1,"numAxes":0}}],
          [1,{{"handedness":"left","targetRayMode":"tracked-pointer","profiles":["x"],
               "hasGrip":true,"hasHand":false,"hasGamepad":true,"mapping":"xr-standard",
               "numButtons":2,"numAxes":2}}],
          [2,{{"handedness":"none","targetRayMode":"gaze","profiles":["eye-gaze"],"hasGrip":false,
               "hasHand":false,"hasGamepad":false}}]],
        "frames":[
          [1234.5,0,1.6,0,0,0,0,1,
            [0, 0.2,1.2,-0.3,0,0,0,1, [0,0,0,0,0,0,1], [{hand}], [[1,1,0.8]]],
            [1, 0,0,0,0,0,0,1, [0,0,0,0,0,0,1], [[0,0,0],null,0.5,0]],
            [2, 0,1.6,0,0,0.383,0,0.924]],
          [1234.5,0,1.6,0,0,0,0,1],
          [1251.2,0,1.61,0,0,0,0,1]]}}"#
    )
}

/// Returns joints at one position relative to the ray, with rotations that are not of length 1.
fn hand() -> String {
    ["0.01,0.02,-0.1,0,0.707,0,0.708,0.015"; 25].join(",")
}

#[test]
fn recordings_of_iwer_are_read() {
    let text = recorded(&hand());
    let (recording, report) = read(text.as_bytes()).unwrap();
    assert_eq!(
        losses(&report),
        ["1 frame not later than the previous frame"]
    );
    assert_eq!(recording.layout, Layout::Mrtk1_1);
    let sampler = Sampler::new(&recording).unwrap();
    let Frame {
        left, right, gaze, ..
    } = sampler.frame_at(0.0);
    assert!(right.tracked && right.pinching && !left.tracked && !left.pinching);
    // Without names in a registry, buttons have the names of the mapping.
    let left = recording
        .device(DeviceName::controller(Side::Left))
        .unwrap();
    let profiles: Vec<_> = left
        .profiles
        .iter()
        .map(|change| (change.active, change.profile.as_deref()))
        .collect();
    assert_eq!(profiles, [(true, Some("x")), (false, None)]);
    let inputs: Vec<String> = left
        .inputs
        .iter()
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(
        inputs,
        [
            "trackpad.x",
            "trackpad.y",
            "trigger.click",
            "trigger.touch",
            "trigger.value"
        ]
    );
    let tip = right.joints[Joint::IndexTip].unwrap();
    assert!(distance(tip.position, [0.21, 1.22, 0.4]) < 1e-6, "{tip:?}");
    // In Unity's axes, the rotation about Y has the opposite direction.
    assert!(alike(tip.rotation, [0.0, -0.707, 0.0, 0.707]) > 0.9996);
    assert_eq!(right.joints[Joint::Palm], Some(tip));
    let gaze = gaze.unwrap();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    assert!(
        distance(gaze.direction, [-half, 0.0, half]) < 1e-3,
        "{gaze:?}"
    );
    let end = 1251.2 - 1234.5;
    assert!((f64::from(sampler.duration()) - end / 1000.0).abs() < 1e-7);
    assert!(!sampler.frame_at(sampler.duration()).right.tracked);
}

#[test]
fn any_target_ray_and_any_order_of_joints_are_accepted() {
    let plain = recorded(&hand());
    let (expected, _) = read(plain.as_bytes()).unwrap();
    // The ray points backwards, by half a turn about Y. The position stays the same.
    let turned = plain
        .replace("[0, 0.2,1.2,-0.3,0,0,0,1,", "[0, 0.3,1.1,-0.5,0,1,0,0,")
        .replace(
            "0.01,0.02,-0.1,0,0.707,0,0.708",
            "0.09,0.12,-0.1,0,0.708,0,-0.707",
        );
    assert_ne!(turned, plain);
    let (turned, _) = read(turned.as_bytes()).unwrap();
    let palm = |recording: &Recording<'_>| {
        Sampler::new(recording).unwrap().frame_at(0.0).right.joints[Joint::Palm].unwrap()
    };
    assert_near(&palm(&turned), &palm(&expected), "palm");
    let swapped = plain.replace(
        "\"wrist\",\"thumb-metacarpal\"",
        "\"thumb-metacarpal\",\"wrist\"",
    );
    assert_ne!(swapped, plain);
    assert_eq!(read(swapped.as_bytes()).unwrap().0, expected);
}

#[test]
fn null_values_are_unknown() {
    let text = recorded(&hand().replacen("0.01", "null", 1)).replace("1251.2,0,", "1251.2,null,");
    let (recording, _) = read(text.as_bytes()).unwrap();
    let sampler = Sampler::new(&recording).unwrap();
    let right = sampler.frame_at(0.0).right;
    assert_eq!(right.joints[Joint::Wrist], None);
    assert_eq!(right.joints[Joint::Palm], None);
    assert!(right.joints[Joint::IndexTip].is_some());
    assert_eq!(recording.head.unwrap().position[0].keys.len(), 1);
}

#[test]
fn errors_contain_the_frame() {
    let error = |from: &str, to: &str| {
        let text = recorded(&hand());
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        let error = read(text.as_bytes()).err().unwrap();
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        format!("{error}: {}", cause.unwrap_or_default())
    };
    let expected = [
        ("\"schema\"", "\"scheme\"", "missing field `schema`"),
        ("[1234.5,0,1.6", "[\"now\",0,1.6", "frame 0 cannot be read"),
        (
            "[1251.2,0,1.61",
            "[1e300,0,1.61",
            "frame 2 cannot be recorded",
        ),
        (
            "0,0,0,1,\n            [0,",
            "0,0,0,1,\n            [7,",
            "frame 0 has an input source 7",
        ),
        (
            "0.01,0.02,",
            "0.01,",
            "frame 0, input source 0: the joints cannot be read",
        ),
        (
            "0.01,0.02,",
            "0,0.01,0.02,",
            "expected 200 numbers, found more",
        ),
        ("[[1,1,0.8]]", "[]", "the buttons cannot be read"),
        (
            "\"wrist\"",
            "\"wrists\"",
            "in \"jointSequence\", found \"wrists\"",
        ),
        ("\"wrist\"", "\"thumb-tip\"", "found \"thumb-tip\" twice"),
        ("\"wrist\",", "", "found 24"),
        ("[1,{", "[0,{", "duplicate input source 0 in the schema"),
        ("1.6,0,0,0,0,1]", "1.6,0,0,0,1]", "frame 1 cannot be read"),
    ];
    for (from, to, text) in expected {
        let error = error(from, to);
        assert!(error.contains(text), "{from} {to}: {error}");
    }
    let empty = read(b"{\"schema\":[],\"frames\":[]}").unwrap_err();
    assert!(matches!(empty.downcast_ref(), Some(IwerError::Empty)));
}

#[test]
fn limits_bound_text_and_keys() {
    let text = recorded(&hand());
    let read = |max_bytes: usize, max_keys: u64| {
        let mut options = ReadOptions::default();
        options.limits.max_bytes = max_bytes as u64;
        options.limits.max_keys = max_keys;
        inputanim_convert::read(Format::Iwer, text.as_bytes(), &options)
    };
    assert!(read(text.len(), 1000).is_ok());
    assert!(matches!(
        read(text.len() - 1, 1000),
        Err(Error::Limit { .. })
    ));
    assert!(matches!(read(text.len(), 200), Err(Error::Limit { .. })));
}

#[test]
fn the_first_hand_of_a_side_counts() {
    let mut recording = Motion::new(Scene::TwoHands, 1, 0.1).record(10.0, Layout::Mrtk1_1);
    recording.markers = vec![Marker::new(0.0, "gone")];
    let (text, _) = to_text(&recording, 10.0);
    let both_left = text.replace("\"right\"", "\"left\"");
    let (back, report) = read(both_left.as_bytes()).unwrap();
    assert_eq!(
        losses(&report),
        ["second input source of the same hand in 2 frames"]
    );
    let (alone, _) = read(text.as_bytes()).unwrap();
    assert_eq!(back.hands.unwrap().left, alone.hands.unwrap().left);
}

/// Returns a recording of one input source in three frames: absent, not selecting, and selecting. A transient source is absent
/// in the second frame too.
fn source(schema: &str, parts: &str, is_transient: bool) -> String {
    let frame = |time: f64, pressed: Option<u8>| {
        let source = pressed.map(|on| {
            let parts = parts.replace("ON", &on.to_string());
            format!(",[5,0,0,0,0,0,0,1{parts}]")
        });
        format!("[{time},0,1.6,0,0,0,0,1{}]", source.unwrap_or_default())
    };
    let idle = if is_transient { None } else { Some(0) };
    let frames = [frame(0.0, None), frame(100.0, idle), frame(200.0, Some(1))];
    format!(
        r#"{{"schema":[[5,{{{schema}}}]],"frames":[{}]}}"#,
        frames.join(",")
    )
}

#[test]
fn whatever_selects_is_a_pinch() {
    let gamepad = r#""hasGamepad":true,"numButtons":1,"numAxes":0"#;
    // The side, the mode, other members, the parts, and the hand that pinches.
    let cases = [
        (
            "left",
            "transient-pointer",
            gamepad,
            ",[[ON,ON,ON]]",
            Side::Left,
        ),
        (
            "left",
            "transient-pointer",
            r#""hasGamepad":false"#,
            "",
            Side::Left,
        ),
        ("none", "screen", r#""hasGamepad":false"#, "", Side::Right),
        ("none", "gaze", gamepad, ",[[ON,ON,ON]]", Side::Right),
    ];
    for (side, mode, members, parts, pinching) in cases {
        let schema = format!(r#""handedness":"{side}","targetRayMode":"{mode}",{members}"#);
        let text = source(&schema, parts, parts.is_empty());
        let (recording, report) = read(text.as_bytes()).unwrap();
        let sampler = Sampler::new(&recording).unwrap();
        let states = [0.0, 0.1, 0.2].map(|time| {
            let frame = sampler.frame_at(time);
            let pinches = Side::BOTH.map(|side| frame.hand(side).pinching);
            assert!(!(pinches[0] && pinches[1]), "{mode}");
            frame.hand(pinching).pinching
        });
        assert_eq!(states, [false, false, true], "{side} {mode}");
        let note = report
            .notes
            .iter()
            .find(|note| note.kind == NoteKind::Controllers);
        let note = &note.unwrap().message;
        assert!(
            note.contains(&format!("1 frame: pinches of the {pinching} hand")),
            "{note}"
        );
        assert_eq!(note.contains("no side"), side == "none", "{note}");
        assert_eq!(losses(&report), [""; 0], "{mode}");
    }
}

#[test]
fn a_controller_is_a_device_with_the_names_of_its_profile() {
    let schema = r#""handedness":"right","targetRayMode":"tracked-pointer","hasGrip":true,"hasHand":false,
        "profiles":["valve-index","generic-trigger"],"mapping":"xr-standard",
        "hasGamepad":true,"numButtons":5,"numAxes":4"#;
    let parts = ",[0.1,1,-0.4,0,0,0,1],[[ON,1,0.25],[0,0,0],[0,0,0],null,[ON,ON,ON],0,0,0.5,-0.75]";
    let text = source(schema, parts, false);
    let (recording, report) = read(text.as_bytes()).unwrap();
    assert_eq!(losses(&report), [""; 0]);
    let sampler = Sampler::new(&recording).unwrap();
    // The session has no source for hands, which does not mean that it lost them.
    assert_eq!(recording.hands, None);
    assert!(sampler.frame_at(0.2).right.unknown && sampler.frame_at(0.2).left.unknown);
    let name = DeviceName::controller(Side::Right);
    let absent = sampler.frame_at(0.0);
    assert!(!absent.device(name).unwrap().active);
    let frame = sampler.frame_at(0.2);
    let device = frame.device(name).unwrap();
    assert_eq!(device.profile.as_deref(), Some("valve-index"));
    // The axis Z of Unity has the opposite direction.
    assert_eq!(
        device.pose("grip".parse().unwrap()).unwrap().position,
        [0.1, 1.0, 0.4]
    );
    assert_eq!(
        device.pose("aim".parse().unwrap()).unwrap().position,
        [0.0; 3]
    );
    let inputs: Vec<String> = device
        .inputs
        .iter()
        .map(|(name, value)| format!("{name} {value:?}"))
        .collect();
    // Of buttons whose value only repeats that they are pressed, no value is kept. The axis y points up.
    let expected = [
        "a.click Boolean(true)",
        "a.touch Boolean(true)",
        "squeeze.click Boolean(false)",
        "squeeze.touch Boolean(false)",
        "squeeze.value Float(0.0)",
        "thumbstick.x Float(0.5)",
        "thumbstick.y Float(0.75)",
        "trackpad.click Boolean(false)",
        "trackpad.touch Boolean(false)",
        "trackpad.x Float(0.0)",
        "trackpad.y Float(0.0)",
        "trigger.click Boolean(true)",
        "trigger.touch Boolean(true)",
        "trigger.value Float(0.25)",
    ];
    assert_eq!(inputs, expected);
    let short = text
        .replace("[ON,ON,ON]", "")
        .replace("0,0,0.5,-0.75]", "0]")
        .replace(",[1,1,1]", "");
    let error = read(short.as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains("the buttons cannot be read"),
        "{error}"
    );
}

#[test]
fn controllers_come_back_at_every_frame() {
    proptest!(ProptestConfig::with_cases(48), |(recording in device_recording())| {
        let (text, report) = to_text(&recording, 30.0);
        let (back, read) = read(text.as_bytes()).unwrap();
        prop_assert_eq!(losses(&read), [""; 0]);
        let (before, after) = (Sampler::new(&recording).unwrap(), Sampler::new(&back).unwrap());
        let lost: Vec<&str> = losses(&report);
        for time in after.key_times() {
            let (a, b) = (before.frame_at(time), after.frame_at(time));
            for side in Side::BOTH {
                let name = DeviceName::controller(side);
                let Some(a) = a.device(name).filter(|device| device.active) else {
                    prop_assert!(b.device(name).is_none_or(|device| !device.active));
                    continue;
                };
                let b = b.device(name).unwrap();
                prop_assert!(b.active && a.profile == b.profile, "{:?} {:?}", a, b);
                for (name, pose) in &a.poses {
                    assert_near(pose, b.pose(*name).unwrap(), name.as_str());
                }
                for (name, value) in &a.inputs {
                    let back = b.input(*name);
                    prop_assert!(back == Some(*value), "{name} at {time}: {value:?} {back:?}\n{text}");
                }
                // Values that are unknown are held, and named.
                for (name, _) in &b.inputs {
                    let is_named = lost.iter().any(|loss| loss.contains("unknown values of"));
                    prop_assert!(a.input(*name).is_some() || is_named);
                }
            }
        }
        for device in &recording.devices {
            let is_lost = !device.haptics.is_empty() || device.name.side().is_none();
            let start = format!("{}: ", device.name);
            let is_named = lost.iter().any(|loss| loss.starts_with(&start) && !loss.contains("unknown"));
            prop_assert_eq!(is_named, is_lost, "{:?}", lost);
        }
    });
}

#[test]
fn what_webxr_does_not_hold_of_a_controller_is_named() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let left = recording.device_mut(DeviceName::controller(Side::Left));
    for pose in ["aim", "grip_surface"] {
        left.pose_mut(pose.parse().unwrap())
            .push(0.0, &Pose::IDENTITY);
    }
    for input in ["squeeze/value", "squeeze/force", "thumb_fb/proximity_fb"] {
        left.push_input(input.parse().unwrap(), 0.0, InputValue::Float(0.5));
    }
    left.haptics.push(Haptic {
        time: 0.0,
        output: "haptic".parse().unwrap(),
        duration: None,
        frequency: None,
        amplitude: 1.0,
    });
    let waist = recording.device_mut("tracker.waist".parse().unwrap());
    waist
        .pose_mut("grip".parse().unwrap())
        .push(0.0, &Pose::IDENTITY);
    waist.set_profile(0.0, "/interaction_profiles/htc/vive_tracker_htcx");
    recording.device_mut("tracker.chest".parse().unwrap());
    let (_, report) = to_text(&recording, 10.0);
    assert_eq!(
        losses(&report),
        [
            "left.controller: grip_surface, squeeze.force, thumb_fb.proximity_fb (9 keys), 1 haptic pulse",
            "tracker.chest: a device without values",
            "tracker.waist: grip (7 keys), 1 profile change",
        ]
    );
}

#[test]
fn palms_are_derived_from_grips_on_request() {
    let schema = r#""handedness":"right","targetRayMode":"tracked-pointer","hasGrip":true,"hasHand":false,
        "hasGamepad":true,"numButtons":2,"numAxes":2"#;
    let text = source(schema, ",[0.1,1,-0.4,0,0,0,1],[[ON,ON,ON],null,0,0]", false);
    let (recording, report) = read_with_palms(text.as_bytes()).unwrap();
    assert_eq!(losses(&report), [""; 0]);
    let notes: Vec<_> = report.notes.iter().map(|note| &*note.message).collect();
    let note = "right hand derived from right.controller in 2 samples: palm and wrist from the grip, pinch from the trigger";
    assert!(notes.contains(&note), "{notes:?}");
    let text_about = "right.Palm, right.Wrist, right.pinching from right.controller";
    assert_eq!(recording.about.get("derived"), Some(text_about));
    assert!(
        recording
            .device(DeviceName::controller(Side::Right))
            .is_some()
    );
    let sampler = Sampler::new(&recording).unwrap();
    assert!(!sampler.frame_at(0.0).right.tracked);
    let right = sampler.frame_at(0.2).right;
    assert!(right.tracked && right.pinching);
    let palm = right.joints[Joint::Palm].unwrap();
    // The axis Z of Unity has the opposite direction.
    assert!(distance(palm.position, [0.1, 1.0, 0.4]) < 1e-6, "{palm:?}");
    let wrist = right.joints[Joint::Wrist].unwrap();
    assert!((distance(wrist.position, palm.position) - 0.047).abs() < 1e-6);
    assert_eq!(right.joints[Joint::IndexTip], None);
    // A grip that is unknown tells nothing about the hand.
    let text = source(
        schema,
        ",[0.1,null,-0.4,0,0,0,1],[[ON,ON,ON],null,0,0]",
        false,
    );
    let (recording, _) = read_with_palms(text.as_bytes()).unwrap();
    assert_eq!(recording.about.get("derived"), None);
    assert!(
        !Sampler::new(&recording)
            .unwrap()
            .frame_at(0.2)
            .right
            .tracked
    );
}

#[test]
fn recordings_from_consoles_are_read() {
    let plain = recorded(&hand());
    let (expected, _) = read(plain.as_bytes()).unwrap();
    let string = serde_json::to_string(&plain).unwrap();
    let twice = serde_json::to_string(&string).unwrap();
    let utf16: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(plain.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let cases = [
        (string.clone().into_bytes(), "it is a string of JSON"),
        (twice.into_bytes(), "it is a string of JSON"),
        (
            format!("VM123:1 {plain}").into_bytes(),
            "8 bytes before it ignored",
        ),
        (
            format!("app.js:7 {string}\nundefined\n").into_bytes(),
            "it is a string of JSON, 9 bytes before it ignored",
        ),
        (
            format!("'{plain}'").into_bytes(),
            "1 byte before it ignored, 1 byte after it ignored",
        ),
        (
            format!("{plain}\nundefined").into_bytes(),
            "9 bytes after it ignored",
        ),
        (utf16, ""),
    ];
    for (text, note) in cases {
        let name = String::from_utf8_lossy(&text[..20]).into_owned();
        assert_eq!(Format::detect(&text), Some(Format::Iwer), "{name}");
        let (recording, report) = read(&text).unwrap();
        assert_eq!(recording, expected, "{name}");
        let notes = report
            .notes
            .iter()
            .filter(|note| note.kind == NoteKind::OtherContent);
        let notes: Vec<&str> = notes.map(|note| &*note.message).collect();
        let notes = notes.join("");
        assert!(
            notes.ends_with(note) && notes.is_empty() == note.is_empty(),
            "{name}: {notes}"
        );
    }
}

#[test]
fn the_frames_before_the_end_of_a_cut_file_are_read() {
    let recording = Motion::new(Scene::TwoHands, 1, 1.0).record(10.0, Layout::Mrtk1_1);
    let (text, _) = to_text(&recording, 10.0);
    let (whole, _) = read(text.as_bytes()).unwrap();
    let times = |recording: &Recording<'_>| Sampler::new(recording).unwrap().key_times();
    let first = text.find("\n[0.0,").unwrap();
    let string = serde_json::to_string(&text).unwrap();
    for end in (first..text.len() - 4).step_by(997) {
        let complete = text[..end].matches("\n[").count().saturating_sub(1);
        for (is_string, text) in [(false, &text[..end]), (true, &string[..end])] {
            match read(text.as_bytes()) {
                Ok((part, report)) => {
                    assert_eq!(report.losses[0].kind, LossKind::Damage, "{end}");
                    let (part, whole) = (times(&part), times(&whole));
                    assert_eq!(part, whole[..part.len()], "{end}");
                    assert!(is_string || part.len() >= complete, "{end}: {}", part.len());
                }
                // No frame is complete.
                Err(error) => assert!(is_string || complete == 0, "{end}: {error:?}"),
            }
        }
    }
    let error = read(&text.as_bytes()[..first / 2]).unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(IwerError::Json(_))),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_written_file_can_be_read(recording in inputanim_testkit::random::recording()) {
        let rate = 100.0 / f64::from(recording.duration().max(1.0));
        match try_write(&recording, rate) {
            Ok((text, _)) => { read(&text).unwrap(); }
            Err(error) => prop_assert!(matches!(error, Error::Sample(_)), "{error}"),
        }
    }
}

#[test]
fn a_head_that_is_not_recorded_does_not_come_back() {
    let mut recording = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let has_note = |report: &Report| {
        let mut notes = report.notes.iter();
        notes.any(|note| note.kind == NoteKind::Unknown && note.message.contains("the head is not"))
    };
    let (text, report) = to_text(&recording, 30.0);
    assert!(!has_note(&report) && read(text.as_bytes()).unwrap().0.head.is_some());
    recording.head = None;
    let (text, report) = to_text(&recording, 30.0);
    assert!(has_note(&report), "{report:?}");
    let (again, _) = read(text.as_bytes()).unwrap();
    assert!(again.head.is_none() && again.hands.is_some());
    // Also of a file that is cut off inside its last frame.
    let cut = &text[..text.len() - 20];
    assert!(read(cut.as_bytes()).unwrap().0.head.is_none());
    // The viewer of a file of another program is a head.
    let other = text.replace("\"inputanim\":{\"head\":false},", "");
    assert!(read(other.as_bytes()).unwrap().0.head.is_some());
}

#[test]
fn pinches_that_are_not_recorded_do_not_come_back() {
    let mut recording = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let hand = recording.hands_mut().hand_mut(Side::Right);
    hand.pinching.keys = std::borrow::Cow::Borrowed(&[]);
    assert!(recording.lacks_pinches(Side::Right) && !recording.lacks_pinches(Side::Left));
    let (text, _) = to_text(&recording, 30.0);
    let (again, _) = read(text.as_bytes()).unwrap();
    assert!(again.lacks_pinches(Side::Right) && !again.lacks_pinches(Side::Left));
}

#[test]
fn recorded_radii_are_written() {
    use inputanim::headset::Headset;
    let motion = Motion::new(Scene::Wave, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    let sampler = Sampler::new(&motion).unwrap();
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..30 {
        let mut frame = sampler.frame_at(step as f32 / 30.0);
        let mut headset = Headset::default();
        headset.set_radius(Side::Right, Joint::IndexTip, Some(0.0123));
        frame.devices = vec![headset.device_frame()];
        recorder.push(&frame).unwrap();
    }
    let (text, _) = to_text(&recorder.finish(), 30.0);
    let radius = text.matches(",0.0123,").count();
    assert!(radius >= 30, "{radius}");
    // The radius of the wrist is that of an average hand.
    assert!(text.matches(",0.0215,").count() >= 30);
}
