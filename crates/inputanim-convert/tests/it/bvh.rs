//! BVH: the text is readable by animation programs, joints keep their positions, and losses are reported.

use std::collections::HashMap;

use glam::{DAffine3, DVec3};
use inputanim::{FloatCurve, Joint, Layout, Marker, Pose, Recording, Sampler, Side, Space};
use inputanim_convert::bvh::BvhError;
use inputanim_convert::{Error, Format, LossKind, Report, Sampling, WriteOptions};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

fn try_write(
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Report), Error> {
    let mut text = Vec::new();
    let report = inputanim_convert::write(Format::Bvh, recording, options, &mut text)?;
    Ok((text, report))
}

fn to_text(recording: &Recording<'_>, options: &WriteOptions) -> (String, Report) {
    let (text, report) = try_write(recording, options).unwrap();
    (String::from_utf8(text).unwrap(), report)
}

fn rate(rate: f64) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    options
}

fn left(rate: f64) -> WriteOptions {
    let mut options = self::rate(rate);
    options.hand = Some(Side::Left);
    options
}

/// Returns the number of joints in a text.
fn joints(text: &str) -> usize {
    let is_joint = |line: &&str| line.contains("JOINT ") || line.contains("ROOT ");
    text.lines()
        .filter(is_joint)
        .filter(|line| !line.contains("Hands"))
        .count()
}

/// Returns the number of joints with position channels, without the roots.
fn moving_joints(text: &str) -> usize {
    text.matches("CHANNELS 6").count()
}

/// Returns the messages of all notes.
fn notes(report: &Report) -> Vec<&str> {
    report.notes.iter().map(|note| &*note.message).collect()
}

#[test]
fn the_text_is_readable() {
    let mut recording = Motion::new(Scene::TwoHands, 1, 0.2).record(10.0, Layout::Mrtk1_1);
    // A hand with one finger whose last bone grows.
    for hand in [&mut recording.hands_mut().left] {
        for (joint, pose) in hand.joints.iter_mut() {
            if !joint.name().starts_with("Index") && joint != Joint::Wrist {
                *pose = Default::default();
            }
        }
        let x = &mut hand.joints[Joint::IndexTip].position[0];
        *x = FloatCurve::linear(x.keys.points().map(|(time, x)| (time, x + 0.02 * time)));
    }
    let (text, _) = to_text(&recording, &left(10.0));
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/finger.bvh"].raw());
}

#[test]
fn two_hands_have_a_common_root_and_one_does_not() {
    let recording = Motion::new(Scene::TwoHands, 1, 0.5).record(30.0, Layout::Mrtk1_1);
    let (both, _) = to_text(&recording, &rate(30.0));
    assert!(both.starts_with("HIERARCHY\nROOT Hands\n"));
    for (side, apart) in [("Left", -20), ("Right", 20)] {
        let wrist = format!("\n  JOINT {side}Wrist\n  {{\n    OFFSET {apart} 0 0\n");
        assert!(both.contains(&wrist), "{side}");
    }
    assert_eq!(joints(&both), 52);
    assert!(both.contains("Frames: 16\n"));
    let numbers = |text: &str| text.lines().last().unwrap().split(' ').count();
    // The root, two wrists and all other joints have rotations, and the moving joints have positions too.
    assert_eq!(numbers(&both), 3 * (1 + 52) + 3 * moving_joints(&both));
    let (left, _) = to_text(&recording, &left(30.0));
    assert!(left.starts_with("HIERARCHY\nROOT LeftWrist\n"));
    assert_eq!(joints(&left), 26);
}

