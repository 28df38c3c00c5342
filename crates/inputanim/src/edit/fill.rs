//! Filling of gaps in which a hand was not tracked.

use crate::curve::{Curve, FloatCurve};
use crate::element::Element;
use crate::info::Info;
use crate::joint::Side;
use crate::path::CurvePath;
use crate::recording::{HandCurves, HandJointCurves, Recording};
use crate::time_range::TimeRange;
use crate::time_union::TimeUnion;

use super::checks::{refuse_lost_w, require, require_finite_times};
use super::cut::{GapPath, bridge, differs, values_at};
use super::error::EditError;
use super::tracking;

named_enum! {
    /// The method that fills a gap.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
    #[non_exhaustive]
    pub enum FillMethod: "method of filling" {
        /// The hand counts as tracked. Its joints are interpolated linearly between the samples before
        /// and after the gap; rotations take the shorter arc.
        #[default]
        Interpolate => "interpolate",
        /// The hand counts as tracked. Its joints hold the pose before the gap and jump at its end.
        Hold => "hold",
        /// The hand stays untracked. Its joints hold the pose before the gap and jump at its end, so
        /// that programs that ignore the tracked state show no drift.
        Drop => "drop",
    }
}

impl FillMethod {
    /// Returns the length of the longest gap that is filled by default, in seconds. If the hand counts as tracked in a
    /// filled gap, it is 0.5 s, because in a longer time the hand may have been anywhere. [`FillMethod::Drop`] has no
    /// maximum.
    pub const fn max_length(self) -> f32 {
        match self {
            FillMethod::Interpolate | FillMethod::Hold => 0.5,
            FillMethod::Drop => f32::INFINITY,
        }
    }
}

/// Fills the gaps in which a hand is not tracked.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, rename_all = "camelCase", deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Fill {
    /// The method that fills a gap.
    pub method: FillMethod,
    /// The length of the longest gap to fill, in seconds; [`FillMethod::max_length`] by default.
    pub max_length: Option<f32>,
    /// Only this hand; both by default.
    pub hand: Option<Side>,
}

impl Fill {
    /// Returns the edit with a method, for gaps of both hands.
    pub fn new(method: FillMethod) -> Fill {
        Fill {
            method,
            ..Fill::default()
        }
    }
}

/// A time range in which a hand is not tracked, between two ranges in which it is tracked.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Gap {
    /// The hand.
    pub side: Side,
    /// The time range.
    pub range: TimeRange,
}

/// The gaps that were found, in order, left hand first.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct FillReport {
    /// The gaps that were filled.
    pub filled: Vec<Gap>,
    /// The gaps that are longer than the maximum.
    pub too_long: Vec<Gap>,
}

/// Fills the gaps in which a hand is not tracked. The times before the hand is first tracked and
/// after it is last tracked are not gaps.
///
/// The samples before and after a gap bound the filled range. Recorders sample joints until a frame
/// before the tracked state changes, so the last sample of any joint before the gap and the first
/// one after it are used, if they are at most 0.1 s away. Otherwise the gap ends at its own bound,
/// with the value of the curve there. Keys in between are removed. Held poses jump within the
/// smallest step of time. Outside the gaps all curves evaluate to the same values as before; curves
/// that already cross a gap as requested stay byte for byte. Pinching never changes.
///
/// The ranges in which a hand is tracked come from [`Info`]: a state holds from key to key, and
/// both ends are held whatever the wrap modes. The ends of joint curves are held in the same way.
///
/// ```
/// use inputanim::{BooleanCurve, FloatCurve, Joint, Layout, Recording};
/// use inputanim::edit::{self, FillMethod, Fill};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// let left = &mut recording.hands_mut().left;
/// left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (1.25, true)]);
/// left.joints[Joint::Palm].position[1] = FloatCurve::linear([(0.0, 1.0), (1.0, 1.0), (1.25, 2.0), (3.0, 2.0)]);
///
/// let gaps = edit::fill_gaps(&mut recording, &Fill::new(FillMethod::Hold))?;
/// assert_eq!(gaps.filled[0].range.length(), 0.25);
/// let left = &recording.hands.unwrap().left;
/// assert!(left.tracked.evaluator()?.at(1.1));
/// assert_eq!(left.joints[Joint::Palm].position[1].evaluator()?.at(1.2), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if the w component of a rotation was not saved, if the maximum length is negative or not a number,
/// or if a key of a hand with a gap to fill has a time that is not finite.
pub fn fill_gaps(recording: &mut Recording<'_>, options: &Fill) -> Result<FillReport, EditError> {
    let max_length = options.max_length.unwrap_or(options.method.max_length());
    require(
        max_length >= 0.0,
        "length of a gap",
        max_length,
        "0 s or more",
    )?;
    refuse_lost_w(recording)?;
    let info = Info::without_instants(recording);
    let mut filled = FillReport::default();
    // The edit changes a copy, so that an error leaves the recording unchanged.
    let mut filled_recording = recording.clone();
    let mut known = std::mem::take(&mut filled_recording.known);
    let Some(hands) = &mut filled_recording.hands else {
        return Ok(filled);
    };
    let is_selected = |side: &Side| options.hand.is_none_or(|one| one == *side);
    for side in Side::BOTH.into_iter().filter(is_selected) {
        let tracked = tracking::ranges(&info, side);
        let (short, long): (Vec<_>, Vec<_>) = tracked.windows(2).partition(|around| {
            let length = f64::from(around[1].start) - f64::from(around[0].end);
            length <= max_length.into()
        });
        let gap = |around: &&[TimeRange]| Gap {
            side,
            range: between(around),
        };
        filled.filled.extend(short.iter().map(gap));
        filled.too_long.extend(long.iter().map(gap));
        if options.method != FillMethod::Drop {
            // The hand is known to be tracked there from now on.
            for around in &short {
                known.remove_gaps(Element::Tracked(side), between(around));
            }
        }
        if !short.is_empty() {
            fill_hand(hands.hand_mut(side), side, &short, options.method)?;
        }
    }
    filled_recording.known = known;
    *recording = filled_recording;
    Ok(filled)
}

