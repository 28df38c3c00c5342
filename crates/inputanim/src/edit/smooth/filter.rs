//! The One Euro filter for positions, rotations and directions.
//!
//! Method: a first-order low-pass filter whose cutoff grows with the low-pass filtered speed.
//! Source: Casiez, Roussel and Vogel, "1€ Filter", CHI 2012, algorithm 1. The speed is a vector
//! (metres or radians about an axis, per second), so that one cutoff applies to all components and
//! the result does not depend on the axes of the world.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

use super::Smooth;

/// A value that can be filtered.
pub(super) trait Signal: Copy + PartialEq {
    /// Returns the value with these components. Rotations and directions are normalised. `None` if a component is not
    /// finite, or if a rotation or direction has length 0.
    fn read(numbers: &[f64]) -> Option<Self>;

    /// Returns the components of the value; components that it does not have are 0.
    fn numbers(self) -> [f64; 4];

    /// Returns the difference from this value to another one: a translation in metres, or a rotation as its axis times
    /// its angle in radians.
    fn difference_to(self, other: Self) -> DVec3;

    /// Returns this value, moved by a difference that [`difference_to`](Self::difference_to) returned.
    fn moved(self, difference: DVec3) -> Self;

    /// Returns the value or its negative, so that smoothing keeps the sign flips of the recording. `before` is the
    /// previous smoothed value, and `recorded` are the previous and the current recorded value. If both recorded values
    /// are in the same hemisphere, the result is in the hemisphere of `before`. Otherwise it is in the opposite
    /// hemisphere. Types other than quaternions are returned unchanged.
    fn signed(self, _before: Self, _recorded: [Self; 2]) -> Self {
        self
    }
}

impl Signal for DVec3 {
    fn read(numbers: &[f64]) -> Option<DVec3> {
        let place = DVec3::from_array(*numbers.first_chunk()?);
        place.is_finite().then_some(place)
    }

    fn numbers(self) -> [f64; 4] {
        [self.x, self.y, self.z, 0.0]
    }

    fn difference_to(self, other: DVec3) -> DVec3 {
        other - self
    }

    fn moved(self, difference: DVec3) -> DVec3 {
        self + difference
    }
}

impl Signal for DQuat {
    fn read(numbers: &[f64]) -> Option<DQuat> {
        let rotation = DQuat::from_array(*numbers.first_chunk()?);
        let has_length = rotation.is_finite() && rotation.length_squared() > 0.0;
        has_length.then(|| rotation.normalize())
    }

    fn numbers(self) -> [f64; 4] {
        self.to_array()
    }

    /// Returns the rotation to another one along the shorter arc, as its axis times its angle in radians.
    fn difference_to(self, other: DQuat) -> DVec3 {
        let other = if self.dot(other) < 0.0 { -other } else { other };
        (other * self.conjugate()).to_scaled_axis()
    }

    fn moved(self, difference: DVec3) -> DQuat {
        (DQuat::from_scaled_axis(difference) * self).normalize()
    }

    fn signed(self, before: DQuat, [earlier, recorded]: [DQuat; 2]) -> DQuat {
        let turns = (self.dot(before) < 0.0) != (recorded.dot(earlier) < 0.0);
        if turns { -self } else { self }
    }
}

/// A direction of length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Direction(DVec3);

impl Signal for Direction {
    fn read(numbers: &[f64]) -> Option<Direction> {
        let direction = DVec3::from_array(*numbers.first_chunk()?);
        let has_length = direction.is_finite() && direction.length_squared() > 0.0;
        has_length.then(|| Direction(direction.normalize()))
    }

    fn numbers(self) -> [f64; 4] {
        self.0.numbers()
    }

    fn difference_to(self, other: Direction) -> DVec3 {
        let (sine, cosine) = (self.0.cross(other.0), self.0.dot(other.0));
        match sine.try_normalize() {
            Some(axis) => axis * sine.length().atan2(cosine),
            // Opposite directions have no unique axis. Any perpendicular axis is correct.
            None if cosine < 0.0 => self.0.any_orthonormal_vector() * PI,
            None => DVec3::ZERO,
        }
    }

    fn moved(self, difference: DVec3) -> Direction {
        Direction((DQuat::from_scaled_axis(difference) * self.0).normalize())
    }
}

/// The state of the filter between two keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneEuro<S> {
    /// The last input and output.
    raw: S,
    value: S,
    /// The filtered speed, per second.
    speed: DVec3,
}

impl<S: Signal> OneEuro<S> {
    /// Starts the filter with its first value, which passes unchanged.
    pub(super) fn new(raw: S) -> OneEuro<S> {
        OneEuro {
            raw,
            value: raw,
            speed: DVec3::ZERO,
        }
    }

