//! Where a thing is and how it is turned.

use glam::{EulerRot, Quat, Vec3};
use inputanim::Pose;

/// A position and a rotation, for computing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    pub(crate) position: Vec3,
    pub(crate) rotation: Quat,
}

impl Placement {
    pub(crate) const ORIGIN: Placement = Placement {
        position: Vec3::ZERO,
        rotation: Quat::IDENTITY,
    };

    /// A point in this frame, in the frame around it.
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

/// The rotation that turns by a heading to the right, then a pitch down, then a roll to the
/// left, in degrees: Unity's order and senses.
pub(crate) fn turned(heading: f32, pitch: f32, roll: f32) -> Quat {
    Quat::from_euler(
        EulerRot::YXZ,
        heading.to_radians(),
        pitch.to_radians(),
        roll.to_radians(),
    )
}

/// The mirror image of a pose in the plane x = 0: what the left hand does when the right does
/// the pose.
pub(crate) fn mirrored(pose: Pose) -> Pose {
    let [px, py, pz] = pose.position;
    let [x, y, z, w] = pose.rotation;
    Pose {
        position: [-px, py, pz],
        rotation: [x, -y, -z, w],
    }
}

/// The heading and pitch in degrees under which a direction is seen.
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
    fn headings_turn_right_and_pitches_turn_down() {
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
    fn a_mirrored_pose_sees_mirrored_points() {
        let placement = Placement {
            position: Vec3::new(0.1, 0.2, 0.3),
            rotation: turned(30.0, -20.0, 50.0),
        };
        let mirror = Vec3::new(-1.0, 1.0, 1.0);
        let image = mirrored(placement.pose());
        let image = Placement {
            position: Vec3::from_array(image.position),
            rotation: Quat::from_array(image.rotation),
        };
        let point = Vec3::new(0.5, -0.4, 0.7);
        let error = image.point(point * mirror) - placement.point(point) * mirror;
        assert!(error.length() < 1e-6, "{error}");
    }
}
