//! Reduction of states.

use crate::curve::BooleanCurve;

/// Removes keys that repeat the value of the key before. The first key stays, and so does the last, which keeps the
/// duration. A curve whose key times do not increase stays unchanged.
pub(super) fn reduce(curve: &mut BooleanCurve<'_>) {
    // Playback sorts keys by time, so keys out of order have other neighbours there than in the
    // file.
    let is_in_order = curve.keys.is_sorted_by(|a, b| a.time() < b.time());
    let last = curve.keys.len().saturating_sub(1);
    let is_redundant = |index: usize| {
        let keys = &curve.keys;
        index > 0 && index < last && keys[index].is_on() == keys[index - 1].is_on()
    };
    if is_in_order && (0..curve.keys.len()).any(is_redundant) {
        let kept = (0..curve.keys.len()).filter(|&index| !is_redundant(index));
        curve.keys = kept.map(|index| curve.keys[index]).collect();
    }
}
