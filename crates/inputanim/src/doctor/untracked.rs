//! Findings in joints while their hand is not tracked: keys that move them (L19), and
//! interpolation across that time (L20).

use super::code::Code;
use super::finding::{Finding, FindingBuilder};
use super::points::{Point, each_segment};
use crate::curve::{FloatCurve, Keys};
use crate::info::Info;
use crate::joint::Side;
use crate::key::{FullKey, SimpleKey};
use crate::path::{CurvePath, Stream};
use crate::time_range::TimeRange;

/// The findings in joints while their hand is not tracked.
#[derive(Default)]
pub(super) struct UntrackedFindings {
    moves: FindingBuilder,
    crossings: FindingBuilder,
}

impl UntrackedFindings {
    /// Adds the findings in a curve of a joint. `gaps` are the time ranges in which its hand was not tracked, and
    /// `is_orderly` is `true` if the keys of the curve are finite and in order of time.
    pub(super) fn add(
        &mut self,
        path: CurvePath,
        curve: &FloatCurve<'_>,
        is_orderly: bool,
        gaps: &[TimeRange],
    ) {
        if gaps.is_empty() {
            return;
        }
        let mut ahead = gaps;
        let segment = |a: Point, b: Point| {
            // Segments come in order of time, so a gap that has ended is not needed again.
            let over = ahead.partition_point(|gap| gap.end <= a.0);
            ahead = ahead.get(over..).unwrap_or_default();
            // A segment between equal values does not move the joint, even across a gap.
            let is_before = ahead.first().is_none_or(|gap| b.0 <= gap.start);
            if is_before || a.1 == b.1 {
                return;
            }
            if is_inside(b.0, ahead) {
                self.moves.add(path, b.0);
            } else if let Some(gap) = crossed(a.0, b.0, ahead) {
                self.crossings.add_range(&[path], gap);
            }
        };
        if !is_orderly {
            each_segment(curve, segment);
            return;
        }
        match &curve.keys {
            Keys::Full(keys) => each_segment_in(keys, FullKey::time, FullKey::value, gaps, segment),
            Keys::Simple(keys) => {
                each_segment_in(keys, SimpleKey::time, SimpleKey::value, gaps, segment);
            }
        }
    }

    /// Appends the findings in curves that come later in the file.
    pub(super) fn append(&mut self, later: UntrackedFindings) {
        self.moves.append(later.moves);
        self.crossings.append(later.crossings);
    }

    /// Returns the findings: one for each code that occurred.
    pub(super) fn finish(self) -> impl Iterator<Item = Finding> {
        [
            self.moves.finish(Code::MovesUntracked, ["key", "keys"]),
            self.crossings
                .finish(Code::GapInterpolated, ["segment", "segments"]),
        ]
        .into_iter()
        .flatten()
    }
}

/// Calls `visit` with the two points (time, value) of each segment that overlaps a gap, in order. The keys must be
/// finite and in order of time.
///
/// A binary search finds them, since gaps are short in most recordings.
fn each_segment_in<K>(
    keys: &[K],
    time: impl Fn(&K) -> f32,
    value: impl Fn(&K) -> f32,
    gaps: &[TimeRange],
    mut visit: impl FnMut(Point, Point),
) {
    let point = |key: &K| (time(key), value(key));
    // The first segment that was not visited; a segment can overlap several gaps.
    let mut next = 0;
    for gap in gaps {
        let inside = keys.partition_point(|key| time(key) <= gap.start);
        next = next.max(inside.saturating_sub(1));
        for pair in keys.get(next..).unwrap_or_default().windows(2) {
            if time(&pair[0]) >= gap.end {
                break;
            }
            visit(point(&pair[0]), point(&pair[1]));
            next += 1;
        }
    }
}

