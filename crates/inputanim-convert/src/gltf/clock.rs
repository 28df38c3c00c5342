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
}
