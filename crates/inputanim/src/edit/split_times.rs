//! Times at which a recording can be split.

use crate::info::Info;
use crate::joint::Side;
use crate::order;
use crate::recording::Recording;
use crate::time_range::TimeRange;

use super::checks::check_parts;
use super::error::EditError;

/// Returns the middle of every gap, in seconds and in order. A gap is the time between two ranges
/// in which the given hand is tracked, or any hand if `hand` is `None`.
pub fn gap_times(recording: &Recording<'_>, hand: Option<Side>) -> Vec<f32> {
    let info = Info::without_instants(recording);
    let sides = Side::BOTH
        .into_iter()
        .filter(|&side| hand.is_none_or(|hand| hand == side));
    let mut tracked: Vec<TimeRange> = sides
        .flat_map(|side| info.hand(side).tracked.iter().copied())
        .collect();
    order::sort_by_time(&mut tracked, |range| range.start);
    let mut tracked_until: Option<f32> = None;
    let mut times = Vec::new();
    for range in tracked {
        // The ranges of both hands can overlap, so the latest end so far counts.
        if let Some(end) = tracked_until.filter(|&end| range.start > end) {
            times.push(f32::midpoint(end, range.start));
        }
        tracked_until = Some(tracked_until.map_or(range.end, |end| end.max(range.end)));
    }
    times
}

/// Returns the times that divide the duration into parts of equal length, in seconds.
///
/// # Errors
/// Returns an error if the number of parts is not from 1 to [`MAX_PARTS`](super::MAX_PARTS).
pub fn equal_times(recording: &Recording<'_>, parts: u32) -> Result<Vec<f32>, EditError> {
    check_parts("parts", parts.into())?;
    let end = f64::from(recording.duration());
    let time = |part: u32| (end * f64::from(part) / f64::from(parts)) as f32;
    Ok((1..parts).map(time).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::layout::Layout;

    #[test]
    fn gap_times_are_the_middles_of_untracked_ranges() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let hands = recording.hands_mut();
        hands.left.tracked = BooleanCurve::new([
            (0.0, false),
            (1.0, true),
            (2.0, false),
            (5.0, true),
            (8.0, false),
        ]);
        hands.right.tracked = BooleanCurve::new([(0.0, true), (3.0, false), (10.0, false)]);
        assert_eq!(gap_times(&recording, None), [4.0]);
        assert_eq!(gap_times(&recording, Some(Side::Left)), [3.5]);
        assert_eq!(gap_times(&recording, Some(Side::Right)), [0.0; 0]);
        assert_eq!(equal_times(&recording, 4).unwrap(), [2.5, 5.0, 7.5]);
        assert_eq!(equal_times(&recording, 1).unwrap(), [0.0; 0]);
    }
}
