//! Recordings for files that cannot state that a value is unknown.

use std::borrow::Cow;

use crate::curve::{BooleanCurve, FloatCurve, Keys};
use crate::element::Element;
use crate::joint::Side;
use crate::key::BooleanKey;
use crate::known::Known;
use crate::order;
use crate::recording::Recording;
use crate::time_range::TimeRange;

use super::cut::{GapPath, bridge};

impl<'a> Recording<'a> {
    /// Returns the recording as a file of MRTK can state it, without [gaps](Recording::known) and [devices](Recording::devices). A head, gaze or joint holds
    /// its last value in a gap, and jumps at the end of the gap. An unknown hand is not tracked.
    /// A recording without gaps and devices is returned as it is.
    ///
    /// ```
    /// use inputanim::{Element, FloatCurve, Layout, Recording, TimeRange};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (1.0, 1.0), (3.0, 2.0)]);
    /// recording.known.add_gap(Element::Head, TimeRange { start: 1.0, end: 3.0 });
    /// let held = recording.with_held_gaps();
    /// assert!(held.known.is_complete());
    /// let height = &held.head.as_ref().unwrap().position[1];
    /// assert_eq!(height.evaluator()?.at(2.9), 1.0);
    /// # Ok::<(), inputanim::TimeNotANumber>(())
    /// ```
    pub fn with_held_gaps(&self) -> Cow<'_, Recording<'a>> {
        if self.known.is_complete() && self.devices.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut held = self.with_untracked_gaps().into_owned();
        held.known = Known::default();
        held.devices.clear();
        let known = &self.known;
        for (path, curves) in held.vectors_mut() {
            // The keys of a joint in a gap of its hand are not in the result either.
            let gaps = known.with_hand(path.element());
            if !gaps.is_empty() && has_finite_times(curves) {
                curves.iter_mut().for_each(|curve| hold(curve, &gaps));
            }
        }
        Cow::Owned(held)
    }

    /// Returns the recording in which an unknown hand is not tracked. The head, the gaze and joints keep
    /// their [gaps](Recording::known). A recording without gaps of hands is returned as it is.
    pub fn with_untracked_gaps(&self) -> Cow<'_, Recording<'a>> {
        let hands = Side::BOTH.map(Element::Tracked);
        if hands.iter().all(|&hand| self.known.gaps(hand).is_empty()) {
            return Cow::Borrowed(self);
        }
        let mut untracked = self.clone();
        untracked.known.retain(|element| !hands.contains(&element));
        for side in Side::BOTH {
            if let Some(hands) = &mut untracked.hands {
                let gaps = self.known.gaps(Element::Tracked(side));
                let hand = hands.hand_mut(side);
                switch_off(&mut hand.tracked, gaps);
                switch_off(&mut hand.pinching, gaps);
            }
        }
        Cow::Owned(untracked)
    }
}

