//! The instants at which two recordings are compared.

use crate::order;
use crate::time_range::TimeRange;

/// Returns the range from the first to the last of the sorted key times; from 0 to 0 without keys.
pub(super) fn full_range(keys: &[f32]) -> TimeRange {
    TimeRange {
        start: keys.first().copied().unwrap_or_default(),
        end: keys.last().copied().unwrap_or_default(),
    }
}

/// Returns the finite times in order, without duplicates.
pub(super) fn in_order(mut times: Vec<f32>) -> Vec<f32> {
    times.retain(|time| time.is_finite());
    order::sort_times(&mut times);
    times.dedup();
    times
}

/// Returns, for each time, the next smaller and the next greater single-precision number.
pub(super) fn beside(times: Vec<f32>) -> impl Iterator<Item = f32> {
    let times = times.into_iter();
    times.flat_map(|time| [time.next_down(), time.next_up()])
}

/// Returns the start of a range, the times inside it, and its end. `times` must be in order. A range of length 0 has
/// one time.
pub(super) fn within(mut times: Vec<f32>, range: TimeRange) -> Vec<f32> {
    times.retain(|&time| range.start < time && time < range.end);
    times.insert(0, range.start);
    if range.end > range.start {
        times.push(range.end);
    }
    times
}

/// Returns every time, and `between` instants at equal distances between any two neighbouring times, in order and
/// without duplicates.
pub(super) fn instants(times: &[f32], between: u16) -> impl Iterator<Item = f32> {
    let last = times.last().copied();
    let intervals = times.windows(2).flat_map(move |pair| {
        let (start, end) = (f64::from(pair[0]), f64::from(pair[1]));
        let step = (end - start) / (f64::from(between) + 1.0);
        // Computed from the index in double precision, so that rounding errors do not accumulate.
        (0..=between).map(move |index| (start + step * f64::from(index)) as f32)
    });
    // Between neighbouring times there may be only a few single-precision numbers, so instants may
    // coincide.
    let mut before = None;
    let is_new = move |time: &f32| before.replace(*time) != Some(*time);
    intervals.chain(last).filter(is_new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_include_keys_and_points_between() {
        let times: Vec<f32> = instants(&[-1.0, 0.0, 4.0], 1).collect();
        assert_eq!(times, [-1.0, -0.5, 0.0, 2.0, 4.0]);
        assert_eq!(instants(&[1.0, 5.0], 3).count(), 5);
        assert_eq!(instants(&[1.0, 5.0], 0).count(), 2);
        assert_eq!(instants(&[1.0], 3).collect::<Vec<_>>(), [1.0]);
    }

    #[test]
    fn neighbouring_numbers_have_no_instant_between() {
        let keys = [1.0, 1.0_f32.next_up(), f32::MAX];
        let times: Vec<f32> = instants(&keys, 9).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
        assert_eq!(times[..2], keys[..2]);
        assert_eq!(times.last(), Some(&f32::MAX));
    }

    #[test]
    fn range_includes_its_ends_and_inner_keys() {
        let range = |start, end| TimeRange { start, end };
        let keys = vec![0.0, 1.0, 2.0];
        assert_eq!(within(keys.clone(), range(0.5, 2.0)), [0.5, 1.0, 2.0]);
        assert_eq!(within(keys.clone(), range(5.0, 6.0)), [5.0, 6.0]);
        assert_eq!(within(keys, range(1.0, 1.0)), [1.0]);
        assert_eq!(within(Vec::new(), full_range(&[])), [0.0]);
    }
}
