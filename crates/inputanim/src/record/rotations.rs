//! Alignment of the signs of consecutive rotations.
//!
//! q and −q are the same rotation, but linear interpolation between rotations of opposite
//! hemispheres (with a dot product below 0) passes near zero, where the normalised result spins.
//! The recorder therefore stores the one of the two in the hemisphere of the last rotation.

use super::contents::{Contents, POSES};

/// Number of slots, rounded up to fill vector registers.
const LANES: usize = POSES.next_multiple_of(8);
const IDENTITY: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// A rotation for each slot: all x, all y, all z, all w. One lane for each slot lets the compiler
/// use vector instructions.
#[derive(Clone, Copy)]
struct Lanes([[f32; LANES]; 4]);

#[derive(Clone)]
pub(super) struct Rotations {
    last: Lanes,
    /// The rotations of the current frame. Slots without one have the rotation of `last`.
    next: Lanes,
    /// Slots that had a rotation, as bits.
    seen: u64,
}

impl Rotations {
    pub(super) fn new() -> Rotations {
        let lanes = Lanes(IDENTITY.map(|part| [part; LANES]));
        Rotations {
            last: lanes,
            next: lanes,
            seen: 0,
        }
    }

    /// Sets the rotation x, y, z, w in a slot of the current frame: 0 for the head, 1 to 27 for the left hand's joints,
    /// 28 to 54 for the right hand's.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, rotation: [f32; 4]) {
        for (lanes, part) in self.next.0.iter_mut().zip(rotation) {
            lanes[slot] = part;
        }
    }

    /// Returns `true` if each rotation of the current frame certainly is in the hemisphere of the last rotation of its
    /// joint, as in nearly every frame. `false` can mean "not certain". `contents` is the set of the frame's poses.
    #[inline]
    pub(super) fn are_aligned(&self, contents: Contents) -> bool {
        // Bounds of the rounding error of the sum: relative to the sum of magnitudes, and absolute
        // for products that underflow.
        const ROUNDING: f32 = 4.0 * f32::EPSILON;
        const UNDERFLOW: f32 = 1e-30;
        // A joint without a last rotation has the identity there, which says nothing about its sign.
        let mut is_aligned = contents.poses_bits() & !self.seen == 0;
        let ([x, y, z, w], [u, v, s, t]) = (&self.last.0, &self.next.0);
        for lane in 0..LANES {
            let products = [
                x[lane] * u[lane],
                y[lane] * v[lane],
                z[lane] * s[lane],
                w[lane] * t[lane],
            ];
            let [a, b, c, d] = products;
            let dot = a + b + c + d;
            let size = a.abs() + b.abs() + c.abs() + d.abs();
            is_aligned &= dot > size * ROUNDING + UNDERFLOW;
        }
        is_aligned
    }

    /// Drops the rotations of the current frame, because the frame is refused.
    pub(super) fn reset(&mut self) {
        self.next = self.last;
    }

    /// Makes the rotations of the current frame the last ones, with which the next frame is compared. `contents` is the
    /// set of the frame's poses.
    #[inline]
    pub(super) fn advance(&mut self, contents: Contents) {
        self.last = self.next;
        self.seen |= contents.poses_bits();
    }

    /// Flips the sign of the rotation in a slot of the current frame if that moves it to the hemisphere of the last
    /// rotation in this slot. Returns the rotation x, y, z, w.
    pub(super) fn align(&mut self, slot: usize) -> [f32; 4] {
        let now = self.next.0.map(|lanes| lanes[slot]);
        let last = self.last.0.map(|lanes| lanes[slot]);
        // Products of single precision are exact in double.
        let products = now
            .iter()
            .zip(last)
            .map(|(&a, b)| f64::from(a) * f64::from(b));
        let is_opposite = self.seen >> slot & 1 == 1 && products.sum::<f64>() < 0.0;
        if is_opposite {
            self.set(slot, now.map(|part| -part));
        }
        self.next.0.map(|lanes| lanes[slot])
    }
}
