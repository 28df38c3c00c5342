//! A rotation without its w: what is left of it, and w back again.
//!
//! What is left of a key is x, y and z, so that w is one of two numbers that differ in their
//! sign; and of the first key w itself.

use glam::{DQuat, DVec3};

use crate::curve::{FloatCurve, Keys};
use crate::doctor::Code;
use crate::key::{FullKey, SimpleKey};
use crate::path::CurvePath;
use crate::span::Span;

use super::signs::Choice;
use super::{Mended, rotation};

/// The keys of a rotation without their w.
pub(super) struct Halved {
    /// In order, in seconds.
    pub(super) times: Vec<f32>,
    /// With w above 0 and below 0.
    pub(super) rotations: Vec<[DQuat; 2]>,
    /// Which of the two the first key is, where its w was saved.
    pub(super) first: Option<usize>,
}

impl Halved {
    pub(super) fn new([x, y, z, w]: &[FloatCurve<'_>; 4]) -> Halved {
        let points = x.keys.points().zip(y.keys.points()).zip(z.keys.points());
        let (times, rotations): (Vec<f32>, Vec<[DQuat; 2]>) = points
            .map(|(((time, x), (_, y)), (_, z))| (time, both([x, y, z])))
            .unzip();
        /// The saved w may differ this much from what x, y and z leave for it.
        const TOLERANCE: f64 = 0.01;
        let first = w.keys.point(0).and_then(|(time, w)| {
            let both = rotations
                .first()
                .filter(|_| times[0].to_bits() == time.to_bits())?;
            let is_saved = |q: &DQuat| (q.w - f64::from(w)).abs() < TOLERANCE;
            both.iter().position(is_saved)
        });
        Halved {
            times,
            rotations,
            first,
        }
    }

    /// Adds to the costs of the keys what is known of the first.
    pub(super) fn add_known(&self, costs: &mut [[f64; 2]]) {
        /// More than all that speaks against it.
        const KNOWN: f64 = 1e6;
        if let (Some(first), Some(costs)) = (self.first, costs.first_mut()) {
            costs[1 - first] += KNOWN;
        }
    }

    /// Gives w its keys back and aligns the hemispheres.
    pub(super) fn restore(
        &self,
        path: CurvePath,
        code: Code,
        rotation: &mut [FloatCurve<'_>; 4],
        choices: &[Choice],
    ) -> Mended {
        let w = &mut rotation[3];
        let values = self.rotations.iter().zip(choices);
        let values = values.map(|(both, choice)| both[choice.which].w as f32);
        let points = self.times.iter().copied().zip(values).enumerate();
        // The first key, where it is true, stays as it was saved.
        let kept = |index| index == 0 && self.first.is_some();
        w.keys = match &w.keys {
            Keys::Full(keys) => Keys::Full(
                points
                    .map(|(index, (time, value))| match keys.first() {
                        Some(first) if kept(index) => *first,
                        _ => FullKey::linear(time, value),
                    })
                    .collect(),
            ),
            Keys::Simple(keys) => Keys::Simple(
                points
                    .map(|(index, (time, value))| match keys.first() {
                        Some(first) if kept(index) => *first,
                        _ => SimpleKey::new(time, value),
                    })
                    .collect(),
            ),
        };
        rotation::align(rotation);
        Mended {
            doubtful: self.doubtful(choices),
            doubtful_keys: self.doubts(choices).filter(|&doubt| doubt).count(),
            ..Mended::new(code, Some(path), choices.len())
        }
    }

    /// Which keys may have the other sign.
    fn doubts(&self, choices: &[Choice]) -> impl Iterator<Item = bool> {
        /// The cost of a choice is the negative logarithm of how likely it is: this is 1 in 20.
        const SURE: f64 = 3.0;
        /// Two rotations this close are as good as one, in radians.
        const CLOSE: f64 = 2.0 * std::f64::consts::PI / 180.0;
        let keys = self.rotations.iter().zip(choices);
        keys.map(|([a, b], choice)| choice.margin < SURE && angle(*a, *b) > CLOSE)
    }

    /// The spans of those keys.
    fn doubtful(&self, choices: &[Choice]) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut was_doubtful = false;
        for (is_doubtful, &time) in self.doubts(choices).zip(&self.times) {
            match spans.last_mut() {
                Some(span) if is_doubtful && was_doubtful => span.end = time,
                _ if is_doubtful => spans.push(Span {
                    start: time,
                    end: time,
                }),
                _ => {}
            }
            was_doubtful = is_doubtful;
        }
        spans
    }
}

/// The two rotations with these x, y and z.
fn both(xyz: [f32; 3]) -> [DQuat; 2] {
    let [x, y, z] = xyz.map(f64::from);
    let w = (1.0 - DVec3::new(x, y, z).length_squared()).max(0.0).sqrt();
    [w, -w].map(|w| DQuat::from_xyzw(x, y, z, w))
}

/// The angle between two rotations in radians, 0 to π; opposite quaternions are the same
/// rotation.
pub(super) fn angle(a: DQuat, b: DQuat) -> f64 {
    let way = a.conjugate() * b;
    2.0 * way.xyz().length().atan2(way.w.abs())
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
