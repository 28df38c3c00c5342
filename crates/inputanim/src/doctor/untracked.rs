//! Joints while their hand is not tracked: keys that move them (L19), and the straight lines on
//! which they cross that time (L20).

use super::code::Code;
use super::finding::{Finding, Tally};
use super::line::each_segment;
use crate::joint::Side;
use crate::path::{CurvePath, Stream};
use crate::recording::Recording;
use crate::span::Span;
use crate::summary::Summary;

pub(super) fn examine(recording: &Recording<'_>, summary: &Summary) -> Vec<Finding> {
    let (mut moves, mut crossings) = <(Tally, Tally)>::default();
    for side in Side::BOTH {
        let gaps = gaps(summary, side);
        let Some(hands) = recording.hands.as_ref().filter(|_| !gaps.is_empty()) else {
            continue;
        };
        for (joint, pose) in hands.hand(side).joints.iter() {
            for (channel, curve) in pose.iter() {
                let path = CurvePath::Joint(side, joint, channel);
                let mut ahead = &gaps[..];
                each_segment(curve, |a, b| {
                    let over = ahead.partition_point(|gap| gap.end <= a.0);
                    ahead = ahead.get(over..).unwrap_or_default();
                    let is_before = ahead.first().is_none_or(|gap| b.0 <= gap.start);
                    if is_before || a.1 == b.1 {
                        return;
                    }
                    if is_inside(b.0, ahead) {
                        moves.add(path, b.0);
                    } else if let Some(gap) = crossed(a.0, b.0, ahead) {
                        crossings.add_span(&[path], gap);
                    }
                });
            }
        }
    }
    [
        moves.finish(Code::MovesUntracked, ["key", "keys"]),
        crossings.finish(Code::GapCrossed, ["line", "lines"]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// When a hand was not tracked between its joints' first and last keys, in order.
fn gaps(summary: &Summary, side: Side) -> Vec<Span> {
    let joints = summary.stream(Stream::Joints(side));
    let Some(range) = joints.and_then(|joints| joints.time_range) else {
        return Vec::new();
    };
    let tracked = &summary.hand(side).tracked;
    let starts = std::iter::once(f32::NEG_INFINITY).chain(tracked.iter().map(|span| span.end));
    let ends = tracked.iter().map(|span| span.start);
    let gaps = starts
        .zip(ends.chain([f32::INFINITY]))
        .map(|(start, end)| Span {
            start: start.max(range.start),
            end: end.min(range.end),
        });
    gaps.filter(|gap| gap.start < gap.end).collect()
}

/// Whether a time is within a gap. The bounds are not: there the hand is still, or again, seen.
fn is_inside(time: f32, gaps: &[Span]) -> bool {
    let after = gaps.partition_point(|gap| gap.end <= time);
    gaps.get(after).is_some_and(|gap| gap.start < time)
}

/// The first gap of which the line from `a` to `b` crosses more than a half; a shorter piece is
/// the way back from a pose that was held. No gap ends before `a`.
fn crossed(a: f32, b: f32, gaps: &[Span]) -> Option<Span> {
    // The first may begin before `a`; the second is crossed wholly, or has the end in it.
    gaps.iter().take(2).copied().find(|gap| {
        let shared = f64::from(b.min(gap.end)) - f64::from(a.max(gap.start));
        shared * 2.0 > f64::from(gap.end) - f64::from(gap.start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{BooleanCurve, FloatCurve};
    use crate::joint::Joint;
    use crate::layout::Layout;

    /// A palm on straight lines through points; the hand is not tracked from 1 s to 2 s.
    fn take(points: &[(f32, f32)]) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let left = &mut take.hands_mut().left;
        left.tracked = BooleanCurve::new([(0.0, true), (1.0, false), (2.0, true)]);
        left.joints[Joint::Palm].position[1] = FloatCurve::linear(points.iter().copied());
        take
    }

    fn found(take: &Recording<'_>) -> Vec<(Code, u64)> {
        let findings = examine(take, &Summary::of(take));
        let found = findings.iter().map(|finding| (finding.code, finding.count));
        found.collect()
    }

    #[test]
    fn a_joint_that_moves_from_where_it_was_lost_to_where_it_was_found_crosses_the_gap() {
        let lost_and_found = take(&[(0.0, 0.0), (0.9, 0.1), (2.0, 0.5), (3.0, 0.6)]);
        assert_eq!(found(&lost_and_found), [(Code::GapCrossed, 1)]);
        let finding = &examine(&lost_and_found, &Summary::of(&lost_and_found))[0];
        assert_eq!(
            finding.span,
            Some(Span {
                start: 1.0,
                end: 2.0
            })
        );
    }

    #[test]
    fn a_joint_that_stands_still_in_the_gap_is_neither() {
        assert_eq!(
            found(&take(&[(0.0, 0.0), (0.9, 0.1), (2.0, 0.1), (3.0, 0.6)])),
            []
        );
        assert_eq!(
            found(&take(&[(0.0, 0.0), (1.0, 0.1), (1.9, 0.1), (2.0, 0.6)])),
            []
        );
    }

    #[test]
    fn keys_inside_the_gap_that_move_the_joint_are_found() {
        let moving = take(&[(0.0, 0.0), (1.3, 0.1), (1.6, 0.2), (2.0, 0.3), (3.0, 0.3)]);
        assert_eq!(found(&moving), [(Code::MovesUntracked, 2)]);
    }

    #[test]
    fn a_hand_that_is_never_tracked_but_moves_is_found() {
        let mut take = take(&[(0.0, 0.0), (1.0, 0.1), (2.0, 0.2), (3.0, 0.3)]);
        take.hands_mut().left.tracked = BooleanCurve::default();
        assert_eq!(found(&take)[0], (Code::MovesUntracked, 2));
    }
}
