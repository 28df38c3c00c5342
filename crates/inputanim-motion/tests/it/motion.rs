//! Properties that make a motion realistic, in every scene.

use glam::{Quat, Vec3};
use inputanim::doctor::{self, Code};
use inputanim::{Frame, HandFrame, Joint, Layout, Pose, Recording, Side};
use inputanim_motion::{Motion, Scene};

/// The rate of the frames in Hz.
const RATE: f32 = 60.0;

fn motions(seconds: f32) -> impl Iterator<Item = Motion> {
    let seeds = [1, 2];
    let pairs = Scene::ALL
        .iter()
        .flat_map(move |&scene| seeds.map(|seed| (scene, seed)));
    pairs.map(move |(scene, seed)| Motion::new(scene, seed, seconds))
}

fn hand(frame: &Frame, side: Side) -> &HandFrame {
    match side {
        Side::Left => &frame.left,
        Side::Right => &frame.right,
    }
}

fn tracked(frame: &Frame) -> impl Iterator<Item = (Side, &HandFrame)> {
    let hands = Side::BOTH.into_iter().map(|side| (side, hand(frame, side)));
    hands.filter(|(_, hand)| hand.tracked)
}

fn position(hand: &HandFrame, joint: Joint) -> Vec3 {
    Vec3::from_array(hand.joints[joint].expect("a tracked hand").position)
}

fn rotation(hand: &HandFrame, joint: Joint) -> Quat {
    Quat::from_array(hand.joints[joint].expect("a tracked hand").rotation)
}

/// Returns every bone as the joints at its ends, from the wrist outward.
fn bones() -> impl Iterator<Item = (Joint, Joint)> {
    let next = |joint: Joint| Joint::from_index(joint.index() + 1);
    let is_tip = |joint: Joint| joint.name().ends_with("Tip");
    let wrist = std::iter::once((Joint::Wrist, Joint::Palm));
    wrist.chain(
        Joint::ALL[3..]
            .iter()
            .filter_map(move |&joint| Some((joint, next(joint).filter(|_| !is_tip(joint))?))),
    )
}

fn tip_gap(hand: &HandFrame) -> f32 {
    (position(hand, Joint::ThumbTip) - position(hand, Joint::IndexTip)).length()
}

fn named<'a>(motion: &'a Motion, name: &'a str) -> impl Iterator<Item = f32> {
    let markers = motion
        .markers()
        .iter()
        .filter(move |marker| marker.1 == name);
    markers.map(|marker| marker.0)
}

#[test]
fn a_hand_has_20_bones_of_constant_length() {
    assert_eq!(bones().count(), 1 + 3 + 4 * 4);
    for motion in motions(20.0) {
        let mut lengths = [None, None];
        for frame in motion.frames(RATE) {
            for (side, hand) in tracked(&frame) {
                let now: Vec<f32> = bones()
                    .map(|(from, to)| (position(hand, to) - position(hand, from)).length())
                    .collect();
                let before = lengths[side as usize].get_or_insert_with(|| now.clone());
                for (before, now) in before.iter().zip(&now) {
                    assert!((before - now).abs() < 1e-6, "{before} m, then {now} m");
                }
            }
        }
    }
}

#[test]
fn the_forward_axis_of_a_joint_points_along_its_bone() {
    for motion in motions(20.0) {
        for frame in motion.frames(RATE) {
            for (side, hand) in tracked(&frame) {
                for (from, to) in bones() {
                    let bone = (position(hand, to) - position(hand, from)).normalize();
                    let off = bone - rotation(hand, from) * Vec3::Z;
                    assert!(off.length() < 1e-4, "{side} {from} at {} s", frame.time);
                    if to.name().ends_with("Tip") {
                        let off = bone - rotation(hand, to) * Vec3::Z;
                        assert!(off.length() < 1e-4, "{side} {to} at {} s", frame.time);
                    }
                }
            }
        }
    }
}

