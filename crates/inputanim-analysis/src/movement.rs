//! Movements: parts of a path in which a joint moves.
//!
//! Method: a movement is a part in which the speed stays at or above a lower threshold and reaches an upper one. Two
//! thresholds (hysteresis) are used because noise near a single threshold could split a movement.

use std::ops::Range;

use inputanim::{Joint, Side};

use crate::channels::{Channels, Kinematics, distance, runs, vector};
use crate::missing::{Measured, Missing};
use crate::smoothness::{SparcParameters, log_dimensionless_jerk, sparc};

/// Parameters of the segmentation into movements.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, rename_all = "camelCase"))]
#[non_exhaustive]
pub struct MovementParameters {
    /// Speed in m/s that a movement must reach; 0.1 by default.
    pub start_speed: f64,
    /// Speed in m/s below which a movement begins and ends; 0.05 by default.
    pub end_speed: f64,
    /// Shortest movement in seconds; 0.1 by default.
    pub min_duration: f64,
    /// Smallest prominence of a peak of the speed that counts as a submovement, relative to the peak
    /// speed of the movement; 0.05 by default.
    pub prominence: f64,
    /// Parameters of the spectral arc length.
    pub sparc: SparcParameters,
}

impl Default for MovementParameters {
    /// Returns the default parameters: a start speed of 0.1 m/s, an end speed of 0.05 m/s, a shortest duration of 0.1
    /// s, a prominence of 0.05, and the defaults of SPARC.
    fn default() -> Self {
        MovementParameters {
            start_speed: 0.1,
            end_speed: 0.05,
            min_duration: 0.1,
            prominence: 0.05,
            sparc: SparcParameters::default(),
        }
    }
}

/// A movement of a joint.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Movement {
    /// Side of the hand.
    pub side: Side,
    /// The joint.
    pub joint: Joint,
    /// Samples of the movement.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub samples: Range<usize>,
    /// Onset in seconds.
    pub start: f64,
    /// Duration in seconds, from the first to the last sample.
    pub duration: f64,
    /// `true` if the joint already moves when the recording or tracking begins, so that the onset is not known.
    pub is_cut_at_start: bool,
    /// `true` if the joint still moves when the recording or tracking ends, so that the end is not known.
    pub is_cut_at_end: bool,
    /// Position at the onset in metres.
    pub from: [f64; 3],
    /// Position at the end in metres.
    pub to: [f64; 3],
    /// Distance between the positions at the onset and at the end, in metres.
    pub amplitude: f64,
    /// Length of the path in metres.
    pub path_length: f64,
    /// Greatest speed in m/s.
    pub peak_speed: f64,
    /// Time from the onset to the greatest speed in seconds.
    pub time_to_peak: f64,
    /// Number of peaks of the speed; at least 1.
    pub submovements: usize,
    /// Spectral arc length (SPARC).
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::serialize::measured")
    )]
    pub sparc: Measured,
    /// Logarithm of the dimensionless jerk (LDLJ).
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::serialize::measured")
    )]
    pub ldlj: Measured,
}

impl Movement {
    /// Returns `true` if the onset and the end of the movement are known.
    pub fn is_complete(&self) -> bool {
        !self.is_cut_at_start && !self.is_cut_at_end
    }

    /// Returns the straightness of the movement: its amplitude divided by the length of its path, 1 for a straight
    /// line.
    ///
    /// # Errors
    /// Returns the reason if the path has no length.
    pub fn straightness(&self) -> Measured {
        crate::missing::ratio(self.amplitude, self.path_length, Missing::Undefined)
    }
}

/// Returns the movements of a joint in order of time; none if the joint is not recorded. `kinematics` are those of the
/// joint.
pub fn movements(
    channels: &Channels,
    side: Side,
    joint: Joint,
    kinematics: &Kinematics,
    parameters: &MovementParameters,
) -> Vec<Movement> {
    let Some(positions) = channels.hand(side).joint(joint) else {
        return Vec::new();
    };
    let speed = &kinematics.speed;
    let candidates = runs(0..speed.len(), |index| speed[index] >= parameters.end_speed);
    let movement = |samples: Range<usize>| {
        let profile = &speed[samples.clone()];
        let (peak_at, peak_speed) = peak(profile)?;
        let duration = (samples.len() - 1) as f64 / channels.rate;
        if peak_speed < parameters.start_speed || duration < parameters.min_duration {
            return None;
        }
        let path = &positions[samples.clone()];
        let (from, to) = (path[0], path[path.len() - 1]);
        Some(Movement {
            side,
            joint,
            start: channels.time(samples.start),
            duration,
            // A speed is not known where the joint is not tracked or not recorded.
            is_cut_at_start: samples.start == 0 || speed[samples.start - 1].is_nan(),
            is_cut_at_end: speed.get(samples.end).is_none_or(|speed| speed.is_nan()),
            from: vector(from).to_array(),
            to: vector(to).to_array(),
            amplitude: distance(from, to),
            path_length: path.windows(2).map(|pair| distance(pair[0], pair[1])).sum(),
            peak_speed,
            time_to_peak: peak_at as f64 / channels.rate,
            submovements: peaks(profile, parameters.prominence * peak_speed).max(1),
            sparc: sparc(profile, channels.rate, &parameters.sparc),
            ldlj: log_dimensionless_jerk(profile, channels.rate),
            samples,
        })
    };
    candidates.filter_map(movement).collect()
}

/// Returns the index and the value of the greatest number; `None` for an empty slice.
fn peak(values: &[f64]) -> Option<(usize, f64)> {
    let indexed = values.iter().copied().enumerate();
    indexed.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Counts the local maxima with a prominence of at least `min`. The lowest point on each side of a maximum is taken up
/// to a higher maximum or the end. The prominence is the height above the higher one of these two points.
fn peaks(values: &[f64], min: f64) -> usize {
    let base = |top: f64, side: &mut dyn Iterator<Item = &f64>| {
        let below = side.take_while(|&&value| value <= top);
        below.copied().fold(top, f64::min)
    };
    let is_prominent = |index: usize| {
        let top = values[index];
        let before = base(top, &mut values[..index].iter().rev());
        let after = base(top, &mut values[index + 1..].iter());
        top - before.max(after) >= min
    };
    let last = values.len().saturating_sub(1);
    let is_maximum =
        |&index: &usize| values[index - 1] < values[index] && values[index] >= values[index + 1];
    (1..last)
        .filter(is_maximum)
        .filter(|&index| is_prominent(index))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_counted_by_their_prominence() {
        let speed = [0.0, 1.0, 0.9, 0.95, 0.2, 0.8, 0.0];
        assert_eq!(peaks(&speed, 0.0), 3);
        assert_eq!(peaks(&speed, 0.1), 2);
        assert_eq!(peaks(&speed, 0.9), 1);
        assert_eq!(peaks(&[0.0, 1.0, 2.0], 0.1), 0);
        assert_eq!(peaks(&[], 0.1), 0);
    }
}
