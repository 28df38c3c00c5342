//! The poses of a frame as frames of a transform tree.

use foxglove::messages::{FrameTransform, FrameTransforms, Quaternion, Timestamp, Vector3};
use inputanim::{Frame, Pose, Side};

use super::frame_id::FrameId;
use super::{WORLD, gaze};
use crate::shared::rigid::is_known;

/// The message of frame transforms. All frames reuse it, so its names are allocated only once.
#[derive(Default)]
pub(super) struct TransformsMessage {
    ids: Vec<FrameId>,
    message: FrameTransforms,
}

impl TransformsMessage {
    /// Replaces the transforms of the message by all known poses of a frame, which is in [`SPACE`](super::SPACE), and
    /// returns the message. `now` is the timestamp of each transform.
    pub(super) fn update(&mut self, frame: &Frame, now: Timestamp) -> &FrameTransforms {
        let mut count = 0;
        let mut put = |id: FrameId, pose: &Pose| {
            if !is_known(pose) {
                return;
            }
            // The same poses are known in most frames, so the names of the last message are reused.
            if self.ids.get(count) != Some(&id) {
                self.ids.truncate(count);
                self.message.transforms.truncate(count);
                self.ids.push(id);
                self.message.transforms.push(FrameTransform {
                    parent_frame_id: WORLD.to_owned(),
                    child_frame_id: id.to_string(),
                    ..FrameTransform::default()
                });
            }
            let transform = &mut self.message.transforms[count];
            let [x, y, z] = pose.position.map(f64::from);
            transform.timestamp = Some(now);
            transform.translation = Some(Vector3 { x, y, z });
            let [x, y, z, w] = pose.rotation.map(f64::from);
            transform.rotation = Some(Quaternion { x, y, z, w });
            count += 1;
        };
        if let Some(pose) = &frame.head {
            put(FrameId::Head, pose);
        }
        if let Some(pose) = frame.gaze.as_ref().and_then(gaze::pose) {
            put(FrameId::Gaze, &pose);
        }
        for side in Side::BOTH {
            for (joint, pose) in frame.hand(side).joints.iter() {
                // `Joint::None` is a placeholder of MRTK and has no OpenXR index, so it gets no transform.
                if let Some(pose) = pose
                    && joint.openxr_index().is_some()
                {
                    put(FrameId::Joint(side, joint), pose);
                }
            }
        }
        self.ids.truncate(count);
        self.message.transforms.truncate(count);
        &self.message
    }
}