#[test]
fn the_left_hand_has_the_mirrored_shape_of_the_right() {
    // Joints that do not move relative to the wrist when fingers bend.
    let fixed = Joint::ALL.into_iter().filter(|joint| {
        let name = joint.name();
        name.ends_with("Metacarpal") || name.ends_with("Knuckle") || name.ends_with("Palm")
    });
    let fixed: Vec<Joint> = fixed.chain([Joint::ThumbMetacarpalJoint]).collect();
    let seen_from_wrist = |hand: &HandFrame, joint| {
        let from_wrist = position(hand, joint) - position(hand, Joint::Wrist);
        rotation(hand, Joint::Wrist).inverse() * from_wrist
    };
    for motion in motions(60.0) {
        let both = |frame: &Frame| frame.left.tracked && frame.right.tracked;
        let frame = motion.frames(RATE).find(both).unwrap();
        for &joint in &fixed {
            let left = seen_from_wrist(&frame.left, joint);
            let right = seen_from_wrist(&frame.right, joint);
            let off = left * Vec3::new(-1.0, 1.0, 1.0) - right;
            assert!(off.length() < 1e-6, "{joint}: {left} and {right}");
        }
        for (from, to) in bones() {
            let length = |hand| (position(hand, to) - position(hand, from)).length();
            let (left, right) = (length(&frame.left), length(&frame.right));
            assert!(
                (left - right).abs() < 1e-6,
                "{from}: {left} m and {right} m"
            );
        }
    }
}

#[test]
fn bones_have_the_lengths_of_an_adult() {
    for motion in motions(1.0) {
        let frame = motion.frame_at(0.5);
        for (from, to) in bones() {
            let length = (position(&frame.right, to) - position(&frame.right, from)).length();
            assert!((0.018..=0.070).contains(&length), "{from}: {length} m");
        }
    }
}

#[test]
fn thumb_and_index_tip_meet_while_pinching_and_are_apart_when_open() {
    for motion in motions(61.0) {
        let near_pinch = |side, time: f32| {
            let around = [-0.35, -0.2, -0.1, 0.0, 0.1, 0.2].map(|offset| time - offset);
            around
                .into_iter()
                .any(|time| hand(&motion.frame_at(time), side).pinching)
        };
        // The end of the motion may cut the last pinch.
        for frame in motion.frames(RATE).filter(|frame| frame.time < 60.0) {
            for (side, hand) in tracked(&frame) {
                let gap = tip_gap(hand);
                if hand.pinching {
                    assert!(gap < 0.005, "{side} at {} s: {gap} m", frame.time);
                } else if !near_pinch(side, frame.time) {
                    assert!(gap > 0.02, "{side} at {} s: {gap} m", frame.time);
                }
            }
        }
    }
}

#[test]
fn a_hand_pinches_exactly_from_a_pinch_to_a_release() {
    let pinching = |motion: &Motion, time| {
        let frame = motion.frame_at(time);
        u32::from(frame.left.pinching) + u32::from(frame.right.pinching)
    };
    for scene in [Scene::TwoHands, Scene::PinchDrag] {
        let motion = Motion::new(scene, 5, 120.0);
        assert!(named(&motion, "pinch").count() > 10);
        for time in named(&motion, "pinch") {
            let before = pinching(&motion, time.next_down());
            assert_eq!(pinching(&motion, time), before + 1, "{time}");
        }
        for time in named(&motion, "release") {
            let before = pinching(&motion, time.next_down());
            assert_eq!(pinching(&motion, time), before - 1, "{time}");
        }
    }
}

#[test]
fn rotations_are_of_length_1_and_in_the_hemisphere_of_the_frame_before() {
    let check = |name: &str, before: Option<Pose>, now: Pose, time: f32| {
        let now = Quat::from_array(now.rotation);
        assert!((now.length() - 1.0).abs() < 1e-5, "{name} at {time} s");
        if let Some(before) = before {
            // A rotation angle is twice the angle of the dot product, so this allows 36 degrees per
            // frame, far beyond any gesture.
            let dot = Quat::from_array(before.rotation).dot(now);
            assert!(dot > 0.95, "{name} at {time} s");
        }
    };
    for motion in motions(60.0) {
        let mut before = Frame::default();
        for frame in motion.frames(RATE) {
            let time = frame.time;
            let head = frame.head.unwrap();
            check("head", before.head, head, time);
            for (side, now) in tracked(&frame) {
                for joint in &Joint::ALL[1..] {
                    let before = hand(&before, side).joints[*joint];
                    check(joint.name(), before, now.joints[*joint].unwrap(), time);
                }
            }
            before = frame;
        }
    }
}

