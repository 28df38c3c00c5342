//! One hand at one time, with the poses of OpenXR that are made from its joints.

use inputanim::{HandFrame, Joint, Pose, Side, Space};

use crate::pose::compose;

/// One hand at one time, in OpenXR's axes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hand {
    /// `true` while the recording tracks the hand.
    pub is_tracked: bool,
    /// `true` while the recorded hand pinches.
    pub is_pinching: bool,
    /// The joints in the order of [`Joint::OPENXR`]; `None` for a joint that is not recorded, or while the hand is not
    /// tracked.
    pub joints: [Option<Pose>; 26],
    side: Side,
}

impl Hand {
    /// Converts a hand of a recorded frame to OpenXR's axes.
    pub(crate) fn new(frame: &HandFrame, side: Side) -> Hand {
        let pose = |joint| frame.joints[joint].map(|pose| Space::OpenXr.pose(pose));
        Hand {
            is_tracked: frame.tracked,
            is_pinching: frame.pinching,
            joints: Joint::OPENXR.map(pose),
            side,
        }
    }

    /// Returns the pose of a joint; `None` if the joint is not recorded, if OpenXR does not have it, or while the hand
    /// is not tracked.
    pub fn joint(&self, joint: Joint) -> Option<Pose> {
        self.joints.get(joint.openxr_index()?).copied().flatten()
    }

    /// Returns the pose of each joint in the order of [`Joint::OPENXR`], and `true` if the joint is recorded. A joint
    /// that is not recorded has the pose of the next recorded joint towards the wrist. `None` while the hand is not
    /// tracked, and if the wrist or a tip is not recorded, as for a controller.
    pub fn complete(&self) -> Option<[(Pose, bool); 26]> {
        let mut tips = Joint::OPENXR.into_iter().filter(|joint| joint.is_tip());
        let has_tips = tips.all(|tip| self.joint(tip).is_some());
        let wrist = self
            .joint(Joint::Wrist)
            .filter(|_| has_tips && self.is_tracked)?;
        // The joints of a finger follow each other from the wrist to the tip.
        let mut before = wrist;
        let mut all = [(wrist, false); 26];
        for ((place, &found), joint) in all.iter_mut().zip(&self.joints).zip(Joint::OPENXR) {
            if joint.parent().is_none_or(|parent| parent == Joint::Wrist) {
                before = wrist;
            }
            before = found.unwrap_or(before);
            *place = (before, found.is_some());
        }
        Some(all)
    }

    /// Returns the pose for aiming: at the knuckle of the index finger, with the rotation of the palm, so that −Z
    /// points from the wrist to the fingers. `None` without a palm.
    pub fn aim(&self) -> Option<Pose> {
        let palm = self.joint(Joint::Palm)?;
        let knuckle = self.joint(Joint::IndexKnuckle).unwrap_or(palm);
        Some(Pose {
            position: knuckle.position,
            ..palm
        })
    }

    /// Returns the pose for holding: at the palm. −Z points from the little finger to the thumb, and +X out of the left
    /// palm and into the right palm (OpenXR 1.1, section 6.3.1). `None` without a palm.
    pub fn grip(&self) -> Option<Pose> {
        let rotation = match self.side {
            Side::Left => [0.5, -0.5, -0.5, 0.5],
            Side::Right => [0.5; 4],
        };
        let turn = Pose {
            rotation,
            ..Pose::IDENTITY
        };
        Some(compose(self.joint(Joint::Palm)?, turn))
    }

    /// Returns the pose for content that is fixed to the hand: at the palm. −Z points along the straight fingers, +X out of
    /// the left palm and into the right palm, and +Y to the thumb (OpenXR 1.1, section 6.3.1, `grip_surface`). The pose
    /// `palm_ext` of `XR_EXT_palm_pose` is the same. `None` without a palm.
    pub fn grip_surface(&self) -> Option<Pose> {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        // The joint of the palm has +Y out of the back of the hand.
        let rotation = match self.side {
            Side::Left => [0.0, 0.0, -half, half],
            Side::Right => [0.0, 0.0, half, half],
        };
        let turn = Pose {
            rotation,
            ..Pose::IDENTITY
        };
        Some(compose(self.joint(Joint::Palm)?, turn))
    }

    /// Returns the pose of a pinch: midway between the tips of thumb and index finger, with the rotation of
    /// [`Hand::grip_surface`], so that +Y points up if the palms face each other and the fingers point forward
    /// (`XR_EXT_hand_interaction`). `None` if one of the two tips or the palm is missing.
    pub fn pinch(&self) -> Option<Pose> {
        let tips = [self.joint(Joint::ThumbTip)?, self.joint(Joint::IndexTip)?];
        let middle = std::array::from_fn(|axis| {
            tips.iter().map(|tip| tip.position[axis]).sum::<f32>() / 2.0
        });
        Some(Pose {
            position: middle,
            ..self.grip_surface()?
        })
    }

    /// Returns the pose for pressing buttons: that of the tip of the index finger. `None` without this joint.
    pub fn poke(&self) -> Option<Pose> {
        self.joint(Joint::IndexTip)
    }
}

