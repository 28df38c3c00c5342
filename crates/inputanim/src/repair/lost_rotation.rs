//! A rotation whose w was not saved: its candidates, and the reconstruction of w.
//!
//! Each key still has x, y and z. A rotation has length 1, so w is one of two numbers that differ only
//! in their sign. The first key still has its w.

use glam::{DQuat, DVec3};

use crate::curve::{FloatCurve, Keys};
use crate::doctor::Code;
use crate::key::{FullKey, SimpleKey};
use crate::path::CurvePath;
use crate::time_range::TimeRange;

use super::report::CurveRepair;
use super::rotation;
use super::signs::Choice;

/// The keys of a rotation whose w was lost.
pub(super) struct LostRotation {
    /// The key times in seconds, in order.
    pub(super) times: Vec<f32>,
    /// The two candidates of each key: with w above 0 and below 0.
    pub(super) rotations: Vec<[DQuat; 2]>,
    /// The index of the true candidate of the first key, if its w was saved.
    pub(super) first: Option<usize>,
}

impl LostRotation {
    pub(super) fn new([x, y, z, w]: &[FloatCurve<'_>; 4]) -> LostRotation {
        let points = x.keys.points().zip(y.keys.points()).zip(z.keys.points());
        let (times, rotations): (Vec<f32>, Vec<[DQuat; 2]>) = points
            .map(|(((time, x), (_, y)), (_, z))| (time, candidates([x, y, z])))
            .unzip();
        /// The greatest difference of the saved w from the w that follows from x, y and z.
        const TOLERANCE: f64 = 0.01;
        let first = w.keys.point(0).and_then(|(time, w)| {
            let candidates = rotations
                .first()
                // A key at another time was not saved together with x, y and z.
                .filter(|_| times[0].to_bits() == time.to_bits())?;
            let is_saved = |q: &DQuat| (q.w - f64::from(w)).abs() < TOLERANCE;
            candidates.iter().position(is_saved)
        });
        LostRotation {
            times,
            rotations,
            first,
        }
    }

    /// Adds a high cost to the wrong candidate of the first key, if the w of this key was saved, so that it is never
    /// selected. `costs` has the costs of both candidates of each key.
    pub(super) fn add_known(&self, costs: &mut [[f64; 2]]) {
        /// More than all other costs together.
        const KNOWN_COST: f64 = 1e6;
        if let (Some(first), Some(costs)) = (self.first, costs.first_mut()) {
            costs[1 - first] += KNOWN_COST;
        }
    }

    /// Replaces the keys of the w curve of `rotation` by the w of the selected candidates, and negates keys so that
    /// each is in the hemisphere of the key before. Returns the repair, with `path` as its curve.
    pub(super) fn restore(
        &self,
        path: CurvePath,
        code: Code,
        rotation: &mut [FloatCurve<'_>; 4],
        choices: &[Choice],
    ) -> CurveRepair {
        let w = &mut rotation[3];
        let values = self.rotations.iter().zip(choices);
        let values = values.map(|(candidates, choice)| candidates[choice.index].w as f32);
        let points = self.times.iter().copied().zip(values).enumerate();
        // A first key that was saved correctly stays byte for byte.
        let is_saved_key = |index| index == 0 && self.first.is_some();
        w.keys = match &w.keys {
            Keys::Full(keys) => Keys::Full(
                points
                    .map(|(index, (time, value))| match keys.first() {
                        Some(first) if is_saved_key(index) => *first,
                        _ => FullKey::linear(time, value),
                    })
                    .collect(),
            ),
            Keys::Simple(keys) => Keys::Simple(
                points
                    .map(|(index, (time, value))| match keys.first() {
                        Some(first) if is_saved_key(index) => *first,
                        _ => SimpleKey::new(time, value),
                    })
                    .collect(),
            ),
        };
        // The selected rotations are correct, but neighbouring ones can have opposite signs (D4).
        rotation::align(rotation);
        CurveRepair {
            uncertain: self.uncertain_ranges(choices),
            uncertain_keys: self
                .uncertain_keys(choices)
                .filter(|&is_uncertain| is_uncertain)
                .count(),
            ..CurveRepair::new(code, Some(path), choices.len())
        }
    }

    /// Returns `true` for each key whose choice is uncertain and whose candidates are more than 2 degrees apart.
    fn uncertain_keys(&self, choices: &[Choice]) -> impl Iterator<Item = bool> {
        /// The least angle in radians between candidates that differ visibly.
        const MIN_ANGLE: f64 = 2.0 * std::f64::consts::PI / 180.0;
        let keys = self.rotations.iter().zip(choices);
        keys.map(|([a, b], choice)| !choice.is_certain() && angle(*a, *b) > MIN_ANGLE)
    }

    /// Returns the time ranges of the uncertain keys, each from the first to the last key of a run of them.
    fn uncertain_ranges(&self, choices: &[Choice]) -> Vec<TimeRange> {
        let mut ranges: Vec<TimeRange> = Vec::new();
        let mut was_uncertain = false;
        for (is_uncertain, &time) in self.uncertain_keys(choices).zip(&self.times) {
            match ranges.last_mut() {
                Some(range) if is_uncertain && was_uncertain => range.end = time,
                _ if is_uncertain => ranges.push(TimeRange {
                    start: time,
                    end: time,
                }),
                _ => {}
            }
            was_uncertain = is_uncertain;
        }
        ranges
    }
}

/// Returns the two rotations of length 1 with these x, y and z: first with a w of at least 0, then with its negative.
fn candidates(xyz: [f32; 3]) -> [DQuat; 2] {
    let [x, y, z] = xyz.map(f64::from);
    // Rounding can make the sum of squares exceed 1. Then w is 0.
    let w = (1.0 - DVec3::new(x, y, z).length_squared()).max(0.0).sqrt();
    [w, -w].map(|w| DQuat::from_xyzw(x, y, z, w))
}

/// Returns the angle between two rotations in radians, 0 to π. Opposite quaternions are the same
/// rotation.
pub(super) fn angle(a: DQuat, b: DQuat) -> f64 {
    let difference = a.conjugate() * b;
    // The arc tangent is accurate for small angles. The arc cosine loses half of the digits there.
    2.0 * difference.xyz().length().atan2(difference.w.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_angles_are_exact_and_signs_do_not_matter() {
        for turned in [1e-9_f64, 1e-3, 1.0, 3.0] {
            let a = DQuat::from_rotation_y(0.4);
            let b = DQuat::from_rotation_y(0.4 + turned);
            assert!((angle(a, b) - turned).abs() < 1e-12);
            assert!((angle(a, -b) - turned).abs() < 1e-12);
        }
    }
}