/// Returns the highest speeds of the head and of a joint between frames, in metres per second.
fn top_speeds(motion: &Motion, rate: f32) -> [f32; 2] {
    let (mut head, mut joints) = (0.0_f32, 0.0_f32);
    let mut before = motion.frame_at(0.0);
    for frame in motion.frames(rate).skip(1) {
        let seconds = frame.time - before.time;
        let speed = |from: Option<Pose>, to: Option<Pose>| {
            let [from, to] = [from?, to?].map(|pose| Vec3::from_array(pose.position));
            Some((to - from).length() / seconds)
        };
        head = head.max(speed(before.head, frame.head).expect("a head"));
        for side in Side::BOTH {
            let [from, to] = [&before, &frame].map(|frame| &hand(frame, side).joints);
            for joint in Joint::ALL {
                joints = joints.max(speed(from[joint], to[joint]).unwrap_or(0.0));
            }
        }
        before = frame;
    }
    [head, joints]
}

#[test]
fn speeds_are_those_of_people_without_jumps() {
    let often = motions(60.0).map(|motion| top_speeds(&motion, RATE));
    // A jump of more than 2.5 mm would show as a speed here.
    let finely = motions(12.0).map(|motion| top_speeds(&motion, 1000.0));
    for [head, joint] in often.chain(finely) {
        assert!((0.01..0.2).contains(&head), "{head} m/s");
        assert!((1.0..2.5).contains(&joint), "{joint} m/s");
    }
}

#[test]
fn everything_moves_a_little_all_the_time() {
    for motion in motions(10.0) {
        let frames: Vec<Frame> = motion.frames(RATE).collect();
        for pair in frames.windows(2) {
            assert_ne!(pair[0].head, pair[1].head);
            assert_ne!(pair[0].gaze, pair[1].gaze);
            for side in Side::BOTH {
                let hands = [0, 1].map(|frame| hand(&pair[frame], side));
                if hands.iter().all(|hand| hand.tracked) {
                    assert_ne!(hands[0].joints, hands[1].joints);
                }
            }
        }
    }
}

#[test]
fn the_gaze_reaches_the_target_before_the_hand_starts() {
    let motion = Motion::new(Scene::Reach, 4, 300.0);
    let gaze = |time| Vec3::from_array(motion.frame_at(time).gaze.unwrap().direction);
    let mut jumps_seen = 0;
    for time in named(&motion, "reach").filter(|&time| time > 1.0) {
        let arrived = gaze(time);
        let settled = arrived.angle_between(gaze(time - 0.12)).to_degrees();
        assert!(settled < 2.0, "{settled} degrees at {time} s");
        // The gaze jumps 0.2 to 0.3 s ahead of the hand; before, it pointed elsewhere.
        jumps_seen += u32::from(arrived.angle_between(gaze(time - 0.33)).to_degrees() > 2.0);
        // The reaching hand is nearly still before the marker, and moves after it.
        let moved = |side, from: f32, to: f32| {
            let [from, to] = [from, to].map(|time| motion.frame_at(time));
            let hands = [hand(&from, side), hand(&to, side)];
            if !hands.iter().all(|hand| hand.tracked) {
                return None;
            }
            let [from, to] = hands.map(|hand| position(hand, Joint::Wrist));
            Some((to - from).length())
        };
        let sets_out = Side::BOTH.into_iter().any(|side| {
            let (before, after) = (
                moved(side, time - 0.05, time),
                moved(side, time + 0.2, time + 0.25),
            );
            before.is_none_or(|metres| metres < 0.003) && after.is_none_or(|metres| metres > 0.005)
        });
        assert!(sets_out, "at {time} s");
    }
    let reaches = named(&motion, "reach").count() as u32;
    assert!(reaches > 100);
    assert!(jumps_seen * 10 > reaches * 9, "{jumps_seen} of {reaches}");
}

