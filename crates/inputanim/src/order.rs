//! Sorting by time.
//!
//! A sort function of the standard library takes several kilobytes of WebAssembly for each type that it sorts.
//! The functions of this module therefore sort only two types: times, and ranks with positions.

/// Sorts times in their total order: −0 comes before 0.
pub(crate) fn sort_times(times: &mut [f32]) {
    // Most times come from curves that are in order. The stable sort merges such runs quickly.
    times.sort_by(f32::total_cmp);
}

/// Sorts items by time in the order of [`f32::total_cmp`]: −0 comes before 0. Items at equal times keep their order.
pub(crate) fn sort_by_time<T>(items: &mut [T], time: impl Fn(&T) -> f32) {
    sort_by_rank(items, |item| rank(time(item).into()));
}

/// Sorts items by time, as playback does: −0 equals 0, and times that are not a number come last. Items at equal times
/// keep their order.
pub(crate) fn sort_for_playback<T>(items: &mut [T], time: impl Fn(&T) -> f32) {
    sort_by_rank(items, |item| {
        let time = time(item);
        if time.is_nan() {
            u64::MAX
        } else {
            // −0 + 0 is 0.
            rank((time + 0.0).into())
        }
    });
}

/// Sorts items by their ranks. Items of equal rank keep their order.
pub(crate) fn sort_by_rank<T>(items: &mut [T], rank: impl Fn(&T) -> u64) {
    if items.is_sorted_by_key(&rank) {
        return;
    }
    let mut order: Vec<(u64, usize)> = items.iter().map(&rank).zip(0..).collect();
    // The positions make all pairs distinct, so the faster unstable sort gives the stable order.
    order.sort_unstable();
    // Moves the items of each cycle of the permutation to their places.
    for start in 0..items.len() {
        let mut place = start;
        loop {
            let from = std::mem::replace(&mut order[place].1, place);
            if from == start {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

/// Returns an integer for a number. The integers have the order of [`f64::total_cmp`].
pub(crate) fn rank(number: f64) -> u64 {
    let bits = number.to_bits();
    let sign = 1 << 63;
    if bits & sign == 0 { bits | sign } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_like_the_stable_sort() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::NAN,
            -f32::NAN,
            f32::INFINITY,
            1e-40,
        ];
        let mut state = 1_u32;
        for length in 0..60 {
            let mut items: Vec<(f32, usize)> = Vec::new();
            for index in 0..length {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                items.push((numbers[(state >> 16) as usize % numbers.len()], index));
            }
            let bits = |items: &[(f32, usize)]| -> Vec<(u32, usize)> {
                items
                    .iter()
                    .map(|item| (item.0.to_bits(), item.1))
                    .collect()
            };
            let mut wanted = items.clone();
            wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut found = items.clone();
            sort_by_time(&mut found, |item| item.0);
            assert_eq!(bits(&found), bits(&wanted));
            wanted.clone_from(&items);
            wanted.sort_by(|a, b| {
                let order = a.0.partial_cmp(&b.0);
                order.unwrap_or_else(|| a.0.is_nan().cmp(&b.0.is_nan()))
            });
            sort_for_playback(&mut items, |item| item.0);
            assert_eq!(bits(&items), bits(&wanted));
        }
    }
}
