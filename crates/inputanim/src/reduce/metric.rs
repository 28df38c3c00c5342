//! Error metrics: the distance of an evaluated value from a sample, and a bound on it.

/// A bound on the error of an evaluated value against a sample, for one kind of vector. Evaluated
/// values have single precision; errors are computed in double precision.
pub(super) trait Metric<const N: usize>: Sync {
    /// The data of an apex that [`coordinates`](Self::coordinates) needs.
    type Chart;

    /// Returns `true` if the error of an evaluated value against a sample is within the bound.
    fn is_near(&self, value: [f32; N], sample: [f32; N]) -> bool;

    /// Returns a number that increases with the error of an evaluated value against a sample. It serves only for
    /// comparisons and has no fixed unit.
    fn deviation(value: [f32; N], sample: [f32; N]) -> f64;

    /// Returns the data of a coordinate system around the sample `apex`, for [`coordinates`](Self::coordinates). It has
    /// up to three coordinates. They are linear in a sample, so that linear interpolation is a straight line in them.
    fn chart(apex: [f32; N]) -> Self::Chart;

    /// Returns a sample in the coordinate system of `chart`; unused coordinates are 0. The apex is at the origin.
    fn coordinates(chart: &Self::Chart, sample: [f32; N]) -> [f32; 3];

    /// Returns the largest distance, along any coordinate, that a valid line can have from a sample. `sample` is given
    /// in the coordinate system of `chart`.
    ///
    /// The result is rather too large than too small, because lines and coordinates are rounded: a valid line must not
    /// be excluded, and a later check finds the invalid lines.
    fn reach(&self, chart: &Self::Chart, sample: [f32; 3]) -> f32;
}

/// An upper bound for the rounding error of sums and products of a few single-precision numbers,
/// relative to the numbers.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

fn greatest(numbers: &[f32]) -> f32 {
    numbers.iter().fold(0.0, |most, part| most.max(part.abs()))
}

fn minus<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    std::array::from_fn(|index| a[index] - b[index])
}

/// The metric of positions: the Euclidean distance.
#[derive(Clone, Copy)]
pub(super) struct Distance {
    metres: f64,
}

impl Distance {
    pub(super) fn within(metres: f64) -> Distance {
        Distance { metres }
    }
}

impl<const N: usize> Metric<N> for Distance {
    type Chart = [f32; N];

    #[inline]
    fn is_near(&self, value: [f32; N], sample: [f32; N]) -> bool {
        Self::deviation(value, sample) <= self.metres * self.metres
    }

    /// Returns the square of the distance.
    #[inline]
    fn deviation(value: [f32; N], sample: [f32; N]) -> f64 {
        let mut sum = 0.0;
        for axis in 0..N {
            let apart = f64::from(value[axis]) - f64::from(sample[axis]);
            sum += apart * apart;
        }
        sum
    }

    fn chart(apex: [f32; N]) -> [f32; N] {
        apex
    }

    #[inline]
    fn coordinates(apex: &[f32; N], sample: [f32; N]) -> [f32; 3] {
        let from = minus(sample, *apex);
        std::array::from_fn(|axis| if axis < N { from[axis] } else { 0.0 })
    }

    #[inline]
    fn reach(&self, apex: &[f32; N], sample: [f32; 3]) -> f32 {
        let size = greatest(apex) + greatest(&sample);
        // The factor allows for the rounding of the bound to single precision.
        self.metres as f32 * 1.0001 + ROUNDING * size
    }
}

/// Returns the dot product of two vectors, and the square of the length of their cross product. In any number of
/// dimensions, the latter is the product of both squared lengths minus the square of the dot product.
///
/// Both are computed from the difference of the vectors, which is exact in double precision. The
/// dot product of nearly parallel vectors loses small angles. Vectors with a large difference take
/// the products of all pairs of components, which cost more.
#[inline]
fn parts<const N: usize>(vector: [f32; N], other: [f32; N]) -> [f64; 2] {
    let (mut square, mut apart_square, mut apart_along) = (0.0, 0.0, 0.0);
    for axis in 0..N {
        let other = f64::from(other[axis]);
        let apart = f64::from(vector[axis]) - other;
        square += other * other;
        apart_square += apart * apart;
        apart_along += apart * other;
    }
    let across_square = if apart_square < square / 64.0 {
        apart_square * square - apart_along * apart_along
    } else {
        across_square(vector, other)
    };
    [square + apart_along, across_square]
}

#[cold]
fn across_square<const N: usize>(vector: [f32; N], other: [f32; N]) -> f64 {
    let (vector, other) = (vector.map(f64::from), other.map(f64::from));
    let mut sum = 0.0;
    for a in 0..N {
        for b in 0..a {
            let part = vector[a] * other[b] - vector[b] * other[a];
            sum += part * part;
        }
    }
    sum
}

/// The metric of rotations and directions: the angle. Lengths are ignored, because players
/// normalise.
#[derive(Clone, Copy)]
pub(super) struct Angle<const N: usize> {
    /// The square of the tangent of the largest angle between the vectors. For quaternions that is
    /// half the angle of the rotation.
    tangent_square: f64,
    /// The largest chord between two vectors of length 1.
    reach: f32,
}

/// The largest angle for which the chord is used as a bound, in radians.
const WIDEST_CONE: f64 = 0.2;