#[test]
fn the_gaze_points_at_the_index_tip_during_a_touch() {
    let motion = Motion::new(Scene::Reach, 9, 300.0);
    let mut touches = 0;
    for time in named(&motion, "touch") {
        // The next reach of the other hand attracts the gaze.
        let near = |reach: &f32| (time - 1.3..time + 0.35).contains(reach);
        if named(&motion, "reach").filter(near).count() > 1 {
            continue;
        }
        touches += 1;
        let frame = motion.frame_at(time);
        let gaze = frame.gaze.unwrap();
        let is_seen = tracked(&frame).any(|(_, hand)| {
            let to_tip = position(hand, Joint::IndexTip) - Vec3::from_array(gaze.origin);
            let off = to_tip.angle_between(Vec3::from_array(gaze.direction));
            off.to_degrees() < 2.0
        });
        assert!(is_seen, "at {time} s");
    }
    assert!(touches > 50, "{touches}");
}

#[test]
fn a_drag_is_20_to_40_cm_long() {
    let motion = Motion::new(Scene::PinchDrag, 6, 120.0);
    for (pinch, release) in named(&motion, "pinch").zip(named(&motion, "release")) {
        let [from, to] = [pinch, release - 0.01].map(|time| motion.frame_at(time));
        for side in Side::BOTH {
            let hands = [hand(&from, side), hand(&to, side)];
            if hands.iter().all(|hand| hand.pinching) {
                let [from, to] = hands.map(|hand| position(hand, Joint::IndexTip));
                let length = (to - from).length();
                assert!((0.18..0.42).contains(&length), "{length} m at {pinch} s");
            }
        }
    }
}

#[test]
fn each_hand_is_untracked_for_a_while_even_in_a_short_motion() {
    for seed in 0..50 {
        let motion = Motion::new(Scene::TwoHands, seed, 6.5);
        for side in Side::BOTH {
            let seen: Vec<bool> = motion
                .frames(RATE)
                .map(|frame| hand(&frame, side).tracked)
                .collect();
            assert!(seen[0], "{side} hand of seed {seed}");
            let gap = seen.iter().filter(|seen| !**seen).count();
            assert!(gap > 20, "{side} hand of seed {seed}: {gap} frames");
        }
    }
}

#[test]
fn joints_have_poses_exactly_while_tracked_except_joint_none() {
    for motion in motions(30.0) {
        for frame in motion.frames(RATE) {
            for side in Side::BOTH {
                let hand = hand(&frame, side);
                for (joint, pose) in hand.joints.iter() {
                    let known = hand.tracked && joint != Joint::None;
                    assert_eq!(pose.is_some(), known, "{side} {joint} at {} s", frame.time);
                }
                assert!(hand.tracked || !hand.pinching);
            }
        }
    }
}