/// Returns the gap between two tracked ranges.
fn between(around: &[TimeRange]) -> TimeRange {
    TimeRange {
        start: around[0].end,
        end: around[1].start,
    }
}

/// Fills the gaps of one hand. Each gap is given by the tracked ranges before and after it, in
/// order.
fn fill_hand(
    hand: &mut HandCurves<'_>,
    side: Side,
    gaps: &[&[TimeRange]],
    with: FillMethod,
) -> Result<(), EditError> {
    require_finite_times(CurvePath::Tracked(side), &Curve::Boolean(&hand.tracked))?;
    for (joint, pose) in hand.joints.iter() {
        for (channel, curve) in pose.iter() {
            let path = CurvePath::Joint(side, joint, channel);
            require_finite_times(path, &Curve::Float(curve))?;
        }
    }
    // Without its off keys, the state holds its on value across the gap.
    if with != FillMethod::Drop {
        let is_in_gap = |time: f32| {
            let gap = gaps.partition_point(|around| around[1].start <= time);
            gaps.get(gap).is_some_and(|around| around[0].end <= time)
        };
        let keys = hand.tracked.keys.to_mut();
        keys.retain(|key| key.is_on() || !is_in_gap(key.time()));
    }
    let instants = instants(&hand.joints);
    let ranges = gaps.iter().map(|around| unsampled_range(&instants, around));
    let ranges: Vec<TimeRange> = ranges.collect();
    for (_, pose) in hand.joints.iter_mut() {
        let mut paths = paths(&ranges, with);
        fill_vector(&mut pose.position, &paths);
        if with == FillMethod::Interpolate {
            // Interpolation to the negative of a rotation would pass through zero (D4).
            take_shorter_arcs(&pose.rotation, &mut paths);
        }
        fill_vector(&mut pose.rotation, &paths);
    }
    Ok(())
}

/// The longest known distance between two samples of a recorder, in seconds.
const MAX_SAMPLE_DISTANCE: f32 = 0.1;

/// Returns the times at which any joint of a hand has a key, in order and without duplicates.
fn instants(joints: &HandJointCurves<'_>) -> Vec<f32> {
    let curves = joints.iter().flat_map(|(_, pose)| pose.iter());
    TimeUnion::of(curves.map(|(_, curve)| Curve::Float(curve)))
}

/// Returns the time range from the last sample before a gap to the first sample after it. The gap lies between the two
/// tracked ranges in `around`; `instants` are the sample times of the hand. Without a sample within 0.1 s of an end of
/// the gap, that end is the end of the range.
fn unsampled_range(instants: &[f32], around: &[TimeRange]) -> TimeRange {
    let (before, after) = (around[0], around[1]);
    let lost = instants.partition_point(|&time| time <= before.end);
    let lost = lost.checked_sub(1).and_then(|last| instants.get(last));
    let is_near = |time: &&f32| **time >= before.start.max(before.end - MAX_SAMPLE_DISTANCE);
    let start = lost.filter(is_near).copied().unwrap_or(before.end);

    let found = instants.partition_point(|&time| time < after.start);
    let is_near = |time: &&f32| **time <= after.end.min(after.start + MAX_SAMPLE_DISTANCE);
    let found = instants.get(found).filter(is_near);
    let end = found.copied().unwrap_or(after.start);
    TimeRange { start, end }
}

fn paths(ranges: &[TimeRange], with: FillMethod) -> Vec<(TimeRange, GapPath)> {
    let path = match with {
        FillMethod::Interpolate => GapPath::Linear,
        FillMethod::Hold | FillMethod::Drop => GapPath::Held,
    };
    ranges
        .iter()
        .map(|unsampled_range| (*unsampled_range, path))
        .collect()
}

/// Changes the path across a gap where a rotation would take the longer arc. The path then leads to the negative of the
/// value at the end of the gap, which is the same rotation.
fn take_shorter_arcs(rotation: &[FloatCurve<'_>], paths: &mut [(TimeRange, GapPath)]) {
    let mut products = vec![0.0; paths.len()];
    for curve in rotation {
        let ends = paths
            .iter()
            .flat_map(|(unsampled_range, _)| [unsampled_range.start, unsampled_range.end]);
        let values = values_at(curve, ends);
        for (product, ends) in products.iter_mut().zip(values.chunks_exact(2)) {
            *product += f64::from(ends[0]) * f64::from(ends[1]);
        }
    }
    for ((_, path), product) in paths.iter_mut().zip(products) {
        if product < 0.0 {
            *path = GapPath::LinearToOpposite;
        }
    }
}

/// Fills the gaps in the curves of a vector by the given paths. All components get keys at the same times. A gap that
/// every component already crosses on its path stays unchanged.
fn fill_vector(curves: &mut [FloatCurve<'_>], paths: &[(TimeRange, GapPath)]) {
    let mut is_changed = vec![false; paths.len()];
    for curve in curves.iter() {
        for (is_changed, differs) in is_changed.iter_mut().zip(differs(curve, paths)) {
            *is_changed |= differs;
        }
    }
    let paths = paths.iter().zip(is_changed).filter(|(_, changed)| *changed);
    let paths: Vec<(TimeRange, GapPath)> = paths.map(|(path, _)| *path).collect();
    for curve in curves {
        bridge(curve, &paths);
    }
}
