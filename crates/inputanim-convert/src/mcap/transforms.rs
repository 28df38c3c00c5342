//! The poses of a frame as frames of a transform tree.

use foxglove::messages::{FrameTransform, FrameTransforms, Quaternion, Timestamp, Vector3};
use inputanim::{Frame, Pose, Side};

use super::part::Part;
use super::{WORLD, gaze};
use crate::rigid::is_known;

/// All that is known of a frame, which is in [`SPACE`](super::SPACE).
pub(super) fn transforms(frame: &Frame, now: Timestamp) -> FrameTransforms {
    let mut parts = Vec::new();
    parts.extend(frame.camera.map(|pose| (Part::Head, pose)));
    let gaze = frame.gaze.as_ref().and_then(gaze::pose);
    parts.extend(gaze.map(|pose| (Part::Gaze, pose)));
    for side in Side::BOTH {
        let joints = frame.hand(side).joints.iter();
        // None is no joint of a hand.
        let joints = joints.filter(|(joint, _)| joint.openxr_index().is_some());
        parts.extend(joints.filter_map(|(joint, pose)| Some((Part::Joint(side, joint), (*pose)?))));
    }
    let known = parts.iter().filter(|(_, pose)| is_known(pose));
    FrameTransforms {
        transforms: known
            .map(|(part, pose)| transform(*part, pose, now))
            .collect(),
    }
}

fn transform(part: Part, pose: &Pose, now: Timestamp) -> FrameTransform {
    let [x, y, z] = pose.position.map(f64::from);
    let translation = Vector3 { x, y, z };
    let [x, y, z, w] = pose.rotation.map(f64::from);
    FrameTransform {
        timestamp: Some(now),
        parent_frame_id: WORLD.to_owned(),
        child_frame_id: part.to_string(),
        translation: Some(translation),
        rotation: Some(Quaternion { x, y, z, w }),
    }
}
