//! The signs of rotations over time.

/// Returns the quaternion `rotation`, or its negative if that one is nearer to `last`, the quaternion of the key
/// before. Both are the same rotation, but interpolation between keys needs the nearer one.
#[inline]
pub(crate) fn continued(rotation: [f32; 4], last: Option<[f32; 4]>) -> [f32; 4] {
    let pairs = last.iter().flatten().zip(&rotation);
    // Products of single precision are exact in double precision.
    let products = pairs.map(|(&a, &b)| f64::from(a) * f64::from(b));
    if products.sum::<f64>() < 0.0 {
        rotation.map(|part| -part)
    } else {
        rotation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_continued_rotation_is_the_nearer_quaternion() {
        let (a, b) = ([0.0, 0.6, 0.0, 0.8], [0.0, -0.5, 0.1, -0.8]);
        assert_eq!(continued(b, None), b);
        assert_eq!(continued(a, Some(a)), a);
        assert_eq!(continued(b, Some(a)), b.map(|part| -part));
        // Half a turn apart, both are equally near.
        assert_eq!(
            continued([0.8, 0.0, 0.6, 0.0], Some(a)),
            [0.8, 0.0, 0.6, 0.0]
        );
    }
}
