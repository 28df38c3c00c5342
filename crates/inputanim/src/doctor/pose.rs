//! The names of the curves of one pose.

use crate::joint::{Joint, Side};
use crate::path::{CurvePath, PoseChannel};
use crate::pose::PoseCurves;
use crate::recording::Recording;

/// The head or a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PosePath {
    Head,
    Joint(Side, Joint),
}

impl PosePath {
    /// Returns the path of one curve of this pose.
    pub(super) fn curve(self, channel: PoseChannel) -> CurvePath {
        match self {
            PosePath::Head => CurvePath::Head(channel),
            PosePath::Joint(side, joint) => CurvePath::Joint(side, joint, channel),
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