    /// Returns the filtered value of `raw`, which comes `seconds` after the last value. `beta` is the increase of the
    /// cutoff with speed. Returns `None` for a jump, which is another value at the same time.
    pub(super) fn next(&mut self, raw: S, seconds: f64, options: &Smooth, beta: f64) -> Option<S> {
        if seconds <= 0.0 {
            return (raw == self.raw).then_some(self.value);
        }
        // As published, the speed is computed from the last filtered value and not from the last
        // input.
        let difference = self.value.difference_to(raw);
        self.speed +=
            (difference / seconds - self.speed) * share(options.derivative_cutoff, seconds);
        let share = share(options.min_cutoff + beta * self.speed.length(), seconds);
        // The input is copied, because the sum of the value and the difference would be rounded.
        let value = if share >= 1.0 {
            raw
        } else if difference == DVec3::ZERO {
            self.value
        } else {
            self.value.moved(difference * share)
        };
        self.value = value.signed(self.value, [self.raw, raw]);
        self.raw = raw;
        Some(self.value)
    }
}

/// Returns the share, 0 to 1, of a difference that a low-pass filter with a cutoff in Hz passes within `seconds`.
fn share(cutoff: f64, seconds: f64) -> f64 {
    let ratio = TAU * cutoff * seconds;
    // With an infinite cutoff, the quotient would be infinity divided by infinity.
    if ratio.is_finite() {
        ratio / (1.0 + ratio)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH: Smooth = Smooth {
        min_cutoff: 1.2,
        beta: 3.0,
        rotation_beta: 0.4,
        derivative_cutoff: 0.8,
        joints: Vec::new(),
        exclude: Vec::new(),
    };

    /// Returns values that move in both directions at irregular times.
    fn samples() -> impl Iterator<Item = (f64, f64)> {
        let time = |step: u32| f64::from(step) / 60.0 + 0.004 * f64::from(step % 3);
        (0..200).map(move |step| (time(step), (f64::from(step * step % 37) / 37.0 - 0.5).sin()))
    }

    /// Applies algorithm 1 of the paper to one number.
    fn as_in_the_paper(beta: f64) -> Vec<f64> {
        let alpha = |rate: f64, cutoff: f64| {
            let tau = 1.0 / (TAU * cutoff);
            let te = 1.0 / rate;
            1.0 / (1.0 + tau / te)
        };
        let lowpass = |alpha: f64, x: f64, before: f64| alpha * x + (1.0 - alpha) * before;
        let mut state: Option<(f64, f64, f64)> = None;
        let filtered = samples().map(|(time, x)| {
            let Some((before, hat, speed)) = state else {
                state = Some((time, x, 0.0));
                return x;
            };
            let rate = 1.0 / (time - before);
            let dx = (x - hat) * rate;
            let edx = lowpass(alpha(rate, WITH.derivative_cutoff), dx, speed);
            let cutoff = WITH.min_cutoff + beta * edx.abs();
            let hat = lowpass(alpha(rate, cutoff), x, hat);
            state = Some((time, hat, edx));
            hat
        });
        filtered.collect()
    }

    fn filtered<S: Signal>(beta: f64, of: impl Fn(f64) -> S) -> Vec<S> {
        let mut filter: Option<(f64, OneEuro<S>)> = None;
        let values = samples().map(|(time, x)| match &mut filter {
            None => {
                filter = Some((time, OneEuro::new(of(x))));
                of(x)
            }
            Some((before, filter)) => {
                let seconds = time - std::mem::replace(before, time);
                filter.next(of(x), seconds, &WITH, beta).unwrap()
            }
        });
        values.collect()
    }

    #[test]
    fn positions_follow_the_published_filter() {
        let along = DVec3::new(1.0, -2.0, 2.0) / 3.0;
        let found = filtered(WITH.beta, |x| along * x + DVec3::ONE);
        for (found, expected) in found.iter().zip(as_in_the_paper(WITH.beta)) {
            assert!(found.distance(along * expected + DVec3::ONE) < 1e-12);
        }
    }

    #[test]
    fn angles_follow_the_published_filter() {
        let axis = DVec3::new(2.0, 3.0, 6.0) / 7.0;
        let start = DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5);
        let turned = |x: f64| DQuat::from_axis_angle(axis, x) * start;
        let expected = as_in_the_paper(WITH.rotation_beta);
        let found = filtered(WITH.rotation_beta, turned);
        for (found, &angle) in found.iter().zip(&expected) {
            assert!((found.dot(turned(angle)) - 1.0).abs() < 1e-12);
            assert!((found.length() - 1.0).abs() < 1e-12);
        }
        let across = axis.any_orthonormal_vector();
        let heading = |x: f64| Direction(DQuat::from_axis_angle(axis, x) * across);
        let found = filtered(WITH.rotation_beta, heading);
        for (found, &angle) in found.iter().zip(&expected) {
            assert!(found.0.distance(heading(angle).0) < 1e-12);
        }
    }

    #[test]
    fn direction_can_reverse() {
        let mut filter = OneEuro::new(Direction(DVec3::Z));
        for _ in 0..100 {
            filter.next(Direction(DVec3::NEG_Z), 0.1, &WITH, 1.0);
        }
        assert!(filter.value.0.distance(DVec3::NEG_Z) < 1e-9);
    }
}
