//! Interpolation of movements.

/// The peak speed of a minimum-jerk movement, divided by its mean speed.
pub(crate) const MIN_JERK_PEAK: f32 = 1.875;

/// Returns the completed share of a minimum-jerk movement after a share of its time, both from 0 to 1.
///
/// The polynomial 10 s³ − 15 s⁴ + 6 s⁵ of Flash and Hogan (1985) starts and ends with speed and
/// acceleration 0.
pub(crate) fn min_jerk(share: f32) -> f32 {
    let s = share.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

/// Returns the linear interpolation between two numbers: exactly `from` at the share 0, and exactly `to` at 1.
pub(crate) fn lerp(from: f32, to: f32, share: f32) -> f32 {
    from * (1.0 - share) + to * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_jerk_move_only_goes_forward_and_is_fastest_half_way() {
        let steps: Vec<f32> = (0..=1000).map(|i| min_jerk(i as f32 / 1000.0)).collect();
        assert_eq!((steps[0], steps[1000]), (0.0, 1.0));
        let speeds: Vec<f32> = steps.windows(2).map(|s| (s[1] - s[0]) * 1000.0).collect();
        assert!(speeds.iter().all(|&speed| speed > -1e-3));
        let peak = speeds.iter().copied().fold(0.0, f32::max);
        assert!((peak - MIN_JERK_PEAK).abs() < 1e-2, "{peak}");
        assert!((speeds[500] - peak).abs() < 1e-2);
    }
}
