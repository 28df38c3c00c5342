//! Rotation of the head.

use glam::{DQuat, DVec3};

use crate::channels::{Channels, angular_speed, runs};
use crate::missing::{Measured, Missing};
use crate::rotation::{angle_of, angles_of};

/// Rotation of the head at each sample: its angles and its angular speed. Values that are not known are
/// NaN.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct HeadRotation {
    /// Heading in degrees, to the right; continuous, so that full turns add up.
    pub yaw: Vec<f64>,
    /// Angle of the view direction above the horizon in degrees.
    pub pitch: Vec<f64>,
    /// Tilt in degrees, positive if the right side is higher.
    pub roll: Vec<f64>,
    /// Angular speed in °/s.
    pub speed: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(skip))]
    rotations: Vec<DQuat>,
}

impl HeadRotation {
    /// Computes the angles and the angular speed of the head at each sample; `None` if the head is not recorded.
    ///
    /// The angular speed of a sample is the angle between its two neighbours, divided by the time between them. At the
    /// ends of an uninterrupted part, it is the angle to its only neighbour, divided by one interval.
    pub fn of(channels: &Channels) -> Option<HeadRotation> {
        let rotations = channels.head_rotation.as_ref()?;
        Some(HeadRotation::of_rotations(rotations, channels.rate))
    }

    /// Computes the angles and the angular speed from rotations at a rate in Hz.
    pub(crate) fn of_rotations(rotations: &[[f32; 4]], rate: f64) -> HeadRotation {
        let rotations: Vec<DQuat> = rotations
            .iter()
            .map(|rotation| DQuat::from_array(rotation.map(f64::from)))
            .collect();
        let angle = |a: usize, b: usize| angle_of(rotations[a], rotations[b]);
        let is_known = |index: usize| rotations[index].is_finite();
        let speed = angular_speed(rotations.len(), rate, is_known, angle);
        let mut head = HeadRotation {
            speed,
            ..HeadRotation::default()
        };
        let mut before: Option<f64> = None;
        for rotation in &rotations {
            let [mut yaw, pitch, roll] = angles_of(*rotation);
            if let Some(before) = before {
                yaw += 360.0 * libm::round((before - yaw) / 360.0);
            }
            before = (!yaw.is_nan()).then_some(yaw).or(before);
            head.yaw.push(yaw);
            head.pitch.push(pitch);
            head.roll.push(roll);
        }
        head.rotations = rotations;
        head
    }

    /// Returns the angle in degrees between the rotations at a sample and at the next one; NaN if one is not
    /// known.
    pub(crate) fn step(&self, sample: usize) -> f64 {
        angle_of(self.rotations[sample], self.rotations[sample + 1])
    }

    /// Returns the view direction at a sample, of length 1; NaN if it is not known.
    pub(crate) fn forward(&self, sample: usize) -> DVec3 {
        self.rotations[sample] * DVec3::Z
    }
}

/// Returns the difference of the greatest and the smallest number, without NaN.
///
/// # Errors
/// Returns the reason if all numbers are NaN.
pub(crate) fn extent(values: &[f64]) -> Measured {
    let known = runs(0..values.len(), |index| !values[index].is_nan());
    let ends = known.flat_map(|run| &values[run]);
    let (min, max) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), &value| {
        (min.min(value), max.max(value))
    });
    if min <= max {
        Ok(max - min)
    } else {
        Err(Missing::NoSamples)
    }
}
