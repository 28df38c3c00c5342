//! Conversion of poses between OpenXR and the library.

use inputanim::Pose;
use openxr_sys as xr;

/// Converts a pose from the structure of OpenXR. Its numbers and axes stay the same. Fails with `ERROR_POSE_INVALID` if
/// the rotation does not have unit length or the position is not finite.
pub(crate) fn to_pose(pose: xr::Posef) -> Result<Pose, xr::Result> {
    let xr::Quaternionf { x, y, z, w } = pose.orientation;
    let xr::Vector3f {
        x: px,
        y: py,
        z: pz,
    } = pose.position;
    let length = (x * x + y * y + z * z + w * w).sqrt();
    // A rotation may differ by 1 % from the length 1 (OpenXR 1.1, section 2.17).
    let is_valid =
        (0.99..=1.01).contains(&length) && [px, py, pz].iter().all(|part| part.is_finite());
    if is_valid {
        Ok(Pose {
            position: [px, py, pz],
            rotation: [x, y, z, w],
        })
    } else {
        Err(xr::Result::ERROR_POSE_INVALID)
    }
}

/// Converts a pose in OpenXR's axes to the structure of OpenXR. Its numbers stay the same.
pub(crate) const fn from_pose(pose: Pose) -> xr::Posef {
    let [x, y, z, w] = pose.rotation;
    xr::Posef {
        orientation: xr::Quaternionf { x, y, z, w },
        position: vector(pose.position),
    }
}

/// Converts a vector in OpenXR's axes to the structure of OpenXR. Its numbers stay the same.
pub(crate) const fn vector([x, y, z]: [f32; 3]) -> xr::Vector3f {
    xr::Vector3f { x, y, z }
}
