//! The clock of the animation. It starts at 0. If a recording starts before 0, all of its times are shifted to later
//! times.

/// Converts a time of the recording to a time of the animation, in seconds. `offset` is added.
pub(super) fn to_animation(time: f32, offset: f32) -> f32 {
    (f64::from(time) + f64::from(offset)) as f32
}

/// Converts a time of the animation to a time of the recording, in seconds. `offset` is subtracted.
pub(super) fn to_recording(time: f32, offset: f32) -> f32 {
    (f64::from(time) - f64::from(offset)) as f32
}

/// Rounds a time of the animation to a time that the recording's clock, which is `offset` seconds behind, can represent
/// too. Reading and writing the time again then changes nothing.
pub(super) fn common(time: f32, offset: f32) -> f32 {
    to_animation(to_recording(time, offset), offset)
}

/// Returns the last time of the animation before `time` that both the animation's and the recording's clock can
/// represent as a 32-bit float. `offset` is the difference between both clocks in seconds.
pub(super) fn just_before(time: f32, offset: f32) -> f32 {
    let on_own_clock = to_recording(time, offset).next_down();
    // The clock with the larger steps decides how far away the neighbour is.
    to_animation(on_own_clock, offset).min(time.next_down())
}

/// Returns the first time of the animation after `time` that both the animation's and the recording's clock can
/// represent as a 32-bit float. `offset` is the difference between both clocks in seconds.
pub(super) fn just_after(time: f32, offset: f32) -> f32 {
    let on_own_clock = to_recording(time, offset).next_up();
    to_animation(on_own_clock, offset).max(time.next_up())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_time_converts_back_and_forth_unchanged() {
        let offset = 1000.0;
        for step in 0..10_000 {
            let time = step as f32 * 0.37;
            let common = common(time, offset);
            assert!((common - time).abs() < 1e-4);
            assert_eq!(to_animation(to_recording(common, offset), offset), common);
        }
        assert_eq!(common(0.1, 0.0), 0.1);
    }

    #[test]
    fn neighbours_are_apart_on_both_clocks() {
        // The recording's clock has the larger steps in the first case, the animation's clock in the second.
        for (own, offset) in [(-6.5681157_f32, 8.716868), (0.001, 1000.0)] {
            let time = to_animation(own, offset);
            for other in [just_before(time, offset), just_after(time, offset)] {
                assert_ne!(other, time);
                assert_ne!(to_recording(other, offset), own);
                assert_eq!(common(other, offset), other);
            }
        }
        assert_eq!(just_before(2.0, 0.0), 2.0_f32.next_down());
        assert_eq!(just_after(2.0, 0.0), 2.0_f32.next_up());
    }
}
