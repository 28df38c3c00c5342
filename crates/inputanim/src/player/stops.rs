//! The times at which something may happen.

use crate::curve::WrapMode;
use crate::evaluate::BooleanEvaluator;

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

/// The first time beyond `at` at which a state may change: a key, or where a key comes round
/// under the wrap modes.
pub(super) fn next_change(
    curve: &BooleanEvaluator<'_>,
    clamp: bool,
    at: f32,
    direction: Direction,
) -> Option<f32> {
    let keys = curve.keys();
    let [first, .., last] = keys else {
        // A single key holds everywhere.
        return None;
    };
    let (first, last) = (first.time(), last.time());
    let own = next_in(keys, |key| key.time(), at, direction);
    if clamp {
        return own;
    }
    let (pre, post) = curve.wrap_modes();
    let is_before = at < first || at == first && direction == Direction::Backward;
    let is_after = at > last || at == last && direction == Direction::Forward;
    let mode = match (is_before, is_after) {
        (true, _) => pre,
        (_, true) => post,
        _ => return own,
    };
    let turns = match mode {
        WrapMode::ONCE | WrapMode::CLAMP_FOREVER => return own,
        WrapMode::PING_PONG => true,
        _ => false,
    };
    let images = images(curve, f64::from(at), turns);
    let of_mode = |image: &f32| match is_before {
        true => *image < first,
        false => *image > last,
    };
    let images = images
        .filter(|&image| direction.is_beyond(image, at))
        .filter(of_mode);
    images.chain(own).reduce(|a, b| direction.nearer(a, b))
}

/// Where the keys nearest to `at` come round, around it: in its period and the two beside it.
fn images(curve: &BooleanEvaluator<'_>, at: f64, turns: bool) -> impl Iterator<Item = f32> {
    let keys = curve.keys();
    let (start, end) = match keys {
        [first, .., last] => (f64::from(first.time()), f64::from(last.time())),
        _ => (0.0, 0.0),
    };
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
            // Two different times on each side, lest rounding has put the place beside a key.
            let step = |from: f32, direction| {
                let next = move |at: &f32| next_in(keys, |key| key.time(), *at, direction);
                std::iter::successors(next(&from), next).take(2)
            };
            let above = step(place.next_down(), Direction::Forward);
            let below = step(place.next_up(), Direction::Backward);
            above.chain(below).map(move |key| {
                let image = origin + into_curve(f64::from(key) - start);
                ceiling(image)
            })
        })
    })
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
        let curve = curve.evaluator().unwrap();
        let next = |at: &f32| next_change(&curve, false, *at, direction);
        let first = next(&at);
        std::iter::successors(first, next).take(count).collect()
    }

    #[test]
    fn a_curve_that_holds_its_ends_changes_only_at_its_keys() {
        let mode = WrapMode::CLAMP_FOREVER;
        assert_eq!(changes(mode, -9.0, Direction::Forward, 9), [0.0, 1.0, 4.0]);
        assert_eq!(changes(mode, 9.0, Direction::Backward, 9), [4.0, 1.0, 0.0]);
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
