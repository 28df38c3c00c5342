//! Wrap modes: the meaning of times outside the keys (docs/evaluation.md, section 2).

use crate::curve::{FloatCurve, WrapMode};

/// The wrap modes of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrap {
    pub(crate) pre: WrapMode,
    pub(crate) post: WrapMode,
}

/// The position of a time in a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Resolved {
    /// At the first key.
    First,
    /// At the last key.
    Last,
    /// At this time in seconds, after the first key and before the last.
    Inside(f32),
    /// The time is NaN, or the curve has no value there.
    NotANumber,
}

impl Wrap {
    /// Holds both ends.
    pub(crate) const CLAMP: Wrap = Wrap {
        pre: WrapMode::CLAMP_FOREVER,
        post: WrapMode::CLAMP_FOREVER,
    };

    pub(crate) fn of_float(curve: &FloatCurve<'_>) -> Wrap {
        Wrap {
            pre: curve.pre_wrap,
            post: curve.post_wrap,
        }
    }

    /// Returns `true` if the curve holds its end values before the first and after the last key.
    pub(crate) fn holds(self) -> bool {
        self.pre.holds() && self.post.holds()
    }

    /// Returns the position to which the wrap modes map `time`, in a curve of two or more keys from `first` to `last`
    /// seconds. The wrap mode already applies at the time of the last key.
    #[inline]
    pub(crate) fn resolve(self, first: f32, last: f32, time: f32) -> Resolved {
        // Most times are inside the keys, so this test comes first.
        if time > first && time < last {
            Resolved::Inside(time)
        } else if time >= last {
            after(self.post, first, last, time)
        } else if time < first {
            before(self.pre, first, last, time)
        } else {
            inside(first, last, time)
        }
    }
}

fn inside(first: f32, last: f32, time: f32) -> Resolved {
    if time <= first {
        Resolved::First
    } else if time >= last {
        Resolved::Last
    } else if time.is_nan() {
        Resolved::NotANumber
    } else {
        Resolved::Inside(time)
    }
}

fn after(mode: WrapMode, first: f32, last: f32, time: f32) -> Resolved {
    let is_empty = last == first;
    match mode {
        mode if mode.holds() => Resolved::Last,
        // Keys at a single time leave no period to repeat. The results match Unity
        // (docs/evaluation.md, section 2).
        WrapMode::PING_PONG | WrapMode::DEFAULT if is_empty => Resolved::Last,
        _ if is_empty => Resolved::First,
        mode => wrapped(mode, first, last, time),
    }
}

fn before(mode: WrapMode, first: f32, last: f32, time: f32) -> Resolved {
    let is_empty = last == first;
    match mode {
        mode if mode.holds() => Resolved::First,
        // Unity treats Default and Loop differently only in this case.
        WrapMode::PING_PONG | WrapMode::DEFAULT if is_empty => Resolved::Last,
        _ if is_empty => Resolved::NotANumber,
        mode => wrapped(mode, first, last, time),
    }
}

/// Maps a time outside the keys into their range, from `first` to `last` seconds, for a curve that repeats or runs back
/// and forth. The computation has double precision, so only the result is rounded.
fn wrapped(mode: WrapMode, first: f32, last: f32, time: f32) -> Resolved {
    let start = f64::from(first);
    let length = f64::from(last) - start;
    let offset = f64::from(time) - start;
    let offset = match mode {
        WrapMode::PING_PONG => ping_pong(offset, length),
        // Unity evaluates Default as Loop, and probably undefined numbers too.
        _ => repeat(offset, length),
    };
    inside(first, last, (offset + start) as f32)
}

fn repeat(time: f64, length: f64) -> f64 {
    let offset = time - (time / length).floor() * length;
    // `clamp`, `max` and `min` are not used, because NaN must stay NaN.
    if offset < 0.0 {
        0.0
    } else if offset > length {
        length
    } else {
        offset
    }
}

fn ping_pong(time: f64, length: f64) -> f64 {
    length - (repeat(time, 2.0 * length) - length).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(mode: WrapMode, time: f32) -> Resolved {
        let wrap = Wrap {
            pre: mode,
            post: mode,
        };
        wrap.resolve(1.0, 3.0, time)
    }

    #[test]
    fn the_wrap_mode_applies_at_the_last_key() {
        assert_eq!(at(WrapMode::LOOP, 3.0), Resolved::First);
        assert_eq!(at(WrapMode::DEFAULT, 3.0), Resolved::First);
        assert_eq!(at(WrapMode::PING_PONG, 3.0), Resolved::Last);
        assert_eq!(at(WrapMode::CLAMP_FOREVER, 3.0), Resolved::Last);
    }

    #[test]
    fn loop_restarts_and_ping_pong_reverses() {
        assert_eq!(at(WrapMode::LOOP, 3.5), Resolved::Inside(1.5));
        assert_eq!(at(WrapMode::LOOP, 0.5), Resolved::Inside(2.5));
        assert_eq!(at(WrapMode::PING_PONG, 3.5), Resolved::Inside(2.5));
        assert_eq!(at(WrapMode::PING_PONG, 0.5), Resolved::Inside(1.5));
        assert_eq!(at(WrapMode(77), 3.5), Resolved::Inside(1.5));
    }

    #[test]
    fn nan_and_infinite_times_are_resolved() {
        assert_eq!(at(WrapMode::LOOP, f32::NAN), Resolved::NotANumber);
        assert_eq!(at(WrapMode::LOOP, f32::INFINITY), Resolved::NotANumber);
        assert_eq!(at(WrapMode::ONCE, f32::INFINITY), Resolved::Last);
        assert_eq!(at(WrapMode::ONCE, f32::NEG_INFINITY), Resolved::First);
    }
}
