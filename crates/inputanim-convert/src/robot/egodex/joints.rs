//! The names of joints.

use inputanim::{Joint, Side};

/// The names of ARKit for [`Joint::WEBXR`], as EgoDex writes them behind `left` or `right`. ARKit has no palm.
pub const JOINT_NAMES: [&str; 25] = [
    "Hand",
    "ThumbKnuckle",
    "ThumbIntermediateBase",
    "ThumbIntermediateTip",
    "ThumbTip",
    "IndexFingerMetacarpal",
    "IndexFingerKnuckle",
    "IndexFingerIntermediateBase",
    "IndexFingerIntermediateTip",
    "IndexFingerTip",
    "MiddleFingerMetacarpal",
    "MiddleFingerKnuckle",
    "MiddleFingerIntermediateBase",
    "MiddleFingerIntermediateTip",
    "MiddleFingerTip",
    "RingFingerMetacarpal",
    "RingFingerKnuckle",
    "RingFingerIntermediateBase",
    "RingFingerIntermediateTip",
    "RingFingerTip",
    "LittleFingerMetacarpal",
    "LittleFingerKnuckle",
    "LittleFingerIntermediateBase",
    "LittleFingerIntermediateTip",
    "LittleFingerTip",
];

/// Returns the joints of a hand with their names in EgoDex, such as `leftIndexFingerTip`. The palm has no name.
pub(super) fn names(side: Side) -> impl Iterator<Item = (Joint, String)> {
    let joints = Joint::WEBXR.into_iter().zip(JOINT_NAMES);
    joints.map(move |(joint, name)| (joint, format!("{side}{name}")))
}
