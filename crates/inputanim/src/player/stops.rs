//! The times at which a state may change.

use crate::curve::WrapMode;
use crate::evaluate::{BooleanEvaluator, Wrap};
use crate::order;
use crate::sampler::Sampler;
use crate::time_range::TimeRange;

/// The direction of playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// Returns `true` if playback in this direction reaches `time` after `at`.
    pub(super) fn is_beyond(self, time: f32, at: f32) -> bool {
        match self {
            Direction::Forward => time > at,
            Direction::Backward => time < at,
        }
    }

    /// Returns the one of two times that playback in this direction reaches first.
    pub(super) fn nearer(self, a: f32, b: f32) -> f32 {
        match self {
            Direction::Forward => a.min(b),
            Direction::Backward => a.max(b),
        }
    }
}

/// Returns the time of the first item that playback in `direction` reaches after the time `at`; `None` if there is
/// none. The items must be sorted by time.
pub(super) fn next_in<T>(
    sorted: &[T],
    time_of: impl Fn(&T) -> f32,
    at: f32,
    direction: Direction,
) -> Option<f32> {
    let found = match direction {
        Direction::Forward => sorted.get(sorted.partition_point(|item| time_of(item) <= at)),
        Direction::Backward => {
            let before = sorted.partition_point(|item| time_of(item) < at);
            before.checked_sub(1).and_then(|index| sorted.get(index))
        }
    };
    found.map(time_of)
}

/// The times at which a state changes.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// Range from the first to the last key.
    range: TimeRange,
    /// Sorted key times at which the state differs from the key before; if the curve repeats, also
    /// its ends.
    times: Vec<f32>,
    wrap: Wrap,
}

impl Changes {
    /// Returns the changes of the states of the hands, the changes of each device and its buttons, and the times at which
    /// something becomes known or unknown.
    pub(super) fn of_sampler(sampler: &Sampler) -> Vec<Changes> {
        let clamp = sampler.clamps_ends();
        let mut changes: Vec<Changes> = sampler
            .state_curves()
            .map(|curve| Changes::of(curve, clamp))
            .into();
        let mut times = sampler.gap_bounds();
        for device in sampler.baked_devices() {
            times.extend(device.profiles().iter().map(|change| change.time));
            changes.extend(device.buttons().map(|(_, curve)| Changes::of(curve, clamp)));
        }
        // The times of devices are not in order with the others.
        order::sort_times(&mut times);
        times.dedup();
        changes.push(Changes {
            range: TimeRange::instant(0.0),
            times,
            wrap: Wrap::CLAMP,
        });
        changes
    }

    pub(super) fn of(curve: &BooleanEvaluator<'_>, clamp: bool) -> Changes {
        let keys = curve.keys();
        let pairs = keys.windows(2);
        let changed = pairs.filter(|pair| pair[0].is_on() != pair[1].is_on());
        let mut times: Vec<f32> = changed.map(|pair| pair[1].time()).collect();
        let wrap = if clamp { Wrap::CLAMP } else { curve.wrap() };
        let range = curve.range().unwrap_or(TimeRange {
            start: 0.0,
            end: 0.0,
        });
        // A repeating curve that never changes has no stops. But a curve with all keys at one time may
        // have another value before that time.
        let is_instant = keys.len() > 1 && range.start == range.end;
        if (!times.is_empty() || is_instant) && wrap != Wrap::CLAMP {
            times.insert(0, range.start);
            times.push(range.end);
        }
        times.dedup();
        Changes { range, times, wrap }
    }

    /// Returns the first time after `at`, in the direction of playback, at which the state may change; `None` if there
    /// is none. Outside its keys, the curve may repeat by its wrap modes.
    pub(super) fn next(&self, at: f32, direction: Direction) -> Option<f32> {
        let own = next_in(&self.times, |time| *time, at, direction);
        let TimeRange { start, end } = self.range;
        if self.times.is_empty() || start >= end {
            return own;
        }
        let is_before = at < start || at == start && direction == Direction::Backward;
        let is_after = at > end || at == end && direction == Direction::Forward;
        let mode = match (is_before, is_after) {
            (true, _) => self.wrap.pre,
            (_, true) => self.wrap.post,
            _ => return own,
        };
        let turns = match mode {
            WrapMode::ONCE | WrapMode::CLAMP_FOREVER => return own,
            WrapMode::PING_PONG => true,
            _ => false,
        };
        let is_outside = |image: &f32| {
            if is_before {
                *image < start
            } else {
                *image > end
            }
        };
        let mut nearest = own;
        // Images inside the keys are not used: there the curve has its own changes.
        self.for_each_image(f64::from(at), turns, |image| {
            if is_outside(&image) && direction.is_beyond(image, at) {
                nearest = Some(nearest.map_or(image, |other| direction.nearer(other, image)));
            }
        });
        nearest
    }

