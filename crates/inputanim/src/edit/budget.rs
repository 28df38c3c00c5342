//! A limit for keys that an edit creates.

use crate::path::CurvePath;

use super::error::EditError;

/// The number of keys that an edit may still create, for example copies of a loop.
///
/// Other edits create keys in proportion to the size of their input. A loop of one millisecond in a
/// long recording could create any number of keys.
pub(super) struct KeyBudget(usize);

/// At most 120 MB of keys.
const MAX_NEW_KEYS: usize = 1 << 22;

impl KeyBudget {
    pub(super) const fn new() -> KeyBudget {
        KeyBudget(MAX_NEW_KEYS)
    }

    /// Subtracts a number of new keys of a curve from the budget. Returns an error if the budget is smaller or the
    /// number is NaN.
    pub(super) fn take(&mut self, keys: f64, curve: CurvePath) -> Result<(), EditError> {
        // The number is a float, because the keys of a short loop in a long range can exceed all
        // integers. The comparison also refuses NaN.
        if keys <= self.0 as f64 {
            self.0 -= keys as usize;
            Ok(())
        } else {
            Err(EditError::TooManyNewKeys {
                curve,
                limit: MAX_NEW_KEYS,
            })
        }
    }
}