impl<const N: usize> Angle<N> {
    /// Creates the metric with its bound in degrees: the angle between two rotations (`N` = 4) or two directions.
    /// `are_unit` is `true` if all samples have length 1. Otherwise, the cone cannot exclude lines, and every line is
    /// checked.
    pub(super) fn within(degrees: f64, are_unit: bool) -> Angle<N> {
        let halves = if N == 4 { 0.5 } else { 1.0 };
        // Two quaternions are at most a quarter turn apart. For directions a quarter turn is
        // enough.
        let radians = (degrees.to_radians() * halves).min(std::f64::consts::FRAC_PI_2);
        Angle {
            tangent_square: radians.tan() * radians.tan(),
            reach: if are_unit && radians < WIDEST_CONE {
                2.0 * (radians / 2.0).sin() as f32
            } else {
                f32::INFINITY
            },
        }
    }

    #[inline]
    fn is_near(&self, value: [f32; N], sample: [f32; N]) -> bool {
        let [along, across_square] = parts(value, sample);
        along > 0.0 && across_square <= self.tangent_square * along * along
    }

    /// Returns the square of the tangent of the angle between two vectors; infinity from 90° on.
    #[inline]
    fn deviation(value: [f32; N], sample: [f32; N]) -> f64 {
        let [along, across_square] = parts(value, sample);
        if along > 0.0 {
            across_square / (along * along)
        } else {
            f64::INFINITY
        }
    }

    #[inline]
    fn reach(&self, sample: [f32; 3]) -> f32 {
        // A chord passes inside the unit sphere, so a valid line can be nearer to the apex than its
        // ends, by a share that grows with the square of the angle.
        let [x, y, z] = sample;
        let nearer = 0.5 * (x * x + y * y + z * z) * greatest(&sample);
        // The factors hold for vectors of length 1.
        self.reach * 1.001 + nearer + 2.0 * ROUNDING
    }
}

impl Metric<4> for Angle<4> {
    type Chart = [f32; 4];

    #[inline]
    fn is_near(&self, value: [f32; 4], sample: [f32; 4]) -> bool {
        Angle::is_near(self, value, sample)
    }

    #[inline]
    fn deviation(value: [f32; 4], sample: [f32; 4]) -> f64 {
        Angle::deviation(value, sample)
    }

    fn chart(apex: [f32; 4]) -> [f32; 4] {
        apex
    }

    /// Returns x, y and z of the rotation from the apex to the sample, which are linear in the sample.
    #[inline]
    fn coordinates([ax, ay, az, aw]: &[f32; 4], [x, y, z, w]: [f32; 4]) -> [f32; 3] {
        [
            (aw * x - ax * w) + (az * y - ay * z),
            (aw * y - ay * w) + (ax * z - az * x),
            (aw * z - az * w) + (ay * x - ax * y),
        ]
    }

    #[inline]
    fn reach(&self, _: &Self::Chart, sample: [f32; 3]) -> f32 {
        Angle::reach(self, sample)
    }
}

impl Metric<3> for Angle<3> {
    /// Two axes perpendicular to the apex.
    type Chart = [[f32; 3]; 2];

    #[inline]
    fn is_near(&self, value: [f32; 3], sample: [f32; 3]) -> bool {
        Angle::is_near(self, value, sample)
    }

    #[inline]
    fn deviation(value: [f32; 3], sample: [f32; 3]) -> f64 {
        Angle::deviation(value, sample)
    }

    fn chart([x, y, z]: [f32; 3]) -> [[f32; 3]; 2] {
        let apex = glam::Vec3::new(x, y, z).normalize_or(glam::Vec3::Z);
        let (a, b) = apex.any_orthonormal_pair();
        [a.to_array(), b.to_array()]
    }

    #[inline]
    fn coordinates([a, b]: &[[f32; 3]; 2], sample: [f32; 3]) -> [f32; 3] {
        let along = |axis: &[f32; 3]| axis.iter().zip(sample).map(|(a, b)| a * b).sum();
        [along(a), along(b), 0.0]
    }

    #[inline]
    fn reach(&self, _: &Self::Chart, sample: [f32; 3]) -> f32 {
        Angle::reach(self, sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about_y(degrees: f64) -> [f32; 4] {
        let (sine, cosine) = (degrees.to_radians() / 2.0).sin_cos();
        [0.0, sine as f32, 0.0, cosine as f32]
    }

    #[test]
    fn angle_bound_holds_for_all_lengths() {
        for bound in [0.02, 0.2, 2.0, 20.0] {
            let angle = Angle::<4>::within(bound, true);
            let sample = about_y(70.0);
            for (turn, is_near) in [(0.99, true), (1.01, false)] {
                for length in [1.0, 0.1, -1.0] {
                    let value = about_y(70.0 + bound * turn).map(|part| part * length);
                    let is_near = is_near && length > 0.0;
                    assert_eq!(Metric::is_near(&angle, value, sample), is_near);
                }
            }
        }
    }

    #[test]
    fn opposite_and_zero_directions_are_out_of_bounds() {
        let angle = Angle::<3>::within(180.0, true);
        for far in [[0.0, 0.0, -1.0], [0.0; 3]] {
            assert!(!Metric::is_near(&angle, far, [0.0, 0.0, 1.0]));
            assert_eq!(Angle::<3>::deviation(far, [0.0, 0.0, 1.0]), f64::INFINITY);
        }
    }

    #[test]
    fn bound_of_zero_accepts_only_equal_values() {
        let exact = Distance::within(0.0);
        assert!(exact.is_near([1.0, -0.0, 3.0], [1.0, 0.0, 3.0]));
        assert!(!exact.is_near([1.0, 0.0, 3.0_f32.next_up()], [1.0, 0.0, 3.0]));
    }
}
