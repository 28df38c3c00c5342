//! The distance of the tips of thumb and index finger, and the pinches that it shows.
//!
//! Analyses and datasets for robots use the same definitions.

use glam::DVec3;

/// The distances of the tips at which a pinch begins and ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PinchThresholds {
    /// Distance in metres at or below which a pinch begins; 0.03 by default, as in the pinch detector of
    /// Leap Motion's Unity modules.
    pub close: f64,
    /// Distance in metres above which a pinch ends; 0.04 by default, as in the same detector.
    pub open: f64,
}

impl PinchThresholds {
    /// Creates thresholds from two distances in metres.
    pub const fn new(close: f64, open: f64) -> PinchThresholds {
        PinchThresholds { close, open }
    }
}

impl Default for PinchThresholds {
    /// Returns the default thresholds: a pinch begins at 0.03 m and ends above 0.04 m.
    fn default() -> PinchThresholds {
        PinchThresholds::new(0.03, 0.04)
    }
}

/// Returns the aperture of a hand in metres: the distance of the position of the tip of the thumb from the position of the
/// tip of the index finger. NaN if a number is NaN.
///
/// ```
/// assert_eq!(inputanim::pinch::aperture([0.0, 1.0, 0.25], [0.0, 1.0, 0.5]), 0.25);
/// ```
pub fn aperture(thumb_tip: [f32; 3], index_tip: [f32; 3]) -> f64 {
    let [thumb, index] = [thumb_tip, index_tip].map(|tip| DVec3::from_array(tip.map(f64::from)));
    (thumb - index).length()
}

/// Returns for each sample `true` while the tips of thumb and index finger are together, by two thresholds. `aperture`
/// is their distance in metres. The tips come together at a distance of at most [`PinchThresholds::close`]. They
/// separate at a distance above [`PinchThresholds::open`], or where the distance is NaN.
pub fn closed(aperture: &[f64], thresholds: PinchThresholds) -> Vec<bool> {
    let mut is_closed = false;
    let step = |&distance: &f64| {
        // A distance that is not known ends a pinch: both comparisons with NaN are false.
        is_closed = distance <= thresholds.close || (is_closed && distance <= thresholds.open);
        is_closed
    };
    aperture.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_thresholds_keep_a_pinch_together() {
        let distances = [
            0.05,
            0.035,
            0.03,
            0.035,
            0.04,
            0.041,
            0.035,
            0.02,
            f64::NAN,
            0.035,
        ];
        let expected = [
            false, false, true, true, true, false, false, true, false, false,
        ];
        assert_eq!(closed(&distances, PinchThresholds::default()), expected);
    }
}