    /// Calls a function with times near `at` at which a curve that repeats outside its keys may change. These are the change
    /// times inside its keys, moved into the period that contains `at`, the one before it and the one after it. `turns` is
    /// `true` for a ping-pong curve: its period is one pass forwards and one backwards.
    fn for_each_image(&self, at: f64, turns: bool, mut use_image: impl FnMut(f32)) {
        let (start, end) = (f64::from(self.range.start), f64::from(self.range.end));
        let length = end - start;
        let period = if turns { 2.0 * length } else { length };
        let this = ((at - start) / period).floor();
        let halves: &[bool] = if turns { &[false, true] } else { &[false] };
        for number in [this - 1.0, this, this + 1.0] {
            let origin = start + number * period;
            for &is_mirrored in halves {
                let into_curve = |offset: f64| {
                    if is_mirrored { period - offset } else { offset }
                };
                let place = (start + into_curve(at - origin)) as f32;
                let sides = [
                    (place.next_down(), Direction::Forward),
                    (place.next_up(), Direction::Backward),
                ];
                for (mut from, direction) in sides {
                    // Two times on each side, because rounding can move `place` across a key.
                    for _ in 0..2 {
                        let next = next_in(&self.times, |time| *time, from, direction);
                        let Some(time) = next else {
                            break;
                        };
                        from = time;
                        use_image(ceiling(origin + into_curve(f64::from(time) - start)));
                    }
                }
            }
        }
    }
}

/// Returns the smallest single-precision number that is not below `time`, so that a key at `time` applies there.
fn ceiling(time: f64) -> f32 {
    let nearest = time as f32;
    if f64::from(nearest) < time {
        nearest.next_up()
    } else {
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;

    fn changes(mode: WrapMode, at: f32, direction: Direction, count: usize) -> Vec<f32> {
        let curve = BooleanCurve {
            pre_wrap: mode,
            post_wrap: mode,
            ..BooleanCurve::new([(0.0, false), (1.0, true), (4.0, false)])
        };
        let changes = Changes::of(&curve.evaluator().unwrap(), false);
        let next = |at: &f32| changes.next(*at, direction);
        let first = next(&at);
        std::iter::successors(first, next).take(count).collect()
    }

    #[test]
    fn a_curve_that_holds_its_ends_changes_only_at_its_keys() {
        let mode = WrapMode::CLAMP_FOREVER;
        assert_eq!(changes(mode, -9.0, Direction::Forward, 9), [1.0, 4.0]);
        assert_eq!(changes(mode, 9.0, Direction::Backward, 9), [4.0, 1.0]);
    }

    #[test]
    fn a_repeating_curve_that_is_always_on_has_no_stops() {
        let curve = BooleanCurve {
            post_wrap: WrapMode::LOOP,
            ..BooleanCurve::new([(0.0, true), (2e-6, true)])
        };
        let changes = Changes::of(&curve.evaluator().unwrap(), false);
        assert_eq!(changes.next(1.0, Direction::Forward), None);
    }

    #[test]
    fn keys_repeat_by_their_wrap_modes() {
        let forward = |mode| changes(mode, -4.5, Direction::Forward, 9);
        let expected = [-4.0, -3.0, 0.0, 1.0, 4.0, 5.0, 8.0, 9.0, 12.0];
        assert_eq!(forward(WrapMode::LOOP), expected);
        let expected = [-4.0, -1.0, 0.0, 1.0, 4.0, 7.0, 8.0, 9.0, 12.0];
        assert_eq!(forward(WrapMode::PING_PONG), expected);
        for mode in [WrapMode::LOOP, WrapMode::PING_PONG, WrapMode(77)] {
            let mut back = changes(mode, 12.5, Direction::Backward, 9);
            back.reverse();
            assert_eq!(
                back[..],
                changes(mode, -4.5, Direction::Forward, 9)[..],
                "{mode}"
            );
        }
    }
}
