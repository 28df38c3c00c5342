//! Rotations as three angles.

use glam::{DQuat, EulerRot};

/// Angles in degrees about Z, X and Y: the rotation is Z · X · Y.
pub(super) type Angles = [f64; 3];

/// Returns the angles of a rotation, in degrees about Z, X and Y, that are nearest to the angles `before`. Two triples
/// of angles describe every rotation, and full turns can be added to each angle.
pub(super) fn angles_near(rotation: DQuat, before: Angles) -> Angles {
    let (z, x, y) = rotation.to_euler(EulerRot::ZXY);
    let first = [z, x, y].map(f64::to_degrees);
    let [z, x, y] = first;
    // Every rotation has this second solution: half a turn about both outer axes, and the supplement of the
    // angle about the middle one.
    let second = [z + 180.0, 180.0 - x, y + 180.0];
    let [first, second] = [first, second].map(|angles| turned_near(angles, before));
    // Programs interpolate each angle separately, so a change of solution between two frames would show as
    // a spin.
    if distance(second, before) < distance(first, before) {
        second
    } else {
        first
    }
}

/// Adds full turns of 360° to each angle so that it is as near as possible to the same angle of `before`.
fn turned_near(angles: Angles, before: Angles) -> Angles {
    std::array::from_fn(|axis| {
        // Without full turns, an angle that passes 180° would jump to −180°.
        let turns = ((before[axis] - angles[axis]) / 360.0).round();
        angles[axis] + 360.0 * turns
    })
}

fn distance(a: Angles, b: Angles) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn rotation([z, x, y]: Angles) -> DQuat {
        let about = |axis: DVec3, degrees: f64| DQuat::from_axis_angle(axis, degrees.to_radians());
        about(DVec3::Z, z) * about(DVec3::X, x) * about(DVec3::Y, y)
    }

    fn is_same(a: DQuat, b: DQuat) -> bool {
        a.dot(b).abs() > 1.0 - 1e-12
    }

    #[test]
    fn angles_multiply_to_their_rotation() {
        for z in [-170.0, -20.0, 0.0, 100.0] {
            for x in [-90.0, -89.999_999, -30.0, 0.0, 45.0, 90.0] {
                for y in [-120.0, 0.0, 5.0, 179.0] {
                    let turn = rotation([z, x, y]);
                    assert!(
                        is_same(rotation(angles_near(turn, [0.0; 3])), turn),
                        "{z} {x} {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn angles_continue_from_frame_to_frame_over_half_a_turn() {
        let mut before = [0.0; 3];
        for step in 0..2000 {
            let step = f64::from(step);
            let turn = rotation([step, 80.0 * (step / 50.0).sin(), 0.3 * step]);
            let angles = angles_near(turn, before);
            assert!(is_same(rotation(angles), turn));
            assert!(distance(angles, before) < 15.0, "{before:?} {angles:?}");
            before = angles;
        }
        assert!(before[0] > 1990.0);
    }
}
