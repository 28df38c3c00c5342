//! Fixations and saccades of the gaze.
//!
//! Directions are in world space, so a movement of the head does not end a fixation while the eyes hold a point of the
//! world.

use std::ops::Range;

use glam::DVec3;

use crate::channels::{Channels, angle, angular_speed, runs, vector};
use crate::dispersion::dispersion;
use crate::missing::{Measured, Missing};
use crate::statistics::{covariance, regression};

/// Parameters of fixations by dispersion (I-DT).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct IdtParameters {
    /// Largest dispersion in degrees; 1.0 by default (Llanes-Jurado et al. 2020).
    pub dispersion: f64,
    /// Shortest fixation in seconds; 0.25 by default (Llanes-Jurado et al. 2020).
    pub duration: f64,
}

impl Default for IdtParameters {
    /// Returns the default parameters of I-DT: a largest dispersion of 1.0° and a shortest duration of 0.25 s.
    fn default() -> Self {
        IdtParameters {
            dispersion: 1.0,
            duration: 0.25,
        }
    }
}

/// Parameters of fixations by velocity (I-VT).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct IvtParameters {
    /// Velocity in °/s below which a sample belongs to a fixation; 20 by default.
    pub velocity: f64,
    /// Shortest fixation in seconds; 0.1 by default.
    pub duration: f64,
}

impl Default for IvtParameters {
    /// Returns the default parameters of I-VT: a velocity of 20 °/s and a shortest duration of 0.1 s.
    fn default() -> Self {
        IvtParameters {
            velocity: 20.0,
            duration: 0.1,
        }
    }
}

/// Parameters of the analysis of the gaze.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, rename_all = "camelCase"))]
#[non_exhaustive]
pub struct GazeParameters {
    /// Fixations by dispersion.
    pub idt: IdtParameters,
    /// Fixations by velocity.
    pub ivt: IvtParameters,
    /// Velocity in °/s from which a sample belongs to a saccade; 30 by default (Olsen 2012).
    pub saccade_velocity: f64,
    /// Smallest amplitude of a saccade in degrees; 1.0 by default.
    pub saccade_amplitude: f64,
    /// Time in seconds after which an unchanged direction counts as frozen, because eyes never rest
    /// completely; 0.25 by default. Frozen samples belong to no fixation.
    pub frozen: f64,
    /// Share of the samples that the bivariate contour ellipse contains; 0.682 by default (Crossland and
    /// Rubin 2002).
    pub bcea_share: f64,
}

impl Default for GazeParameters {
    /// Returns the default value of each parameter, as the documentation of its field states it.
    fn default() -> Self {
        GazeParameters {
            idt: IdtParameters::default(),
            ivt: IvtParameters::default(),
            saccade_velocity: 30.0,
            saccade_amplitude: 1.0,
            frozen: 0.25,
            bcea_share: 0.682,
        }
    }
}

/// A fixation: a time in which the gaze rests on a point.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Fixation {
    /// Samples of the fixation.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub samples: Range<usize>,
    /// Onset in seconds.
    pub start: f64,
    /// Duration in seconds, from the first to the last sample.
    pub duration: f64,
    /// Mean direction, of length 1.
    pub direction: [f64; 3],
    /// Largest angle between two directions in degrees.
    pub dispersion: f64,
    /// Area of the bivariate contour ellipse (BCEA) in square degrees.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::serialize::measured")
    )]
    pub bcea: Measured,
}

/// A saccade: a fast movement of the gaze.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Saccade {
    /// Samples of the saccade.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub samples: Range<usize>,
    /// Onset in seconds.
    pub start: f64,
    /// Duration in seconds, from the first to the last sample.
    pub duration: f64,
    /// Angle between the first and the last direction in degrees.
    pub amplitude: f64,
    /// Greatest velocity in °/s.
    pub peak_velocity: f64,
}

/// The gaze at each sample, and its fixations and saccades.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Gaze {
    /// `true` where the direction is known.
    pub valid: Vec<bool>,
    /// `true` where the direction does not change for a while.
    pub frozen: Vec<bool>,
    /// Velocity of the direction in °/s; NaN where it is not known.
    pub velocity: Vec<f64>,
    /// Fixations by dispersion (I-DT).
    pub fixations: Vec<Fixation>,
    /// Fixations by velocity (I-VT).
    pub velocity_fixations: Vec<Fixation>,
    /// Saccades.
    pub saccades: Vec<Saccade>,
}

