//! At most so many frames a second.

/// Which frames are recorded: those that are due.
///
/// Each frame that is recorded makes the next one due an interval after it was due itself, and a
/// frame may come three eighths of an interval early: enough for an unsteady source at the very
/// rate, and less than the half at which a source of twice the rate has its frames in between. So
/// the former loses nothing where its frames come up to 3/16 of an interval too early or too late,
/// the latter every other frame, one that is a little faster a frame now and then; and so many
/// frames never span less than so many intervals, but for one and a half.
#[derive(Clone, Debug)]
pub(super) struct RateCap {
    interval: f64,
    due: f64,
}

/// So many intervals.
const EARLY: f64 = 3.0 / 8.0;

impl RateCap {
    /// For so many frames a second, above 0.
    pub(super) fn new(rate: f32) -> RateCap {
        RateCap {
            interval: 1.0 / f64::from(rate),
            due: f64::NEG_INFINITY,
        }
    }

    pub(super) fn is_due(&self, time: f32) -> bool {
        f64::from(time) >= self.due - EARLY * self.interval
    }

    /// Counts a recorded frame; one that was not due does not count. The first after a pause
    /// starts the count anew.
    pub(super) fn count(&mut self, time: f32, restarts: bool) {
        if restarts {
            self.due = f64::NEG_INFINITY;
        }
        if self.is_due(time) {
            let (time, next) = (f64::from(time), self.due + self.interval);
            self.due = match time < next {
                // No two frames are nearer to each other than half an interval.
                true => next.max(time + (0.5 + EARLY) * self.interval),
                // After a gap the count starts anew.
                false => time + self.interval,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(cap: f32, times: impl Iterator<Item = f64>) -> Vec<f32> {
        let mut cap = RateCap::new(cap);
        let times = times.map(|time| time as f32);
        let is_kept = |time: &f32| {
            let is_due = cap.is_due(*time);
            cap.count(*time, false);
            is_due
        };
        times.filter(is_kept).collect()
    }

    /// Frames at a rate, each up to a part of the interval early or late.
    fn source(rate: f64, jitter: f64, frames: u32) -> impl Iterator<Item = f64> {
        let mut state = 1_u32;
        (0..frames).map(move |step| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let off = f64::from(state >> 8) / f64::from(1 << 23) - 1.0;
            (f64::from(step) + off * jitter) / rate
        })
    }

    #[test]
    fn a_source_at_the_rate_loses_nothing_though_it_be_unsteady() {
        for jitter in [0.0, 0.1, 0.18] {
            assert_eq!(
                kept(60.0, source(60.0, jitter, 10_000)).len(),
                10_000,
                "{jitter}"
            );
        }
    }

    #[test]
    fn of_a_source_at_twice_the_rate_every_other_frame_is_kept() {
        let kept = kept(60.0, source(120.0, 0.1, 10_000));
        for pair in kept.windows(2) {
            let interval = f64::from(pair[1] - pair[0]) * 120.0;
            assert!((1.7..2.3).contains(&interval), "{interval} at {}", pair[0]);
        }
    }

    #[test]
    fn a_source_that_is_a_little_faster_loses_a_frame_now_and_then() {
        let kept = kept(60.0, source(60.6, 0.1, 6060)).len();
        assert!((5900..=6001).contains(&kept), "{kept}");
    }

    #[test]
    fn of_90_frames_60_are_kept_and_a_slower_source_loses_nothing() {
        let kept_of = |rate: f64| kept(60.0, source(rate, 0.05, rate as u32 * 10)).len();
        assert!((598..=602).contains(&kept_of(90.0)), "{}", kept_of(90.0));
        assert!(
            (598..=602).contains(&kept_of(1000.0)),
            "{}",
            kept_of(1000.0)
        );
        assert_eq!(kept_of(30.0), 300);
    }

    #[test]
    fn frames_never_span_less_than_their_intervals_but_for_one_and_a_half() {
        for rate in [61.0, 75.0, 90.0, 120.0, 500.0] {
            let kept = kept(60.0, source(rate, 0.4, 2000));
            for (first, &start) in kept.iter().enumerate() {
                for (number, &end) in kept.iter().enumerate().skip(first) {
                    let intervals = (number - first) as f32 - 0.5;
                    assert!((end - start) * 60.0 > intervals - 0.01, "{start} to {end}");
                }
            }
        }
    }
}
