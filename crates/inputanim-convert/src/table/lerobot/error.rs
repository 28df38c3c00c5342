//! The errors of datasets of LeRobot.

use inputanim::{Element, Side};

use super::ReferenceFrame;

/// A recording that cannot be part of a dataset, or a dataset that cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LeRobotError {
    /// No stream is recorded or selected.
    #[error("no stream is recorded or selected, so that a state would be empty")]
    NoFeatures,
    /// The rate is not a whole number, or out of its range.
    #[error("invalid rate: {0} Hz (must be a whole number from 1 to 1,000,000)")]
    Rate(f64),
    /// A file or chunk would have no content.
    #[error("expected files of at least 1 MiB and chunks of at least 1 file")]
    Sizes,
    /// A stream is not recorded, but it is part of the states of the dataset.
    #[error("{0} is not recorded, but it is part of the states of the dataset")]
    NotRecorded(Element),
    /// No recording has a joint that keypoints or a gripper need.
    #[error("no recording has {element}, but {needed_by} is part of the states")]
    NoJoint {
        /// The joint.
        element: Element,
        /// The keypoints or the gripper, such as `the gripper aperture`.
        needed_by: String,
    },
    /// Keypoints are all joints of their order, but one of them is not selected.
    #[error("{element} is not selected, but {keypoints} has the complete hand")]
    PartOfKeypoints {
        /// The joint.
        element: Element,
        /// The keypoints, such as `the order of keypoints mediapipe`.
        keypoints: String,
    },
    /// The base of relative poses is not recorded.
    #[error("{base} is not recorded, but poses are relative to it")]
    NoBase {
        /// The base.
        base: Element,
    },
    /// A pose or ray is never finite in an episode, although it is recorded and, for a joint, tracked. A relative pose is
    /// not finite either while its base is unknown.
    #[error("{element} is not finite from {start} s to {end} s")]
    NeverFinite {
        /// The pose or ray.
        element: Element,
        /// The start of the episode in seconds.
        start: f32,
        /// The end of the episode in seconds.
        end: f32,
    },
    /// The times of an episode are not finite, or in the wrong order.
    #[error("invalid time range of an episode: {start} s to {end} s")]
    Range {
        /// The start in seconds.
        start: f32,
        /// The end in seconds.
        end: f32,
    },
    /// Grippers or keypoints are chosen, but no hand is recorded and selected.
    #[error("no hand is recorded or selected, but grippers or keypoints are part of the states")]
    NoHand,
    /// The recorded pinch of a hand is chosen, but not all recordings have it.
    #[error(
        "{0} hand: not all recordings have pinches, but the gripper \"pinch\" is part of the states"
    )]
    NoPinches(Side),
    /// Positions are divided by the size of the hand, but they are not relative to the wrist.
    #[error(
        "positions relative to the {0} cannot be divided by the size of the hand; expected the frame of reference wrist"
    )]
    ScaleWithoutWrist(ReferenceFrame),
    /// Actions are relative to the pose of the current frame, but the states are in the world.
    #[error("relative actions need the frame of reference head or wrist, found world")]
    RelativeToWorld,
    /// The size of a hand is too small to divide by it.
    #[error(
        "{side} hand: its size of {metres} m is too small: the wrist and the knuckle of the middle finger are at least 0.001 m apart"
    )]
    HandSize {
        /// The side of the hand.
        side: Side,
        /// The median of the distances in metres.
        metres: f64,
    },
    /// A form concerns poses that the states do not have.
    #[error("{0} has no effect on these states, which have no such poses")]
    NoEffect(&'static str),
    /// The parts of the states were made with other forms than those of the options.
    #[error("the features were made with other forms than those of the options")]
    OtherForms,
    /// The label of an episode is missing.
    #[error("an episode has no label of success, but the dataset has the feature next.success")]
    NoLabel,
    /// The dataset has no episode.
    #[error("the dataset would have no episodes")]
    NoEpisodes,
}

impl crate::shared::error::OfFormat for LeRobotError {}