/// Returns the radius of a joint in metres. Recordings contain no radii, so these are typical values of an adult hand.
pub const fn joint_radius(joint: Joint) -> f32 {
    match joint {
        Joint::Palm | Joint::Wrist => 0.02,
        Joint::ThumbMetacarpalJoint => 0.016,
        Joint::IndexMetacarpal
        | Joint::MiddleMetacarpal
        | Joint::RingMetacarpal
        | Joint::PinkyMetacarpal => 0.014,
        Joint::ThumbProximalJoint => 0.012,
        Joint::IndexKnuckle | Joint::MiddleKnuckle => 0.011,
        Joint::RingKnuckle | Joint::ThumbDistalJoint => 0.01,
        Joint::PinkyKnuckle | Joint::ThumbTip => 0.009,
        Joint::PinkyMiddleJoint | Joint::PinkyDistalJoint => 0.007,
        Joint::PinkyTip => 0.006,
        Joint::IndexTip | Joint::MiddleTip | Joint::RingTip => 0.007,
        _ => 0.008,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a hand with a palm at the origin without rotation: the fingers point along −Z, the back of the hand up.
    fn flat(side: Side) -> Hand {
        let mut frame = HandFrame::default();
        frame.joints[Joint::Palm] = Some(Pose::IDENTITY);
        Hand::new(&frame, side)
    }

    fn rounded(pose: Pose, axis: [f32; 3]) -> [f32; 3] {
        pose.turn(axis).map(f32::round)
    }

    #[test]
    fn a_grip_has_the_axes_of_the_specification() {
        // The thumb of a flat left hand is on its right side, and the palm looks down.
        let left = flat(Side::Left).grip().expect("the palm is recorded");
        assert_eq!(rounded(left, [0.0, 0.0, -1.0]), [1.0, 0.0, 0.0]);
        assert_eq!(rounded(left, [1.0, 0.0, 0.0]), [0.0, -1.0, 0.0]);
        let right = flat(Side::Right).grip().expect("the palm is recorded");
        assert_eq!(rounded(right, [0.0, 0.0, -1.0]), [-1.0, 0.0, 0.0]);
        assert_eq!(rounded(right, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_palm_has_the_axes_of_the_specification() {
        // The fingers of flat hands with the palms down point forward, and the thumbs point to each other.
        for (side, thumb, out) in [
            (Side::Left, [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
            (Side::Right, [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
        ] {
            let palm = flat(side).grip_surface().expect("the palm is recorded");
            assert_eq!(rounded(palm, [0.0, 0.0, -1.0]), [0.0, 0.0, -1.0]);
            assert_eq!(rounded(palm, [0.0, 1.0, 0.0]), thumb);
            assert_eq!(rounded(palm, [1.0, 0.0, 0.0]), out);
        }
    }

    #[test]
    fn a_pinch_of_hands_that_face_each_other_has_y_up() {
        // The left palm looks to the right, and the right palm to the left.
        let half = std::f32::consts::FRAC_1_SQRT_2;
        for (side, roll) in [(Side::Left, half), (Side::Right, -half)] {
            let turned = Pose {
                rotation: [0.0, 0.0, roll, half],
                ..Pose::IDENTITY
            };
            let mut frame = HandFrame::default();
            for joint in [Joint::Palm, Joint::ThumbTip, Joint::IndexTip] {
                frame.joints[joint] = Some(Space::OpenXr.pose(turned));
            }
            let pinch = Hand::new(&frame, side).pinch().expect("all joints");
            assert_eq!(rounded(pinch, [0.0, 1.0, 0.0]), [0.0, 1.0, 0.0]);
            assert_eq!(rounded(pinch, [0.0, 0.0, -1.0]), [0.0, 0.0, -1.0]);
        }
    }

    #[test]
    fn missing_joints_are_at_the_next_joint_towards_the_wrist() {
        let mut frame = HandFrame {
            tracked: true,
            ..HandFrame::default()
        };
        let joints = [
            (Joint::Wrist, 1.0),
            (Joint::IndexKnuckle, 2.0),
            (Joint::ThumbTip, 3.0),
            (Joint::IndexTip, 3.0),
            (Joint::MiddleTip, 3.0),
            (Joint::RingTip, 3.0),
        ];
        for (joint, x) in joints {
            frame.joints[joint] = Some(Pose::at([x, 0.0, 0.0]));
        }
        assert_eq!(Hand::new(&frame, Side::Left).complete(), None);
        frame.joints[Joint::PinkyTip] = Some(Pose::at([3.0, 0.0, 0.0]));
        let hand = Hand::new(&frame, Side::Left)
            .complete()
            .expect("there are all tips");
        let at = |joint: Joint| {
            let (pose, is_recorded) = hand[joint.openxr_index().expect("a joint of OpenXR")];
            (pose.position[0], is_recorded)
        };
        assert_eq!(at(Joint::IndexMetacarpal), (1.0, false));
        assert_eq!(at(Joint::IndexKnuckle), (2.0, true));
        assert_eq!(at(Joint::IndexMiddleJoint), (2.0, false));
        assert_eq!(at(Joint::PinkyKnuckle), (1.0, false));
        assert_eq!(at(Joint::Palm), (1.0, false));
    }

    #[test]
    fn a_hand_without_joints_has_no_poses() {
        let hand = Hand::new(&HandFrame::default(), Side::Left);
        assert_eq!(
            [hand.aim(), hand.grip(), hand.pinch(), hand.poke()],
            [None; 4]
        );
    }
}
