//! Fitts's law by ISO 9241-411.
//!
//! Source: Soukoreff and MacKenzie, "Towards a standard for pointing device evaluation", International
//! Journal of Human-Computer Studies 61 (2004); MacKenzie, "Fitts' throughput and the remarkable case of
//! touch-based target selection" (2015), for the effective amplitude. The results agree with MacKenzie's
//! program.

use glam::DVec3;

use crate::missing::{Missing, ratio};
use crate::pinch::Pinch;
use crate::statistics::{correlation, mean, regression, standard_deviation};
use crate::target::Target;

/// One selection of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Selection {
    /// Centre of the target from which the movement starts.
    pub from: [f64; 3],
    /// Centre of the target to select.
    pub to: [f64; 3],
    /// Point that was selected.
    pub point: [f64; 3],
    /// Movement time in seconds.
    pub movement_time: f64,
}

/// The performance in a sequence of selections under one condition.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Fitts {
    /// Number of selections.
    pub selections: usize,
    /// Mean effective amplitude Aₑ: the distance that was moved along the task axis.
    pub effective_amplitude: f64,
    /// Effective width Wₑ: 4.133 times the standard deviation of the selected points along the task axis.
    pub effective_width: f64,
    /// Effective index of difficulty in bits: log₂(Aₑ / Wₑ + 1).
    pub effective_difficulty: f64,
    /// Mean movement time in seconds.
    pub movement_time: f64,
    /// Throughput in bits per second: effective index of difficulty divided by movement time.
    pub throughput: f64,
}

impl Fitts {
    /// Computes the performance in a sequence of selections. Lengths may have any unit.
    ///
    /// In a serial task, each movement starts at the point that was selected before it; otherwise at the
    /// centre of its start target.
    ///
    /// # Errors
    /// Returns the reason if there are fewer than two selections, if all selected points have the same
    /// offset, or if a movement has no length or no time.
    pub fn of(selections: &[Selection], is_serial: bool) -> Result<Fitts, Missing> {
        /// √(2πe): the width of a uniform distribution with the entropy of a normal one.
        const WIDTH: f64 = 4.132_731_354_122_493;
        let offsets: Vec<f64> = selections.iter().map(offset).collect();
        let sd = standard_deviation(&offsets).ok_or(Missing::TooFew)?;
        let amplitude = |(index, selection): (usize, &Selection)| {
            let distance = DVec3::from(selection.to).distance(selection.from.into());
            let before = index.checked_sub(1).filter(|_| is_serial);
            distance + offsets[index] + before.map_or(0.0, |before| offsets[before])
        };
        let amplitudes: Vec<f64> = selections.iter().enumerate().map(amplitude).collect();
        let times: Vec<f64> = selections
            .iter()
            .map(|selection| selection.movement_time)
            .collect();
        let effective_amplitude = mean(&amplitudes).ok_or(Missing::TooFew)?;
        let movement_time = mean(&times).ok_or(Missing::TooFew)?;
        let effective_width = WIDTH * sd;
        let share = ratio(effective_amplitude, effective_width, Missing::Undefined)?;
        let effective_difficulty = libm::log2(share + 1.0);
        let throughput = ratio(effective_difficulty, movement_time, Missing::Undefined)?;
        if !throughput.is_finite() {
            return Err(Missing::Undefined);
        }
        Ok(Fitts {
            selections: selections.len(),
            effective_amplitude,
            effective_width,
            effective_difficulty,
            movement_time,
            throughput,
        })
    }
}

/// Computes the performance under each condition, in the order in which the conditions begin. The
/// selections of a condition are taken as one sequence.
pub fn fitts_by_condition(
    selections: impl IntoIterator<Item = (String, Selection)>,
    is_serial: bool,
) -> Vec<(String, Result<Fitts, Missing>)> {
    let mut groups: Vec<(String, Vec<Selection>)> = Vec::new();
    for (condition, selection) in selections {
        match groups.iter_mut().find(|(name, _)| *name == condition) {
            Some((_, group)) => group.push(selection),
            None => groups.push((condition, vec![selection])),
        }
    }
    let fitts = groups
        .into_iter()
        .map(|(name, group)| (name, Fitts::of(&group, is_serial)));
    fitts.collect()
}

/// Returns the offset of the selected point from the centre of the target along the task axis.
fn offset(selection: &Selection) -> f64 {
    let [from, to, point] = [selection.from, selection.to, selection.point].map(DVec3::from);
    (point - to).dot((to - from).normalize())
}

/// The line MT = intercept + slope · ID, fitted to several conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct FittsModel {
    /// Intercept in seconds.
    pub intercept: f64,
    /// Slope in seconds per bit.
    pub slope: f64,
    /// Share of the variance that the line explains.
    pub r_squared: f64,
}

impl FittsModel {
    /// Fits the line by least squares to the effective indices of difficulty.
    ///
    /// # Errors
    /// Returns the reason if there are fewer than three conditions, or if their values do not vary.
    pub fn fit(conditions: &[Fitts]) -> Result<FittsModel, Missing> {
        let point = |fitts: &Fitts| (fitts.effective_difficulty, fitts.movement_time);
        let points: Vec<(f64, f64)> = conditions.iter().map(point).collect();
        let (slope, intercept) = regression(&points)?;
        let r = correlation(points.into_iter())?;
        Ok(FittsModel {
            intercept,
            slope,
            r_squared: r * r,
        })
    }
}

