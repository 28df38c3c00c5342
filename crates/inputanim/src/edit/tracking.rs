//! Time ranges in which a hand is tracked.

use crate::info::Info;
use crate::joint::Side;
use crate::time_range::TimeRange;

/// Returns the time ranges in which a hand is tracked, in order. Ranges that touch are merged.
pub(super) fn ranges(info: &Info, side: Side) -> Vec<TimeRange> {
    let mut ranges: Vec<TimeRange> = Vec::new();
    for range in &info.hand(side).tracked {
        match ranges.last_mut() {
            Some(last) if range.start <= last.end => last.end = range.end,
            _ => ranges.push(*range),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::layout::Layout;
    use crate::recording::Recording;

    #[test]
    fn ranges_that_touch_are_merged() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let flips = [(0.0, true), (1.0, false), (1.0, true), (2.0, false)];
        recording.hands_mut().left.tracked =
            BooleanCurve::new(flips.into_iter().chain([(3.0, true)]));
        recording.head_mut().position[0].keys.push_linear(4.0, 0.0);
        let ranges = ranges(&Info::of(&recording), Side::Left);
        let ends: Vec<_> = ranges
            .iter()
            .map(|range| (range.start, range.end))
            .collect();
        assert_eq!(ends, [(0.0, 2.0), (3.0, 4.0)]);
        let is_tracked = |start, end| TimeRange { start, end }.is_in(&ranges);
        assert!(is_tracked(0.5, 2.0) && is_tracked(3.0, 4.0));
        assert!(!is_tracked(2.0, 3.0) && !is_tracked(2.5, 3.0));
    }
}
