//! The axes of ARKit's joints and camera.
//!
//! The joints of both hands have the axes of ARKit's `HandSkeleton`. The left hand is the mirror image of the right hand
//! with all three axes reversed:
//!
//! | axis | right hand | left hand |
//! |---|---|---|
//! | +X | to the wrist | to the fingertip |
//! | +Y | out of the back of the hand | out of the palm |
//! | +Z | to the thumb | to the little finger |
//!
//! Sources: the documentation of RealityKit's `HandJoint` states +Y and +Z of the right hand. Unity's package for
//! visionOS turns the joints of both hands into OpenXR's axes by the same rotations as this module. In OpenXR −Z of a
//! joint points along its bone and +Y out of the back of the hand.
//!
//! Because the dataset does not document the axes of its joints, each hand is also measured: the directions of its
//! bones and of its back are compared with the axes of its joints. Another result is used and reported.

use glam::{DMat3, DQuat, DVec3};
use inputanim::{Joint, Joints, Pose, Side};

use crate::shared::rigid::Rigid;

/// The rotation from the axes of a camera (+X right, +Y down, +Z ahead) to the axes of a head in OpenXR (+X right, +Y
/// up, −Z ahead): half a turn about X.
pub(super) const HEAD: DQuat = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);

/// The axes of the joints of a hand: two directions along axes of the joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct JointAxes {
    /// The direction of the bone, to the fingertip.
    ahead: DVec3,
    /// The direction out of the back of the hand.
    up: DVec3,
}

impl JointAxes {
    /// Returns the axes that the joints of a hand have in ARKit.
    pub(super) const fn of_arkit(side: Side) -> JointAxes {
        match side {
            Side::Left => JointAxes {
                ahead: DVec3::X,
                up: DVec3::NEG_Y,
            },
            Side::Right => JointAxes {
                ahead: DVec3::NEG_X,
                up: DVec3::Y,
            },
        }
    }

    /// Returns the rotation from the axes of a joint in OpenXR to these axes. If a joint has these axes, its rotation
    /// times this one (`joint * this`) is its rotation in OpenXR.
    pub(super) fn to_openxr(self) -> DQuat {
        let back = -self.ahead;
        DQuat::from_mat3(&DMat3::from_cols(self.up.cross(back), self.up, back)).normalize()
    }

    /// Measures the axes of the joints of a hand: the directions of its bones and of its back, relative to the
    /// rotations of its joints. `tracks` has the pose of each joint in each frame, in right-handed axes. Returns `None`
    /// if the rotations do not follow the bones, or if there are too few joints.
    pub(super) fn measured(
        side: Side,
        tracks: &Joints<impl AsRef<[Option<Pose>]>>,
    ) -> Option<JointAxes> {
        let lengths = tracks.iter().map(|(_, track)| track.as_ref().len());
        let frames = lengths.max().unwrap_or(0);
        let (mut ahead, mut up) = (Mean::default(), Mean::default());
        for frame in (0..frames).step_by(frames.div_ceil(SAMPLES).max(1)) {
            let pose = |joint: Joint| {
                let pose = tracks[joint].as_ref().get(frame).copied().flatten();
                pose.map(|pose| Rigid::of(&pose))
            };
            for (joint, next) in BONES {
                if let (Some(joint), Some(next)) = (pose(joint), pose(next)) {
                    let bone = next.position - joint.position;
                    ahead.add(joint.rotation.conjugate() * bone);
                }
            }
            let known = [Joint::Wrist, Joint::IndexKnuckle, Joint::PinkyKnuckle].map(pose);
            if let [Some(wrist), Some(index), Some(pinky)] = known {
                let index = index.position - wrist.position;
                let pinky = pinky.position - wrist.position;
                let back = match side {
                    Side::Left => index.cross(pinky),
                    Side::Right => pinky.cross(index),
                };
                up.add(wrist.rotation.conjugate() * back);
            }
        }
        let axes = JointAxes {
            ahead: ahead.axis()?,
            up: up.axis()?,
        };
        (axes.ahead.dot(axes.up) == 0.0).then_some(axes)
    }
}

/// The number of frames that are measured.
const SAMPLES: usize = 50;

/// The cosine of the largest angle between a mean direction and an axis.
const CLOSE: f64 = 0.9;

/// Bones whose joints hardly bend sideways.
const BONES: [(Joint, Joint); 8] = [
    (Joint::IndexKnuckle, Joint::IndexMiddleJoint),
    (Joint::IndexMiddleJoint, Joint::IndexDistalJoint),
    (Joint::MiddleKnuckle, Joint::MiddleMiddleJoint),
    (Joint::MiddleMiddleJoint, Joint::MiddleDistalJoint),
    (Joint::RingKnuckle, Joint::RingMiddleJoint),
    (Joint::RingMiddleJoint, Joint::RingDistalJoint),
    (Joint::PinkyKnuckle, Joint::PinkyMiddleJoint),
    (Joint::PinkyMiddleJoint, Joint::PinkyDistalJoint),
];