#[test]
fn content_that_bvh_cannot_hold_is_reported() {
    let mut recording = Motion::new(Scene::TwoHands, 7, 9.0).record(30.0, Layout::Mrtk1_1);
    let (_, report) = to_text(&recording, &rate(30.0));
    assert_eq!(report.losses, []);
    let [sampling, left, right, rest, markers] = notes(&report)[..] else {
        panic!("{report:?}")
    };
    assert_eq!(sampling, "sampled at 30 Hz");
    for (note, side) in [(left, "left hand: "), (right, "right hand: ")] {
        assert!(note.starts_with(side), "{note}");
        assert!(note.ends_with(" of 271 frames, last pose held"), "{note}");
    }
    assert_eq!(
        rest,
        "BVH stores only joints; dropped: the head, the gaze, pinching"
    );
    assert_eq!(markers, "13 markers not representable in BVH");
    // A recording of only one hand, which is always tracked.
    let mut alone = Recording::new(Layout::Mrtk1_1);
    let left = &mut alone.hands_mut().left;
    left.tracked.push(0.0, true);
    left.joints[Joint::Wrist].push(0.0, &Pose::IDENTITY);
    assert_eq!(to_text(&alone, &rate(30.0)).1.losses, []);
    let x = &mut recording.hands_mut().left.joints[Joint::Palm].position[0];
    *x = FloatCurve::linear([(0.0, 0.0), (1.0, f32::NAN), (1.1, 0.0)]);
    recording.markers = vec![Marker::new(0.0, "a")];
    let (text, report) = to_text(&recording, &rate(30.0));
    assert_eq!(report.losses.len(), 1);
    assert_eq!(report.losses[0].kind, LossKind::Joints);
    assert!(report.losses[0].message.starts_with("left hand: "));
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

#[test]
fn an_untracked_hand_keeps_its_pose() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let right = &mut recording.hands_mut().right;
    for (time, on) in [(0.0, false), (1.0, true), (2.0, false), (3.0, true)] {
        right.tracked.push(time, on);
    }
    for (time, x) in [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)] {
        right.joints[Joint::Wrist].push(time, &Pose::at([x, 0.0, 0.0]));
    }
    let mut options = rate(2.0);
    options.scale = 1.0;
    let (text, report) = to_text(&recording, &options);
    let places: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Frame Time"))
        .skip(1)
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(
        places,
        ["1", "1", "1", "1.5", "1.5", "1.5", "3", "3.5", "4"]
    );
    assert_eq!(
        notes(&report)[1],
        "right hand: untracked in 4 of 9 frames, last pose held"
    );
}

#[test]
fn positions_beyond_the_range_of_floats_are_clamped() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left;
    left.tracked.push(0.0, true);
    left.joints[Joint::Wrist].push(0.0, &Pose::at([f32::MAX, f32::MIN, 0.5]));
    let (text, _) = to_text(&recording, &rate(30.0));
    let [x, y, z] = [f32::MAX, f32::MIN, -50.0];
    assert!(text.ends_with(&format!("\n{x} {y} {z} 0 0 0\n")), "{text}");
}

#[test]
fn invalid_scales_and_absent_hands_are_refused() {
    let empty = Recording::new(Layout::Mrtk1_1);
    assert!(matches!(
        try_write(&empty, &WriteOptions::default())
            .unwrap_err()
            .downcast_ref(),
        Some(BvhError::NoHands)
    ));
    let recording = Motion::new(Scene::PinchDrag, 1, 0.5).record(30.0, Layout::Mrtk1_1);
    let error = try_write(&recording, &left(60.0)).unwrap_err();
    assert_eq!(error.to_string(), "the left hand is never tracked");
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut options = WriteOptions::default();
        options.scale = scale;
        let refused = try_write(&recording, &options).unwrap_err();
        assert!(matches!(refused.downcast_ref(), Some(BvhError::Scale(_))));
    }
    assert!(matches!(
        try_write(&recording, &rate(0.0)),
        Err(Error::Sample(_))
    ));
}

