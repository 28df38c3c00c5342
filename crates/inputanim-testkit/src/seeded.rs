//! Random numbers for tests that do not use proptest. They use proptest's seed variable.

use std::time::{SystemTime, UNIX_EPOCH};

/// A sequence of random numbers (SplitMix64, Steele and others 2014). Its quality is sufficient to
/// choose between cases.
#[derive(Debug)]
pub struct RandomNumbers {
    state: u64,
}

impl RandomNumbers {
    /// Returns the sequence of random numbers for a seed.
    pub const fn new(seed: u64) -> RandomNumbers {
        RandomNumbers { state: seed }
    }

    /// Returns the sequence of random numbers for the seed in the environment variable `PROPTEST_RNG_SEED`, or for a
    /// seed made from the clock. Prints the seed, so that a failed test can be repeated.
    pub fn from_environment() -> RandomNumbers {
        let given = std::env::var("PROPTEST_RNG_SEED").ok();
        let state = given.and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
            let clock = SystemTime::now().duration_since(UNIX_EPOCH);
            clock.map_or(0, |time| u64::from(time.subsec_nanos()))
        });
        println!("PROPTEST_RNG_SEED={state} repeats this test");
        RandomNumbers { state }
    }

    /// Returns the next number: from 0 to `end`, without `end` itself.
    pub fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end.max(1)
    }
}