/// The mean of directions.
#[derive(Default)]
struct Mean {
    sum: DVec3,
    count: f64,
}

impl Mean {
    fn add(&mut self, direction: DVec3) {
        if let Some(direction) = direction.try_normalize() {
            self.sum += direction;
            self.count += 1.0;
        }
    }

    /// Returns the axis, such as +X or −X, that is close to the mean direction; `None` if none is.
    fn axis(&self) -> Option<DVec3> {
        let mean = self.sum / self.count;
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let mut axes = axes.into_iter().flat_map(|axis| [axis, -axis]);
        axes.find(|axis| axis.dot(mean) >= CLOSE)
    }
}

impl std::fmt::Display for JointAxes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |axis: DVec3| {
            let sign = if axis.element_sum() < 0.0 { '−' } else { '+' };
            let letter = match axis.abs().max_position() {
                0 => 'X',
                1 => 'Y',
                _ => 'Z',
            };
            format!("{sign}{letter}")
        };
        let (ahead, up) = (name(self.ahead), name(self.up));
        write!(
            f,
            "{ahead} along the bone, {up} out of the back of the hand"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::Space;
    use inputanim_motion::{Motion, Scene};

    /// Returns the joints of a generated hand, with the rotations in other axes.
    fn tracks(side: Side, axes: JointAxes) -> Joints<Vec<Option<Pose>>> {
        let motion = Motion::new(Scene::TwoHands, 5, 4.0);
        let back = axes.to_openxr().conjugate();
        let mut tracks = Joints::<Vec<Option<Pose>>>::default();
        for step in 0..120 {
            let frame = Space::OpenXr.frame(motion.frame_at(step as f32 / 30.0));
            let hand = frame.hand(side);
            for (joint, track) in tracks.iter_mut() {
                track.push(hand.joints[joint].filter(|_| hand.tracked).map(|pose| {
                    let rigid = Rigid::of(&pose);
                    let rotation = rigid.rotation * back;
                    Rigid { rotation, ..rigid }.pose()
                }));
            }
        }
        tracks
    }

    #[test]
    fn the_axes_of_arkit_are_those_of_the_table() {
        // A right hand with the palm down and the fingers ahead, in OpenXR's axes.
        let right = JointAxes::of_arkit(Side::Right).to_openxr().conjugate();
        assert!((right * DVec3::X - DVec3::Z).length() < 1e-12);
        assert!((right * DVec3::Y - DVec3::Y).length() < 1e-12);
        assert!((right * DVec3::Z - DVec3::NEG_X).length() < 1e-12);
        // The thumb of the left hand is on the other side.
        let left = JointAxes::of_arkit(Side::Left).to_openxr().conjugate();
        assert!((left * DVec3::X - DVec3::NEG_Z).length() < 1e-12);
        assert!((left * DVec3::Y - DVec3::NEG_Y).length() < 1e-12);
        assert!((left * DVec3::Z - DVec3::NEG_X).length() < 1e-12);
    }

    #[test]
    fn the_axes_of_generated_hands_are_measured() {
        let others = [
            (DVec3::NEG_Z, DVec3::Y),
            (DVec3::X, DVec3::Y),
            (DVec3::Y, DVec3::NEG_X),
            (DVec3::Z, DVec3::X),
        ];
        for side in Side::BOTH {
            let others = others.map(|(ahead, up)| JointAxes { ahead, up });
            for axes in others.into_iter().chain([JointAxes::of_arkit(side)]) {
                assert_eq!(
                    JointAxes::measured(side, &tracks(side, axes)),
                    Some(axes),
                    "{side}: {axes}"
                );
            }
        }
    }

    #[test]
    fn rotations_without_a_relation_to_the_bones_have_no_axes() {
        let mut tracks = tracks(Side::Left, JointAxes::of_arkit(Side::Left));
        for (_, track) in tracks.iter_mut() {
            for (frame, pose) in track.iter_mut().enumerate() {
                if let Some(pose) = pose {
                    let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), frame as f64);
                    pose.rotation = turn.to_array().map(|part| part as f32);
                }
            }
        }
        assert!(tracks.iter().all(|(joint, track)| {
            joint == Joint::None || track.iter().flatten().count() > SAMPLES
        }));
        assert_eq!(JointAxes::measured(Side::Left, &tracks), None);
    }

    #[test]
    fn hands_without_the_joints_that_are_measured_have_no_axes() {
        let mut tracks = tracks(Side::Left, JointAxes::of_arkit(Side::Left));
        tracks[Joint::PinkyKnuckle].clear();
        assert_eq!(JointAxes::measured(Side::Left, &tracks), None);
        let none = Joints::<Vec<Option<Pose>>>::default();
        assert_eq!(JointAxes::measured(Side::Left, &none), None);
    }
}
