//! How far one thing of two recordings is apart over time.

use crate::joint::Joint;
use crate::span::Span;

/// At most so many spans are kept of each kind; the count is of all.
pub const KEPT: usize = 16;

/// How far a position, in metres, or a rotation or direction, in degrees, is apart in two
/// recordings. Of a hand it is the joint that is farthest apart at each instant.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Deviation {
    /// Instants at which there was something to compare.
    pub instants: u64,
    /// Instants at which one recording had a number and the other had none: NaN or infinite, or
    /// a direction of length 0. They are out of any tolerance, and not in the statistics.
    pub incomparable: u64,
    /// Over the other instants; `None` without any.
    pub statistics: Option<Statistics>,
    /// Where it is out of tolerance.
    pub beyond: Beyond,
}

impl Deviation {
    /// Whether it is never out of tolerance.
    pub fn is_within(&self) -> bool {
        self.beyond.spans == 0
    }
}

/// The largest and the typical difference, in metres or degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Statistics {
    /// The largest difference.
    pub largest: f64,
    /// When it is first that large, in seconds.
    pub at: f32,
    /// Which joint that is, of a hand.
    pub joint: Option<Joint>,
    /// At half of the instants it is at most this, in single precision.
    pub median: f64,
    /// At 95 of 100 instants it is at most this, in single precision.
    pub percentile_95: f64,
}

/// When something is out of tolerance.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Beyond {
    /// How many spans.
    pub spans: u64,
    /// How long they are together.
    pub seconds: f64,
    /// The worst of them, at most [`KEPT`], in order of time.
    pub worst: Vec<Excess>,
}

/// A span in which something is out of tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Excess {
    /// From the first to the last instant at which it was seen to be.
    pub span: Span,
    /// The largest difference in it, in metres or degrees; infinite where one recording has no
    /// number.
    pub largest: f64,
    /// When that is, in seconds.
    pub at: f32,
    /// Which joint that is, of a hand.
    pub joint: Option<Joint>,
}

/// What was found at one instant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    largest: Option<(f64, Option<Joint>)>,
    incomparable: Option<Option<Joint>>,
}

impl Found {
    /// One value of that instant, `None` where it cannot be compared.
    pub(super) fn see(&mut self, value: Option<f64>, joint: Option<Joint>) {
        match value {
            None => self.incomparable = self.incomparable.or(Some(joint)),
            Some(value) if self.largest.is_none_or(|(largest, _)| value > largest) => {
                self.largest = Some((value, joint));
            }
            Some(_) => {}
        }
    }

    /// The worst of it, if there is anything.
    fn worst(self) -> Option<(f64, Option<Joint>)> {
        let endless = self.incomparable.map(|joint| (f64::INFINITY, joint));
        endless.or(self.largest)
    }
}

/// A [`Deviation`] in the making, instant by instant.
#[derive(Debug)]
pub(super) struct Deviating {
    tolerance: f64,
    /// Four bytes an instant, for the quantiles.
    values: Vec<f32>,
    largest: Option<(f64, f32, Option<Joint>)>,
    instants: u64,
    incomparable: u64,
    open: Option<Excess>,
    spans: u64,
    seconds: f64,
    worst: Worst<Excess>,
}

impl Deviating {
    pub(super) fn new(tolerance: f64) -> Deviating {
        Deviating {
            tolerance,
            values: Vec::new(),
            largest: None,
            instants: 0,
            incomparable: 0,
            open: None,
            spans: 0,
            seconds: 0.0,
            worst: Worst::default(),
        }
    }

    pub(super) fn add(&mut self, time: f32, found: Found) {
        let Some((value, joint)) = found.worst() else {
            return self.close();
        };
        self.instants += 1;
        self.incomparable += u64::from(found.incomparable.is_some());
        if let Some((value, joint)) = found.largest {
            self.values.push(value.min(f64::from(f32::MAX)) as f32);
            if self.largest.is_none_or(|(largest, ..)| value > largest) {
                self.largest = Some((value, time, joint));
            }
        }
        if value <= self.tolerance && value.is_finite() {
            return self.close();
        }
        let excess = self.open.get_or_insert(Excess {
            span: Span {
                start: time,
                end: time,
            },
            largest: value,
            at: time,
            joint,
        });
        excess.span.end = time;
        if value > excess.largest {
            (excess.largest, excess.at, excess.joint) = (value, time, joint);
        }
    }

    fn close(&mut self) {
        if let Some(excess) = self.open.take() {
            self.spans += 1;
            self.seconds += seconds(excess.span);
            self.worst.push(excess.largest, excess);
        }
    }

