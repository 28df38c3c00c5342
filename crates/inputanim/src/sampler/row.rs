//! The values of all float curves at one time.

use std::ops::Range;

use crate::frame::{Pose, Ray};
use crate::joint::{Joint, Side};
use crate::path::CurvePath;

/// A part of a row: the values of the head, of one hand or of the gaze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Head,
    Left,
    Right,
    Gaze,
}

pub(super) const POSE: usize = 7;
const RAY: usize = 6;
const HAND: usize = 27 * POSE;
/// Number of values of a row.
pub(super) const CHANNELS: usize = POSE + 2 * HAND + RAY;

impl Section {
    pub(super) const ALL: [Section; 4] =
        [Section::Head, Section::Left, Section::Right, Section::Gaze];

    pub(super) fn of_hand(side: Side) -> Section {
        match side {
            Side::Left => Section::Left,
            Side::Right => Section::Right,
        }
    }

    pub(super) fn hand(self) -> Option<Side> {
        match self {
            Section::Left => Some(Side::Left),
            Section::Right => Some(Side::Right),
            Section::Head | Section::Gaze => None,
        }
    }

    /// Returns the index of the first value of the section (the head, a hand or the gaze) in a row, which has a value
    /// for each float curve.
    pub(super) fn start(self) -> usize {
        match self {
            Section::Head => 0,
            Section::Left => POSE,
            Section::Right => POSE + HAND,
            Section::Gaze => POSE + 2 * HAND,
        }
    }

    /// Returns the indices of the values of the section (the head, a hand or the gaze) in a row, which has a value for
    /// each float curve.
    pub(super) fn range(self) -> Range<usize> {
        let length = match self {
            Section::Head => POSE,
            Section::Left | Section::Right => HAND,
            Section::Gaze => RAY,
        };
        self.start()..self.start() + length
    }

    /// Returns the slots of the vector, which is a position, rotation, origin or direction, that contains a slot of the
    /// section.
    pub(super) fn vector(self, slot: usize) -> Range<usize> {
        let offset = (slot - self.start()) % POSE;
        let start = slot - offset;
        match (offset, self) {
            (0..3, _) => start..start + 3,
            (_, Section::Gaze) => start + 3..start + RAY,
            _ => start + 3..start + POSE,
        }
    }

    /// Returns the index of the first value of a joint in a row, which has a value for each float curve. The section
    /// must be a hand.
    pub(super) fn joint(self, joint: Joint) -> usize {
        self.start() + joint.index() * POSE
    }
}

/// Returns the section of a float curve (the head, a hand or the gaze), and the index of its value in a row, which has
/// a value for each float curve of a file of MRTK; `None` for a state or a curve of a device.
pub(super) fn slot_of(path: CurvePath) -> Option<(Section, usize)> {
    let (section, offset) = match path {
        CurvePath::Head(channel) => (Section::Head, channel as usize),
        CurvePath::Joint(side, joint, channel) => (
            Section::of_hand(side),
            joint.index() * POSE + channel as usize,
        ),
        CurvePath::Gaze(channel) => (Section::Gaze, channel as usize),
        CurvePath::Tracked(_)
        | CurvePath::Pinching(_)
        | CurvePath::DevicePose(..)
        | CurvePath::Input(..) => return None,
    };
    Some((section, section.start() + offset))
}

/// The values of all float curves at one time, in file order.
#[derive(Clone, Debug)]
pub(super) struct Row(Box<[f32; CHANNELS]>);

impl Default for Row {
    fn default() -> Self {
        Row(Box::new([0.0; CHANNELS]))
    }
}

impl Row {
    pub(super) fn values(&self) -> &[f32; CHANNELS] {
        &self.0
    }

    pub(super) fn values_mut(&mut self) -> &mut [f32; CHANNELS] {
        &mut self.0
    }

    /// Sets the values in these slots of the row to 0, the value of a curve without keys.
    pub(super) fn clear(&mut self, slots: &[u16]) {
        for &slot in slots {
            self.0[usize::from(slot)] = 0.0;
        }
    }

    #[inline]
    pub(super) fn pose(&self, start: usize) -> Pose {
        let numbers: [f32; POSE] = self.numbers(start);
        let [x, y, z, rotation @ ..] = numbers;
        Pose {
            position: [x, y, z],
            rotation,
        }
    }

    pub(super) fn ray(&self, start: usize) -> Ray {
        let [ox, oy, oz, dx, dy, dz] = self.numbers(start);
        Ray {
            origin: [ox, oy, oz],
            direction: [dx, dy, dz],
        }
    }

    #[inline]
    fn numbers<const N: usize>(&self, start: usize) -> [f32; N] {
        std::array::from_fn(|index| self.0[start + index])
    }

