//! Pinches of thumb and index finger: from the recorded state, and from the distance of the tips.

use std::ops::Range;

use inputanim::{Joint, Side, TimeRange};

use crate::channels::{Channels, distance, path_length, runs, vector};
use crate::missing::{Measured, Missing, ratio};

/// Parameters of the detection of pinches from the distance of the tips.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, rename_all = "camelCase"))]
#[non_exhaustive]
pub struct PinchOptions {
    /// Distance in metres at or below which a pinch begins; 0.03 by default, as in the pinch detector of
    /// Leap Motion's Unity modules.
    pub close: f64,
    /// Distance in metres above which a pinch ends; 0.04 by default, as in the same detector.
    pub open: f64,
    /// Shortest pinch in seconds; 0.05 by default.
    pub min_duration: f64,
}

impl Default for PinchOptions {
    /// Returns 0.03 m, 0.04 m and 0.05 s.
    fn default() -> Self {
        PinchOptions {
            close: 0.03,
            open: 0.04,
            min_duration: 0.05,
        }
    }
}

/// The evidence of a pinch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum PinchSource {
    /// The state that was recorded.
    Recorded,
    /// The distance of the tips of thumb and index finger.
    Geometry,
}

/// A pinch.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Pinch {
    /// Side of the hand.
    pub side: Side,
    /// The evidence.
    pub source: PinchSource,
    /// Onset in seconds.
    pub start: f64,
    /// Duration in seconds.
    pub duration: f64,
    /// `false` if the recording begins or ends during the pinch, so that its duration is not known.
    pub is_complete: bool,
    /// Point halfway between the two tips at the onset, in metres; `None` if it is not known.
    pub position: Option<[f64; 3]>,
    /// Length of the path of that point during the pinch, in metres.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::serialize::measured")
    )]
    pub drag: Measured,
}

impl Pinch {
    /// Returns the end in seconds.
    pub fn end(&self) -> f64 {
        self.start + self.duration
    }
}

/// Returns the distance of the tips of thumb and index finger at each sample in metres; `None` if they
/// are not recorded.
pub fn aperture(channels: &Channels, side: Side) -> Option<Vec<f64>> {
    let [thumb, index] = tips(channels, side)?;
    let pairs = thumb.iter().zip(index);
    Some(
        pairs
            .map(|(&thumb, &index)| distance(thumb, index))
            .collect(),
    )
}

fn tips(channels: &Channels, side: Side) -> Option<[&[[f32; 3]]; 2]> {
    let hand = channels.hand(side);
    Some([hand.joint(Joint::ThumbTip)?, hand.joint(Joint::IndexTip)?])
}

/// Returns the pinches that were recorded: `ranges` are those of the state, as
/// [`HandSummary::pinching`](inputanim::summary::HandSummary::pinching) lists them.
pub fn recorded_pinches(channels: &Channels, side: Side, ranges: &[TimeRange]) -> Vec<Pinch> {
    let pinch = |range: &TimeRange| {
        let place = place(channels, side, channels.samples(*range));
        Pinch {
            side,
            source: PinchSource::Recorded,
            start: range.start.into(),
            duration: f64::from(range.end) - f64::from(range.start),
            is_complete: is_complete(channels, range.start.into(), range.end.into()),
            position: place.0,
            drag: place.1,
        }
    };
    ranges.iter().map(pinch).collect()
}

/// Returns the pinches by the distance of the tips, as [`aperture`] returns it.
pub fn geometric_pinches(
    channels: &Channels,
    side: Side,
    aperture: &[f64],
    options: &PinchOptions,
) -> Vec<Pinch> {
    let pinch = |samples: Range<usize>| {
        let duration = (samples.len() - 1) as f64 / channels.rate;
        if duration < options.min_duration {
            return None;
        }
        let place = place(channels, side, samples.clone());
        let [first, last] = [samples.start, samples.end - 1].map(|index| channels.time(index));
        Some(Pinch {
            side,
            source: PinchSource::Geometry,
            start: first,
            duration,
            is_complete: is_complete(channels, first, last),
            position: place.0,
            drag: place.1,
        })
    };
    let closed = closed(aperture, options);
    runs(0..closed.len(), |index| closed[index])
        .filter_map(pinch)
        .collect()
}

fn is_complete(channels: &Channels, start: f64, end: f64) -> bool {
    start > channels.start && end < channels.time(channels.len.saturating_sub(1))
}

/// Returns at which samples the tips are together, by two thresholds.
fn closed(aperture: &[f64], options: &PinchOptions) -> Vec<bool> {
    let mut is_closed = false;
    let step = |&distance: &f64| {
        // A distance that is not known ends a pinch: both comparisons with NaN are false.
        is_closed = distance <= options.close || (is_closed && distance <= options.open);
        is_closed
    };
    aperture.iter().map(step).collect()
}

/// Returns the agreement of recorded state and geometry in the samples where both are known: Cohen's
/// kappa (Cohen 1960), 1 for the same samples and 0 for chance.
///
/// # Errors
/// Returns the reason if there are no samples, or if neither has a pinch.
pub fn pinch_agreement(
    channels: &Channels,
    side: Side,
    aperture: &[f64],
    samples: Range<usize>,
    options: &PinchOptions,
) -> Measured {
    let closed = closed(aperture, options);
    let recorded = &channels.hand(side).pinching;
    let known = samples.filter(|&index| !aperture[index].is_nan());
    let mut counts = [[0.0; 2]; 2];
    for index in known {
        counts[usize::from(recorded[index])][usize::from(closed[index])] += 1.0;
    }
    let [[neither, geometric], [recorded, both]] = counts;
    let total = neither + geometric + recorded + both;
    let observed = ratio(neither + both, total, Missing::NoSamples)?;
    let [a, b] = [recorded + both, geometric + both].map(|pinched| pinched / total);
    let chance = a * b + (1.0 - a) * (1.0 - b);
    ratio(observed - chance, 1.0 - chance, Missing::NoEvents)
}

/// Returns the place at the first sample, and the length of the path.
fn place(channels: &Channels, side: Side, samples: Range<usize>) -> (Option<[f64; 3]>, Measured) {
    let Some([thumb, index]) = tips(channels, side) else {
        return (None, Err(Missing::NotRecorded));
    };
    let middle = |at: usize| std::array::from_fn(|axis| (thumb[at][axis] + index[at][axis]) / 2.0);
    let path: Vec<[f32; 3]> = samples.map(middle).collect();
    let first = path
        .iter()
        .map(|point| vector(*point))
        .find(|point| point.is_finite());
    (
        first.map(|point| point.to_array()),
        path_length(&path).ok_or(Missing::NotTracked),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_thresholds_keep_a_pinch_together() {
        let options = PinchOptions::default();
        let distances = [
            0.05,
            0.035,
            0.03,
            0.035,
            0.04,
            0.041,
            0.035,
            0.02,
            f64::NAN,
            0.035,
        ];
        let expected = [
            false, false, true, true, true, false, false, true, false, false,
        ];
        assert_eq!(closed(&distances, &options), expected);
    }
}
