//! Rotations as three angles.

use glam::{DQuat, EulerRot};

/// Angles in degrees about Z, X and Y: the rotation is Z · X · Y.
pub(super) type Angles = [f64; 3];

/// The angles of a rotation that are nearest to others: of the two triples that say the same, and whole
/// turns more or less.
pub(super) fn angles_near(rotation: DQuat, before: Angles) -> Angles {
    let (z, x, y) = rotation.to_euler(EulerRot::ZXY);
    let first = [z, x, y].map(f64::to_degrees);
    let [z, x, y] = first;
    let second = [z + 180.0, 180.0 - x, y + 180.0];
    let [first, second] = [first, second].map(|angles| turned_near(angles, before));
    match distance(second, before) < distance(first, before) {
        true => second,
        false => first,
    }
}

/// Whole turns nearer.
fn turned_near(angles: Angles, before: Angles) -> Angles {
    std::array::from_fn(|axis| {
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
    fn angles_say_the_rotation_that_they_are_of() {
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
    fn angles_go_on_from_frame_to_frame_also_over_a_half_turn() {
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