/// Computes the positions of the joints in each frame by the rules of the format.
fn places(text: &str) -> Vec<HashMap<&str, DVec3>> {
    let (hierarchy, motion) = text.split_once("MOTION\n").unwrap();
    // Name, parent, offset, number of channels.
    let mut joints: Vec<(&str, Option<usize>, DVec3, usize)> = Vec::new();
    let mut open = Vec::new();
    for line in hierarchy.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["ROOT" | "JOINT" | "End", name] => {
                joints.push((name, open.last().copied(), DVec3::ZERO, 0));
                open.push(joints.len() - 1);
            }
            ["OFFSET", x, y, z] => {
                joints[*open.last().unwrap()].2 =
                    [x, y, z].map(|part| part.parse().unwrap()).into();
            }
            ["CHANNELS", count, ..] => {
                joints[*open.last().unwrap()].3 = count.parse().unwrap();
            }
            ["}"] => open.truncate(open.len() - 1),
            _ => assert!(matches!(words[..], ["HIERARCHY"] | ["{"]), "{line}"),
        }
    }
    let frame = |line: &'_ str| {
        let mut numbers = line.split(' ').map(|number| number.parse::<f64>().unwrap());
        let mut next = || [0; 3].map(|_| numbers.next().unwrap());
        let mut poses: Vec<DAffine3> = Vec::new();
        for &(_, parent, offset, channels) in &joints {
            let offset = if channels == 6 { next().into() } else { offset };
            let [z, x, y] = if channels > 0 { next() } else { [0.0; 3] };
            let pose = DAffine3::from_translation(offset)
                * DAffine3::from_rotation_z(z.to_radians())
                * DAffine3::from_rotation_x(x.to_radians())
                * DAffine3::from_rotation_y(y.to_radians());
            poses.push(parent.map_or(pose, |parent| poses[parent] * pose));
        }
        assert_eq!(numbers.next(), None);
        let names = joints.iter().map(|joint| joint.0);
        names
            .zip(poses.iter().map(|pose| pose.translation))
            .collect()
    };
    motion.lines().skip(2).map(frame).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn joints_are_within_a_millimetre_of_their_samples(
        scene in 0..Scene::ALL.len(),
        seed in 0..1000_u64,
        hertz in 5.0..90.0_f64,
        scale in 0.01..1000.0_f64,
        growing in proptest::collection::vec((1..27_usize, -0.001_f32..0.001), 0..26),
        missing in 1..27_usize,
    ) {
        let mut recording = Motion::new(Scene::ALL[scene], seed, 1.5).record(60.0, Layout::Mrtk1_1);
        let hands = recording.hands_mut();
        for hand in [&mut hands.left, &mut hands.right] {
            hand.joints[Joint::ALL[missing]] = Default::default();
            for &(joint, speed) in &growing {
                let x = &mut hand.joints[Joint::ALL[joint]].position[0];
                *x = FloatCurve::linear(x.keys.points().map(|(time, x)| (time, x + speed * time)));
            }
        }
        let mut options = rate(hertz);
        options.scale = scale;
        let (text, _) = to_text(&recording, &options);
        let sampler = Sampler::new(&recording).unwrap();
        let frames = places(&text);
        let count = format!("Frames: {}\n", frames.len());
        prop_assert!(text.contains(&count));
        for (step, places) in frames.iter().enumerate() {
            let time = (step as f64 / hertz).min(recording.duration().into()) as f32;
            let frame = sampler.frame_at(time);
            for (side, prefix) in [(Side::Left, "Left"), (Side::Right, "Right")] {
                let hand = frame.hand(side);
                for joint in Joint::ALL.into_iter().filter(|&joint| joint != Joint::None) {
                    let Some(pose) = hand.joints[joint].filter(|_| hand.tracked) else {
                        continue;
                    };
                    let place = DVec3::from_array(Space::OpenXr.pose(pose).position.map(f64::from));
                    let read = places[&*format!("{prefix}{joint}")] / scale;
                    prop_assert!(read.distance(place) < 1e-3, "{joint} {read} {place}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbers_are_written_or_refused(recording in inputanim_testkit::random::recording()) {
        let rate = rate(20.0 / f64::from(recording.duration().max(1.0)));
        if let Ok((text, _)) = try_write(&recording, &rate) {
            let text = String::from_utf8(text)?;
            prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