impl Gaze {
    /// Finds the fixations and saccades of a sampled recording; `None` if the gaze is not recorded.
    pub fn of(channels: &Channels, parameters: &GazeParameters) -> Option<Gaze> {
        let mut directions = channels.gaze_direction.clone()?;
        let rate = channels.rate;
        let valid: Vec<bool> = directions.iter().map(is_known).collect();
        let frozen = frozen(&directions, rate, parameters.frozen);
        for (direction, _) in directions
            .iter_mut()
            .zip(&frozen)
            .filter(|(_, frozen)| **frozen)
        {
            *direction = [f32::NAN; 3];
        }
        let velocity = gaze_velocity(&directions, rate);
        let fixation = |samples: Range<usize>| fixation(channels, &directions, samples, parameters);
        let fixations = idt(&directions, rate, &parameters.idt);
        let by_velocity = ivt(&velocity, rate, &parameters.ivt);
        let is_fast = |index: usize| velocity[index] >= parameters.saccade_velocity;
        let saccade = |samples: Range<usize>| {
            let ends = [samples.start, samples.end - 1].map(|index| vector(directions[index]));
            let amplitude = angle(ends[0], ends[1]);
            let peaks = velocity[samples.clone()].iter().copied();
            (amplitude >= parameters.saccade_amplitude).then(|| Saccade {
                start: channels.time(samples.start),
                duration: (samples.len() - 1) as f64 / rate,
                amplitude,
                peak_velocity: peaks.fold(0.0, f64::max),
                samples,
            })
        };
        let saccades = runs(0..velocity.len(), is_fast).filter_map(saccade);
        Some(Gaze {
            saccades: saccades.collect(),
            fixations: fixations.into_iter().map(fixation).collect(),
            velocity_fixations: by_velocity.into_iter().map(fixation).collect(),
            velocity,
            valid,
            frozen,
        })
    }
}

impl Gaze {
    /// Returns `true` if the direction of the gaze at a sample is known and not frozen. It is frozen if it does not
    /// change for longer than eyes can rest.
    pub fn is_live(&self, sample: usize) -> bool {
        self.valid[sample] && !self.frozen[sample]
    }
}

fn is_known(direction: &[f32; 3]) -> bool {
    direction.iter().all(|value| value.is_finite())
}

/// Returns `true` for each direction that belongs to a run of equal directions that lasts at least `seconds`.
/// Directions that are not known give `false`. `rate` is the sampling rate in Hz.
fn frozen(directions: &[[f32; 3]], rate: f64, seconds: f64) -> Vec<bool> {
    let mut frozen = vec![false; directions.len()];
    let mut start = 0;
    for end in 1..=directions.len() {
        if directions
            .get(end)
            .is_some_and(|next| *next == directions[start])
        {
            continue;
        }
        if (end - 1 - start) as f64 / rate >= seconds && is_known(&directions[start]) {
            frozen[start..end].fill(true);
        }
        start = end;
    }
    frozen
}

/// Returns the velocity of the gaze at each sample in °/s: the angle between the directions before and after the
/// sample, divided by the time between them. NaN if a direction is not known. `rate` is the sampling rate in Hz.
pub fn gaze_velocity(directions: &[[f32; 3]], rate: f64) -> Vec<f64> {
    let angle = |a: usize, b: usize| angle(vector(directions[a]), vector(directions[b]));
    angular_speed(
        directions.len(),
        rate,
        |index| is_known(&directions[index]),
        angle,
    )
}

