//! Curves of poses, column by column.
//!
//! A recorder of frames would store each pose twice, as a row and as keys, which takes most of the time of reading.

use std::borrow::Cow;

use glam::DQuat;
use inputanim::{FloatCurve, Keys, Pose, PoseChannel, PoseCurves, SimpleKey, Space};

use crate::shared::signs::continued;

/// Returns the position and rotation curves of a pose, with keys at the `times` at which the pose is known. `track` has
/// the pose at each time, in right-handed axes. `axes` is the rotation from the axes of a joint in OpenXR to its axes
/// in the file. As in a recorder, the sign of each quaternion is the one nearer to the quaternion before.
pub(super) fn curves(
    times: &[f32],
    track: impl Iterator<Item = Option<Pose>>,
    axes: DQuat,
) -> PoseCurves<'static> {
    let mut keys: [Vec<SimpleKey>; PoseChannel::ALL.len()] =
        std::array::from_fn(|_| Vec::with_capacity(times.len()));
    let mut last: Option<[f32; 4]> = None;
    for (&time, pose) in times.iter().zip(track) {
        let Some(pose) = pose else {
            continue;
        };
        let rotation = DQuat::from_array(pose.rotation.map(f64::from)) * axes;
        let rotation = rotation.to_array().map(|part| part as f32);
        let Pose { position, rotation } = Space::OpenXr.pose(Pose { rotation, ..pose });
        let rotation = continued(rotation, last);
        last = Some(rotation);
        let parts = position.into_iter().chain(rotation);
        for (keys, part) in keys.iter_mut().zip(parts) {
            keys.push(SimpleKey::new(time, part));
        }
    }
    let [x, y, z, a, b, c, d] = keys.map(|keys| FloatCurve {
        keys: Keys::Simple(Cow::Owned(keys)),
        ..FloatCurve::default()
    });
    PoseCurves {
        position: [x, y, z],
        rotation: [a, b, c, d],
    }
}
