//! Deviation of one quantity between two recordings over time.

use crate::joint::Joint;
use crate::order;
use crate::time_range::TimeRange;

/// The largest number of time ranges that a difference lists. Counts include all.
pub const MAX_LISTED: usize = 16;

/// The deviation of positions, in metres, or of rotations or directions, in degrees, between two
/// recordings. For a hand it is the deviation of the joint that deviates most at each instant.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Deviation {
    /// The number of instants at which both recordings have a value.
    pub instants: u64,
    /// The number of those instants at which only one value is comparable: the other one is NaN or
    /// infinite, or a direction of length 0. These instants exceed every tolerance, and the
    /// statistics do not include them.
    pub incomparable: u64,
    /// Statistics over the comparable instants; `None` without any.
    pub statistics: Option<DeviationStatistics>,
    /// The time ranges out of tolerance.
    pub violations: Violations,
}

impl Deviation {
    /// Returns `true` if the deviation is always within tolerance.
    pub fn is_within(&self) -> bool {
        self.violations.count == 0
    }
}

/// The largest and the typical deviation, in metres or degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct DeviationStatistics {
    /// The largest deviation.
    pub largest: f64,
    /// The first time of the largest deviation, in seconds.
    pub at: f32,
    /// The joint with the largest deviation, for a hand.
    pub joint: Option<Joint>,
    /// The median, in single precision.
    pub median: f64,
    /// The 95th percentile, in single precision.
    pub percentile_95: f64,
}

/// The time ranges in which a deviation is out of tolerance.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Violations {
    /// The number of time ranges.
    pub count: u64,
    /// Their total length, in seconds.
    pub seconds: f32,
    /// The worst time ranges, at most [`MAX_LISTED`], in order of time.
    pub worst: Vec<Violation>,
}

/// A time range in which a deviation is out of tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Violation {
    /// The first and the last compared instant out of tolerance.
    pub range: TimeRange,
    /// The largest deviation in the range, in metres or degrees; infinite where only one recording
    /// has a finite value.
    pub largest: f64,
    /// The time of the largest deviation, in seconds.
    pub at: f32,
    /// The joint with the largest deviation, for a hand.
    pub joint: Option<Joint>,
}

/// The deviations of one instant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstantDeviation {
    largest: Option<(f64, Option<Joint>)>,
    incomparable: Option<Option<Joint>>,
}

impl InstantDeviation {
    /// Adds the deviation of one value, in metres or degrees; `None` if the values of both recordings cannot be
    /// compared. For a hand, `joint` is the joint of the value.
    pub(super) fn add(&mut self, value: Option<f64>, joint: Option<Joint>) {
        match value {
            None => self.incomparable = self.incomparable.or(Some(joint)),
            // The comparison is strict, so the first joint in file order counts among equal
            // deviations.
            Some(value) if self.largest.is_none_or(|(largest, _)| value > largest) => {
                self.largest = Some((value, joint));
            }
            Some(_) => {}
        }
    }

    /// Returns `true` if both recordings have a value at this instant.
    pub(super) fn has_value(self) -> bool {
        self.worst().is_some()
    }

    /// Returns the largest deviation and its joint; infinity if a value cannot be compared. `None` if no value was
    /// added.
    fn worst(self) -> Option<(f64, Option<Joint>)> {
        let incomparable = self.incomparable.map(|joint| (f64::INFINITY, joint));
        incomparable.or(self.largest)
    }
}

/// A builder of a [`Deviation`].
#[derive(Debug)]
pub(super) struct DeviationBuilder {
    tolerance: f64,
    /// Single precision saves memory: a long recording has millions of instants.
    values: Vec<f32>,
    largest: Option<(f64, f32, Option<Joint>)>,
    instants: u64,
    incomparable: u64,
    open: Option<Violation>,
    count: u64,
    seconds: f64,
    worst: Worst<Violation>,
}

impl DeviationBuilder {
    pub(super) fn new(tolerance: f64) -> DeviationBuilder {
        DeviationBuilder {
            tolerance,
            values: Vec::new(),
            largest: None,
            instants: 0,
            incomparable: 0,
            open: None,
            count: 0,
            seconds: 0.0,
            worst: Worst::default(),
        }
    }

    pub(super) fn add(&mut self, time: f32, found: InstantDeviation) {
        let Some((value, joint)) = found.worst() else {
            // An instant without two values ends a time range out of tolerance.
            return self.close();
        };
        self.instants += 1;
        self.incomparable += u64::from(found.incomparable.is_some());
        if let Some((value, joint)) = found.largest {
            // A larger value would become infinite in single precision.
            self.values.push(value.min(f64::from(f32::MAX)) as f32);
            if self.largest.is_none_or(|(largest, ..)| value > largest) {
                self.largest = Some((value, time, joint));
            }
        }
        // An infinite tolerance ignores the quantity, but not values that cannot be compared.
        if value <= self.tolerance && value.is_finite() {
            return self.close();
        }
        let violation = self.open.get_or_insert(Violation {
            range: TimeRange {
                start: time,
                end: time,
            },
            largest: value,
            at: time,
            joint,
        });
        violation.range.end = time;
        if value > violation.largest {
            (violation.largest, violation.at, violation.joint) = (value, time, joint);
        }
    }

