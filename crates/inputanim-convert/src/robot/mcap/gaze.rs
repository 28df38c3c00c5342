//! The gaze as a pose whose +Y is the direction of the gaze. The head in [`SPACE`](super::SPACE) looks along its +Y
//! too.

use glam::{DQuat, DVec3};
use inputanim::{Pose, Ray};

/// Returns the pose at the origin of a ray whose +Y points along the ray, with the smallest rotation. Returns `None` if
/// the origin is not finite, or the direction is zero or not finite.
pub(super) fn pose(ray: &Ray) -> Option<Pose> {
    let is_finite = ray.origin.iter().all(|part| part.is_finite());
    let direction = DVec3::from_array(ray.direction.map(f64::from)).try_normalize()?;
    let rotation = DQuat::from_rotation_arc(DVec3::Y, direction);
    is_finite.then_some(Pose {
        position: ray.origin,
        rotation: rotation.to_array().map(|part| part as f32),
    })
}

/// Returns the ray from the position of a pose along its +Y. The quaternion of the pose must not be all zeros.
pub(super) fn ray(pose: &Pose) -> Ray {
    let rotation = DQuat::from_array(pose.rotation.map(f64::from)).normalize();
    let direction = rotation * DVec3::Y;
    Ray {
        origin: pose.position,
        direction: direction.to_array().map(|part| part as f32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_comes_back_from_its_pose() {
        let looks = [
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.6, 0.0, -0.8],
        ];
        for direction in looks {
            let origin = [1.0, 2.0, 3.0];
            let back = ray(&pose(&Ray { origin, direction }).unwrap());
            assert_eq!(back.origin, origin);
            for (a, b) in back.direction.into_iter().zip(direction) {
                assert!((a - b).abs() < 1e-6, "{direction:?}: {back:?}");
            }
        }
    }

    #[test]
    fn a_ray_without_a_direction_has_no_pose() {
        for (origin, direction) in [
            ([0.0; 3], [0.0; 3]),
            ([0.0; 3], [f32::NAN, 0.0, 1.0]),
            ([0.0; 3], [f32::INFINITY, 0.0, 1.0]),
            ([f32::NAN; 3], [0.0, 1.0, 0.0]),
        ] {
            assert_eq!(pose(&Ray { origin, direction }), None);
        }
    }
}