/// Returns the selections that pinches make: each pinch selects the nearest target, and its movement starts
/// at the end of the pinch before, which selected another target.
pub fn selections(pinches: &[Pinch], targets: &[Target]) -> Vec<Selection> {
    let nearest = |pinch: &Pinch| {
        let position = pinch.position?;
        let existing = targets
            .iter()
            .filter(|target| target.exists_at(pinch.start));
        let distance = |target: &Target| target.shape.distance(position);
        let target = existing.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some((target.shape.centre(), position))
    };
    let selection = |pair: &[Pinch]| {
        let (from, _) = nearest(&pair[0])?;
        let (to, point) = nearest(&pair[1])?;
        (from != to).then(|| Selection {
            from,
            to,
            point,
            movement_time: pair[1].start - pair[0].end(),
        })
    };
    pinches.windows(2).filter_map(selection).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example in the documentation of MacKenzie's program: x and y of the selected point in
    /// pixels, and the movement time in milliseconds.
    const EXAMPLE: [(f64, f64, f64); 20] = [
        (218.5, 534.3, 263.0),
        (529.5, 496.3, 268.0),
        (195.0, 608.0, 248.0),
        (533.5, 547.0, 234.0),
        (209.8, 651.0, 251.0),
        (607.0, 554.0, 253.0),
        (231.3, 650.8, 283.0),
        (540.8, 568.3, 215.0),
        (231.9, 642.5, 301.0),
        (560.5, 567.0, 267.0),
        (207.5, 653.8, 259.0),
        (524.5, 604.8, 259.0),
        (239.1, 704.3, 248.0),
        (515.0, 610.9, 243.0),
        (180.0, 675.5, 242.0),
        (501.0, 606.5, 253.0),
        (215.5, 666.0, 244.0),
        (572.0, 621.5, 256.0),
        (215.4, 690.5, 252.0),
        (521.5, 641.8, 210.0),
    ];

    fn example() -> Vec<Selection> {
        let (left, right) = ([227.8, 592.0, 0.0], [540.2, 592.0, 0.0]);
        let selection = |(index, (x, y, time)): (usize, (f64, f64, f64))| {
            let (from, to) = if index % 2 == 0 {
                (right, left)
            } else {
                (left, right)
            };
            Selection {
                from,
                to,
                point: [x, y, 0.0],
                movement_time: time / 1000.0,
            }
        };
        EXAMPLE.into_iter().enumerate().map(selection).collect()
    }

    #[test]
    fn throughput_of_the_worked_example() {
        // The example prints coordinates with one decimal, so its results agree to about four digits.
        let fitts = Fitts::of(&example(), true).unwrap();
        for (found, expected) in [
            (fitts.effective_amplitude, 327.058),
            (fitts.effective_width, 106.063),
            (fitts.effective_difficulty, 2.02985),
            (fitts.movement_time, 0.25234),
            (fitts.throughput, 8.0441),
        ] {
            assert!(
                (found / expected - 1.0).abs() < 5e-4,
                "{found}, not {expected}"
            );
        }
    }

    #[test]
    fn conditions_are_computed_one_by_one() {
        let slow = example().into_iter().map(|selection| Selection {
            movement_time: 2.0 * selection.movement_time,
            ..selection
        });
        let fast = example()
            .into_iter()
            .map(|selection| ("fast".to_owned(), selection));
        let slow = slow.map(|selection| ("slow".to_owned(), selection));
        let found = fitts_by_condition(fast.chain(slow), true);
        let expected = Fitts::of(&example(), true).unwrap().throughput;
        let throughputs = found
            .iter()
            .map(|(name, fitts)| (name.as_str(), fitts.unwrap().throughput));
        let expected = [("fast", expected), ("slow", expected / 2.0)];
        for ((name, found), (condition, expected)) in throughputs.zip(expected) {
            assert!(name == condition && (found - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn selections_without_variation_have_no_throughput() {
        let mut selections = example();
        for selection in &mut selections {
            selection.point = selection.to;
        }
        assert_eq!(Fitts::of(&selections, true), Err(Missing::Undefined));
        assert_eq!(Fitts::of(&selections[..1], true), Err(Missing::TooFew));
    }

    #[test]
    fn the_model_of_points_on_a_line_is_exact() {
        let condition = |difficulty: f64| Fitts {
            effective_difficulty: difficulty,
            movement_time: 0.2 + 0.1 * difficulty,
            ..Fitts::of(&example(), true).unwrap()
        };
        let model = FittsModel::fit(&[1.0, 2.0, 4.0].map(condition)).unwrap();
        assert!((model.intercept - 0.2).abs() < 1e-12 && (model.slope - 0.1).abs() < 1e-12);
        assert!((model.r_squared - 1.0).abs() < 1e-12);
    }
}
