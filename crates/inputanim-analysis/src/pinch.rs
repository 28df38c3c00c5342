//! Pinches of thumb and index finger: from the recorded state, and from the distance of the tips.

use std::ops::Range;

use inputanim::pinch::PinchThresholds;
use inputanim::{Joint, Side, TimeRange};

use crate::channels::{Channels, Intervals, runs};
use crate::missing::{Measured, Missing, ratio};

/// Parameters of the detection of pinches from the distance of the tips.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, rename_all = "camelCase"))]
#[non_exhaustive]
pub struct PinchParameters {
    /// Distance in metres at or below which a pinch begins; 0.03 by default, as in the pinch detector of
    /// Leap Motion's Unity modules.
    pub close: f64,
    /// Distance in metres above which a pinch ends; 0.04 by default, as in the same detector.
    pub open: f64,
    /// Shortest pinch in seconds; 0.05 by default.
    pub min_duration: f64,
}

impl Default for PinchParameters {
    /// Returns the default parameters: a pinch begins at 0.03 m, ends above 0.04 m and lasts at least 0.05 s.
    fn default() -> Self {
        let PinchThresholds { close, open, .. } = PinchThresholds::default();
        PinchParameters {
            close,
            open,
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
    /// `true` if the hand is not tracked during a part of the pinch.
    pub is_interrupted: bool,
    /// Point halfway between the two tips at the onset, in metres, interpolated between the samples; `None` if
    /// it is not known.
    pub position: Option<[f64; 3]>,
    /// Length of the path of that point from the onset to the end of the pinch, in metres. For a pinch that is not
    /// complete, it is the length of the known part.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "crate::serialize::measured")
    )]
    pub drag: Measured,
}

impl Pinch {
    /// Returns the time in seconds at which the pinch ends.
    pub fn end(&self) -> f64 {
        self.start + self.duration
    }

    /// Returns `true` if the onset and the end of the pinch are known, and the hand is tracked throughout.
    pub fn is_complete(&self) -> bool {
        !self.is_cut_at_start && !self.is_cut_at_end && !self.is_interrupted
    }

    /// Sets the position and the drag of the pinch from the positions of the tips of thumb and index finger. Both stay
    /// as they are if the tips are not recorded.
    fn follow(&mut self, channels: &Channels) {
        let Some([thumb, index]) = tips(channels, self.side).filter(|_| channels.len > 0) else {
            return;
        };
        let middle =
            |at: usize| std::array::from_fn(|axis| (thumb[at][axis] + index[at][axis]) / 2.0);
        let intervals = Intervals::of(channels, [self.start, self.end()]);
        self.position = intervals.start(middle);
        let is_known = !self.is_complete() || intervals.all(|at| middle(at)[0].is_finite());
        let length = intervals.path_length(middle).filter(|_| is_known);
        self.drag = length.ok_or(Missing::NotTracked);
    }
}

/// Returns the distance of the tips of thumb and index finger at each sample in metres; `None` if they
/// are not recorded.
pub fn aperture(channels: &Channels, side: Side) -> Option<Vec<f64>> {
    let [thumb, index] = tips(channels, side)?;
    let pairs = thumb.iter().zip(index);
    Some(
        pairs
            .map(|(&thumb, &index)| inputanim::pinch::aperture(thumb, index))
            .collect(),
    )
}

fn tips(channels: &Channels, side: Side) -> Option<[&[[f32; 3]]; 2]> {
    let hand = channels.hand(side);
    Some([hand.joint(Joint::ThumbTip)?, hand.joint(Joint::IndexTip)?])
}

/// Returns the pinches of the recorded state, one for each of the `ranges` in which the hand pinches. `tracked` are the
/// time ranges in which the hand is tracked. Both are in the form of [`HandInfo`](inputanim::info::HandInfo).
pub fn recorded_pinches(
    channels: &Channels,
    side: Side,
    ranges: &[TimeRange],
    tracked: &[TimeRange],
) -> Vec<Pinch> {
    let pinch = |range: &TimeRange| {
        let [start, end] = [range.start, range.end].map(f64::from);
        // Tracked ranges are in order and apart, so at most one contains a time.
        let tracked_at = |time: f32| {
            let after = tracked.partition_point(|tracked| tracked.start <= time);
            let found = after.checked_sub(1).and_then(|index| tracked.get(index));
            found.filter(|tracked| time <= tracked.end)
        };
        let (first, last) = (tracked_at(range.start), tracked_at(range.end));
        let mut pinch = Pinch {
            side,
            source: PinchSource::Recorded,
            start,
            duration: end - start,
            is_cut_at_start: first.is_none_or(|tracked| tracked.start == range.start),
            is_cut_at_end: last.is_none_or(|tracked| tracked.end == range.end),
            is_interrupted: first.is_none_or(|tracked| tracked.end < range.end),
            position: None,
            drag: Err(Missing::NotRecorded),
        };
        pinch.follow(channels);
        pinch
    };
    ranges.iter().map(pinch).collect()
}

/// Returns the pinches that the distance of the tips of thumb and index finger shows, without those that are shorter
/// than [`PinchParameters::min_duration`]. `aperture` and `closed` are the results of [`aperture`] and [`closed`].
pub fn geometric_pinches(
    channels: &Channels,
    side: Side,
    aperture: &[f64],
    closed: &[bool],
    parameters: &PinchParameters,
) -> Vec<Pinch> {
    let pinch = |samples: Range<usize>| {
        let duration = (samples.len() - 1) as f64 / channels.rate;
        if duration < parameters.min_duration {
            return None;
        }
        let mut pinch = Pinch {
            side,
            source: PinchSource::Geometry,
            start: channels.time(samples.start),
            duration,
            // A distance is not known where the hand is not tracked or not recorded.
            is_cut_at_start: samples.start == 0 || aperture[samples.start - 1].is_nan(),
            is_cut_at_end: aperture.get(samples.end).is_none_or(|next| next.is_nan()),
            is_interrupted: false,
            position: None,
            drag: Err(Missing::NotRecorded),
        };
        pinch.follow(channels);
        Some(pinch)
    };
    runs(0..closed.len(), |index| closed[index])
        .filter_map(pinch)
        .collect()
}

/// Returns for each sample `true` while the tips of thumb and index finger are together, as
/// [`inputanim::pinch::closed`] defines. `aperture` is their distance in metres.
pub fn closed(aperture: &[f64], parameters: &PinchParameters) -> Vec<bool> {
    let thresholds = PinchThresholds::new(parameters.close, parameters.open);
    inputanim::pinch::closed(aperture, thresholds)
}

/// Returns the agreement of the recorded state and the distance of the tips in a range of samples: Cohen's kappa (Cohen
/// 1960), 1 if both are always equal and 0 for chance. `aperture` and `closed` are the results of [`aperture`] and
/// [`closed`]. Samples without a known distance are ignored. Closings that are shorter than
/// [`PinchParameters::min_duration`] count too.
///
/// # Errors
/// Returns the reason if there are no samples, or if neither has a pinch.
pub fn pinch_agreement(
    channels: &Channels,
    side: Side,
    aperture: &[f64],
    closed: &[bool],
    samples: Range<usize>,
) -> Measured {
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
