//! A limit for the keys that a conversion adds.

use inputanim::TimeRange;

use crate::scene::gltf::error::GltfError;
use crate::shared::Error;

/// The number of keys that may still be added to the recorded keys.
///
/// A damaged time can ask for billions of samples of a curve, and a glTF file is completely in memory.
pub(super) struct KeyBudget(u64);

impl KeyBudget {
    /// The largest number of added keys. They take at most 100 MB.
    const MAX: u64 = 1 << 22;

    pub(super) const fn new() -> KeyBudget {
        KeyBudget(KeyBudget::MAX)
    }

    /// Subtracts a number of added keys from the budget. Fails if fewer remain; `name` names the vector in the error.
    pub(super) fn spend(&mut self, keys: f64, name: &str) -> Result<(), Error> {
        // Floats are compared, because a damaged time can give more samples than any integer holds.
        if keys > self.0 as f64 {
            let (vector, limit) = (name.to_owned(), KeyBudget::MAX);
            return Err(GltfError::TooManyKeys { vector, limit }.into());
        }
        self.0 -= keys.max(0.0) as u64;
        Ok(())
    }

    /// Returns the times strictly within a range, in seconds, that are multiples of 1 / `rate`, and subtracts a key for
    /// each from the budget. Fails if the budget is too small; `name` names the vector in the error.
    pub(super) fn times(
        &mut self,
        range: TimeRange,
        rate: f64,
        name: &str,
    ) -> Result<impl Iterator<Item = f32> + use<>, Error> {
        let first = (f64::from(range.start) * rate).floor() + 1.0;
        let count = (f64::from(range.end) * rate).ceil() - first;
        self.spend(count, name)?;
        let times = (0..count as u64).map(move |step| ((first + step as f64) / rate) as f32);
        let mut before = range.start;
        // Rounding to 32 bits can move a multiple onto an end of the range, or onto the multiple before it.
        Ok(times.filter(move |&time| {
            let is_new = before < time && time < range.end;
            before = before.max(time);
            is_new
        }))
    }
}
