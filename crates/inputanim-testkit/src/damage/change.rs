//! Changes of the frames of a motion.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use inputanim::{Frame, HandFrame, Joint, Pose, Side};

/// Rotates the head, the hands and the gaze about the origin of the world.
pub(super) fn turn(frames: &mut [Frame], by: DQuat) {
    let about = DVec3::ZERO;
    for frame in frames {
        if let Some(pose) = &mut frame.head {
            turn_pose(pose, by, about);
        }
        if let Some(ray) = &mut frame.gaze {
            ray.origin = (by * vector(ray.origin)).as_vec3().to_array();
            ray.direction = (by * vector(ray.direction)).as_vec3().to_array();
        }
        for side in Side::BOTH {
            turn_hand(frame.hand_mut(side), by, about);
        }
    }
}

/// Rolls both hands to and fro about their forearms: by up to 80 degrees to each side, 1.5 times a second.
pub(super) fn roll(frames: &mut [Frame]) {
    const RADIANS: f64 = 1.4;
    const HERTZ: f64 = 1.5;
    for frame in frames {
        let swing = DVec2::from_angle(TAU * HERTZ * f64::from(frame.time)).y;
        for side in Side::BOTH {
            let hand = frame.hand_mut(side);
            if let Some(wrist) = hand.joints[Joint::Wrist] {
                let forearm = rotation(wrist.rotation) * DVec3::Z;
                let by = DQuat::from_axis_angle(forearm.normalize(), RADIANS * swing);
                turn_hand(hand, by, vector(wrist.position));
            }
        }
    }
}

/// Removes the joints of both hands for which `is_dropped` returns `true`.
pub(super) fn drop_joints(frames: &mut [Frame], is_dropped: fn(Joint) -> bool) {
    for frame in frames {
        for side in Side::BOTH {
            let joints = &mut frame.hand_mut(side).joints;
            for (_, pose) in joints.iter_mut().filter(|(joint, _)| is_dropped(*joint)) {
                *pose = None;
            }
        }
    }
}

/// Removes the joints and the states of a hand from every frame.
pub(super) fn drop_hand(frames: &mut [Frame], side: Side) {
    for frame in frames {
        *frame.hand_mut(side) = HandFrame::default();
    }
}

/// Makes each hand untracked, without joints, for 1.7 of every 3.7 seconds.
pub(super) fn interrupt_tracking(frames: &mut [Frame]) {
    for frame in frames {
        // The shift separates the gaps of the two hands.
        for (side, shift) in [(Side::Left, 0.0), (Side::Right, 1.1)] {
            if (frame.time + shift) % 3.7 > 2.0 {
                *frame.hand_mut(side) = HandFrame::default();
            }
        }
    }
}

/// Removes the gaze from every frame, as on a device without eye tracking.
pub(super) fn drop_gaze(frames: &mut [Frame]) {
    for frame in frames {
        frame.gaze = None;
    }
}

/// Removes the head from every frame.
pub(super) fn drop_head(frames: &mut [Frame]) {
    for frame in frames {
        frame.head = None;
    }
}

fn turn_hand(hand: &mut HandFrame, by: DQuat, about: DVec3) {
    for (_, pose) in hand.joints.iter_mut() {
        if let Some(pose) = pose {
            turn_pose(pose, by, about);
        }
    }
}

fn turn_pose(pose: &mut Pose, by: DQuat, about: DVec3) {
    let position = about + by * (vector(pose.position) - about);
    pose.position = position.as_vec3().to_array();
    let turned = (by * rotation(pose.rotation)).normalize();
    pose.rotation = turned.as_quat().to_array();
}

fn vector(parts: [f32; 3]) -> DVec3 {
    DVec3::from_array(parts.map(f64::from))
}

fn rotation(parts: [f32; 4]) -> DQuat {
    DQuat::from_array(parts.map(f64::from))
}

/// The size of tracking jumps.
pub(super) struct Jumps {
    /// The least angle in radians.
    min_angle: f64,
    /// The greatest angle in radians.
    max_angle: f64,
    /// The share of jumps that move only one finger.
    fingers: f64,
}

