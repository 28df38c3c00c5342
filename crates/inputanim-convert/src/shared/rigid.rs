//! Poses relative to other poses, in double precision.

use glam::{DMat3, DQuat, DVec3};
use inputanim::Pose;

/// A position and a rotation of length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rigid {
    pub(crate) position: DVec3,
    pub(crate) rotation: DQuat,
}

impl Rigid {
    /// The origin without a rotation.
    pub(crate) const IDENTITY: Rigid = Rigid {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };

    /// Converts a pose to a transform with a rotation of length 1. The quaternion of the pose must be finite and not
    /// all zeros.
    pub(crate) fn of(pose: &Pose) -> Rigid {
        Rigid {
            position: DVec3::from_array(pose.position.map(f64::from)),
            rotation: DQuat::from_array(pose.rotation.map(f64::from)).normalize(),
        }
    }

    pub(crate) fn pose(&self) -> Pose {
        Pose {
            position: self.position.to_array().map(|part| part as f32),
            rotation: self.rotation.to_array().map(|part| part as f32),
        }
    }

    /// Returns this transform relative to `base`.
    pub(crate) fn relative_to(&self, base: &Rigid) -> Rigid {
        let back = base.rotation.conjugate();
        Rigid {
            position: back * (self.position - base.position),
            rotation: back * self.rotation,
        }
    }

    /// Converts this transform, which is relative to `base`, to the space in which `base` itself is given. Reverses
    /// [`relative_to`](Rigid::relative_to).
    pub(crate) fn on(&self, base: &Rigid) -> Rigid {
        Rigid {
            position: base.position + base.rotation * self.position,
            // Rounding moves the length of a product away from 1.
            rotation: (base.rotation * self.rotation).normalize(),
        }
    }
}

/// Returns `true` if all numbers of a pose are finite and its quaternion is not all zeros.
pub(crate) fn is_known(pose: &Pose) -> bool {
    let Pose { position, rotation } = pose;
    let finite = position.iter().chain(rotation).all(|part| part.is_finite());
    finite && rotation.iter().any(|&part| part != 0.0)
}

/// Returns the rotation that turns −Z to `direction`, a vector of length 1, and +Y as far up as possible.
pub(crate) fn facing(direction: DVec3) -> DQuat {
    let back = -direction;
    // A direction straight up or down is parallel to +Y, so every horizontal direction could be the right side.
    let right = DVec3::Y.cross(back).try_normalize().unwrap_or(DVec3::X);
    let up = back.cross(right);
    DQuat::from_mat3(&DMat3::from_cols(right, up, back)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_and_on_are_inverse() {
        let rigid = |seed: f32| {
            Rigid::of(&Pose {
                position: [seed, -2.0 * seed, 0.3],
                rotation: [0.1 * seed, 0.5, -seed, 0.7],
            })
        };
        let (base, there) = (rigid(0.8), rigid(-1.7));
        let back = there.relative_to(&base).on(&base);
        assert!((back.position - there.position).length() < 1e-12);
        assert!(back.rotation.dot(there.rotation).abs() > 1.0 - 1e-12);
    }

    #[test]
    fn a_rotation_faces_its_direction_and_does_not_roll() {
        for direction in [
            DVec3::NEG_Z,
            DVec3::Z,
            DVec3::X,
            DVec3::Y,
            DVec3::NEG_Y,
            DVec3::new(0.3, -0.8, 0.1).normalize(),
        ] {
            let rotation = facing(direction);
            assert!((rotation * DVec3::NEG_Z - direction).length() < 1e-9);
            assert!((rotation * DVec3::X).y.abs() < 1e-9);
            assert!((rotation * DVec3::Y).y > -1e-9);
        }
        assert!(facing(DVec3::NEG_Z).dot(DQuat::IDENTITY).abs() > 1.0 - 1e-12);
    }
}
