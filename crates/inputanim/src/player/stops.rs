//! The times at which something may happen.

use crate::curve::WrapMode;
use crate::evaluate::{BooleanEvaluator, Wrap};
use crate::span::Span;

/// Which way time runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

impl Direction {
    /// Whether `time` lies beyond `at`.
    pub(super) fn is_beyond(self, time: f32, at: f32) -> bool {
        match self {
            Direction::Forward => time > at,
            Direction::Backward => time < at,
        }
    }

    /// Whichever of two times comes first.
    pub(super) fn nearer(self, a: f32, b: f32) -> f32 {
        match self {
            Direction::Forward => a.min(b),
            Direction::Backward => a.max(b),
        }
    }
}

/// The first of sorted things beyond a time.
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

/// When a state changes.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    /// From the first to the last key.
    range: Span,
    /// Key times at which the state is another than before, in order; where the curve comes
    /// round, also its ends.
    times: Vec<f32>,
    wrap: Wrap,
}

impl Changes {
    pub(super) fn of(curve: &BooleanEvaluator<'_>, clamp: bool) -> Changes {
        let keys = curve.keys();
        let pairs = keys.windows(2);
        let changed = pairs.filter(|pair| pair[0].is_on() != pair[1].is_on());
        let mut times: Vec<f32> = changed.map(|pair| pair[1].time()).collect();
        let wrap = if clamp { Wrap::CLAMP } else { curve.wrap() };
        let range = curve.range().unwrap_or(Span {
            start: 0.0,
            end: 0.0,
        });
        // A curve that never changes needs no looking at, however often it comes round; but one
        // that is all at one time may have no value before that.
        let is_instant = keys.len() > 1 && range.start == range.end;
        if (!times.is_empty() || is_instant) && wrap != Wrap::CLAMP {
            times.insert(0, range.start);
            times.push(range.end);
        }
        times.dedup();
        Changes { range, times, wrap }
    }

    /// The first time beyond `at` at which the state may change.
    pub(super) fn next(&self, at: f32, direction: Direction) -> Option<f32> {
        let own = next_in(&self.times, |time| *time, at, direction);
        let Span { start, end } = self.range;
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
        let of_mode = |image: &f32| match is_before {
            true => *image < start,
            false => *image > end,
        };
        let images = self.images(f64::from(at), turns).filter(of_mode);
        let images = images.filter(|&image| direction.is_beyond(image, at));
        images.chain(own).reduce(|a, b| direction.nearer(a, b))
    }

    /// Where the times nearest to `at` come round, around it: in its period and the two beside it.
    fn images(&self, at: f64, turns: bool) -> impl Iterator<Item = f32> {
        let (start, end) = (f64::from(self.range.start), f64::from(self.range.end));
        let length = end - start;
        let period = if turns { 2.0 * length } else { length };
        let this = ((at - start) / period).floor();
        let periods = [this - 1.0, this, this + 1.0];
        let halves = [false, true].into_iter().take(if turns { 2 } else { 1 });
        periods.into_iter().flat_map(move |number| {
            let origin = start + number * period;
            halves.clone().flat_map(move |is_mirrored| {
                let into_curve = move |offset: f64| match is_mirrored {
                    true => period - offset,
                    false => offset,
                };
                let place = (start + into_curve(at - origin)) as f32;
                // Two times on each side, lest rounding has put the place beside a key.
                let step = |from: f32, direction| {
                    let next = move |at: &f32| next_in(&self.times, |time| *time, *at, direction);
                    std::iter::successors(next(&from), next).take(2)
                };
                let above = step(place.next_down(), Direction::Forward);
                let below = step(place.next_up(), Direction::Backward);
                above.chain(below).map(move |time| {
                    let image = origin + into_curve(f64::from(time) - start);
                    ceiling(image)
                })
            })
        })
    }
}

/// The least single-precision number that is not below: there the key's time has come.
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
    fn a_curve_that_holds_its_ends_changes_only_where_its_state_does() {
        let mode = WrapMode::CLAMP_FOREVER;
        assert_eq!(changes(mode, -9.0, Direction::Forward, 9), [1.0, 4.0]);
        assert_eq!(changes(mode, 9.0, Direction::Backward, 9), [4.0, 1.0]);
    }

    #[test]
    fn a_curve_that_is_always_on_never_changes_however_often_it_comes_round() {
        let curve = BooleanCurve {
            post_wrap: WrapMode::LOOP,
            ..BooleanCurve::new([(0.0, true), (2e-6, true)])
        };
        let changes = Changes::of(&curve.evaluator().unwrap(), false);
        assert_eq!(changes.next(1.0, Direction::Forward), None);
    }

    #[test]
    fn keys_come_round_under_the_wrap_modes() {
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
