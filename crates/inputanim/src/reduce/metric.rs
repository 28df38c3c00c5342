//! How far what plays is from a sample, and whether that is within a bound.

/// A bound on what lies between a played value and a sample, by the kind of vector. What plays is
/// single precision; how far that is from a sample is told in double precision.
pub(super) trait Metric<const N: usize>: Sync {
    /// What [`chart`](Self::chart) keeps of an apex.
    type Chart;

    /// Whether a played value is near enough to a sample.
    fn is_near(&self, played: [f32; N], sample: [f32; N]) -> bool;

    /// What grows with how far they are apart.
    fn deviation(played: [f32; N], sample: [f32; N]) -> f64;

    /// Up to three coordinates about a sample in which straight lines of components are straight
    /// too, and steer clear of what does not matter, such as the length of a quaternion.
    fn chart(apex: [f32; N]) -> Self::Chart;

    /// A sample in those coordinates; the apex itself is at 0.
    fn coordinates(chart: &Self::Chart, sample: [f32; N]) -> [f32; 3];

    /// How far a line that is within the bound of a sample may pass it by in any coordinate. Rather too
    /// far than too near: both the line and the coordinates are sums of rounded numbers.
    fn reach(&self, chart: &Self::Chart, sample: [f32; 3]) -> f32;
}

/// How far sums and products of a few numbers of single precision are off at the most, as a share of the
/// numbers.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

fn greatest(numbers: &[f32]) -> f32 {
    numbers.iter().fold(0.0, |most, part| most.max(part.abs()))
}

fn minus<const N: usize>(a: [f32; N], b: [f32; N]) -> [f32; N] {
    std::array::from_fn(|index| a[index] - b[index])
}

/// Positions: the distance.
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
    fn is_near(&self, played: [f32; N], sample: [f32; N]) -> bool {
        Self::deviation(played, sample) <= self.metres * self.metres
    }

    /// The square of the distance.
    #[inline]
    fn deviation(played: [f32; N], sample: [f32; N]) -> f64 {
        let mut sum = 0.0;
        for axis in 0..N {
            let apart = f64::from(played[axis]) - f64::from(sample[axis]);
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
        self.metres as f32 * 1.0001 + ROUNDING * size
    }
}

/// How far a vector goes along another, and the square of how far across it, both times the
/// other's length.
///
/// By what lies between the two, of which nothing is rounded away: in the dot product of the
/// vectors themselves nothing is left of small angles. Where they differ much, by the products of
/// all pairs of components, which cost more.
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
    let across_square = match apart_square < square / 64.0 {
        true => apart_square * square - apart_along * apart_along,
        false => across_square(vector, other),
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

/// Rotations and directions: an angle. Their lengths do not matter, since players normalise what
/// they play.
#[derive(Clone, Copy)]
pub(super) struct Angle<const N: usize> {
    /// Of the tangent of the angle as it is between vectors of N components: of quaternions, half
    /// the angle of the rotation.
    tangent_square: f64,
    /// Between the ends of two vectors of length 1.
    reach: f32,
}

/// In radians. Beyond it, chords are no measure of angles.
const WIDEST_CONE: f64 = 0.2;

impl<const N: usize> Angle<N> {
    /// Of samples that are nearly of length 1, or of any length: then no cone can tell which lines
    /// are near.
    pub(super) fn within(degrees: f64, are_unit: bool) -> Angle<N> {
        let halves = if N == 4 { 0.5 } else { 1.0 };
        // A quarter turn is as far as two quaternions can be apart, and far enough for directions.
        let radians = (degrees.to_radians() * halves).min(std::f64::consts::FRAC_PI_2);
        Angle {
            tangent_square: radians.tan() * radians.tan(),
            reach: match are_unit && radians < WIDEST_CONE {
                true => 2.0 * (radians / 2.0).sin() as f32,
                false => f32::INFINITY,
            },
        }
    }

    #[inline]
    fn is_near(&self, played: [f32; N], sample: [f32; N]) -> bool {
        let [along, across_square] = parts(played, sample);
        along > 0.0 && across_square <= self.tangent_square * along * along
    }

    /// The square of the tangent.
    #[inline]
    fn deviation(played: [f32; N], sample: [f32; N]) -> f64 {
        let [along, across_square] = parts(played, sample);
        match along > 0.0 {
            true => across_square / (along * along),
            false => f64::INFINITY,
        }
    }

    #[inline]
    fn reach(&self, sample: [f32; 3]) -> f32 {
        // Between two keys a line is shorter than they are, so it may also pass by nearer to the
        // apex: by a part of the way that grows with the square of the turn.
        let [x, y, z] = sample;
        let nearer = 0.5 * (x * x + y * y + z * z) * greatest(&sample);
        // Of vectors whose length is 1.
        self.reach * 1.001 + nearer + 2.0 * ROUNDING
    }
}

impl Metric<4> for Angle<4> {
    type Chart = [f32; 4];

    #[inline]
    fn is_near(&self, played: [f32; 4], sample: [f32; 4]) -> bool {
        Angle::is_near(self, played, sample)
    }

    #[inline]
    fn deviation(played: [f32; 4], sample: [f32; 4]) -> f64 {
        Angle::deviation(played, sample)
    }

    fn chart(apex: [f32; 4]) -> [f32; 4] {
        apex
    }

    /// The vector of the turn from the apex: linear in the sample's components.
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
    /// Two directions across the apex.
    type Chart = [[f32; 3]; 2];

    #[inline]
    fn is_near(&self, played: [f32; 3], sample: [f32; 3]) -> bool {
        Angle::is_near(self, played, sample)
    }

    #[inline]
    fn deviation(played: [f32; 3], sample: [f32; 3]) -> f64 {
        Angle::deviation(played, sample)
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
    fn an_angle_is_near_up_to_its_bound_whatever_the_lengths() {
        for bound in [0.02, 0.2, 2.0, 20.0] {
            let angle = Angle::<4>::within(bound, true);
            let sample = about_y(70.0);
            for (turn, is_near) in [(0.99, true), (1.01, false)] {
                for length in [1.0, 0.1, -1.0] {
                    let played = about_y(70.0 + bound * turn).map(|part| part * length);
                    let is_near = is_near && length > 0.0;
                    assert_eq!(Metric::is_near(&angle, played, sample), is_near);
                }
            }
        }
    }

    #[test]
    fn the_opposite_and_nowhere_are_not_near() {
        let angle = Angle::<3>::within(180.0, true);
        for far in [[0.0, 0.0, -1.0], [0.0; 3]] {
            assert!(!Metric::is_near(&angle, far, [0.0, 0.0, 1.0]));
            assert_eq!(Angle::<3>::deviation(far, [0.0, 0.0, 1.0]), f64::INFINITY);
        }
    }

    #[test]
    fn without_a_bound_only_the_same_is_near() {
        let exact = Distance::within(0.0);
        assert!(exact.is_near([1.0, -0.0, 3.0], [1.0, 0.0, 3.0]));
        assert!(!exact.is_near([1.0, 0.0, 3.0_f32.next_up()], [1.0, 0.0, 3.0]));
    }
}