    /// Normalises the direction of the gaze.
    pub(super) fn normalise_gaze(&mut self) {
        // The direction follows the three numbers of the origin.
        let direction = Section::Gaze.start() + 3;
        if let Some(direction) = self.0[direction..].first_chunk_mut() {
            *direction = normalised_direction(*direction);
        }
    }

    /// Normalises the rotations of the poses that begin at the given slots of the row.
    pub(super) fn normalise(&mut self, poses: &[u16]) {
        for &start in poses {
            // The rotation follows the three numbers of the position.
            let rotation = usize::from(start) + 3;
            if let Some(rotation) = self.0[rotation..].first_chunk_mut() {
                *rotation = normalised(*rotation);
            }
        }
    }
}

/// Maximum deviation of a squared length from 1 that rounding alone can cause.
const ROUNDING: f32 = 4.0 * f32::EPSILON;

/// Returns a normalised rotation. A rotation of length 1, up to rounding, keeps its bits; one of length 0 becomes the
/// identity, as in Unity.
#[inline]
pub(crate) fn normalised(q: [f32; 4]) -> [f32; 4] {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    // Outside this range, squares of components underflow or overflow. The negated test also covers
    // NaN.
    if !(1e-30..1e30).contains(&square) {
        return normalised_extreme(q);
    }
    let scale = 1.0 / square.sqrt();
    let scale = if (square - 1.0).abs() <= ROUNDING {
        1.0
    } else {
        scale
    };
    q.map(|component| component * scale)
}

/// Normalises a rotation whose squared length is too small or too large for single precision, or NaN. One of length 0
/// becomes the identity; one with NaN becomes NaN in all components.
#[cold]
fn normalised_extreme(q: [f32; 4]) -> [f32; 4] {
    let q = q.map(f64::from);
    let square: f64 = q.iter().map(|component| component * component).sum();
    if square == 0.0 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let length = square.sqrt();
    q.map(|component| (component / length) as f32)
}

/// The length up to which Unity's `Vector3.Normalize` returns a vector of zeros.
const SHORTEST: f64 = 1e-5;

/// Returns a normalised direction. A direction of length 1, up to rounding, keeps its bits; one that is not longer than
/// [`SHORTEST`] becomes 0, and one with NaN becomes NaN in all components.
pub(crate) fn normalised_direction(direction: [f32; 3]) -> [f32; 3] {
    let parts = direction.map(f64::from);
    let square: f64 = parts.iter().map(|part| part * part).sum();
    if (square - 1.0).abs() <= f64::from(ROUNDING) {
        return direction;
    }
    let length = square.sqrt();
    if length <= SHORTEST {
        return [0.0; 3];
    }
    parts.map(|part| (part / length) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalising_twice_equals_normalising_once() {
        let mut state = 1_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for _ in 0..100_000 {
            let q = normalised([number(), number(), number(), number()]);
            assert_eq!(normalised(q), q);
        }
    }

    #[test]
    fn directions_have_length_1_or_0() {
        assert_eq!(normalised_direction([0.0, 0.6, 0.8]), [0.0, 0.6, 0.8]);
        assert_eq!(normalised_direction([0.0, 3.0, 4.0]), [0.0, 0.6, 0.8]);
        assert_eq!(normalised_direction([0.0, 0.0, 2e-5]), [0.0, 0.0, 1.0]);
        assert_eq!(normalised_direction([0.0, 0.0, 1e-5]), [0.0; 3]);
        assert_eq!(normalised_direction([0.0, -3e38, 0.0]), [0.0, -1.0, 0.0]);
        assert!(normalised_direction([f32::NAN, 0.0, 1.0])[2].is_nan());
        let mut state = 1_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        for _ in 0..100_000 {
            let once = normalised_direction([number(), number(), number()]);
            assert_eq!(normalised_direction(once), once);
        }
    }

    #[test]
    fn large_and_small_rotations_are_normalised() {
        for size in [1e-40_f32, 1e-20, 1e-10, 1.0, 1e10, 1e20, 1e38] {
            let q = normalised([size, -size, size, -size]);
            for (component, expected) in q.into_iter().zip([0.5, -0.5, 0.5, -0.5]) {
                assert!((component - expected).abs() < 1e-6, "{size}: {q:?}");
            }
        }
    }

    #[test]
    fn a_rotation_of_length_0_becomes_the_identity_and_nan_stays_nan() {
        assert_eq!(normalised([0.0; 4]), [0.0, 0.0, 0.0, 1.0]);
        assert!(normalised([f32::NAN, 0.0, 0.0, 1.0])[0].is_nan());
    }
}
