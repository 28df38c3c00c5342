//! Pinches of thumb and index finger: from the recorded state, and from the distance of the tips.

use std::ops::Range;

use inputanim::{Joint, Side, TimeRange};

use crate::channels::{Channels, Intervals, distance, runs};
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
    /// `true` if the recording or tracking begins during the pinch, so that the onset is not known.
    pub is_cut_at_start: bool,
    /// `true` if the recording or tracking ends during the pinch, so that the end is not known.
    pub is_cut_at_end: bool,
    /// Point halfway between the two tips at the onset, in metres, interpolated between the samples; if it is
    /// not known there, the first known one during the pinch. `None` if no point is known.
    pub position: Option<[f64; 3]>,
    /// Length of the path of that point from the onset to the end of the pinch, in metres. Parts in which it
    /// is not known do not count.
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

    /// Returns whether onset and end are known.
    pub fn is_complete(&self) -> bool {
        !self.is_cut_at_start && !self.is_cut_at_end
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

/// Returns the pinches that were recorded: `ranges` are those of the state, and `tracked` are the time ranges
/// in which the hand is tracked, as [`HandSummary`](inputanim::summary::HandSummary) lists them.
pub fn recorded_pinches(
    channels: &Channels,
    side: Side,
    ranges: &[TimeRange],
    tracked: &[TimeRange],
) -> Vec<Pinch> {
    let pinch = |range: &TimeRange| {
        let [start, end] = [range.start, range.end].map(f64::from);
        let path = PinchPath::of(channels, side, [start, end]);
        Pinch {
            side,
            source: PinchSource::Recorded,
            start,
            duration: end - start,
            is_cut_at_start: !tracked
                .iter()
                .any(|tracked| tracked.start < range.start && range.start <= tracked.end),
            is_cut_at_end: !tracked
                .iter()
                .any(|tracked| tracked.start <= range.end && range.end < tracked.end),
            position: path.start,
            drag: path.length,
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
        let [start, end] = [samples.start, samples.end - 1].map(|index| channels.time(index));
        let path = PinchPath::of(channels, side, [start, end]);
        Some(Pinch {
            side,
            source: PinchSource::Geometry,
            start,
            duration,
            // A distance is not known where the hand is not tracked or not recorded.
            is_cut_at_start: samples.start == 0 || aperture[samples.start - 1].is_nan(),
            is_cut_at_end: aperture.get(samples.end).is_none_or(|next| next.is_nan()),
            position: path.start,
            drag: path.length,
        })
    };
    let closed = closed(aperture, options);
    runs(0..closed.len(), |index| closed[index])
        .filter_map(pinch)
        .collect()
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
/// kappa (Cohen 1960), 1 for the same samples and 0 for chance. Closings that are shorter than
/// [`PinchOptions::min_duration`] count too.
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

/// The path of the point between the tips during a pinch.
struct PinchPath {
    /// The first known point.
    start: Option<[f64; 3]>,
    length: Measured,
}

impl PinchPath {
    fn of(channels: &Channels, side: Side, [start, end]: [f64; 2]) -> PinchPath {
        let Some([thumb, index]) = tips(channels, side) else {
            return PinchPath {
                start: None,
                length: Err(Missing::NotRecorded),
            };
        };
        let middle =
            |at: usize| std::array::from_fn(|axis| (thumb[at][axis] + index[at][axis]) / 2.0);
        let intervals = Intervals::of(channels, [start, end]);
        PinchPath {
            start: intervals.first_known(middle),
            length: intervals.path_length(middle).ok_or(Missing::NotTracked),
        }
    }
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