    fn close(&mut self) {
        if let Some(violation) = self.open.take() {
            self.count += 1;
            self.seconds += seconds(violation.range);
            self.worst.push(violation.largest, violation);
        }
    }

    pub(super) fn finish(mut self) -> Deviation {
        self.close();
        let statistics = self
            .largest
            .map(|(largest, at, joint)| DeviationStatistics {
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
            violations: Violations {
                count: self.count,
                seconds: self.seconds as f32,
                worst: self.worst.finish(|violation| violation.range.start),
            },
        }
    }
}

/// Returns the length of a time range in seconds, in double precision, which does not overflow.
pub(super) fn seconds(range: TimeRange) -> f64 {
    f64::from(range.end) - f64::from(range.start)
}

/// Returns the quantile of one or more values for a share from 0 to 1: one of the values, by the nearest rank. Reorders
/// the values.
fn quantile(values: &mut [f32], share: f64) -> f64 {
    // The nearest rank: the quantile is one of the values, so it is never above the largest one.
    let rank = (values.len() as f64 * share).ceil() as usize;
    let index = rank.clamp(1, values.len()) - 1;
    let (_, value, _) = values.select_nth_unstable_by(index, f32::total_cmp);
    f64::from(*value)
}

/// The [`MAX_LISTED`] items of the highest rank. Among equal ranks, the first items are kept.
#[derive(Debug)]
pub(super) struct Worst<T>(Vec<(f64, T)>);

impl<T> Default for Worst<T> {
    fn default() -> Self {
        Worst(Vec::new())
    }
}

impl<T> Worst<T> {
    pub(super) fn push(&mut self, rank: f64, item: T) {
        if self.0.len() < MAX_LISTED {
            return self.0.push((rank, item));
        }
        // Items come in order of time. The latest of the items with the lowest rank is removed.
        let least = self.0.iter().enumerate();
        let least = least.reduce(|a, b| if b.1.0 <= a.1.0 { b } else { a });
        if let Some((index, (lowest_rank, _))) = least
            && rank > *lowest_rank
        {
            self.0.remove(index);
            self.0.push((rank, item));
        }
    }

    /// Returns the kept items in order of their time, which `time` returns.
    pub(super) fn finish(self, time: impl Fn(&T) -> f32) -> Vec<T> {
        let mut items: Vec<T> = self.0.into_iter().map(|(_, item)| item).collect();
        order::sort_by_time(&mut items, time);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviation(tolerance: f64, values: &[Option<f64>]) -> Deviation {
        let mut builder = DeviationBuilder::new(tolerance);
        for (time, &value) in values.iter().enumerate() {
            let mut found = InstantDeviation::default();
            found.add(value, None);
            builder.add(time as f32, found);
        }
        builder.finish()
    }

    #[test]
    fn statistics_cover_all_instants() {
        let values: Vec<Option<f64>> = (1..=100).map(|value| Some(f64::from(value))).collect();
        let found = deviation(1000.0, &values);
        let statistics = found.statistics.unwrap();
        assert_eq!((statistics.largest, statistics.at), (100.0, 99.0));
        assert_eq!((statistics.median, statistics.percentile_95), (50.0, 95.0));
        assert!(found.is_within());
    }

    #[test]
    fn neighbouring_instants_out_of_tolerance_form_one_range() {
        let values = [0.0, 2.0, 3.0, 1.0, 5.0].map(Some);
        let beyond = deviation(1.0, &values).violations;
        assert_eq!((beyond.count, beyond.seconds), (2, 1.0));
        let ranges: Vec<_> = beyond
            .worst
            .iter()
            .map(|violation| {
                (
                    violation.range.start,
                    violation.range.end,
                    violation.largest,
                    violation.at,
                )
            })
            .collect();
        assert_eq!(ranges, [(1.0, 2.0, 3.0, 2.0), (4.0, 4.0, 5.0, 4.0)]);
    }

    #[test]
    fn incomparable_values_are_counted_and_excluded_from_statistics() {
        let found = deviation(f64::INFINITY, &[Some(1.0), None, Some(3.0)]);
        assert_eq!((found.instants, found.incomparable), (3, 1));
        assert_eq!(found.statistics.unwrap().largest, 3.0);
        assert_eq!(found.statistics.unwrap().median, 1.0);
        assert!(!found.is_within(), "NaN exceeds every tolerance");
        assert_eq!(found.violations.worst[0].largest, f64::INFINITY);
    }

    #[test]
    fn tolerance_of_0_accepts_only_equal_values() {
        assert!(deviation(0.0, &[Some(0.0)]).is_within());
        assert!(!deviation(0.0, &[Some(1e-300)]).is_within());
    }

    #[test]
    fn only_the_worst_ranges_are_listed_but_all_are_counted() {
        let values: Vec<Option<f64>> = (0..1000_u32)
            .map(|time| Some(f64::from(time % 2 * time)))
            .collect();
        let beyond = deviation(0.0, &values).violations;
        assert_eq!(beyond.count, 500);
        let kept: Vec<f64> = beyond
            .worst
            .iter()
            .map(|violation| violation.largest)
            .collect();
        let expected: Vec<f64> = (0..MAX_LISTED)
            .rev()
            .map(|rank| 999.0 - 2.0 * rank as f64)
            .collect();
        assert_eq!(kept, expected);
    }
}
