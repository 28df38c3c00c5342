//! Distances between two values of one instant.
//!
//! Differences and products of single-precision numbers are computed in double precision, where
//! products are exact: only equal values have distance 0. The order of the values does not matter.

/// Returns `true` if two numbers are equal. NaN equals NaN, and 0 equals −0.
fn is_same(a: f32, b: f32) -> bool {
    a == b || a.is_nan() && b.is_nan()
}

fn are_same<const N: usize>(a: [f32; N], b: [f32; N]) -> bool {
    a.into_iter().zip(b).all(|(a, b)| is_same(a, b))
}

fn length<const N: usize>(vector: [f64; N]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// Returns the distance between two positions in metres. Components that are both NaN or the same infinity count as
/// equal. Returns `None` if another component is not finite.
pub(crate) fn distance(a: [f32; 3], b: [f32; 3]) -> Option<f64> {
    let apart = |axis: usize| {
        // Equal infinities have distance 0, not NaN.
        if is_same(a[axis], b[axis]) {
            0.0
        } else {
            f64::from(a[axis]) - f64::from(b[axis])
        }
    };
    finite(length([apart(0), apart(1), apart(2)]))
}

/// Returns the angle in degrees, 0 to 180, between two rotations. Lengths are ignored, a quaternion equals its
/// negative, and a quaternion of length 0 has the angle 0 to any other. Equal numbers have the angle 0, even if they
/// are NaN. Otherwise, returns `None` if a number is not finite.
///
/// The arc tangent is accurate for small angles. The arc cosine of the dot product would return 0
/// for them.
pub(crate) fn turn(a: [f32; 4], b: [f32; 4]) -> Option<f64> {
    // Equal rotations have distance 0, even if they are NaN or have length 0.
    if are_same(a, b) {
        return Some(0.0);
    }
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a.map(f64::from), b.map(f64::from));
    let vector = [
        (aw * bx - ax * bw) + (az * by - ay * bz),
        (aw * by - ay * bw) + (ax * bz - az * bx),
        (aw * bz - az * bw) + (ay * bx - ax * by),
    ];
    let real = ax * bx + ay * by + az * bz + aw * bw;
    // The absolute value of the real part selects the smaller one of the angles to q and −q.
    finite(2.0 * length(vector).atan2(real.abs()).to_degrees())
}

/// Returns the angle in degrees, 0 to 180, between two directions. Lengths are ignored. Equal numbers have the angle 0,
/// even if they are NaN or all zero. Otherwise, returns `None` if a direction has length 0 or a number is not finite.
pub(crate) fn angle(a: [f32; 3], b: [f32; 3]) -> Option<f64> {
    if are_same(a, b) {
        return Some(0.0);
    }
    // A gaze of zeros is no measurement (L11), so it has no direction to compare.
    if a == [0.0; 3] || b == [0.0; 3] {
        return None;
    }
    let ([ax, ay, az], [bx, by, bz]) = (a.map(f64::from), b.map(f64::from));
    let cross = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    let dot = ax * bx + ay * by + az * bz;
    finite(length(cross).atan2(dot).to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a rotation about an axis that is not a coordinate axis.
    fn about(degrees: f64) -> [f32; 4] {
        let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
        [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0]
            .map(|part| (part * sine) as f32)
            .into_iter()
            .chain([cosine as f32])
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    }

    #[test]
    fn rotation_equals_its_negative_exactly() {
        for degrees in [0.0, 1e-4, 33.3, 179.9, 180.0] {
            let rotation = about(degrees);
            assert_eq!(turn(rotation, rotation.map(|part| -part)), Some(0.0));
        }
    }

    #[test]
    fn small_angles_are_as_exact_as_large_ones() {
        for degrees in [0.001, 0.2, 1.0, 90.0, 179.0] {
            let found = turn(about(10.0), about(10.0 + degrees)).unwrap();
            assert!((found - degrees).abs() < 2e-5, "{degrees}: {found}");
        }
    }

    #[test]
    fn directions_of_any_length_are_compared() {
        assert_eq!(angle([0.0, 0.0, 3.0], [0.0, 0.0, 0.1]), Some(0.0));
        assert_eq!(angle([0.0, 0.0, 1.0], [0.0, 2.0, 0.0]), Some(90.0));
        assert_eq!(angle([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]), Some(180.0));
        assert_eq!(angle([0.0; 3], [0.0, -0.0, 0.0]), Some(0.0));
        assert_eq!(angle([0.0; 3], [0.0, 0.0, 1.0]), None);
    }

    #[test]
    fn values_that_are_not_finite_equal_only_themselves() {
        let none = f32::NAN;
        assert_eq!(distance([none, 1.0, 0.0], [-none, 1.0, -0.0]), Some(0.0));
        assert_eq!(distance([none, 1.0, 0.0], [none, 1.5, 0.0]), Some(0.5));
        assert_eq!(distance([none, 1.0, 0.0], [0.0, 1.0, 0.0]), None);
        let endless = f32::INFINITY;
        assert_eq!(
            distance([endless, 0.0, 0.0], [endless, 0.0, 3.0]),
            Some(3.0)
        );
        assert_eq!(distance([endless, 0.0, 0.0], [0.0, 0.0, 0.0]), None);
        assert_eq!(turn([none; 4], [none; 4]), Some(0.0));
        assert_eq!(turn([none; 4], [0.0, 0.0, 0.0, 1.0]), None);
    }

    #[test]
    fn the_greatest_and_the_smallest_numbers_have_a_distance() {
        assert!(distance([f32::MAX; 3], [f32::MIN; 3]).is_some());
        let smallest = f32::from_bits(1);
        let apart = distance([smallest, 0.0, 0.0], [0.0; 3]).unwrap();
        assert_eq!(apart, f64::from(smallest));
    }
}
