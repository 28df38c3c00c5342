//! Times at which a recording may be split.

use crate::joint::Side;
use crate::recording::Recording;
use crate::span::Span;
use crate::summary::Summary;

/// The middle of every gap in which no hand is tracked, or not the given one, between spans in
/// which one is; in seconds, in order.
pub fn gap_times(recording: &Recording<'_>, hand: Option<Side>) -> Vec<f32> {
    let summary = Summary::of(recording);
    let sides = Side::BOTH
        .into_iter()
        .filter(|&side| hand.is_none_or(|hand| hand == side));
    let mut tracked: Vec<Span> = sides
        .flat_map(|side| summary.hand(side).tracked.iter().copied())
        .collect();
    tracked.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut seen_until: Option<f32> = None;
    let mut times = Vec::new();
    for span in tracked {
        if let Some(end) = seen_until.filter(|&end| span.start > end) {
            times.push(f32::midpoint(end, span.start));
        }
        seen_until = Some(seen_until.map_or(span.end, |end| end.max(span.end)));
    }
    times
}

/// The times that cut what is played into so many parts of one length, in seconds.
pub fn equal_times(recording: &Recording<'_>, parts: u32) -> Vec<f32> {
    let end = f64::from(recording.duration());
    let time = |part: u32| (end * f64::from(part) / f64::from(parts)) as f32;
    (1..parts).map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::layout::Layout;

    #[test]
    fn gaps_are_cut_in_the_middle_where_no_hand_is_seen() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let hands = take.hands_mut();
        hands.left.tracked = BooleanCurve::new([
            (0.0, false),
            (1.0, true),
            (2.0, false),
            (5.0, true),
            (8.0, false),
        ]);
        hands.right.tracked = BooleanCurve::new([(0.0, true), (3.0, false), (10.0, false)]);
        assert_eq!(gap_times(&take, None), [4.0]);
        assert_eq!(gap_times(&take, Some(Side::Left)), [3.5]);
        assert_eq!(gap_times(&take, Some(Side::Right)), [0.0; 0]);
        assert_eq!(equal_times(&take, 4), [2.5, 5.0, 7.5]);
        assert_eq!(equal_times(&take, 1), [0.0; 0]);
    }
}
