//! The poses of a frame as frames of a transform tree.

use std::fmt;

use foxglove::messages::{FrameTransform, FrameTransforms, Quaternion, Timestamp, Vector3};
use inputanim::{DeviceName, Frame, Pose, PoseName, Side};

use super::frame_id::FrameId;
use super::{WORLD, gaze};
use crate::shared::rigid::is_known;

/// The name of a frame that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Part(FrameId),
    Device(DeviceName, PoseName),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Part(part) => part.fmt(f),
            Name::Device(device, pose) => write!(f, "{device}/{pose}"),
        }
    }
}

/// The message of frame transforms. All frames reuse it, so its names are allocated only once.
#[derive(Default)]
pub(super) struct TransformsMessage {
    ids: Vec<Name>,
    message: FrameTransforms,
}

impl TransformsMessage {
    /// Replaces the transforms of the message by all known poses of a frame, which is in [`SPACE`](super::SPACE), and
    /// returns the message. `now` is the timestamp of each transform.
    pub(super) fn update(&mut self, frame: &Frame, now: Timestamp) -> &FrameTransforms {
        let mut count = 0;
        let mut put = |id: Name, pose: &Pose| {
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
            put(Name::Part(FrameId::Head), pose);
        }
        if let Some(pose) = frame.gaze.as_ref().and_then(gaze::pose) {
            put(Name::Part(FrameId::Gaze), &pose);
        }
        for side in Side::BOTH {
            for (joint, pose) in frame.hand(side).joints.iter() {
                // `Joint::None` is a placeholder of MRTK and has no OpenXR index, so it gets no transform.
                if let Some(pose) = pose
                    && joint.openxr_index().is_some()
                {
                    put(Name::Part(FrameId::Joint(side, joint)), pose);
                }
            }
        }
        for device in &frame.devices {
            for (name, pose) in &device.poses {
                put(Name::Device(device.name, *name), pose);
            }
        }
        self.ids.truncate(count);
        self.message.transforms.truncate(count);
        &self.message
    }
}
