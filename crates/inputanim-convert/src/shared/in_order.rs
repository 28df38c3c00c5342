//! Times that are out of order.

/// Selects the most times that never decrease. Each time that is not selected is out of order: a time that is far too large costs
/// only itself, and not all times after it. Times that are not finite are selected, because they have no order.
///
/// Method: the longest subsequence that never decreases, by patience sorting. Cost: n log n.
pub(crate) fn in_order(times: &[f64]) -> Vec<bool> {
    // The times are read from the last to the first, so that of two times that exclude each other, the first is selected. For
    // each length, the index of the largest time with which a subsequence of this length starts.
    let mut starts: Vec<usize> = Vec::new();
    let mut after = vec![usize::MAX; times.len()];
    let mut is_selected: Vec<bool> = times.iter().map(|time| !time.is_finite()).collect();
    let finite = times
        .iter()
        .enumerate()
        .filter(|(_, time)| time.is_finite());
    for (index, time) in finite.rev() {
        let length = starts.partition_point(|&start| times[start] >= *time);
        if let Some(last) = length.checked_sub(1) {
            after[index] = starts[last];
        }
        match starts.get_mut(length) {
            Some(start) => *start = index,
            None => starts.push(index),
        }
    }
    let mut next = starts.last().copied();
    while let Some(index) = next {
        is_selected[index] = true;
        next = Some(after[index]).filter(|&after| after != usize::MAX);
    }
    is_selected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_time_costs_itself() {
        let nan = f64::NAN;
        for (times, expected) in [
            (vec![], vec![]),
            (vec![0.0, 0.0, 1.0], vec![true; 3]),
            (vec![0.0, 9.0, 1.0, 2.0], vec![true, false, true, true]),
            (vec![9.0, 0.0, 1.0], vec![false, true, true]),
            (vec![0.0, -1.0, 1.0], vec![true, false, true]),
            (
                vec![0.0, 1.0, -5.0, nan, 2.0],
                vec![true, true, false, true, true],
            ),
        ] {
            assert_eq!(in_order(&times), expected, "{times:?}");
        }
    }
}
