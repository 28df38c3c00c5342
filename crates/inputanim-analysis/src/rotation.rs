//! Angles of rotations.
//!
//! Rotations are quaternions x, y, z, w in Unity's left-handed axes: x to the right, y up, z forward.

use glam::{DQuat, DVec3};

/// Returns the angle between two rotations in degrees, from 0 to 180. The rotations are quaternions x, y, z, w, whose
/// sign does not matter.
pub fn angle_between(a: [f64; 4], b: [f64; 4]) -> f64 {
    angle_of(DQuat::from_array(a), DQuat::from_array(b))
}

pub(crate) fn angle_of(a: DQuat, b: DQuat) -> f64 {
    let turn = a.conjugate() * b;
    2.0 * libm::atan2(turn.xyz().length(), turn.w.abs()).to_degrees()
}

/// Returns yaw, pitch and roll of a quaternion x, y, z, w in degrees: the heading to the right, the angle of the view
/// direction above the horizon, and the tilt, positive if the right side is higher. The axes are Unity's: x right, y
/// up, z forward.
pub fn yaw_pitch_roll(rotation: [f64; 4]) -> [f64; 3] {
    angles_of(DQuat::from_array(rotation))
}

pub(crate) fn angles_of(rotation: DQuat) -> [f64; 3] {
    let forward = rotation * DVec3::Z;
    let right = rotation * DVec3::X;
    let up = rotation * DVec3::Y;
    let level = libm::hypot(forward.x, forward.z);
    let yaw = libm::atan2(forward.x, forward.z);
    let pitch = libm::atan2(forward.y, level);
    let roll = libm::atan2(right.y, up.y);
    [yaw, pitch, roll].map(f64::to_degrees)
}

/// Returns the quaternion x, y, z, w with a yaw, a pitch and a roll in degrees, as [`yaw_pitch_roll`] defines them.
///
/// ```
/// use inputanim_analysis::{from_yaw_pitch_roll, yaw_pitch_roll};
/// let angles = yaw_pitch_roll(from_yaw_pitch_roll([30.0, -20.0, 10.0]));
/// assert!(angles.iter().zip([30.0, -20.0, 10.0]).all(|(a, b)| (a - b).abs() < 1e-9));
/// ```
pub fn from_yaw_pitch_roll(angles: [f64; 3]) -> [f64; 4] {
    let [yaw, pitch, roll] = angles.map(f64::to_radians);
    // A positive angle about x turns the view down.
    let turn = DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(-pitch);
    (turn * DQuat::from_rotation_z(roll)).to_array()
}
