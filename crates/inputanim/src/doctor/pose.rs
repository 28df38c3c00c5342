//! The names of the curves of one pose.

use crate::device::{DeviceName, PoseName};
use crate::joint::{Joint, Side};
use crate::path::{CurvePath, PoseChannel};
use crate::pose::PoseCurves;
use crate::recording::Recording;

/// The head, a joint, or a pose of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PosePath {
    Head,
    Joint(Side, Joint),
    Device(DeviceName, PoseName),
}

impl PosePath {
    /// Returns the path of one curve of this pose.
    pub(super) fn curve(self, channel: PoseChannel) -> CurvePath {
        match self {
            PosePath::Head => CurvePath::Head(channel),
            PosePath::Joint(side, joint) => CurvePath::Joint(side, joint, channel),
            PosePath::Device(device, pose) => CurvePath::DevicePose(device, pose, channel),
        }
    }

    /// Returns the paths of the x, y and z curves of this pose's position.
    pub(super) fn position(self) -> [CurvePath; 3] {
        use PoseChannel::{PositionX, PositionY, PositionZ};
        [PositionX, PositionY, PositionZ].map(|channel| self.curve(channel))
    }

    /// Returns the paths of the x, y, z and w curves of this pose's rotation.
    pub(super) fn rotation(self) -> [CurvePath; 4] {
        use PoseChannel::{RotationW, RotationX, RotationY, RotationZ};
        [RotationX, RotationY, RotationZ, RotationW].map(|channel| self.curve(channel))
    }
}

/// Returns the head and every joint that the recording has curves for, in file order.
pub(super) fn poses<'r, 'a>(
    recording: &'r Recording<'a>,
) -> impl Iterator<Item = (PosePath, &'r PoseCurves<'a>)> {
    let head = recording.head.iter();
    let head = head.map(|pose| (PosePath::Head, pose));
    let joints = recording.hands.iter().flat_map(|hands| {
        Side::BOTH.into_iter().flat_map(move |side| {
            let joints = hands.hand(side).joints.iter();
            joints.map(move |(joint, pose)| (PosePath::Joint(side, joint), pose))
        })
    });
    head.chain(joints)
}

/// Returns every pose of the devices, in the order of [`Recording::curves`].
pub(super) fn device_poses<'r, 'a>(
    recording: &'r Recording<'a>,
) -> impl Iterator<Item = (PosePath, &'r PoseCurves<'a>)> {
    recording.devices.iter().flat_map(|device| {
        let poses = device.poses.iter();
        poses.map(|(pose, curves)| (PosePath::Device(device.name, *pose), curves))
    })
}
