//! States as steps: a boolean curve as the keys of a channel.

use std::cmp::Ordering;

use inputanim::BooleanCurve;

use super::clock::to_animation;

/// Converts the keys of a state to steps on the animation's clock, in order of time; `offset` is added to all times.
/// The state of a step holds until the next step, and the state of the first one also before it.
pub(super) fn steps(curve: &BooleanCurve<'_>, offset: f32) -> Vec<(f32, bool)> {
    let mut keys: Vec<(f32, bool)> = curve
        .keys
        .iter()
        .filter(|key| key.time().is_finite())
        .map(|key| (to_animation(key.time(), offset), key.is_on()))
        .collect();
    keys.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
    let mut steps: Vec<(f32, bool)> = Vec::with_capacity(keys.len());
    for key in keys {
        match steps.last_mut() {
            // glTF requires increasing times. If several keys have the same time, the last one holds until the next
            // time.
            Some(last) if last.0 == key.0 => *last = key,
            _ => steps.push(key),
        }
    }
    steps
}

/// Returns the first point, and every point whose state differs from the state of the point before. A point is a time
/// and a state.
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
    fn steps_are_sorted_and_the_last_of_equal_times_counts() {
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
