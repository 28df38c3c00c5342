//! States as steps: what a channel has of a curve that is on or off.

use std::cmp::Ordering;

use inputanim::BooleanCurve;

use super::clock::put_forward;

/// When a state is on: each holds up to the next, the first one's also before it.
pub(super) fn steps(curve: &BooleanCurve<'_>, offset: f32) -> Vec<(f32, bool)> {
    let mut keys: Vec<(f32, bool)> = curve
        .keys
        .iter()
        .filter(|key| key.time().is_finite())
        .map(|key| (put_forward(key.time(), offset), key.is_on()))
        .collect();
    keys.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
    let mut steps: Vec<(f32, bool)> = Vec::with_capacity(keys.len());
    for key in keys {
        match steps.last_mut() {
            Some(last) if last.0 == key.0 => *last = key,
            _ => steps.push(key),
        }
    }
    steps
}

/// The first, and each that is another than the one before.
pub(super) fn flips(points: impl Iterator<Item = (f32, bool)>) -> Vec<(f32, bool)> {
    let mut flips: Vec<(f32, bool)> = Vec::new();
    for point in points {
        if flips.last().is_none_or(|last| last.1 != point.1) {
            flips.push(point);
        }
    }
    flips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_in_order_and_of_equal_times_the_last_counts() {
        let curve = BooleanCurve::new([
            (2.0, true),
            (0.0, false),
            (1.0, true),
            (1.0, false),
            (f32::INFINITY, true),
        ]);
        assert_eq!(
            steps(&curve, 0.5),
            [(0.5, false), (1.5, false), (2.5, true)]
        );
    }
}
