//! Short times in which a hand was not tracked.

use crate::curve::{Curve, FloatCurve};
use crate::joint::Side;
use crate::path::CurvePath;
use crate::recording::{HandCurves, HandJointCurves, Recording};
use crate::span::Span;
use crate::summary::{Summary, Union};

use super::cut::{Way, bridge, differs, values_at};
use super::{EditError, refuse_lost_w, tracking};

/// What becomes of a gap: a time in which a hand is not tracked, between two in which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// The hand counts as tracked, and its joints go straight from where they were lost to where
    /// they were found, rotations the short way.
    Interpolate,
    /// The hand counts as tracked; its joints stay where they were lost and jump where they are
    /// found.
    Hold,
    /// The hand stays untracked; its joints stay where they were lost and jump where they are found,
    /// so that programs that pass over `tracked` show no gliding.
    Drop,
}

/// Which gaps are filled, and with what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapFill {
    /// With what.
    pub with: Filling,
    /// The longest that is filled, in seconds.
    pub longest: f64,
    /// Of one hand only, or of both.
    pub side: Option<Side>,
}

impl GapFill {
    /// Gaps of both hands: of at most half a second if the hand is then to count as tracked, since
    /// in a longer time it may have been anywhere; else of any length.
    pub const fn new(with: Filling) -> GapFill {
        GapFill {
            with,
            longest: match with {
                Filling::Interpolate | Filling::Hold => 0.5,
                Filling::Drop => f64::INFINITY,
            },
            side: None,
        }
    }
}

/// A time in which a hand is not tracked, between two in which it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Whose.
    pub side: Side,
    /// From when to when.
    pub span: Span,
}

/// The gaps that there were, in order, left hand first.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Filled {
    /// Those that were filled.
    pub filled: Vec<Gap>,
    /// Those that were too long.
    pub too_long: Vec<Gap>,
}

/// Fills the gaps in which a hand is not tracked. What comes before the hand is first tracked,
/// and after it last is, is no gap.
///
/// A joint is lost at the last instant at which anything of the hand was sampled before the gap,
/// and found at the first after it: recorders sample joints until a frame before `tracked` says
/// that the hand is lost. Where there is none within a tenth of a second, it is at the gap's own
/// end, with what plays there. Keys in between go. Where joints hold, they do so up to the
/// smallest step of time before they are found. Outside, all plays as before, and curves that go
/// that way already stay as they are, byte for byte; so do pinches, in the gap too.
///
/// When a hand is tracked is what [`Summary`] says: a state holds from key to key, and both ends
/// are held whatever the wrap modes; so are those of joints.
///
/// ```
/// use inputanim::{BooleanCurve, FloatCurve, Joint, Layout, Recording};
/// use inputanim::edit::{self, Filling, GapFill};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// let left = &mut take.hands_mut().left;
/// left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (1.25, true)]);
/// left.joints[Joint::Palm].position[1] = FloatCurve::linear([(0.0, 1.0), (1.0, 1.0), (1.25, 2.0), (3.0, 2.0)]);
///
/// let gaps = edit::fill(&mut take, &GapFill::new(Filling::Hold))?;
/// assert_eq!(gaps.filled[0].span.length(), 0.25);
/// let left = &take.hands.unwrap().left;
/// assert!(left.tracked.evaluator()?.at(1.1));
/// assert_eq!(left.joints[Joint::Palm].position[1].evaluator()?.at(1.2), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a rotation has lost its w, when the longest gap is not a number of seconds from 0 on, or a key of a hand with a gap to be
/// filled has no finite time.
pub fn fill(recording: &mut Recording<'_>, how: &GapFill) -> Result<Filled, EditError> {
    if how.longest.is_nan() || how.longest < 0.0 {
        return Err(EditError::Number {
            what: "the longest gap",
            value: how.longest,
            expected: "0 s or more",
        });
    }
    refuse_lost_w(recording)?;
    let summary = Summary::of(recording);
    let mut filled = Filled::default();
    let mut whole = recording.clone();
    let Some(hands) = &mut whole.hands else {
        return Ok(filled);
    };
    let is_meant = |side: &Side| how.side.is_none_or(|one| one == *side);
    for side in Side::BOTH.into_iter().filter(is_meant) {
        let tracked = tracking::spans(&summary, side);
        let (short, long): (Vec<_>, Vec<_>) = tracked.windows(2).partition(|around| {
            let length = f64::from(around[1].start) - f64::from(around[0].end);
            length <= how.longest
        });
        let gap = |around: &&[Span]| Gap {
            side,
            span: between(around),
        };
        filled.filled.extend(short.iter().map(gap));
        filled.too_long.extend(long.iter().map(gap));
        if !short.is_empty() {
            fill_hand(hands.hand_mut(side), side, &short, how.with)?;
        }
    }
    *recording = whole;
    Ok(filled)
}

