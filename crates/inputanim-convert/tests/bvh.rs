//! BVH: the text is what animation programs read, joints are where they were, and what is lost is said.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../inputanim/tests/random/mod.rs"]
mod random;

use std::collections::HashMap;

use glam::{DAffine3, DVec3};
use inputanim::{FloatCurve, Joint, Layout, Marker, Pose, Recording, Sampler, Side, Space};
use inputanim_convert::bvh::{self, Loss, Options, Report, WriteError};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

fn to_text(take: &Recording<'_>, options: &Options) -> (String, Report) {
    let mut text = Vec::new();
    let report = bvh::write(take, options, &mut text).unwrap();
    (String::from_utf8(text).unwrap(), report)
}

fn rate(rate: f64) -> Options {
    Options {
        rate,
        ..Options::default()
    }
}

#[test]
fn the_text_is_one_that_a_person_can_read() {
    let mut take = Motion::new(Scene::TwoHands, 1, 0.2).record(10.0, Layout::Mrtk1_1);
    // A hand of one finger whose tip grows.
    for hand in [&mut take.hands_mut().left] {
        for (joint, pose) in hand.joints.iter_mut() {
            if !joint.name().starts_with("Index") && joint != Joint::Wrist {
                *pose = Default::default();
            }
        }
        let x = &mut hand.joints[Joint::IndexTip].position[0];
        *x = FloatCurve::linear(x.keys.points().map(|(time, x)| (time, x + 0.02 * time)));
    }
    let options = Options {
        hand: Some(Side::Left),
        ..rate(10.0)
    };
    let (text, report) = to_text(&take, &options);
    assert_eq!((report.frames, report.joints, report.stretching), (3, 6, 1));
    snapbox::assert_data_eq!(text, snapbox::file!["golden/finger.bvh"].raw());
}

#[test]
fn two_hands_hang_on_a_root_and_one_does_not() {
    let take = Motion::new(Scene::TwoHands, 1, 0.5).record(30.0, Layout::Mrtk1_1);
    let (both, report) = to_text(&take, &rate(30.0));
    assert!(both.starts_with("HIERARCHY\nROOT Hands\n"));
    for (side, apart) in [("Left", -20), ("Right", 20)] {
        let wrist = format!("\n  JOINT {side}Wrist\n  {{\n    OFFSET {apart} 0 0\n");
        assert!(both.contains(&wrist), "{side}");
    }
    assert_eq!((report.joints, report.frames), (52, 16));
    let numbers = |text: &str| text.lines().last().unwrap().split(' ').count();
    // The root, two wrists, and the rotations of all others.
    assert_eq!(numbers(&both), 6 + 2 * (6 + 25 * 3) + 3 * report.stretching);
    let left = Options {
        hand: Some(Side::Left),
        ..rate(30.0)
    };
    let (left, report) = to_text(&take, &left);
    assert!(left.starts_with("HIERARCHY\nROOT LeftWrist\n"));
    assert_eq!(report.joints, 26);
}

#[test]
fn what_bvh_cannot_hold_is_said() {
    let mut take = Motion::new(Scene::TwoHands, 7, 9.0).record(30.0, Layout::Mrtk1_1);
    let (_, report) = to_text(&take, &rate(30.0));
    let [left, right, rest @ ..] = &report.losses[..] else {
        panic!("{:?}", report.losses)
    };
    let is_gap = |loss: &Loss, of: Side| matches!(loss, Loss::Untracked { side, frames: 1.., of: 271 } if *side == of);
    assert!(is_gap(left, Side::Left) && is_gap(right, Side::Right));
    let markers = take.markers.len();
    assert_eq!(
        rest,
        [
            Loss::Camera,
            Loss::Gaze,
            Loss::Pinches,
            Loss::Markers { markers }
        ]
    );
    // A hand that is tracked throughout, and nothing else.
    let mut alone = Recording::new(Layout::Mrtk1_1);
    let left = &mut alone.hands_mut().left;
    left.tracked.push(0.0, true);
    left.joints[Joint::Wrist].push(0.0, &Pose::IDENTITY);
    assert_eq!(to_text(&alone, &rate(30.0)).1.losses, []);
    let x = &mut take.hands_mut().left.joints[Joint::Palm].position[0];
    *x = FloatCurve::linear([(0.0, 0.0), (1.0, f32::NAN), (1.1, 0.0)]);
    take.markers = vec![Marker::new(0.0, "a")];
    let (text, report) = to_text(&take, &rate(30.0));
    assert!(matches!(
        report.losses[1],
        Loss::Unknown {
            side: Side::Left,
            frames: 1..
        }
    ));
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

#[test]
fn a_hand_stands_still_while_it_is_not_tracked() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let right = &mut take.hands_mut().right;
    for (time, on) in [(0.0, false), (1.0, true), (2.0, false), (3.0, true)] {
        right.tracked.push(time, on);
    }
    for (time, x) in [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, 4.0)] {
        right.joints[Joint::Wrist].push(time, &Pose::at([x, 0.0, 0.0]));
    }
    let options = Options {
        scale: 1.0,
        ..rate(2.0)
    };
    let (text, report) = to_text(&take, &options);
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
    let untracked = Loss::Untracked {
        side: Side::Right,
        frames: 4,
        of: 9,
    };
    assert_eq!(report.losses, [untracked]);
}

