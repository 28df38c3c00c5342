//! Changes of a motion, frame by frame.

use std::f64::consts::TAU;

use glam::{DQuat, DVec2, DVec3};
use inputanim::{Frame, HandFrame, Joint, Pose, Side};

/// Turns everything about the origin of the world.
pub(crate) fn turn(frames: &mut [Frame], by: DQuat) {
    let about = DVec3::ZERO;
    for frame in frames {
        if let Some(pose) = &mut frame.camera {
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

/// Rolls the hands about their forearms: as far and as fast as people can.
pub(crate) fn roll(frames: &mut [Frame]) {
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

/// Leaves out the joints of both hands that the function says.
pub(crate) fn drop_joints(frames: &mut [Frame], is_dropped: fn(Joint) -> bool) {
    for frame in frames {
        for side in Side::BOTH {
            let joints = &mut frame.hand_mut(side).joints;
            for (_, pose) in joints.iter_mut().filter(|(joint, _)| is_dropped(*joint)) {
                *pose = None;
            }
        }
    }
}

/// A hand that is never seen.
pub(crate) fn drop_hand(frames: &mut [Frame], side: Side) {
    for frame in frames {
        *frame.hand_mut(side) = HandFrame::default();
    }
}

/// Each hand is out of sight for 1.7 of every 3.7 seconds.
pub(crate) fn lose_hands(frames: &mut [Frame]) {
    for frame in frames {
        for (side, shift) in [(Side::Left, 0.0), (Side::Right, 1.1)] {
            if (frame.time + shift) % 3.7 > 2.0 {
                *frame.hand_mut(side) = HandFrame::default();
            }
        }
    }
}

/// A device that follows no eyes.
pub(crate) fn drop_gaze(frames: &mut [Frame]) {
    for frame in frames {
        frame.gaze = None;
    }
}

/// Hands alone.
pub(crate) fn drop_head(frames: &mut [Frame]) {
    for frame in frames {
        frame.camera = None;
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