/// Finds fixations by dispersion (I-DT, Salvucci and Goldberg 2000) in directions of length 1 at a rate in Hz. Returns
/// the range of samples of each fixation.
///
/// The dispersion is the largest angle between two directions of the window. Unlike a sum of horizontal
/// and vertical extents, it does not depend on the axes.
pub fn idt(directions: &[[f32; 3]], rate: f64, parameters: &IdtParameters) -> Vec<Range<usize>> {
    // Chords are compared, because they need no arc functions. No angle is greater than 180°. At this limit, every
    // chord is within the limit, although rounding can make it greater than the diameter.
    let limit = if parameters.dispersion < 180.0 {
        2.0 * libm::sin(parameters.dispersion.to_radians() / 2.0)
    } else {
        f64::INFINITY
    };
    let directions: Vec<DVec3> = directions.iter().copied().map(vector).collect();
    let balls: Vec<Ball> = directions.chunks(Ball::SAMPLES).map(Ball::of).collect();
    let farthest = |start: usize, added: usize, before: f64| {
        let new = directions[added];
        let farthest = |samples: Range<usize>| {
            let chords = directions[samples]
                .iter()
                .map(|old| old.distance_squared(new));
            chords.fold(0.0, f64::max)
        };
        let first = start.div_ceil(Ball::SAMPLES);
        let last = added / Ball::SAMPLES;
        if first >= last {
            return before.max(farthest(start..added));
        }
        let (head, tail) = (first * Ball::SAMPLES, last * Ball::SAMPLES);
        let mut spread = before.max(farthest(start..head)).max(farthest(tail..added));
        for (index, ball) in balls[first..last].iter().enumerate() {
            // A ball within the limit cannot end the window. The factor covers rounding.
            if (ball.center.distance(new) + ball.radius) * (1.0 + 1e-12) > limit {
                let begin = head + index * Ball::SAMPLES;
                spread = spread.max(farthest(begin..begin + Ball::SAMPLES));
            }
        }
        spread
    };
    let is_known = |index: usize| directions[index].is_finite();
    windows(
        directions.len(),
        rate,
        parameters.duration,
        limit * limit,
        is_known,
        farthest,
    )
}

/// A ball that contains some successive directions. One comparison with a ball covers many samples of a long fixation.
/// Without balls, the time would grow with the square of the length of the fixation.
struct Ball {
    center: DVec3,
    radius: f64,
}

impl Ball {
    /// The number of directions in a ball.
    const SAMPLES: usize = 64;

    fn of(directions: &[DVec3]) -> Ball {
        let center = directions.iter().sum::<DVec3>() / directions.len() as f64;
        let distances = directions
            .iter()
            .map(|direction| direction.distance(center));
        Ball {
            center,
            radius: distances.fold(0.0, f64::max),
        }
    }
}

/// Finds fixations by dispersion (I-DT) in planar angles x, y in degrees at a rate in Hz. Returns the range of samples
/// of each fixation.
///
/// The dispersion is the sum of the extents in x and y, as for a screen (Salvucci and Goldberg 2000).
pub fn idt_planar(
    positions: &[[f64; 2]],
    rate: f64,
    parameters: &IdtParameters,
) -> Vec<Range<usize>> {
    let extents = |start: usize, added: usize, _: f64| {
        let extent = |axis: usize| {
            let values = positions[start..=added]
                .iter()
                .map(|position| position[axis]);
            let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| {
                (min.min(value), max.max(value))
            });
            ends.1 - ends.0
        };
        extent(0) + extent(1)
    };
    let is_known = |index: usize| positions[index].iter().all(|value| value.is_finite());
    windows(
        positions.len(),
        rate,
        parameters.duration,
        parameters.dispersion,
        is_known,
        extents,
    )
}

/// Finds fixations by dispersion (I-DT) in `len` samples at a rate in Hz. Returns the range of samples of each
/// fixation, which lasts at least `duration` seconds and has a dispersion of at most `limit`. `dispersion` gets the
/// first sample of a window, the sample that is added, and the dispersion before. It returns the dispersion with the
/// added sample. If this is within the limit, any value within the limit is enough.
fn windows(
    len: usize,
    rate: f64,
    duration: f64,
    limit: f64,
    is_known: impl Fn(usize) -> bool,
    dispersion: impl Fn(usize, usize, f64) -> f64,
) -> Vec<Range<usize>> {
    // As for all events, the duration is the time from the first to the last sample. The tolerance is for durations of
    // an integer number of samples.
    let min = (libm::ceil(duration * rate - 1e-9) as usize)
        .saturating_add(1)
        .max(2);
    let mut found = Vec::new();
    for run in runs(0..len, is_known) {
        let mut start = run.start;
        while run.end - start >= min {
            let (mut end, mut spread) = (start + 1, 0.0);
            while end < run.end {
                spread = dispersion(start, end, spread);
                if spread > limit {
                    break;
                }
                end += 1;
            }
            if end - start >= min {
                found.push(start..end);
                start = end;
            } else {
                start += 1;
            }
        }
    }
    found
}

