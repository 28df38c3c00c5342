//! Maximum frame rate of a recorder.

/// Selects frames so that their rate stays below a maximum.
///
/// Method: the next frame is due one interval after the time at which the recorded frame was due. A
/// frame may come 3/8 of an interval early. That is enough for an unsteady source at exactly the
/// maximum rate. It is also less than half an interval, which is how early every other frame of a
/// source of twice the rate comes.
///
/// Guarantee: a source at the maximum rate loses no frame while each comes at most 3/16 of an
/// interval early or late. A source of twice the rate loses every other frame. Any n recorded
/// frames span at least n − 3/2 intervals.
#[derive(Clone, Debug)]
pub(super) struct RateCap {
    interval: f64,
    due: f64,
}

/// Tolerance for early frames, in intervals.
const EARLY: f64 = 3.0 / 8.0;

impl RateCap {
    /// Returns a limit of `rate` frames per second. `rate` must be above 0.
    pub(super) fn new(rate: f64) -> RateCap {
        RateCap {
            interval: 1.0 / rate,
            due: f64::NEG_INFINITY,
        }
    }

    pub(super) fn is_due(&self, time: f32) -> bool {
        f64::from(time) >= self.due - EARLY * self.interval
    }

    /// Notes that a frame at `time` seconds was recorded, and moves the time at which the next one is due. A frame that
    /// was not due does not count. `restarts` is `true` for the first frame after a pause, which restarts the count.
    pub(super) fn count(&mut self, time: f32, restarts: bool) {
        if restarts {
            self.due = f64::NEG_INFINITY;
        }
        if self.is_due(time) {
            let (time, next) = (f64::from(time), self.due + self.interval);
            self.due = if time < next {
                // Keeps any two frames at least half an interval apart.
                next.max(time + (0.5 + EARLY) * self.interval)
            } else {
                // A gap restarts the count.
                time + self.interval
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(cap: f64, times: impl Iterator<Item = f64>) -> Vec<f32> {
        let mut cap = RateCap::new(cap);
        let times = times.map(|time| time as f32);
        let is_kept = |time: &f32| {
            let is_due = cap.is_due(*time);
            cap.count(*time, false);
            is_due
        };
        times.filter(is_kept).collect()
    }

    /// Returns frame times at a rate; `jitter` is the largest deviation, in intervals.
    fn source(rate: f64, jitter: f64, frames: u32) -> impl Iterator<Item = f64> {
        let mut state = 1_u32;
        (0..frames).map(move |step| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let off = f64::from(state >> 8) / f64::from(1 << 23) - 1.0;
            (f64::from(step) + off * jitter) / rate
        })
    }

    #[test]
    fn an_unsteady_source_at_the_rate_loses_nothing() {
        for jitter in [0.0, 0.1, 0.18] {
            assert_eq!(
                kept(60.0, source(60.0, jitter, 10_000)).len(),
                10_000,
                "{jitter}"
            );
        }
    }

    #[test]
    fn a_source_at_twice_the_rate_keeps_every_other_frame() {
        let kept = kept(60.0, source(120.0, 0.1, 10_000));
        for pair in kept.windows(2) {
            let interval = f64::from(pair[1] - pair[0]) * 120.0;
            assert!((1.7..2.3).contains(&interval), "{interval} at {}", pair[0]);
        }
    }

    #[test]
    fn a_slightly_faster_source_loses_few_frames() {
        let kept = kept(60.0, source(60.6, 0.1, 6060)).len();
        assert!((5900..=6001).contains(&kept), "{kept}");
    }

    #[test]
    fn a_source_at_90_hz_keeps_60_frames_and_a_slower_one_all() {
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
    fn n_frames_span_at_least_n_minus_one_and_a_half_intervals() {
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
