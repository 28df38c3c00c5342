//! The clock of the animation, which begins at 0: it may be ahead of the recording's.

/// A time of the recording on the clock of the animation.
pub(super) fn put_forward(time: f32, offset: f32) -> f32 {
    (f64::from(time) + f64::from(offset)) as f32
}

/// A time of the animation on the clock of the recording.
pub(super) fn put_back(time: f32, offset: f32) -> f32 {
    (f64::from(time) - f64::from(offset)) as f32
}

/// The nearest time of the animation that the clock of the recording has, too: one that is read and
/// written again is the same.
pub(super) fn common(time: f32, offset: f32) -> f32 {
    put_forward(put_back(time, offset), offset)
}

/// The last time of the animation before another that both clocks have; `time` is of the animation.
pub(super) fn just_before(time: f32, offset: f32) -> f32 {
    let on_its_own = put_back(time, offset).next_down();
    put_forward(on_its_own, offset).min(time.next_down())
}

/// The first time of the animation after another that both clocks have; `time` is of the animation.
pub(super) fn just_after(time: f32, offset: f32) -> f32 {
    let on_its_own = put_back(time, offset).next_up();
    put_forward(on_its_own, offset).max(time.next_up())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_time_goes_back_and_forward_unchanged() {
        let offset = 1000.0;
        for step in 0..10_000 {
            let time = step as f32 * 0.37;
            let common = common(time, offset);
            assert!((common - time).abs() < 1e-4);
            assert_eq!(put_forward(put_back(common, offset), offset), common);
        }
        assert_eq!(common(0.1, 0.0), 0.1);
    }

    #[test]
    fn neighbours_are_apart_on_both_clocks() {
        // The recording's clock is the coarser one in the first case, the animation's in the second.
        for (own, offset) in [(-6.5681157_f32, 8.716868), (0.001, 1000.0)] {
            let time = put_forward(own, offset);
            for other in [just_before(time, offset), just_after(time, offset)] {
                assert_ne!(other, time);
                assert_ne!(put_back(other, offset), own);
                assert_eq!(common(other, offset), other);
            }
        }
        assert_eq!(just_before(2.0, 0.0), 2.0_f32.next_down());
        assert_eq!(just_after(2.0, 0.0), 2.0_f32.next_up());
    }
}
