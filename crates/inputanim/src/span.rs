//! Spans of time.

/// A span of time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its start.
    pub start: f32,
    /// Its end.
    pub end: f32,
}

impl Span {
    /// How long it is, in seconds.
    pub fn length(self) -> f32 {
        self.end - self.start
    }

    /// Whether one of some spans, which are in order, holds all of this one.
    pub(crate) fn is_in(self, spans: &[Span]) -> bool {
        let after = spans.partition_point(|span| span.start <= self.start);
        let span = after.checked_sub(1).and_then(|index| spans.get(index));
        span.is_some_and(|span| self.end <= span.end)
    }

    /// More times in a second than a single-precision time can tell apart after a few seconds.
    pub const HIGHEST_RATE: f64 = 1e6;

    /// The times in it at `rate` a second, from its start on, both ends included where they are
    /// met. None where a bound is not finite, or the rate is not above 0 and at most
    /// [`Span::HIGHEST_RATE`].
    ///
    /// Each time is rounded once from the exact one, so that the distances do not drift.
    ///
    /// ```
    /// use inputanim::Span;
    /// let span = Span { start: 0.5, end: 1.0 };
    /// let times: Vec<f32> = span.times_at(4.0).collect();
    /// assert_eq!(times, [0.5, 0.75, 1.0]);
    /// ```
    pub fn times_at(self, rate: f64) -> impl Iterator<Item = f32> {
        let is_rate = rate > 0.0 && rate <= Span::HIGHEST_RATE;
        let is_sound = self.start.is_finite() && self.end.is_finite() && is_rate;
        let start = f64::from(self.start);
        (0_u64..)
            .map(move |step| (start + step as f64 / rate) as f32)
            .take_while(move |&time| is_sound && time <= self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_met_where_the_rate_meets_it() {
        let count = |start, end, rate| Span { start, end }.times_at(rate).count();
        assert_eq!(count(0.0, 9.0, 60.0), 541);
        assert_eq!(count(0.0, 3.7, 60.0), 223);
        assert_eq!(count(0.0, 3.699, 60.0), 222);
        assert_eq!(count(1.0, 1.0, 60.0), 1);
        assert_eq!(count(1.0, 0.5, 60.0), 0);
    }

    #[test]
    fn an_endless_span_and_an_impossible_rate_have_no_times() {
        let count = |start, end, rate| Span { start, end }.times_at(rate).count();
        assert_eq!(count(0.0, f32::INFINITY, 60.0), 0);
        assert_eq!(count(f32::NAN, 1.0, 60.0), 0);
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(count(0.0, 1.0, rate), 0);
        }
    }
}
