//! Products of poses.

use glam::{DQuat, DVec3};
use inputanim::Pose;

fn double(pose: Pose) -> (DQuat, DVec3) {
    (
        DQuat::from_array(pose.rotation.map(f64::from)),
        DVec3::from_array(pose.position.map(f64::from)),
    )
}

fn single(rotation: DQuat, position: DVec3) -> Pose {
    Pose {
        position: position.to_array().map(|part| part as f32),
        rotation: rotation.to_array().map(|part| part as f32),
    }
}

/// Converts the pose `child`, which is relative to `parent`, to the space in which `parent` is given. If one pose is
/// the identity, the result is exactly the other pose.
#[must_use]
pub fn compose(parent: Pose, child: Pose) -> Pose {
    if parent == Pose::IDENTITY {
        return child;
    }
    if child == Pose::IDENTITY {
        return parent;
    }
    let ((turn, origin), (rotation, position)) = (double(parent), double(child));
    // Without a rotation of the parent, the rotation of the child stays exact.
    if turn == DQuat::IDENTITY {
        let position = (origin + position).to_array().map(|part| part as f32);
        return Pose { position, ..child };
    }
    single((turn * rotation).normalize(), turn * position + origin)
}

/// Returns the inverse of a pose, so that `compose(inverse(pose), pose)` is the identity except for rounding.
#[must_use]
pub fn inverse(pose: Pose) -> Pose {
    if pose == Pose::IDENTITY {
        return pose;
    }
    let (rotation, position) = double(pose);
    let back = rotation.conjugate();
    // A zero with a sign would differ from the same pose of a recording.
    single(back, DVec3::ZERO - (back * position))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNED: Pose = Pose {
        position: [1.0, 2.0, 3.0],
        rotation: [0.0, 0.6, 0.0, 0.8],
    };

    #[test]
    fn a_pose_and_its_inverse_are_the_identity() {
        let same = compose(inverse(TURNED), TURNED);
        assert!(same.position.iter().all(|part| part.abs() < 1e-6));
        assert!((same.rotation[3] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_identity_changes_no_bit() {
        let odd = Pose {
            position: [0.1, -0.0, 1e-20],
            rotation: [0.1, 0.2, 0.3, 0.4],
        };
        assert_eq!(compose(Pose::IDENTITY, odd), odd);
        assert_eq!(compose(odd, Pose::IDENTITY), odd);
    }
}