/// Finds fixations by velocity (I-VT, Salvucci and Goldberg 2000) in velocities in °/s at a rate in Hz. Returns the
/// range of samples of each fixation.
pub fn ivt(velocity: &[f64], rate: f64, parameters: &IvtParameters) -> Vec<Range<usize>> {
    // The tolerance is for durations of an integer number of samples.
    let is_long =
        |run: &Range<usize>| (run.len() - 1) as f64 / rate >= parameters.duration * (1.0 - 1e-9);
    runs(0..velocity.len(), |index| {
        velocity[index] < parameters.velocity
    })
    .filter(is_long)
    .collect()
}

fn fixation(
    channels: &Channels,
    directions: &[[f32; 3]],
    samples: Range<usize>,
    parameters: &GazeParameters,
) -> Fixation {
    let directions: Vec<DVec3> = directions[samples.clone()]
        .iter()
        .copied()
        .map(vector)
        .collect();
    let mean = mean_direction(&directions);
    Fixation {
        start: channels.time(samples.start),
        duration: (samples.len() - 1) as f64 / channels.rate,
        direction: mean.to_array(),
        dispersion: dispersion(&directions, mean),
        bcea: bcea(&directions, parameters.bcea_share),
        samples,
    }
}

/// Returns the mean of some directions, of length 1; NaN without directions.
pub(crate) fn mean_direction(directions: &[DVec3]) -> DVec3 {
    directions.iter().sum::<DVec3>().normalize()
}

/// Returns the area of the ellipse that contains a share (from 0 to 1) of normally distributed directions, in square
/// degrees (Steinman 1965; Crossland and Rubin 2002).
///
/// # Errors
/// Returns the reason if there are fewer than three directions.
pub(crate) fn bcea(directions: &[DVec3], share: f64) -> Measured {
    if directions.len() < 3 {
        return Err(Missing::TooFew);
    }
    let mean = mean_direction(directions);
    let across = mean.any_orthonormal_vector();
    let up = mean.cross(across);
    let planar = |direction: &DVec3| {
        let (x, y) = (direction.dot(across), direction.dot(up));
        // Azimuthal equidistant: the distance from the mean is the angle, so that the area does not
        // depend on the choice of the axes.
        let scale = match libm::hypot(x, y) {
            0.0 => 0.0,
            sine => angle(*direction, mean) / sine,
        };
        (x * scale, y * scale)
    };
    let points: Vec<(f64, f64)> = directions.iter().map(planar).collect();
    let [xx, yy, xy] = covariance(&points);
    let count = (directions.len() - 1) as f64;
    // Rounding can make the determinant of equal directions negative.
    let determinant = (xx * yy - xy * xy).max(0.0) / (count * count);
    let k = -libm::log(1.0 - share);
    Ok(2.0 * std::f64::consts::PI * k * libm::sqrt(determinant))
}

