//! Rigid transforms.

use glam::{EulerRot, Quat, Vec3};
use inputanim::Pose;

/// A position and a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RigidTransform {
    pub(crate) position: Vec3,
    pub(crate) rotation: Quat,
}

impl RigidTransform {
    pub(crate) const ORIGIN: RigidTransform = RigidTransform {
        position: Vec3::ZERO,
        rotation: Quat::IDENTITY,
    };

    /// Transforms a point from the local frame of this transform to its parent frame.
    pub(crate) fn point(&self, inside: Vec3) -> Vec3 {
        self.position + self.rotation * inside
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose {
            position: self.position.to_array(),
            rotation: self.rotation.to_array(),
        }
    }
}

/// Returns the rotation by a heading to the right, then a pitch down, then a roll to the left, in degrees. The order
/// and the signs are those of Unity.
pub(crate) fn turned(heading: f32, pitch: f32, roll: f32) -> Quat {
    Quat::from_euler(
        EulerRot::YXZ,
        heading.to_radians(),
        pitch.to_radians(),
        roll.to_radians(),
    )
}

/// Returns the mirror image of a pose in the plane x = 0, which turns a right hand into a left one.
pub(crate) fn mirrored(pose: Pose) -> Pose {
    let [px, py, pz] = pose.position;
    let [x, y, z, w] = pose.rotation;
    Pose {
        position: [-px, py, pz],
        rotation: [x, -y, -z, w],
    }
}

/// Returns the heading of a direction to the right of +Z, and its pitch below the horizontal, in degrees.
pub(crate) fn heading_and_pitch(direction: Vec3) -> [f32; 2] {
    let level = libm::sqrtf(direction.x * direction.x + direction.z * direction.z);
    [
        libm::atan2f(direction.x, direction.z).to_degrees(),
        libm::atan2f(-direction.y, level).to_degrees(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_turns_right_and_pitch_turns_down() {
        let right = turned(90.0, 0.0, 0.0) * Vec3::Z;
        assert!((right - Vec3::X).length() < 1e-6, "{right}");
        let down = turned(0.0, 90.0, 0.0) * Vec3::Z;
        assert!((down + Vec3::Y).length() < 1e-6, "{down}");
        let back_of_hand = turned(0.0, 0.0, 90.0) * Vec3::Y;
        assert!((back_of_hand + Vec3::X).length() < 1e-6, "{back_of_hand}");
        let [heading, pitch] = heading_and_pitch(turned(20.0, 10.0, 5.0) * Vec3::Z);
        assert!((heading - 20.0).abs() < 1e-4 && (pitch - 10.0).abs() < 1e-4);
    }

    #[test]
    fn mirrored_pose_transforms_mirrored_points() {
        let transform = RigidTransform {
            position: Vec3::new(0.1, 0.2, 0.3),
            rotation: turned(30.0, -20.0, 50.0),
        };
        let mirror = Vec3::new(-1.0, 1.0, 1.0);
        let image = mirrored(transform.pose());
        let image = RigidTransform {
            position: Vec3::from_array(image.position),
            rotation: Quat::from_array(image.rotation),
        };
        let point = Vec3::new(0.5, -0.4, 0.7);
        let error = image.point(point * mirror) - transform.point(point) * mirror;
        assert!(error.length() < 1e-6, "{error}");
    }
}