#[test]
fn a_place_that_no_number_can_say_is_a_number_yet() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let left = &mut take.hands_mut().left;
    left.tracked.push(0.0, true);
    left.joints[Joint::Wrist].push(0.0, &Pose::at([f32::MAX, f32::MIN, 0.5]));
    let (text, _) = to_text(&take, &rate(30.0));
    let [x, y, z] = [f32::MAX, f32::MIN, -50.0];
    assert!(text.ends_with(&format!("\n{x} {y} {z} 0 0 0\n")), "{text}");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let write = |take: &Recording<'_>, options: Options| bvh::write(take, &options, Vec::new());
    let empty = Recording::new(Layout::Mrtk1_1);
    assert!(matches!(
        write(&empty, Options::default()),
        Err(WriteError::NoHands)
    ));
    let take = Motion::new(Scene::PinchDrag, 1, 0.5).record(30.0, Layout::Mrtk1_1);
    let left = Options {
        hand: Some(Side::Left),
        ..Options::default()
    };
    let error = write(&take, left).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the left hand is never tracked: there is nothing to write"
    );
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = Options {
            scale,
            ..Options::default()
        };
        assert!(matches!(write(&take, options), Err(WriteError::Scale(_))));
    }
    assert!(matches!(
        write(&take, rate(0.0)),
        Err(WriteError::Sample(_))
    ));
}

/// Where the joints of each frame are, by the rules of the format.
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
    fn joints_are_within_a_millimetre_of_where_they_play(
        scene in 0..Scene::ALL.len(),
        seed in 0..1000_u64,
        hertz in 5.0..90.0_f64,
        scale in 0.01..1000.0_f64,
        growing in proptest::collection::vec((1..27_usize, -0.001_f32..0.001), 0..26),
        missing in 1..27_usize,
    ) {
        let mut take = Motion::new(Scene::ALL[scene], seed, 1.5).record(60.0, Layout::Mrtk1_1);
        let hands = take.hands_mut();
        for hand in [&mut hands.left, &mut hands.right] {
            hand.joints[Joint::ALL[missing]] = Default::default();
            for &(joint, speed) in &growing {
                let x = &mut hand.joints[Joint::ALL[joint]].position[0];
                *x = FloatCurve::linear(x.keys.points().map(|(time, x)| (time, x + speed * time)));
            }
        }
        let options = Options { hand: None, rate: hertz, scale };
        let (text, report) = to_text(&take, &options);
        let sampler = Sampler::new(&take).unwrap();
        let frames = places(&text);
        prop_assert_eq!(frames.len(), report.frames);
        for (step, places) in frames.iter().enumerate() {
            let time = (step as f64 / hertz).min(take.duration().into()) as f32;
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
    fn any_numbers_come_to_an_end(take in random::recording()) {
        let mut text = Vec::new();
        let rate = rate(20.0 / f64::from(take.duration().max(1.0)));
        if bvh::write(&take, &rate, &mut text).is_ok() {
            let text = String::from_utf8(text)?;
            prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