    pub(super) fn finish(mut self) -> Deviation {
        self.close();
        let statistics = self.largest.map(|(largest, at, joint)| Statistics {
            largest,
            at,
            joint,
            median: quantile(&mut self.values, 0.5),
            percentile_95: quantile(&mut self.values, 0.95),
        });
        Deviation {
            instants: self.instants,
            incomparable: self.incomparable,
            statistics,
            beyond: Beyond {
                spans: self.spans,
                seconds: self.seconds,
                worst: self.worst.finish(|excess| excess.span.start),
            },
        }
    }
}

/// The length of a span in double precision, where ends far apart do not overflow.
pub(super) fn seconds(span: Span) -> f64 {
    f64::from(span.end) - f64::from(span.start)
}

/// The least value that a share of all values do not exceed; there is at least one.
fn quantile(values: &mut [f32], share: f64) -> f64 {
    let rank = (values.len() as f64 * share).ceil() as usize;
    let index = rank.clamp(1, values.len()) - 1;
    let (_, value, _) = values.select_nth_unstable_by(index, f32::total_cmp);
    f64::from(*value)
}

/// The [`KEPT`] things of the highest rank; of equals the first.
#[derive(Debug)]
pub(super) struct Worst<T>(Vec<(f64, T)>);

impl<T> Default for Worst<T> {
    fn default() -> Self {
        Worst(Vec::new())
    }
}

impl<T> Worst<T> {
    pub(super) fn push(&mut self, rank: f64, item: T) {
        if self.0.len() < KEPT {
            return self.0.push((rank, item));
        }
        // The last of the least, since they come in order of time.
        let least = self.0.iter().enumerate();
        let least = least.reduce(|a, b| if b.1.0 <= a.1.0 { b } else { a });
        if let Some((index, (of_least, _))) = least
            && rank > *of_least
        {
            self.0.remove(index);
            self.0.push((rank, item));
        }
    }

    /// In order of time.
    pub(super) fn finish(self, time: impl Fn(&T) -> f32) -> Vec<T> {
        let mut items: Vec<T> = self.0.into_iter().map(|(_, item)| item).collect();
        items.sort_by(|a, b| time(a).total_cmp(&time(b)));
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(tolerance: f64, values: &[Option<f64>]) -> Deviation {
        let mut deviating = Deviating::new(tolerance);
        for (time, &value) in values.iter().enumerate() {
            let mut found = Found::default();
            found.see(value, None);
            deviating.add(time as f32, found);
        }
        deviating.finish()
    }

    #[test]
    fn statistics_are_over_the_instants() {
        let values: Vec<Option<f64>> = (1..=100).map(|value| Some(f64::from(value))).collect();
        let found = deviation(1000.0, &values);
        let statistics = found.statistics.unwrap();
        assert_eq!((statistics.largest, statistics.at), (100.0, 99.0));
        assert_eq!((statistics.median, statistics.percentile_95), (50.0, 95.0));
        assert!(found.is_within());
    }

    #[test]
    fn neighbouring_instants_out_of_tolerance_are_one_span() {
        let values = [0.0, 2.0, 3.0, 1.0, 5.0].map(Some);
        let beyond = deviation(1.0, &values).beyond;
        assert_eq!((beyond.spans, beyond.seconds), (2, 1.0));
        let spans: Vec<_> = beyond
            .worst
            .iter()
            .map(|excess| {
                (
                    excess.span.start,
                    excess.span.end,
                    excess.largest,
                    excess.at,
                )
            })
            .collect();
        assert_eq!(spans, [(1.0, 2.0, 3.0, 2.0), (4.0, 4.0, 5.0, 4.0)]);
    }

    #[test]
    fn what_is_no_number_is_counted_and_poisons_nothing() {
        let found = deviation(f64::INFINITY, &[Some(1.0), None, Some(3.0)]);
        assert_eq!((found.instants, found.incomparable), (3, 1));
        assert_eq!(found.statistics.unwrap().largest, 3.0);
        assert_eq!(found.statistics.unwrap().median, 1.0);
        assert!(!found.is_within(), "no tolerance is that great");
        assert_eq!(found.beyond.worst[0].largest, f64::INFINITY);
    }

    #[test]
    fn a_tolerance_of_0_lets_only_the_same_pass() {
        assert!(deviation(0.0, &[Some(0.0)]).is_within());
        assert!(!deviation(0.0, &[Some(1e-300)]).is_within());
    }

    #[test]
    fn of_very_many_spans_the_worst_are_kept_and_all_are_counted() {
        let values: Vec<Option<f64>> = (0..1000_u32)
            .map(|time| Some(f64::from(time % 2 * time)))
            .collect();
        let beyond = deviation(0.0, &values).beyond;
        assert_eq!(beyond.spans, 500);
        let kept: Vec<f64> = beyond.worst.iter().map(|excess| excess.largest).collect();
        let expected: Vec<f64> = (0..KEPT)
            .rev()
            .map(|rank| 999.0 - 2.0 * rank as f64)
            .collect();
        assert_eq!(kept, expected);
    }
}
