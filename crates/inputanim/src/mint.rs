//! Conversions to and from the types of the `mint` crate (feature `mint`), which most mathematics
//! crates convert to their own.
//!
//! The arrays `[f32; 3]` and `[f32; 4]` of the library convert to `mint` types without this module.

use mint::{Point3, Quaternion, Vector3};

use crate::frame::{Pose, Ray};

impl From<(Point3<f32>, Quaternion<f32>)> for Pose {
    /// Makes a pose from a position in metres and a rotation.
    fn from((position, rotation): (Point3<f32>, Quaternion<f32>)) -> Pose {
        Pose {
            position: position.into(),
            rotation: rotation.into(),
        }
    }
}

impl From<Pose> for (Point3<f32>, Quaternion<f32>) {
    /// Splits a pose into its position in metres and its rotation.
    fn from(pose: Pose) -> Self {
        (pose.position.into(), pose.rotation.into())
    }
}

impl From<(Point3<f32>, Vector3<f32>)> for Ray {
    /// Makes a ray from an origin in metres and a direction.
    fn from((origin, direction): (Point3<f32>, Vector3<f32>)) -> Ray {
        Ray {
            origin: origin.into(),
            direction: direction.into(),
        }
    }
}

impl From<Ray> for (Point3<f32>, Vector3<f32>) {
    /// Splits a ray into its origin in metres and its direction.
    fn from(ray: Ray) -> Self {
        (ray.origin.into(), ray.direction.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_keeps_the_order_of_its_quaternion() {
        let pose = Pose {
            position: [1.0, 2.0, 3.0],
            rotation: [0.1, 0.2, 0.3, 0.4],
        };
        let (position, rotation): (Point3<f32>, Quaternion<f32>) = pose.into();
        assert_eq!((position.z, rotation.v.x, rotation.s), (3.0, 0.1, 0.4));
        assert_eq!(Pose::from((position, rotation)), pose);
    }

    #[test]
    fn a_ray_converts_and_back() {
        let ray = Ray {
            origin: [1.0, 2.0, 3.0],
            direction: [0.0, 0.0, 1.0],
        };
        let parts: (Point3<f32>, Vector3<f32>) = ray.into();
        assert_eq!(Ray::from(parts), ray);
    }
}