/// Returns `true` if all key times are finite. Other curves are damaged, and stay as they are.
fn has_finite_times(curves: &[FloatCurve<'_>]) -> bool {
    let mut times = curves.iter().flat_map(|curve| curve.keys.points());
    times.all(|(time, _)| time.is_finite())
}

/// Makes a curve hold its last value in each gap, and its first known value in a gap from the start. A curve that loops outside
/// of its keys is not changed there.
fn hold(curve: &mut FloatCurve<'_>, gaps: &[TimeRange]) {
    let times = || curve.keys.points().map(|(time, _)| time);
    let holds = curve.pre_wrap.holds() && curve.post_wrap.holds();
    let first = times().fold(f32::INFINITY, f32::min);
    let last = times().fold(f32::NEG_INFINITY, f32::max);
    // An infinite bound becomes the first or last key.
    let finite = |bound: f32, key: f32| if bound.is_finite() { bound } else { key };
    let bridged: Vec<(TimeRange, GapPath)> = gaps
        .iter()
        .filter(|gap| holds || gap.start.is_finite() && gap.end.is_finite())
        .map(|gap| TimeRange {
            start: finite(gap.start, first),
            end: finite(gap.end, last),
        })
        .filter(|gap| gap.start < gap.end)
        .map(|gap| (gap, GapPath::Held))
        .collect();
    if !bridged.is_empty() {
        // The curve gets keys at the bounds.
        bridge(curve, &bridged);
    }
    if holds {
        let start = gaps.first().filter(|gap| gap.start == f32::NEG_INFINITY);
        let end = gaps.last().filter(|gap| gap.end == f32::INFINITY);
        let start = start.map_or(f32::NEG_INFINITY, |gap| gap.end);
        let end = end.map_or(f32::INFINITY, |gap| gap.start);
        let is_kept = |time: f32| (start..=end).contains(&time);
        match &mut curve.keys {
            Keys::Simple(keys) if keys.iter().any(|key| !is_kept(key.time())) => {
                keys.to_mut().retain(|key| is_kept(key.time()));
            }
            Keys::Full(keys) if keys.iter().any(|key| !is_kept(key.time())) => {
                keys.to_mut().retain(|key| is_kept(key.time()));
            }
            _ => {}
        }
    }
}

/// Switches a state off in gaps, between their bounds.
fn switch_off(state: &mut BooleanCurve<'_>, gaps: &[TimeRange]) {
    let Ok(before) = state.evaluator().map(|evaluator| evaluator.into_owned()) else {
        return;
    };
    if state.keys.is_empty() {
        return;
    }
    let is_in_gap = |time: f32| {
        let after = gaps.partition_point(|gap| gap.end <= time);
        gaps.get(after).is_some_and(|gap| gap.start < time)
    };
    let keys = state.keys.to_mut();
    keys.retain(|key| !is_in_gap(key.time()));
    // The sum has no negative zeros, as bounds of gaps.
    let mut times: Vec<f32> = keys.iter().map(|key| key.time() + 0.0).collect();
    order::sort_times(&mut times);
    for gap in gaps {
        if gap.start.is_finite() {
            keys.push(BooleanKey::new(gap.start.next_up(), false));
        } else {
            keys.push(BooleanKey::new(gap.end.next_down(), false));
        }
        let has_key = times.binary_search_by(|time| time.total_cmp(&gap.end));
        if gap.end.is_finite() && has_key.is_err() {
            keys.push(BooleanKey::new(gap.end, before.at(gap.end)));
        }
    }
    order::sort_by_time(keys, |key| key.time());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(points: &[(f32, f32)], gaps: &[(f32, f32)]) -> Vec<(f32, f32)> {
        let mut curve = FloatCurve::linear(points.iter().copied());
        let gaps: Vec<TimeRange> = gaps
            .iter()
            .map(|&(start, end)| TimeRange { start, end })
            .collect();
        hold(&mut curve, &gaps);
        curve.keys.points().collect()
    }

    #[test]
    fn hidden_values_are_removed_and_the_known_ones_at_the_bounds_stay() {
        const INFINITY: f32 = f32::INFINITY;
        let points = [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)];
        let from_start = held(&points, &[(-INFINITY, 1.0)]);
        assert_eq!(from_start, points[1..]);
        assert_eq!(held(&points, &[(2.0, INFINITY)]), points[..3]);
        // Bounds without a key get one.
        assert_eq!(held(&points, &[(-INFINITY, 2.5)]), [(2.5, 2.5), (3.0, 3.0)]);
        assert_eq!(held(&points, &[(0.5, INFINITY)]), [(0.0, 0.0), (0.5, 0.5)]);
        let inside = held(&points, &[(1.0, 3.0)]);
        assert_eq!(inside.first(), Some(&(0.0, 0.0)));
        assert_eq!(inside.last(), Some(&(3.0, 3.0)));
        let is_held = |point: &&(f32, f32)| point.0 >= 1.0 && point.0 < 3.0;
        assert!(inside.iter().filter(is_held).all(|point| point.1 == 1.0));
        // A value that never changes may have one key.
        assert_eq!(held(&[(0.0, 5.0)], &[(-INFINITY, 2.0)]), [(2.0, 5.0)]);
        assert_eq!(held(&[(3.0, 5.0)], &[(2.0, INFINITY)]), [(2.0, 5.0)]);
        assert_eq!(held(&points, &[(-INFINITY, INFINITY)]), []);
    }
}
