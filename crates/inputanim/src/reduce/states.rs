//! Keys of states that say nothing.

use crate::curve::BooleanCurve;

/// Leaves out keys of the value that already holds; not the first, nor the last, up to which the
/// recording goes.
pub(super) fn reduce(curve: &mut BooleanCurve<'_>) {
    let grows = curve.keys.is_sorted_by(|a, b| a.time() < b.time());
    let last = curve.keys.len().saturating_sub(1);
    let says_nothing = |index: usize| {
        let keys = &curve.keys;
        index > 0 && index < last && keys[index].is_on() == keys[index - 1].is_on()
    };
    if grows && (0..curve.keys.len()).any(says_nothing) {
        let kept = (0..curve.keys.len()).filter(|&index| !says_nothing(index));
        curve.keys = kept.map(|index| curve.keys[index]).collect();
    }
}
