//! Poses of 4 × 4 matrices.

use glam::{DQuat, DVec3};
use inputanim::Pose;

use crate::shared::rigid::{Rigid, is_known};

/// The largest difference of a matrix from a rotation: of the products of its columns and of its last row.
const TOLERANCE: f64 = 0.01;

/// Converts a 4 × 4 matrix, whose rows follow each other, to a pose. Returns `None` if the matrix is not a rotation and
/// a position, or if a number is not finite as a 32-bit float.
pub(super) fn pose(matrix: &[f64; 16]) -> Option<Pose> {
    let [a, b, c, x, d, e, f, y, g, h, i, z, last @ ..] = *matrix;
    let (right, up, back) = (
        DVec3::new(a, d, g),
        DVec3::new(b, e, h),
        DVec3::new(c, f, i),
    );
    // NaN is not near.
    let near = |found: f64, expected: f64| (found - expected).abs() <= TOLERANCE;
    let is_rotation = near(right.length_squared(), 1.0)
        && near(up.length_squared(), 1.0)
        && near(back.length_squared(), 1.0)
        && near(right.dot(up), 0.0)
        && near(up.dot(back), 0.0)
        && near(back.dot(right), 0.0)
        && right.cross(up).dot(back) > 0.0;
    let [zeros @ .., one] = last;
    if !is_rotation || !near(one, 1.0) || !zeros.iter().all(|zero| near(*zero, 0.0)) {
        return None;
    }
    let pose = Rigid {
        position: DVec3::new(x, y, z),
        rotation: rotation(right, up, back),
    };
    Some(pose.pose()).filter(is_known)
}

/// Returns the rotation whose matrix has these columns.
///
/// Each row of the matrix 4qqᵀ of a quaternion q is a multiple of q, and its elements are sums of elements of the
/// rotation. The row with the largest diagonal element is the most exact. One square root then normalizes it. The
/// square root of the standard library is exact on every platform, and faster than the square root of glam with `libm`.
fn rotation(right: DVec3, up: DVec3, back: DVec3) -> DQuat {
    let (xx, yy, zz) = (right.x, up.y, back.z);
    let (xy, xz, yz) = (up.x + right.y, back.x + right.z, back.y + up.z);
    let (xw, yw, zw) = (up.z - back.y, back.x - right.z, right.y - up.x);
    let trace = xx + yy + zz;
    let [x, y, z, w] = if trace >= xx.max(yy).max(zz) {
        [xw, yw, zw, 1.0 + trace]
    } else if xx >= yy && xx >= zz {
        [1.0 + xx - yy - zz, xy, xz, xw]
    } else if yy >= zz {
        [xy, 1.0 - xx + yy - zz, yz, yw]
    } else {
        [xz, yz, 1.0 - xx - yy + zz, zw]
    };
    let rotation = DQuat::from_xyzw(x, y, z, w);
    rotation * (1.0 / rotation.length_squared().sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    fn matrix(rotation: DMat3, position: [f64; 3]) -> [f64; 16] {
        let rows = rotation.transpose().to_cols_array_2d();
        let [[a, b, c], [d, e, f], [g, h, i]] = rows;
        let [x, y, z] = position;
        [a, b, c, x, d, e, f, y, g, h, i, z, 0.0, 0.0, 0.0, 1.0]
    }

    #[test]
    fn every_rotation_comes_back() {
        let parts = [-0.7, -0.5, 0.0, 0.1, 0.5, 1.0];
        let mut count = 0;
        for x in parts {
            for y in parts {
                for z in parts {
                    for w in parts {
                        let Some(quaternion) = glam::DVec4::new(x, y, z, w).try_normalize() else {
                            continue;
                        };
                        let quaternion = DQuat::from_vec4(quaternion);
                        let matrix = matrix(DMat3::from_quat(quaternion), [1.0, -2.0, 3.0]);
                        let pose = pose(&matrix).unwrap();
                        assert_eq!(pose.position, [1.0, -2.0, 3.0]);
                        let found = DQuat::from_array(pose.rotation.map(f64::from));
                        let found = found.normalize();
                        assert!(found.dot(quaternion).abs() > 1.0 - 1e-12, "{quaternion}");
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 1000);
    }

    #[test]
    fn other_matrices_are_unknown() {
        let rigid = matrix(DMat3::IDENTITY, [0.0; 3]);
        assert_eq!(pose(&rigid), Some(Pose::IDENTITY));
        for index in 0..16 {
            for wrong in [f64::NAN, f64::INFINITY, 1e300] {
                let mut matrix = rigid;
                matrix[index] = wrong;
                assert_eq!(pose(&matrix), None, "{index}: {wrong}");
            }
        }
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        let twice = DMat3::from_diagonal(DVec3::splat(2.0));
        for other in [DMat3::ZERO, mirror, twice, twice * 0.51] {
            assert_eq!(pose(&matrix(other, [0.0; 3])), None);
        }
        let mut perspective = rigid;
        perspective[12] = 0.1;
        assert_eq!(pose(&perspective), None);
    }

    #[test]
    fn a_matrix_that_is_nearly_rigid_gives_a_rotation_of_length_1() {
        let turn = DMat3::from_rotation_y(0.7) * 1.004;
        let found = pose(&matrix(turn, [0.0; 3])).unwrap();
        let length = found.rotation.iter().map(|part| part * part).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-6);
    }
}
