//! At which times two recordings are compared.

use crate::span::Span;

/// All of two recordings: from the first key of either to the last; the instant 0 without keys.
/// Keys at no finite time are passed over.
pub(super) fn whole(keys: &[f32]) -> Span {
    Span {
        start: keys.first().copied().unwrap_or_default(),
        end: keys.last().copied().unwrap_or_default(),
    }
}

/// The finite ones of the key times of both, in order, each once.
pub(super) fn union(mut a: Vec<f32>, b: Vec<f32>) -> Vec<f32> {
    a.extend(b);
    a.retain(|time| time.is_finite());
    a.sort_unstable_by(f32::total_cmp);
    a.dedup();
    a
}

/// The key times within a span, and its ends.
pub(super) fn within(mut keys: Vec<f32>, span: Span) -> Vec<f32> {
    keys.retain(|&time| span.start < time && time < span.end);
    keys.insert(0, span.start);
    if span.end > span.start {
        keys.push(span.end);
    }
    keys
}

/// Every key time and what is between: so many instants at equal distances, and one just before
/// the next key, since a curve may jump there.
pub(super) fn instants(keys: &[f32], between: u16) -> impl Iterator<Item = f32> {
    let last = keys.last().copied();
    let intervals = keys.windows(2).flat_map(move |pair| {
        let (start, end) = (f64::from(pair[0]), f64::from(pair[1]));
        let step = (end - start) / (f64::from(between) + 1.0);
        let before_end = pair[1].next_down();
        let inner = (0..=between).map(move |index| (start + step * f64::from(index)) as f32);
        inner
            .map(move |time| time.min(before_end))
            .chain([before_end])
    });
    // Neighbouring keys may have few numbers between them.
    let mut before = None;
    let is_new = move |time: &f32| before.replace(*time) != Some(*time);
    intervals.chain(last).filter(is_new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_met_and_so_is_what_is_between_and_just_before() {
        let times: Vec<f32> = instants(&[-1.0, 0.0, 4.0], 1).collect();
        let expected = [
            -1.0,
            -0.5,
            0.0_f32.next_down(),
            0.0,
            2.0,
            4.0_f32.next_down(),
            4.0,
        ];
        assert_eq!(times, expected);
        assert_eq!(instants(&[1.0, 5.0], 3).count(), 6);
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
