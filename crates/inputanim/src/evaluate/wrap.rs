//! What a time outside the keys means (docs/evaluation.md, section 2).

use crate::curve::{FloatCurve, WrapMode};

/// The wrap modes of both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wrap {
    pub(crate) pre: WrapMode,
    pub(crate) post: WrapMode,
}

/// Where in a curve a time is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Resolved {
    /// At the first key.
    First,
    /// At the last key.
    Last,
    /// After the time of the first key and before that of the last.
    Inside(f32),
    /// Nowhere.
    NotANumber,
}

impl Wrap {
    /// Both ends held.
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

    /// Whether both ends are held.
    pub(crate) fn holds(self) -> bool {
        self.pre.holds() && self.post.holds()
    }

    /// Where `time` is in a curve of two or more keys from `first` to `last` seconds. The last
    /// key's own time belongs to the wrap mode already.
    #[inline]
    pub(crate) fn resolve(self, first: f32, last: f32, time: f32) -> Resolved {
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
        WrapMode::PING_PONG | WrapMode::DEFAULT if is_empty => Resolved::Last,
        _ if is_empty => Resolved::First,
        mode => folded(mode, first, last, time),
    }
}

fn before(mode: WrapMode, first: f32, last: f32, time: f32) -> Resolved {
    let is_empty = last == first;
    match mode {
        mode if mode.holds() => Resolved::First,
        WrapMode::PING_PONG | WrapMode::DEFAULT if is_empty => Resolved::Last,
        _ if is_empty => Resolved::NotANumber,
        mode => folded(mode, first, last, time),
    }
}

/// In double precision, so that the only rounding is that of the time that comes out.
fn folded(mode: WrapMode, first: f32, last: f32, time: f32) -> Resolved {
    let start = f64::from(first);
    let length = f64::from(last) - start;
    let offset = f64::from(time) - start;
    let offset = match mode {
        WrapMode::PING_PONG => ping_pong(offset, length),
        // Default is as Loop; so, likely, are numbers that Unity does not define.
        _ => repeat(offset, length),
    };
    inside(first, last, (offset + start) as f32)
}

fn repeat(time: f64, length: f64) -> f64 {
    let offset = time - (time / length).floor() * length;
    // NaN stays NaN: not `max` and `min`.
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
    fn the_end_belongs_to_the_wrap_mode() {
        assert_eq!(at(WrapMode::LOOP, 3.0), Resolved::First);
        assert_eq!(at(WrapMode::DEFAULT, 3.0), Resolved::First);
        assert_eq!(at(WrapMode::PING_PONG, 3.0), Resolved::Last);
        assert_eq!(at(WrapMode::CLAMP_FOREVER, 3.0), Resolved::Last);
    }

    #[test]
    fn loop_starts_over_and_ping_pong_turns_round() {
        assert_eq!(at(WrapMode::LOOP, 3.5), Resolved::Inside(1.5));
        assert_eq!(at(WrapMode::LOOP, 0.5), Resolved::Inside(2.5));
        assert_eq!(at(WrapMode::PING_PONG, 3.5), Resolved::Inside(2.5));
        assert_eq!(at(WrapMode::PING_PONG, 0.5), Resolved::Inside(1.5));
        assert_eq!(at(WrapMode(77), 3.5), Resolved::Inside(1.5));
    }

    #[test]
    fn no_time_and_endless_times_are_somewhere_or_nowhere() {
        assert_eq!(at(WrapMode::LOOP, f32::NAN), Resolved::NotANumber);
        assert_eq!(at(WrapMode::LOOP, f32::INFINITY), Resolved::NotANumber);
        assert_eq!(at(WrapMode::ONCE, f32::INFINITY), Resolved::Last);
        assert_eq!(at(WrapMode::ONCE, f32::NEG_INFINITY), Resolved::First);
    }
}