/// The gap between two spans.
fn between(around: &[Span]) -> Span {
    Span {
        start: around[0].end,
        end: around[1].start,
    }
}

/// `gaps` are the spans before and after each, in order.
fn fill_hand(
    hand: &mut HandCurves<'_>,
    side: Side,
    gaps: &[&[Span]],
    with: Filling,
) -> Result<(), EditError> {
    refuse_endless(CurvePath::Tracked(side), &Curve::Boolean(&hand.tracked))?;
    for (joint, pose) in hand.joints.iter() {
        for (channel, curve) in pose.iter() {
            let path = CurvePath::Joint(side, joint, channel);
            refuse_endless(path, &Curve::Float(curve))?;
        }
    }
    if with != Filling::Drop {
        let is_in_gap = |time: f32| {
            let gap = gaps.partition_point(|around| around[1].start <= time);
            gaps.get(gap).is_some_and(|around| around[0].end <= time)
        };
        let keys = hand.tracked.keys.to_mut();
        keys.retain(|key| key.is_on() || !is_in_gap(key.time()));
    }
    let instants = instants(&hand.joints);
    let reaches = gaps.iter().map(|around| reach(&instants, around));
    let reaches: Vec<Span> = reaches.collect();
    for (_, pose) in hand.joints.iter_mut() {
        let mut ways = ways(&reaches, with);
        fill_vector(&mut pose.position, &ways);
        if with == Filling::Interpolate {
            turn_the_short_way(&pose.rotation, &mut ways);
        }
        fill_vector(&mut pose.rotation, &ways);
    }
    Ok(())
}

fn refuse_endless(curve: CurvePath, keys: &Curve<'_, '_>) -> Result<(), EditError> {
    match keys.points().position(|(time, _)| !time.is_finite()) {
        Some(index) => Err(EditError::TimeNotFinite { curve, index }),
        None => Ok(()),
    }
}

/// Recorders that sample less often than this are not known. In seconds.
const FRAME: f32 = 0.1;

/// When any joint of a hand was sampled.
fn instants(joints: &HandJointCurves<'_>) -> Vec<f32> {
    let mut union = Union::default();
    for (_, pose) in joints.iter() {
        for (_, curve) in pose.iter() {
            union.add(&Curve::Float(curve));
        }
    }
    union.finish()
}

/// From when to when nothing is known of a hand, between the spans before and after a gap.
fn reach(instants: &[f32], around: &[Span]) -> Span {
    let (before, after) = (around[0], around[1]);
    let lost = instants.partition_point(|&time| time <= before.end);
    let lost = lost.checked_sub(1).and_then(|last| instants.get(last));
    let is_near = |time: &&f32| **time >= before.start.max(before.end - FRAME);
    let start = lost.filter(is_near).copied().unwrap_or(before.end);

    let found = instants.partition_point(|&time| time < after.start);
    let is_near = |time: &&f32| **time <= after.end.min(after.start + FRAME);
    let found = instants.get(found).filter(is_near);
    let end = found.copied().unwrap_or(after.start);
    Span { start, end }
}

fn ways(reaches: &[Span], with: Filling) -> Vec<(Span, Way)> {
    let way = match with {
        Filling::Interpolate => Way::Straight,
        Filling::Hold | Filling::Drop => Way::Held,
    };
    reaches.iter().map(|reach| (*reach, way)).collect()
}

/// Four numbers of opposite signs are the same rotation, but the way to them is the long one.
fn turn_the_short_way(rotation: &[FloatCurve<'_>], ways: &mut [(Span, Way)]) {
    let mut products = vec![0.0; ways.len()];
    for curve in rotation {
        let ends = ways.iter().flat_map(|(reach, _)| [reach.start, reach.end]);
        let values = values_at(curve, ends);
        for (product, ends) in products.iter_mut().zip(values.chunks_exact(2)) {
            *product += f64::from(ends[0]) * f64::from(ends[1]);
        }
    }
    for ((_, way), product) in ways.iter_mut().zip(products) {
        if product < 0.0 {
            *way = Way::Opposite;
        }
    }
}

/// The curves change together, so that those that share their key times still do.
fn fill_vector(curves: &mut [FloatCurve<'_>], ways: &[(Span, Way)]) {
    let mut is_changed = vec![false; ways.len()];
    for curve in curves.iter() {
        for (is_changed, differs) in is_changed.iter_mut().zip(differs(curve, ways)) {
            *is_changed |= differs;
        }
    }
    let ways = ways.iter().zip(is_changed).filter(|(_, changed)| *changed);
    let ways: Vec<(Span, Way)> = ways.map(|(way, _)| *way).collect();
    for curve in curves {
        bridge(curve, &ways);
    }
}
