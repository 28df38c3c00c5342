//! Bending of the fingers.

use crate::ease::lerp;

/// The bends of one finger, in degrees.
///
/// For the thumb, `base`, `middle` and `tip` are the bends at the start of its metacarpal and at
/// its two knuckles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bend {
    /// Sideways at the base, to the hand's right.
    pub(crate) spread: f32,
    /// At the base, toward the palm. The bends at the other joints have the same direction.
    pub(crate) base: f32,
    /// At the middle joint.
    pub(crate) middle: f32,
    /// At the last joint.
    pub(crate) tip: f32,
}

const fn bend(spread: f32, base: f32, middle: f32, tip: f32) -> Bend {
    Bend {
        spread,
        base,
        middle,
        tip,
    }
}

/// The bends of all fingers, for the right hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grip {
    /// Thumb, index, middle, ring and little finger.
    pub(crate) fingers: [Bend; 5],
    /// The share of random bending that thumb and index finger get, from 0 to 1.
    pub(crate) play: f32,
}

impl Grip {
    /// Returns the linear interpolation between the finger bends of two grips: `from` at the share 0, and `to` at 1.
    /// All fingers bend at the same time.
    pub(crate) fn between(from: &Grip, to: &Grip, share: f32) -> Grip {
        Grip {
            fingers: std::array::from_fn(|finger| {
                let (from, to) = (from.fingers[finger], to.fingers[finger]);
                Bend {
                    spread: lerp(from.spread, to.spread, share),
                    base: lerp(from.base, to.base, share),
                    middle: lerp(from.middle, to.middle, share),
                    tip: lerp(from.tip, to.tip, share),
                }
            }),
            play: lerp(from.play, to.play, share),
        }
    }

    /// Returns the grip with a random bend added to each finger. `shares` has a number from −1 to 1 for each finger,
    /// from the thumb to the little finger: a share of the largest additional bend, 2.5 degrees. Thumb and index finger
    /// get only the fraction `play` of it.
    pub(crate) fn wandering(mut self, shares: [f32; 5]) -> Grip {
        const MAX_DEGREES: f32 = 2.5;
        for (index, (finger, share)) in self.fingers.iter_mut().zip(shares).enumerate() {
            let play = if index < 2 { self.play } else { 1.0 };
            let more = MAX_DEGREES * share * play;
            finger.base += more;
            finger.middle += more;
            finger.tip += 0.5 * more;
        }
        self
    }
}

/// The grips that gestures are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The hand is at rest.
    Relaxed,
    /// Straight and a little spread, to wave.
    Open,
    /// The index finger straight, to touch.
    Point,
    /// Thumb and index finger apart, about to take something.
    Ready,
    /// Thumb and index tip together.
    Pinch,
}

impl Shape {
    pub(crate) const fn grip(self) -> &'static Grip {
        match self {
            Shape::Relaxed => &RELAXED,
            Shape::Open => &OPEN,
            Shape::Point => &POINT,
            Shape::Ready => &READY,
            Shape::Pinch => &PINCH,
        }
    }
}

const RELAXED: Grip = Grip {
    fingers: [
        bend(0.0, 4.0, 12.0, 14.0),
        bend(-1.0, 18.0, 26.0, 14.0),
        bend(0.0, 24.0, 30.0, 16.0),
        bend(1.0, 28.0, 34.0, 18.0),
        bend(3.0, 32.0, 36.0, 20.0),
    ],
    play: 1.0,
};

const OPEN: Grip = Grip {
    fingers: [
        bend(-12.0, -6.0, 0.0, 4.0),
        bend(-7.0, 2.0, 6.0, 4.0),
        bend(-1.0, 2.0, 6.0, 4.0),
        bend(5.0, 3.0, 7.0, 4.0),
        bend(10.0, 4.0, 8.0, 5.0),
    ],
    play: 1.0,
};

const POINT: Grip = Grip {
    fingers: [
        bend(8.0, 14.0, 26.0, 30.0),
        bend(0.0, 4.0, 8.0, 4.0),
        bend(0.0, 62.0, 78.0, 44.0),
        bend(0.0, 68.0, 82.0, 46.0),
        bend(0.0, 70.0, 78.0, 44.0),
    ],
    play: 1.0,
};

const READY: Grip = Grip {
    fingers: [
        bend(-4.0, 0.0, 6.0, 12.0),
        bend(-1.0, 24.0, 30.0, 16.0),
        bend(0.0, 26.0, 32.0, 18.0),
        bend(1.0, 32.0, 36.0, 20.0),
        bend(3.0, 36.0, 38.0, 22.0),
    ],
    play: 1.0,
};

/// The bends of thumb and index finger minimise the distance from a natural pinch under the
/// condition that the tips of the skeleton meet (least squares); a test of the skeleton checks
/// them.
const PINCH: Grip = Grip {
    fingers: [
        bend(0.64, 23.76, 20.66, 29.91),
        bend(0.0, 47.94, 60.65, 33.36),
        bend(0.0, 38.0, 42.0, 24.0),
        bend(1.0, 42.0, 46.0, 26.0),
        bend(3.0, 44.0, 46.0, 26.0),
    ],
    play: 0.0,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bends_stay_within_the_anatomical_range() {
        let shapes = [
            Shape::Relaxed,
            Shape::Open,
            Shape::Point,
            Shape::Ready,
            Shape::Pinch,
        ];
        for shape in shapes {
            for shares in [[-1.0; 5], [1.0; 5]] {
                for finger in shape.grip().wandering(shares).fingers {
                    assert!(finger.spread.abs() <= 20.0, "{shape:?}: {finger:?}");
                    for bent in [finger.base, finger.middle, finger.tip] {
                        assert!((-10.0..=100.0).contains(&bent), "{shape:?}: {finger:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn pinch_has_no_random_bending_of_thumb_and_index() {
        let still = Shape::Pinch.grip();
        let wandering = still.wandering([1.0; 5]);
        assert_eq!(wandering.fingers[..2], still.fingers[..2]);
        assert_ne!(wandering.fingers[2..], still.fingers[2..]);
    }
}
