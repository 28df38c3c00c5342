//! The last rotation of each pose, and on which side of it the next one lies.
//!
//! A rotation q and its opposite −q turn alike, but on the straight line between neighbours whose
//! dot product is below 0 a rotation passes near zero and whirls. So of the two that one is stored
//! which lies on the side of the last.

use super::contents::{Contents, POSES};

/// Places, and a few more to fill registers.
const LANES: usize = POSES.next_multiple_of(8);
const IDENTITY: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// A rotation at each place: all x, all y, all z and all w side by side.
#[derive(Clone, Copy)]
struct Lanes([[f32; LANES]; 4]);

#[derive(Clone)]
pub(super) struct Rotations {
    last: Lanes,
    /// As the last, with those of the frame at hand in their places.
    next: Lanes,
    /// Places that had a rotation.
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

    /// Sets a rotation of the frame at hand.
    #[inline]
    pub(super) fn set(&mut self, place: usize, rotation: [f32; 4]) {
        for (lanes, part) in self.next.0.iter_mut().zip(rotation) {
            lanes[place] = part;
        }
    }

    /// Whether all rotations of the frame surely are on the side of the last ones, as they nearly
    /// always are.
    #[inline]
    pub(super) fn are_ahead(&self, contents: Contents) -> bool {
        // What rounding may do to the sum is less than this part of what was added up, and where
        // products are lost at the end of the range, less than that number.
        const ROUNDING: f32 = 4.0 * f32::EPSILON;
        const LOST: f32 = 1e-30;
        let mut is_ahead = contents.poses_bits() & !self.seen == 0;
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
            is_ahead &= dot > size * ROUNDING + LOST;
        }
        is_ahead
    }

    /// Forgets the rotations of the frame at hand.
    pub(super) fn reset(&mut self) {
        self.next = self.last;
    }

    /// Makes the rotations of the frame at hand the last ones.
    #[inline]
    pub(super) fn advance(&mut self, contents: Contents) {
        self.last = self.next;
        self.seen |= contents.poses_bits();
    }

    /// A rotation of the frame at hand, or its opposite if that is on the side of the last.
    pub(super) fn align(&mut self, place: usize) -> [f32; 4] {
        let now = self.next.0.map(|lanes| lanes[place]);
        let last = self.last.0.map(|lanes| lanes[place]);
        // Products of single precision are exact in double.
        let products = now
            .iter()
            .zip(last)
            .map(|(&a, b)| f64::from(a) * f64::from(b));
        let is_opposite = self.seen >> place & 1 == 1 && products.sum::<f64>() < 0.0;
        if is_opposite {
            self.set(place, now.map(|part| -part));
        }
        self.next.0.map(|lanes| lanes[place])
    }
}
