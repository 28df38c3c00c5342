//! Rotations as four numbers x, y, z, w.

use glam::{DQuat, DVec3};

/// The cosine of the largest angle between two quaternions for which normalized linear interpolation and
/// the arc that glTF readers draw differ by less than 0.01°. The angle of the rotation is twice the
/// angle between the quaternions.
///
/// With φ the angle between the quaternions, the two curves differ by at most about φ³ √3 / 108, and the
/// rotations by twice as much.
pub(super) const NEAR: f64 = 0.984_8;

/// The same for the parts of a divided segment. The angle is smaller, so that these parts are not divided again.
pub(super) const NEARER: f64 = 0.987_7;

/// The deviation of a squared length from 1 that rounding alone can cause.
const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

pub(super) fn double(quaternion: [f32; 4]) -> DQuat {
    DQuat::from_array(quaternion.map(f64::from))
}

/// Normalizes a quaternion. A quaternion of length 0 becomes the identity, as in evaluation.
pub(super) fn unit(quaternion: DQuat) -> DQuat {
    let length = quaternion.length();
    if length > 0.0 {
        quaternion / length
    } else {
        DQuat::IDENTITY
    }
}

/// Normalizes a quaternion in single precision. It stays unchanged if its length differs from 1 only by rounding.
pub(super) fn normalized(quaternion: [f32; 4]) -> [f32; 4] {
    if is_unit(quaternion) {
        quaternion
    } else {
        single(unit(double(quaternion)))
    }
}

pub(super) fn is_unit(quaternion: [f32; 4]) -> bool {
    (double(quaternion).length_squared() - 1.0).abs() <= ROUNDING
}

pub(super) fn single(quaternion: DQuat) -> [f32; 4] {
    quaternion.to_array().map(|part| part as f32)
}

pub(super) fn dot(a: [f32; 4], b: [f32; 4]) -> f64 {
    double(a).dot(double(b))
}

/// Returns the shortest rotation from one direction of length 1 to another.
pub(super) fn turn_between(from: DVec3, to: DVec3) -> DQuat {
    let axis = from.cross(to);
    let real = 1.0 + from.dot(to);
    if real < 1e-9 {
        // The directions are opposite, so a half turn about any perpendicular axis is a shortest rotation.
        let axis = from.any_orthonormal_vector();
        return DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
    }
    unit(DQuat::from_xyzw(axis.x, axis.y, axis.z, real))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about_x(degrees: f64) -> DQuat {
        DQuat::from_rotation_x(degrees.to_radians())
    }

    #[test]
    fn near_keys_interpolate_within_a_hundredth_of_a_degree() {
        let widest = 2.0 * NEAR.acos().to_degrees();
        assert!(widest > 19.0 && NEARER > NEAR);
        let (a, b) = (about_x(0.0), about_x(widest));
        let mut most = 0.0_f64;
        for step in 0..=100 {
            let x = f64::from(step) / 100.0;
            let line = unit(a * (1.0 - x) + b * x);
            most = most.max(line.angle_between(a.slerp(b, x)).to_degrees());
        }
        assert!(most > 0.005 && most < 0.01, "{most}");
    }

    #[test]
    fn a_rotation_takes_one_direction_to_another() {
        for to in [DVec3::X, DVec3::Z, DVec3::NEG_Z, DVec3::ONE.normalize()] {
            let turned = turn_between(DVec3::Z, to) * DVec3::Z;
            assert!(turned.distance(to) < 1e-6, "{to}: {turned}");
        }
    }

    #[test]
    fn normalizing_twice_changes_nothing_more() {
        let mut state = 1_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for _ in 0..100_000 {
            let once = normalized([number(), number(), number(), number()]);
            assert!(is_unit(once));
            assert_eq!(normalized(once), once);
        }
        assert_eq!(normalized([0.0; 4]), [0.0, 0.0, 0.0, 1.0]);
        assert!(is_unit(normalized([1e-40, 0.0, 1e-40, 0.0])));
        assert!(is_unit(normalized([3e38, -3e38, 3e38, 3e38])));
    }
}
