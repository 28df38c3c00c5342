//! The bones of a hand, and the poses of its joints for a grip.
//!
//! All poses are for a right hand, palm down and fingers forward, in the frame of the wrist: +X
//! toward the little finger, +Y out of the back of the hand, +Z toward the fingers. Bending rotates
//! a joint about its own +X.

use glam::{Quat, Vec3};
use inputanim::{Joint, Joints};

use crate::grip::{Bend, Grip};
use crate::transform::{RigidTransform, turned};

/// A finger of an adult hand of middle size.
struct Finger {
    /// From the metacarpal to the tip.
    joints: &'static [Joint],
    /// The start of the metacarpal, in metres.
    base: [f32; 3],
    /// The rotation of the metacarpal: heading, pitch and roll in degrees. The rolls form the arch
    /// of the hand, so that the fingers converge as they bend.
    turn: [f32; 3],
    /// The lengths of the bones between the joints, in metres.
    bones: &'static [f32],
}

const FINGERS: [Finger; 5] = [
    Finger {
        joints: Joint::FINGERS[0],
        base: [-0.019, -0.015, 0.022],
        turn: [-42.0, 22.0, 62.0],
        bones: &[0.045, 0.032, 0.027],
    },
    Finger {
        joints: Joint::FINGERS[1],
        base: [-0.014, -0.003, 0.031],
        turn: [-6.0, -2.0, 8.0],
        bones: &[0.065, 0.043, 0.026, 0.022],
    },
    Finger {
        joints: Joint::FINGERS[2],
        base: [0.0, 0.0, 0.030],
        turn: [0.0, 0.0, 0.0],
        bones: &[0.063, 0.047, 0.029, 0.023],
    },
    Finger {
        joints: Joint::FINGERS[3],
        base: [0.012, -0.002, 0.029],
        turn: [7.0, -1.0, -6.0],
        bones: &[0.058, 0.043, 0.028, 0.023],
    },
    Finger {
        joints: Joint::FINGERS[4],
        base: [0.022, -0.006, 0.027],
        turn: [14.0, 1.0, -12.0],
        bones: &[0.054, 0.035, 0.021, 0.020],
    },
];

/// The centre of the palm: halfway from the wrist to the middle knuckle.
const PALM: Vec3 = Vec3::new(0.0, 0.0, 0.0465);

/// A hand of a certain size.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    /// The size relative to a hand of average size.
    size: f32,
    /// The transform of the first joint of each finger.
    bases: [RigidTransform; 5],
}

impl Skeleton {
    pub(crate) fn new(size: f32) -> Skeleton {
        let bases = FINGERS.map(|finger| {
            let [heading, pitch, roll] = finger.turn;
            RigidTransform {
                position: Vec3::from_array(finger.base) * size,
                rotation: turned(heading, pitch, roll),
            }
        });
        Skeleton { size, bases }
    }

    /// Returns the transforms of the joints of a right hand, except [`Joint::None`], for a wrist and the bends of the
    /// fingers. They are in the frame in which `wrist` is given.
    pub(crate) fn joints(
        &self,
        wrist: &RigidTransform,
        grip: &Grip,
    ) -> Joints<Option<RigidTransform>> {
        let mut joints = Joints::default();
        joints[Joint::Wrist] = Some(*wrist);
        joints[Joint::Palm] = Some(RigidTransform {
            position: wrist.point(PALM * self.size),
            rotation: wrist.rotation,
        });
        for ((finger, base), bend) in FINGERS.iter().zip(&self.bases).zip(&grip.fingers) {
            let mut at = RigidTransform {
                position: wrist.point(base.position),
                rotation: wrist.rotation * base.rotation,
            };
            // The metacarpal of the thumb moves; the others are fixed to the wrist.
            let fixed = finger.joints.len() - 4;
            for (index, joint) in finger.joints.iter().enumerate() {
                if let Some(moving) = index.checked_sub(fixed) {
                    at.rotation *= joint_turn(bend, moving);
                }
                joints[*joint] = Some(at);
                if let Some(bone) = finger.bones.get(index) {
                    at.position = at.point(Vec3::Z * (bone * self.size));
                }
            }
        }
        joints
    }

    /// Returns the position of a joint of a right hand in the frame of its wrist, in metres, for the bends of the
    /// fingers.
    pub(crate) fn reach_of(&self, joint: Joint, grip: &Grip) -> Vec3 {
        let joints = self.joints(&RigidTransform::ORIGIN, grip);
        joints[joint].map_or(Vec3::ZERO, |joint| joint.position)
    }
}

/// Returns the rotation of a joint relative to the bone before it. `moving` is the index of the joint among the 4
/// movable joints of its finger: 0 for the base, 3 for the tip, which does not rotate.
fn joint_turn(bend: &Bend, moving: usize) -> Quat {
    let pitch = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
    match moving {
        0 => Quat::from_rotation_y(bend.spread.to_radians()) * pitch(bend.base),
        1 => pitch(bend.middle),
        2 => pitch(bend.tip),
        _ => Quat::IDENTITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grip::Shape;

    fn position(shape: Shape, joint: Joint) -> Vec3 {
        Skeleton::new(1.0).reach_of(joint, shape.grip())
    }

    #[test]
    fn thumb_and_index_tip_meet_only_in_a_pinch() {
        let gap =
            |shape| (position(shape, Joint::ThumbTip) - position(shape, Joint::IndexTip)).length();
        assert!(gap(Shape::Pinch) < 0.001, "{}", gap(Shape::Pinch));
        for shape in [Shape::Relaxed, Shape::Open, Shape::Point, Shape::Ready] {
            assert!(gap(shape) > 0.06, "{shape:?}: {}", gap(shape));
        }
    }

    #[test]
    fn thumb_is_on_the_left_and_fingers_bend_toward_the_palm() {
        let open = |joint| position(Shape::Open, joint);
        assert!(open(Joint::ThumbTip).x < open(Joint::IndexTip).x);
        assert!(open(Joint::IndexTip).x < open(Joint::MiddleTip).x);
        assert!(open(Joint::MiddleTip).x < open(Joint::RingTip).x);
        assert!(open(Joint::RingTip).x < open(Joint::PinkyTip).x);
        for tip in [Joint::MiddleTip, Joint::RingTip, Joint::PinkyTip] {
            assert!(
                position(Shape::Relaxed, tip).y < open(tip).y - 0.03,
                "{tip}"
            );
        }
    }

    #[test]
    fn palm_is_halfway_to_the_middle_knuckle() {
        let knuckle = position(Shape::Open, Joint::MiddleKnuckle);
        let palm = position(Shape::Open, Joint::Palm);
        assert!((knuckle / 2.0 - palm).length() < 1e-6);
    }

    #[test]
    fn a_larger_hand_has_the_same_shape() {
        let grip = Shape::Relaxed.grip();
        for joint in Joint::ALL {
            let small = Skeleton::new(1.0).reach_of(joint, grip);
            let large = Skeleton::new(1.5).reach_of(joint, grip);
            assert!((small * 1.5 - large).length() < 1e-6, "{joint}");
        }
    }
}
