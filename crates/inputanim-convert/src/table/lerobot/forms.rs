//! The forms of states and actions.

use inputanim::{Element, Side};

use super::LeRobotError;
use super::ReferenceFrame;
use crate::HandOrder;

/// The forms of the states and actions of a dataset, and the features beside them. The defaults are poses with quaternions,
/// the recorded pinches, and actions that are the next states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forms {
    /// The grippers of each hand. If empty: the recorded pinch, if all recordings of the hand have it.
    pub grippers: Vec<Gripper>,
    /// The rotations of poses.
    pub rotation: RotationForm,
    /// The positions of these joints of each hand, in their order, instead of the poses of all joints.
    pub keypoints: Option<HandOrder>,
    /// The actions.
    pub action: ActionForm,
    /// The parts whose validity is stated.
    pub mask: MaskDetail,
    /// `true` to divide positions relative to the wrist by the size of the hand. The size is the median of the distance from the
    /// wrist to the knuckle of the middle finger, over the frames of the episode in which both are known. The feature
    /// `hand_size` has it in metres; 0 if the hand is never tracked, so that nothing is divided.
    pub scale_hands: bool,
    /// `true` for the features `next.done` and `next.success`. Each episode then needs a [label](super::Episode::set_success).
    pub success: bool,
}

impl Forms {
    /// Fails if forms need another frame of reference.
    pub(super) fn check(&self, frame: ReferenceFrame) -> Result<(), LeRobotError> {
        if self.scale_hands && frame != ReferenceFrame::Wrist {
            return Err(LeRobotError::ScaleWithoutWrist(frame));
        }
        if self.action == ActionForm::Relative && frame == ReferenceFrame::World {
            return Err(LeRobotError::RelativeToWorld);
        }
        Ok(())
    }

    /// Checks that keypoints have complete hands. `keep` returns `true` for the selected streams, joints and states. This needs no
    /// recording.
    ///
    /// # Errors
    /// When a part of a hand is selected, but not all joints of the keypoints.
    pub fn check_selection(&self, keep: impl Fn(Element) -> bool) -> Result<(), LeRobotError> {
        let Some(order) = self.keypoints else {
            return Ok(());
        };
        let has_hand = |side: &Side| {
            let mut elements = Element::all();
            elements.any(|element| element.side() == Some(*side) && keep(element))
        };
        let hands = Side::BOTH.into_iter().filter(has_hand);
        let mut joints =
            hands.flat_map(|side| order.joints().into_iter().map(move |joint| (side, joint)));
        match joints.find(|&(side, joint)| !keep(Element::Joint(side, joint))) {
            Some((side, joint)) => Err(LeRobotError::PartOfKeypoints {
                element: Element::Joint(side, joint),
                keypoints: format!("the order of keypoints {order}"),
            }),
            None => Ok(()),
        }
    }
}

inputanim::named_enum! {
    /// A number that states how far a hand is closed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Gripper: "gripper" {
        /// The recorded state of pinching: 1 or 0, `left.pinching`.
        Pinch => "pinch",
        /// The pinch that the distance of the tips of thumb and index finger shows: 1 or 0, `left.geometric_pinch`. It begins
        /// and ends at the [default thresholds](inputanim::pinch::PinchThresholds), evaluated at the frames of the episode.
        GeometricPinch => "geometric-pinch",
        /// The [distance](inputanim::pinch::aperture) of the tips of thumb and index finger in metres, `left.aperture`.
        Aperture => "aperture",
        /// The trigger of the controller of the hand, `right.controller.trigger.value`: 0 to 1.
        Trigger => "trigger",
    }
}

inputanim::named_enum! {
    /// The numbers of a rotation.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum RotationForm: "form of rotations" {
        /// A quaternion x, y, z, w of length 1: `rotation.x` to `rotation.w`.
        #[default]
        Quaternion => "quaternion",
        /// The first column of the rotation matrix, then the second column: `rotation.column0.x` to `rotation.column1.z`. The
        /// first column is the direction of the x axis of the rotated axes, and the second one the direction of their y axis.
        ///
        /// Source: Zhou, Barnes, Lu, Yang and Li 2019, "On the Continuity of Rotation Representations in Neural Networks".
        SixD => "6d",
        /// No rotation: positions only.
        None => "none",
    }
}

inputanim::named_enum! {
    /// The meaning of actions.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ActionForm: "form of actions" {
        /// The state of the next frame.
        #[default]
        Next => "next",
        /// The poses of the next frame, relative to the head or the wrist of the current frame, also the next pose of this head or
        /// wrist itself. Everything else is the state of the next frame.
        Relative => "relative",
        /// The change of each pose: the difference of the positions in the frame of the state, and the rotation of the next
        /// frame relative to the current rotation. For the gaze, the differences of origin and direction. States and grippers are
        /// those of the next frame.
        Delta => "delta",
    }
}

inputanim::named_enum! {
    /// The parts of the states whose validity is stated.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum MaskDetail: "detail of masks" {
        /// The head, each hand and the gaze.
        #[default]
        Part => "part",
        /// The head, the gaze, and each joint and state of the hands.
        Joint => "joint",
    }
}