/// Fits the main sequence (Bahill, Clark and Stark 1975) as a power law: peak velocity = coefficient ·
/// amplitude^exponent. Returns the exponent, and the coefficient in °/s for an amplitude of 1°.
///
/// # Errors
/// Returns the reason if there are fewer than three saccades or their amplitudes are equal.
pub fn main_sequence(saccades: &[Saccade]) -> Result<(f64, f64), Missing> {
    let logarithms: Vec<(f64, f64)> = saccades
        .iter()
        .map(|saccade| {
            (
                libm::log(saccade.amplitude),
                libm::log(saccade.peak_velocity),
            )
        })
        .collect();
    let (exponent, intercept) = regression(&logarithms)?;
    Ok((exponent, libm::exp(intercept)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(degrees: f64) -> [f32; 3] {
        let radians = degrees.to_radians();
        [radians.sin() as f32, 0.0, radians.cos() as f32]
    }

    /// Two fixations at 0° and 10°, with 0.2° of noise, and one sample between them, at 100 Hz.
    fn two() -> Vec<[f32; 3]> {
        let noise = |index: usize| 0.1 * ((index % 3) as f64 - 1.0);
        let angle = |index: usize| match index {
            0..40 => noise(index),
            40 => 5.0,
            _ => 10.0 + noise(index),
        };
        (0..81).map(|index| at(angle(index))).collect()
    }

    #[test]
    fn idt_finds_two_fixations_to_the_sample() {
        assert_eq!(
            idt(&two(), 100.0, &IdtParameters::default()),
            [0..40, 41..81]
        );
        let planar: Vec<[f64; 2]> = two()
            .iter()
            .map(|d| [f64::from(d[0]).atan2(d[2].into()).to_degrees(), 0.0])
            .collect();
        let found = idt_planar(&planar, 100.0, &IdtParameters::default());
        assert_eq!(found, [0..40, 41..81]);
    }

    /// Compares with a search that looks at every pair, for windows shorter and longer than a ball.
    #[test]
    fn balls_do_not_change_fixations() {
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
        };
        let mut angle = 0.0;
        let directions: Vec<[f32; 3]> = (0..3000)
            .map(|index| {
                // Slow drift with noise, and a jump from time to time.
                angle += if index % 700 == 0 { 5.0 } else { 0.002 };
                at(angle + 0.4 * random())
            })
            .collect();
        for dispersion in [0.3, 0.5, 1.0, 3.0] {
            let limit = 2.0 * libm::sin(f64::to_radians(dispersion) / 2.0);
            let farthest = |start: usize, added: usize, before: f64| {
                let chord =
                    |old: &[f32; 3]| vector(*old).distance_squared(vector(directions[added]));
                directions[start..added]
                    .iter()
                    .map(chord)
                    .fold(before, f64::max)
            };
            let expected = windows(3000, 60.0, 0.25, limit * limit, |_| true, farthest);
            let parameters = IdtParameters {
                dispersion,
                duration: 0.25,
            };
            assert_eq!(idt(&directions, 60.0, &parameters), expected);
            assert!(expected.iter().any(|window| window.len() > 100) || dispersion < 1.0);
        }
    }

    #[test]
    fn no_angle_exceeds_a_dispersion_of_180() {
        let directions = [at(0.0), at(180.0), at(90.0)].repeat(30);
        for dispersion in [180.0, 200.0, 360.0] {
            let parameters = IdtParameters {
                dispersion,
                ..IdtParameters::default()
            };
            let lengths = idt(&directions, 60.0, &parameters)
                .into_iter()
                .map(|found| found.len());
            assert_eq!(lengths.collect::<Vec<_>>(), [90], "{dispersion}");
        }
    }

    #[test]
    fn a_lost_sample_interrupts_a_fixation() {
        let mut directions = two();
        directions[10] = [f32::NAN; 3];
        let found = idt(&directions, 100.0, &IdtParameters::default());
        assert_eq!(found, [11..40, 41..81]);
    }

    #[test]
    fn ivt_finds_runs_below_the_velocity() {
        let velocity = [5.0, 5.0, 30.0, 19.0, 1.0, 2.0, f64::NAN, 3.0, 3.0, 3.0];
        let parameters = IvtParameters {
            duration: 0.2,
            ..IvtParameters::default()
        };
        assert_eq!(ivt(&velocity, 10.0, &parameters), [3..6, 7..10]);
        let found = gaze_velocity(&[at(0.0), at(1.0), at(2.0), at(4.0)], 10.0);
        for (found, expected) in found.iter().zip([10.0, 10.0, 15.0, 20.0]) {
            assert!((found - expected).abs() < 1e-4, "{found}");
        }
    }

    #[test]
    fn unchanged_directions_are_frozen() {
        let mut directions = two();
        directions[50..].fill(at(9.0));
        let found = frozen(&directions, 100.0, 0.25);
        assert!(!found[49] && found[50..].iter().all(|frozen| *frozen));
    }

    #[test]
    fn bcea_is_the_closed_form() {
        // Four directions at ±1° on both axes: variances of 2/3 deg², and no correlation.
        let directions =
            [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]].map(|[x, y]: [f64; 2]| {
                DVec3::new(x.to_radians().tan(), y.to_radians().tan(), 1.0).normalize()
            });
        let expected = 2.0 * std::f64::consts::PI * -(1.0_f64 - 0.682).ln() * 2.0 / 3.0;
        let found = bcea(&directions, 0.682).unwrap();
        assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
    }

    #[test]
    fn the_main_sequence_of_a_power_law_is_exact() {
        let saccade = |amplitude: f64| Saccade {
            samples: 0..2,
            start: 0.0,
            duration: 0.05,
            amplitude,
            peak_velocity: 60.0 * amplitude.powf(0.6),
        };
        let (exponent, coefficient) = main_sequence(&[1.0, 5.0, 20.0].map(saccade)).unwrap();
        assert!((exponent - 0.6).abs() < 1e-9 && (coefficient - 60.0).abs() < 1e-6);
    }
}
