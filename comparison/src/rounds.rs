//! Contestants that take turns, so that what else the machine does meets all of them.

use std::time::Instant;

/// Odd, so that one of them is the median.
const ROUNDS: usize = 15;

/// The median nanoseconds of a round of each. A first round does not count.
pub(crate) fn medians<const N: usize>(mut contestants: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut all = [const { Vec::new() }; N];
    for round in 0..=ROUNDS {
        for (play, times) in contestants.iter_mut().zip(&mut all) {
            let start = Instant::now();
            play();
            let time = start.elapsed().as_nanos() as f64;
            if round > 0 {
                times.push(time);
            }
        }
    }
    all.map(|mut times| {
        times.sort_unstable_by(f64::total_cmp);
        times[ROUNDS / 2]
    })
}

/// The same times in an order that is always the same and never the next one.
pub(crate) fn shuffled(times: &[f32]) -> Vec<f32> {
    let mut shuffled = times.to_vec();
    let mut state = 1_u64;
    for last in (1..shuffled.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        shuffled.swap(last, (state >> 33) as usize % (last + 1));
    }
    shuffled
}