/// Returns the time ranges in which a hand was not tracked, between the first and the last key of
/// its joints, in order.
pub(super) fn gaps(info: &Info, side: Side) -> Vec<TimeRange> {
    let joints = info.stream(Stream::Joints(side));
    let Some(range) = joints.and_then(|joints| joints.time_range) else {
        return Vec::new();
    };
    let tracked = &info.hand(side).tracked;
    // The hand is also untracked before the first and after the last tracked range.
    let starts = std::iter::once(f32::NEG_INFINITY).chain(tracked.iter().map(|range| range.end));
    let ends = tracked.iter().map(|range| range.start);
    let gaps = starts
        .zip(ends.chain([f32::INFINITY]))
        .map(|(start, end)| TimeRange {
            start: start.max(range.start),
            end: end.min(range.end),
        });
    gaps.filter(|gap| gap.start < gap.end).collect()
}

/// Returns `true` if a time in seconds is inside a gap. The two ends of a gap are not inside it: the hand is tracked
/// there.
fn is_inside(time: f32, gaps: &[TimeRange]) -> bool {
    let after = gaps.partition_point(|gap| gap.end <= time);
    gaps.get(after).is_some_and(|gap| gap.start < time)
}

/// Returns the first gap that the segment between the times `a` and `b` covers by more than half; `None` if it covers
/// no gap so far. A segment that covers less of a gap is the return from a pose that was held. No gap may end before
/// `a`.
fn crossed(a: f32, b: f32, gaps: &[TimeRange]) -> Option<TimeRange> {
    // Two gaps are enough: the first can begin before `a`; the second is covered completely, or
    // contains `b`.
    gaps.iter().take(2).copied().find(|gap| {
        let shared = f64::from(b.min(gap.end)) - f64::from(a.max(gap.start));
        shared * 2.0 > f64::from(gap.end) - f64::from(gap.start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::doctor;
    use crate::joint::Joint;
    use crate::layout::Layout;
    use crate::recording::Recording;

    /// Returns a recording of a palm that is interpolated linearly through points. The hand is not
    /// tracked from 1 s to 2 s.
    fn recording(points: &[(f32, f32)]) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let left = &mut recording.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (2.0, true)]);
        left.joints[Joint::Palm].position[1] = FloatCurve::linear(points.iter().copied());
        recording
    }

    /// Returns the findings of this module.
    fn findings(recording: &Recording<'_>) -> Vec<Finding> {
        let mut findings = doctor::findings(recording);
        findings.retain(|finding| {
            [Code::MovesUntracked, Code::GapInterpolated].contains(&finding.code)
        });
        findings
    }

    fn found(recording: &Recording<'_>) -> Vec<(Code, u64)> {
        let findings = findings(recording);
        let found = findings.iter().map(|finding| (finding.code, finding.count));
        found.collect()
    }

    #[test]
    fn a_joint_interpolated_across_the_gap_is_found() {
        let lost_and_found = recording(&[(0.0, 0.0), (0.9, 0.1), (2.0, 0.5), (3.0, 0.6)]);
        assert_eq!(found(&lost_and_found), [(Code::GapInterpolated, 1)]);
        let finding = &findings(&lost_and_found)[0];
        assert_eq!(
            finding.range(),
            Some(TimeRange {
                start: 1.0,
                end: 2.0
            })
        );
    }

    #[test]
    fn a_joint_that_is_still_in_the_gap_has_no_finding() {
        assert_eq!(
            found(&recording(&[
                (0.0, 0.0),
                (0.9, 0.1),
                (2.0, 0.1),
                (3.0, 0.6)
            ])),
            []
        );
        assert_eq!(
            found(&recording(&[
                (0.0, 0.0),
                (1.0, 0.1),
                (1.9, 0.1),
                (2.0, 0.6)
            ])),
            []
        );
    }

    #[test]
    fn keys_inside_the_gap_that_move_the_joint_are_found() {
        let moving = recording(&[(0.0, 0.0), (1.3, 0.1), (1.6, 0.2), (2.0, 0.3), (3.0, 0.3)]);
        assert_eq!(found(&moving), [(Code::MovesUntracked, 2)]);
    }

    #[test]
    fn a_hand_that_is_never_tracked_but_moves_is_found() {
        let mut recording = recording(&[(0.0, 0.0), (1.0, 0.1), (2.0, 0.2), (3.0, 0.3)]);
        recording.hands_mut().left.tracked = BooleanCurve::default();
        assert_eq!(found(&recording)[0], (Code::MovesUntracked, 2));
    }
}
