//! At which times two recordings are compared.

use crate::span::Span;

/// From the first to the last of the key times; the instant 0 without any.
pub(super) fn whole(keys: &[f32]) -> Span {
    Span {
        start: keys.first().copied().unwrap_or_default(),
        end: keys.last().copied().unwrap_or_default(),
    }
}

/// The finite ones of some times, in order, each once.
pub(super) fn in_order(mut times: Vec<f32>) -> Vec<f32> {
    times.retain(|time| time.is_finite());
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}

/// The times just before and just after each.
pub(super) fn beside(times: Vec<f32>) -> impl Iterator<Item = f32> {
    let times = times.into_iter();
    times.flat_map(|time| [time.next_down(), time.next_up()])
}

/// The times within a span, and its ends.
pub(super) fn within(mut times: Vec<f32>, span: Span) -> Vec<f32> {
    times.retain(|&time| span.start < time && time < span.end);
    times.insert(0, span.start);
    if span.end > span.start {
        times.push(span.end);
    }
    times
}

/// Every time, and so many instants at equal distances between each and the next.
pub(super) fn instants(times: &[f32], between: u16) -> impl Iterator<Item = f32> {
    let last = times.last().copied();
    let intervals = times.windows(2).flat_map(move |pair| {
        let (start, end) = (f64::from(pair[0]), f64::from(pair[1]));
        let step = (end - start) / (f64::from(between) + 1.0);
        (0..=between).map(move |index| (start + step * f64::from(index)) as f32)
    });
    // Neighbouring times may have few numbers between them.
    let mut before = None;
    let is_new = move |time: &f32| before.replace(*time) != Some(*time);
    intervals.chain(last).filter(is_new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_met_and_so_is_what_is_between() {
        let times: Vec<f32> = instants(&[-1.0, 0.0, 4.0], 1).collect();
        assert_eq!(times, [-1.0, -0.5, 0.0, 2.0, 4.0]);
        assert_eq!(instants(&[1.0, 5.0], 3).count(), 5);
        assert_eq!(instants(&[1.0, 5.0], 0).count(), 2);
        assert_eq!(instants(&[1.0], 3).collect::<Vec<_>>(), [1.0]);
    }

    #[test]
    fn neighbouring_numbers_have_nothing_between_them() {
        let keys = [1.0, 1.0_f32.next_up(), f32::MAX];
        let times: Vec<f32> = instants(&keys, 9).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
        assert_eq!(times[..2], keys[..2]);
        assert_eq!(times.last(), Some(&f32::MAX));
    }

    #[test]
    fn a_span_has_its_ends_and_the_keys_inside() {
        let span = |start, end| Span { start, end };
        let keys = vec![0.0, 1.0, 2.0];
        assert_eq!(within(keys.clone(), span(0.5, 2.0)), [0.5, 1.0, 2.0]);
        assert_eq!(within(keys.clone(), span(5.0, 6.0)), [5.0, 6.0]);
        assert_eq!(within(keys, span(1.0, 1.0)), [1.0]);
        assert_eq!(within(Vec::new(), whole(&[])), [0.0]);
    }
}