/// The jumps of most cases.
pub(super) const USUAL: Jumps = Jumps {
    min_angle: 0.1,
    max_angle: 0.9,
    fingers: 0.3,
};

/// Jumps by up to 143 degrees.
pub(super) const LARGE: Jumps = Jumps {
    min_angle: 0.3,
    max_angle: 2.5,
    fingers: 0.5,
};

/// Adds tracking jumps: about once a second, the device misjudges a hand, or one finger, for one to three frames, and
/// turns and moves it. `number` selects the random numbers.
pub(super) fn add_jumps(frames: &mut [Frame], jumps: &Jumps, number: u32) {
    /// The probability that a jump begins in a frame.
    const CHANCE: f64 = 1.0 / 60.0;
    let mut random = Random(u64::from(number) << 32);
    for side in Side::BOTH {
        // The frames that remain of a jump, its turn, its movement and its finger.
        let mut jump: (u32, DQuat, DVec3, Option<usize>) = (0, DQuat::IDENTITY, DVec3::ZERO, None);
        for frame in &mut *frames {
            if jump.0 == 0 && random.next() < CHANCE {
                let length = 1 + (random.next() * random.next() * 3.0) as u32;
                let axis = DVec3::from_array([(); 3].map(|()| random.next() - 0.5));
                let angles = jumps.max_angle - jumps.min_angle;
                let angle = jumps.min_angle + angles * random.next();
                let turn = DQuat::from_axis_angle(axis.normalize_or(DVec3::X), angle);
                let by = DVec3::from_array([(); 3].map(|()| 0.06 * (random.next() - 0.5)));
                let finger =
                    (random.next() < jumps.fingers).then(|| (random.next() * 5.0) as usize);
                jump = (length, turn, by, finger);
            }
            let (remaining, turn, by, finger) = &mut jump;
            if *remaining == 0 {
                continue;
            }
            *remaining -= 1;
            let joints = &mut frame.hand_mut(side).joints;
            let knuckle = finger.map(|finger| jumping(finger)[0]);
            let Some(root) = joints[knuckle.unwrap_or(Joint::Wrist)] else {
                continue;
            };
            let is_moved = |joint: Joint| finger.is_none_or(|f| jumping(f).contains(&joint));
            for (joint, pose) in joints.iter_mut() {
                // The entry None is not a joint: devices leave it as it is.
                let is_moved = joint != Joint::None && is_moved(joint);
                if let Some(pose) = pose.as_mut().filter(|_| is_moved) {
                    turn_pose(pose, *turn, vector(root.position));
                    let moved = vector(pose.position) + *by;
                    pose.position = moved.as_vec3().to_array();
                }
            }
        }
    }
}

/// Adds the noise of a sensor to the joints: about 0.5 mm and 0.5 degrees. `number` selects the random numbers.
pub(super) fn add_noise(frames: &mut [Frame], number: u32) {
    let mut random = Random(u64::from(number) << 16 | 1);
    for frame in frames {
        for side in Side::BOTH {
            for (_, pose) in frame.hand_mut(side).joints.iter_mut() {
                let Some(pose) = pose else { continue };
                let mut vector_of = |size: f64| {
                    DVec3::from_array([(); 3].map(|()| {
                        // The sum of three uniform distributions is close to a normal distribution.
                        let sum: f64 = [(); 3].map(|()| random.next() - 0.5).iter().sum();
                        2.0 * size * sum
                    }))
                };
                let moved = vector(pose.position) + vector_of(0.0005);
                pose.position = moved.as_vec3().to_array();
                let turn = DQuat::from_scaled_axis(vector_of(0.009));
                let turned = (turn * rotation(pose.rotation)).normalize();
                pose.rotation = turned.as_quat().to_array();
            }
        }
    }
}

/// Returns the joints that a jump of a finger moves: the knuckle and the joints that follow it, and all of the thumb.
/// `finger` is its index: 0 for the thumb, 4 for the little finger.
fn jumping(finger: usize) -> &'static [Joint] {
    let all = Joint::FINGERS[finger];
    &all[all.len() - 4..]
}

/// The generator SplitMix64: the same numbers on every machine.
struct Random(u64);

impl Random {
    /// Returns the next random number: from 0 to 1, 1 excluded.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}
