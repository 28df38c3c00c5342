//! The bones of a hand, and where its joints are for a given grip.
//!
//! All of it is a right hand, palm down and fingers forward, in the frame of the wrist: +X to
//! the little finger, +Y out of the back of the hand, +Z to the fingers. Bending turns a joint
//! about its own +X.

use glam::{Quat, Vec3};
use inputanim::{Joint, Joints};

use crate::grip::{Bend, Grip};
use crate::placement::{Placement, turned};

/// A finger of an adult hand of middle size.
struct Finger {
    /// From the metacarpal to the tip.
    joints: &'static [Joint],
    /// Where the metacarpal begins, in metres.
    base: [f32; 3],
    /// How the metacarpal is turned: heading, pitch and roll in degrees. The rolls make the
    /// hand's back an arch, so that the fingers come together as they bend.
    turn: [f32; 3],
    /// One less than there are joints, in metres.
    bones: &'static [f32],
}

const FINGERS: [Finger; 5] = [
    Finger {
        joints: &[
            Joint::ThumbMetacarpalJoint,
            Joint::ThumbProximalJoint,
            Joint::ThumbDistalJoint,
            Joint::ThumbTip,
        ],
        base: [-0.019, -0.015, 0.022],
        turn: [-42.0, 22.0, 62.0],
        bones: &[0.045, 0.032, 0.027],
    },
    Finger {
        joints: &[
            Joint::IndexMetacarpal,
            Joint::IndexKnuckle,
            Joint::IndexMiddleJoint,
            Joint::IndexDistalJoint,
            Joint::IndexTip,
        ],
        base: [-0.014, -0.003, 0.031],
        turn: [-6.0, -2.0, 8.0],
        bones: &[0.065, 0.043, 0.026, 0.022],
    },
    Finger {
        joints: &[
            Joint::MiddleMetacarpal,
            Joint::MiddleKnuckle,
            Joint::MiddleMiddleJoint,
            Joint::MiddleDistalJoint,
            Joint::MiddleTip,
        ],
        base: [0.0, 0.0, 0.030],
        turn: [0.0, 0.0, 0.0],
        bones: &[0.063, 0.047, 0.029, 0.023],
    },
    Finger {
        joints: &[
            Joint::RingMetacarpal,
            Joint::RingKnuckle,
            Joint::RingMiddleJoint,
            Joint::RingDistalJoint,
            Joint::RingTip,
        ],
        base: [0.012, -0.002, 0.029],
        turn: [7.0, -1.0, -6.0],
        bones: &[0.058, 0.043, 0.028, 0.023],
    },
    Finger {
        joints: &[
            Joint::PinkyMetacarpal,
            Joint::PinkyKnuckle,
            Joint::PinkyMiddleJoint,
            Joint::PinkyDistalJoint,
            Joint::PinkyTip,
        ],
        base: [0.022, -0.006, 0.027],
        turn: [14.0, 1.0, -12.0],
        bones: &[0.054, 0.035, 0.021, 0.020],
    },
];

/// From the wrist to the centre of the palm: half way to the middle knuckle.
const PALM: Vec3 = Vec3::new(0.0, 0.0, 0.0465);

/// A hand of a certain size.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    /// Over the middle size.
    size: f32,
    /// Where each finger's first joint is and how it is turned.
    bases: [Placement; 5],
}

impl Skeleton {
    pub(crate) fn new(size: f32) -> Skeleton {
        let bases = FINGERS.map(|finger| {
            let [heading, pitch, roll] = finger.turn;
            Placement {
                position: Vec3::from_array(finger.base) * size,
                rotation: turned(heading, pitch, roll),
            }
        });
        Skeleton { size, bases }
    }

    /// Every joint but [`Joint::None`], of a right hand with its wrist at a place.
    pub(crate) fn joints(&self, wrist: &Placement, grip: &Grip) -> Joints<Option<Placement>> {
        let mut joints = Joints::default();
        joints[Joint::Wrist] = Some(*wrist);
        joints[Joint::Palm] = Some(Placement {
            position: wrist.point(PALM * self.size),
            rotation: wrist.rotation,
        });
        for ((finger, base), bend) in FINGERS.iter().zip(&self.bases).zip(&grip.fingers) {
            let mut at = Placement {
                position: wrist.point(base.position),
                rotation: wrist.rotation * base.rotation,
            };
            // The thumb's metacarpal moves; the others are fixed to the wrist.
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

    /// The point in the wrist's frame where a joint is.
    pub(crate) fn reach_of(&self, joint: Joint, grip: &Grip) -> Vec3 {
        let joints = self.joints(&Placement::ORIGIN, grip);
        joints[joint].map_or(Vec3::ZERO, |joint| joint.position)
    }
}

/// How the moving joints of a finger are turned against the bone before them; a tip is not.
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
    fn thumb_and_index_tip_meet_in_a_pinch_and_are_apart_in_every_other_grip() {
        let gap =
            |shape| (position(shape, Joint::ThumbTip) - position(shape, Joint::IndexTip)).length();
        assert!(gap(Shape::Pinch) < 0.001, "{}", gap(Shape::Pinch));
        for shape in [Shape::Relaxed, Shape::Open, Shape::Point, Shape::Ready] {
            assert!(gap(shape) > 0.06, "{shape:?}: {}", gap(shape));
        }
    }

    #[test]
    fn the_right_thumb_is_on_the_left_and_fingers_bend_toward_the_palm() {
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
    fn the_palm_is_on_the_way_from_the_wrist_to_the_middle_knuckle() {
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
