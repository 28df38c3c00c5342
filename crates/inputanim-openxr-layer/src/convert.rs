//! Conversion of poses from OpenXR to the axes of a recording.

use std::ptr;

use inputanim::headset::ViewAngles;
use inputanim::velocity::VelocityKind;
use inputanim::{Pose, Ray, Space};
use inputanim_openxr::compose;
use openxr_sys as xr;

/// Converts a located pose from the structure of OpenXR. Its numbers and axes stay the same. `None` if the flags say
/// that the pose is not known, if a number is not finite, or if the rotation is zero.
pub(crate) fn valid(flags: xr::SpaceLocationFlags, pose: xr::Posef) -> Option<Pose> {
    let needed = xr::SpaceLocationFlags::POSITION_VALID | xr::SpaceLocationFlags::ORIENTATION_VALID;
    let xr::Posef {
        orientation: xr::Quaternionf { x, y, z, w },
        position,
    } = pose;
    let (position, rotation) = ([position.x, position.y, position.z], [x, y, z, w]);
    // One joint with a number that is not finite must not cost the frame.
    let is_valid = flags.contains(needed)
        && position
            .iter()
            .chain(&rotation)
            .all(|part| part.is_finite())
        && rotation.iter().any(|&part| part != 0.0);
    is_valid.then_some(Pose { position, rotation })
}

/// Converts a pose from OpenXR's axes to those of a recording. The numbers stay the same apart from their signs.
pub(crate) fn recorded(pose: Pose) -> Pose {
    Space::OpenXr.pose(pose)
}

/// Returns a structure for the velocity of a space, in which nothing is valid.
pub(crate) const fn no_velocity() -> xr::SpaceVelocity {
    let zero = xr::Vector3f {
        x: 0.0,
        y: 0.0,
        z: 0.0,
    };
    xr::SpaceVelocity {
        ty: xr::SpaceVelocity::TYPE,
        next: ptr::null_mut(),
        velocity_flags: xr::SpaceVelocityFlags::EMPTY,
        linear_velocity: zero,
        angular_velocity: zero,
    }
}

/// Converts the valid parts of the velocity of a space from OpenXR's axes to those of a recording. The numbers stay the same apart from
/// their signs. A part with a number that is not finite is not valid.
pub(crate) fn velocities(
    speed: &xr::SpaceVelocity,
) -> impl Iterator<Item = (VelocityKind, [f32; 3])> {
    let parts = [
        (
            VelocityKind::Linear,
            xr::SpaceVelocityFlags::LINEAR_VALID,
            speed.linear_velocity,
        ),
        (
            VelocityKind::Angular,
            xr::SpaceVelocityFlags::ANGULAR_VALID,
            speed.angular_velocity,
        ),
    ];
    let flags = speed.velocity_flags;
    parts.into_iter().filter_map(move |(kind, flag, vector)| {
        let vector = [vector.x, vector.y, vector.z];
        let is_valid = flags.contains(flag) && vector.iter().all(|part| part.is_finite());
        is_valid.then(|| (kind, Space::OpenXr.velocity(kind, vector)))
    })
}

/// Converts the pose of the eyes in OpenXR's axes, which looks along −Z, to a ray in the axes of a recording.
pub(crate) fn gaze(pose: Pose) -> Ray {
    let rotation = Pose {
        position: [0.0; 3],
        ..pose
    };
    Space::OpenXr.ray(Ray {
        origin: pose.position,
        direction: compose(rotation, Pose::at([0.0, 0.0, -1.0])).position,
    })
}

/// Converts a field of view; `None` if an angle is not finite.
pub(crate) fn view_angles(fov: xr::Fovf) -> Option<ViewAngles> {
    let angles = ViewAngles {
        left: fov.angle_left,
        right: fov.angle_right,
        up: fov.angle_up,
        down: fov.angle_down,
    };
    let numbers = [angles.left, angles.right, angles.up, angles.down];
    numbers
        .iter()
        .all(|number| number.is_finite())
        .then_some(angles)
}

/// Returns the distance between two points in metres; `None` if it is not finite.
pub(crate) fn distance([a, b]: [xr::Vector3f; 2]) -> Option<f32> {
    let parts = [a.x - b.x, a.y - b.y, a.z - b.z].map(f64::from);
    // The square of a number with 24 bits is exact.
    let squares: f64 = parts.iter().map(|part| part * part).sum();
    let distance = squares.sqrt() as f32;
    distance.is_finite().then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posef(position: [f32; 3], rotation: [f32; 4]) -> xr::Posef {
        let ([x, y, z], [qx, qy, qz, qw]) = (position, rotation);
        xr::Posef {
            orientation: xr::Quaternionf {
                x: qx,
                y: qy,
                z: qz,
                w: qw,
            },
            position: xr::Vector3f { x, y, z },
        }
    }

    #[test]
    fn only_poses_that_the_runtime_knows_are_valid() {
        let all = xr::SpaceLocationFlags::from_raw(0xf);
        let pose = posef([1.0, 2.0, 3.0], [0.0, 0.6, 0.0, 0.8]);
        assert_eq!(
            valid(all, pose).map(|pose| pose.position),
            Some([1.0, 2.0, 3.0])
        );
        assert_eq!(valid(xr::SpaceLocationFlags::POSITION_VALID, pose), None);
        assert_eq!(
            valid(all, posef([f32::NAN, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0])),
            None
        );
        assert_eq!(valid(all, posef([0.0; 3], [0.0; 4])), None);
    }

    #[test]
    fn the_distance_of_eyes_on_one_axis_is_exact() {
        let at = |x: f32| xr::Vector3f { x, y: 0.0, z: 0.0 };
        for eyes in [0.063, 0.0641_f32] {
            assert_eq!(distance([at(-eyes / 2.0), at(eyes / 2.0)]), Some(eyes));
        }
        let point = |x, y, z| xr::Vector3f { x, y, z };
        let turned = [point(1.0, 2.0, 3.0), point(3.0, 5.0, 9.0)];
        assert_eq!(distance(turned), Some(7.0));
        assert_eq!(distance([at(f32::NAN), at(0.0)]), None);
    }

    #[test]
    fn a_pose_keeps_its_numbers_apart_from_signs() {
        let pose = recorded(Pose {
            position: [0.1, 0.2, 0.3],
            rotation: [0.5, 0.1, 0.2, 0.3],
        });
        assert_eq!(pose.position, [0.1, 0.2, -0.3]);
        assert_eq!(pose.rotation, [-0.5, -0.1, 0.2, 0.3]);
    }

    #[test]
    fn a_gaze_looks_along_minus_z() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        // A turn to the left about +Y.
        let ray = gaze(Pose {
            position: [1.0, 2.0, 3.0],
            rotation: [0.0, half, 0.0, half],
        });
        assert_eq!(ray.origin, [1.0, 2.0, -3.0]);
        assert!((ray.direction[0] + 1.0).abs() < 1e-6, "{ray:?}");
    }
}