#[test]
fn both_hands_move_at_the_same_time() {
    let motion = Motion::new(Scene::TwoHands, 1, 10.0);
    let first = |name| named(&motion, name).next().unwrap();
    assert!(first("wave") < first("release"), "{:?}", motion.markers());
    let mut reaches = named(&motion, "reach").filter(|time| *time > first("rest"));
    let (one, other) = (reaches.next().unwrap(), reaches.next().unwrap());
    assert!(other - one < 1.5, "{one} and {other} s");
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_does_not() {
    for &scene in Scene::ALL {
        let bytes = |seed| {
            let recording = Motion::new(scene, seed, 8.0).record(RATE, Layout::Mrtk1_1);
            recording.to_bytes_as(Layout::Mrtk1_1).unwrap()
        };
        assert!(bytes(1) == bytes(1), "{scene}");
        assert!(bytes(1) != bytes(2), "{scene}");
    }
}

#[test]
fn a_seed_gives_the_same_bits_on_every_platform_and_in_every_version() {
    let motion = Motion::new(Scene::TwoHands, 1, 600.0);
    let frame = motion.frame_at(599.5);
    let tip = frame.right.joints[Joint::IndexTip].unwrap();
    // A change of these numbers changes every sample of this crate.
    assert_eq!(tip.position, [0.310_258_24, 1.451_761_6, 0.430_522_14]);
    assert_eq!(
        tip.rotation,
        [0.857_920_1, -0.275_16, 0.039_029_315, 0.432_130_63]
    );
    assert_eq!(
        frame.gaze.unwrap().direction,
        [0.416_266_98, -0.465_531_17, 0.781_026_6]
    );
}

#[test]
fn an_hour_has_the_same_precision_at_its_end() {
    let motion = Motion::new(Scene::TwoHands, 11, 3600.0);
    let last = motion.markers().last().unwrap().0;
    assert!((3580.0..=3600.0).contains(&last), "{last}");
    // The step has no common multiple with any period of the motion.
    for step in 0..5000 {
        let time = (step as f32 * 137.036) % 3600.0;
        let frame = motion.frame_at(time);
        let head = Vec3::from_array(frame.head.unwrap().position);
        assert!((head - Vec3::new(0.0, 1.65, 0.0)).length() < 0.05, "{head}");
        let gaze = frame.gaze.unwrap();
        assert!((Vec3::from_array(gaze.origin) - head).length() < 0.05);
        assert!((Vec3::from_array(gaze.direction).length() - 1.0).abs() < 1e-6);
        for (side, hand) in tracked(&frame) {
            for joint in &Joint::ALL[1..] {
                let at = position(hand, *joint);
                let distance = (at - head).length();
                assert!(
                    (0.15..1.0).contains(&distance),
                    "{side} {joint} at {time} s: {at}"
                );
                assert!((rotation(hand, *joint).length() - 1.0).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn a_recording_can_be_written_in_every_layout_and_read_again() {
    let motion = Motion::new(Scene::TwoHands, 2, 4.0);
    for &layout in Layout::ALL {
        let recording = motion.record(RATE, layout);
        assert_eq!(recording.losses(layout), []);
        let bytes = recording.to_bytes_as(layout).unwrap();
        assert_eq!(Recording::parse(&bytes).unwrap(), recording, "{layout}");
        assert_eq!(recording.duration(), 4.0);
        assert_eq!(recording.gaze.is_some(), layout.has_flags());
        assert_eq!(recording.markers.is_empty(), !layout.has_markers());
    }
}

#[test]
fn any_length_gives_a_motion() {
    for seconds in [0.0, -1.0, f32::NAN, 0.01, 2.0] {
        let motion = Motion::new(Scene::TwoHands, 1, seconds);
        assert!(motion.frames(RATE).count() >= 1);
        assert!(motion.frame_at(0.0).right.tracked);
    }
    assert_eq!(
        Motion::new(Scene::Wave, 1, f32::INFINITY).seconds(),
        Motion::MAX_SECONDS
    );
}

#[test]
fn before_the_start_and_after_the_end_everything_stands_still() {
    let motion = Motion::new(Scene::Reach, 1, 5.0);
    for (outside, edge) in [(-3.0, 0.0), (9.0, 5.0), (f32::NAN, 0.0)] {
        let (outside, edge) = (motion.frame_at(outside), motion.frame_at(edge));
        assert_eq!((outside.head, &outside.right), (edge.head, &edge.right));
    }
}

#[test]
fn a_recorded_motion_has_no_findings_at_any_rate() {
    for motion in motions(15.0) {
        for rate in [5.0, 30.0, 90.0] {
            let recording = motion.record(rate, Layout::Mrtk1_1);
            let mut found = doctor::findings(&recording);
            // Hands are lost and found again, and the keys in between are interpolated.
            found.retain(|finding| finding.code != Code::GapInterpolated);
            assert_eq!(found, [], "{rate} Hz");
        }
    }
}
