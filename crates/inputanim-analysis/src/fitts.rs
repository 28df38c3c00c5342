//! Fitts's law by ISO 9241-411.
//!
//! Source: Soukoreff and MacKenzie, "Towards a standard for pointing device evaluation", International Journal of
//! Human-Computer Studies 61 (2004); MacKenzie, "Fitts' throughput and the remarkable case of touch-based target
//! selection" (2015), for the effective amplitude. The results agree with MacKenzie's program for movements to and fro.
//! Where directions vary, his program projects the start point on the task axis of the movement before. Here it is
//! projected on the axis of the movement itself, so that the amplitude is the distance along this axis. This also holds
//! after a pinch that is not a movement, such as a second pinch of one target.

use glam::DVec3;

use crate::channels::{Channels, Intervals, angle};
use crate::device::Press;
use crate::missing::{Missing, ratio};
use crate::pinch::Pinch;
use crate::statistics::{correlation, mean, regression, standard_deviation};
use crate::target::{Target, first_hit};

/// One selection of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Selection {
    /// Centre of the target from which the movement starts.
    pub from: [f64; 3],
    /// Point from which the movement starts: in a serial task, the point that was selected just before. `None` if it
    /// is not known, or if the movement starts at `from`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub start: Option<[f64; 3]>,
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
    /// Each movement starts at its [`start`](Selection::start), or else at the centre of its start target.
    ///
    /// # Errors
    /// Returns the reason if there are fewer than two selections, if all selected points have the same
    /// offset, or if a movement has no length or no time.
    ///
    /// ```
    /// use inputanim_analysis::{Fitts, Selection};
    /// // Two targets at a distance of 0.2 m, which are selected in turn.
    /// let selections = [0.01, -0.01, 0.01, -0.01].map(|offset| Selection {
    ///     from: [0.0; 3],
    ///     start: None,
    ///     to: [0.2, 0.0, 0.0],
    ///     point: [0.2 + offset, 0.0, 0.0],
    ///     movement_time: 0.5,
    /// });
    /// let fitts = Fitts::of(&selections)?;
    /// println!("{} bit/s", fitts.throughput);
    /// # Ok::<(), inputanim_analysis::Missing>(())
    /// ```
    pub fn of(selections: &[Selection]) -> Result<Fitts, Missing> {
        /// √(2πe): the width of a uniform distribution that has the entropy of the standard normal distribution.
        const WIDTH: f64 = 4.132_731_354_122_493;
        let offsets: Vec<f64> = selections.iter().map(offset).collect();
        let sd = standard_deviation(&offsets).ok_or(Missing::TooFew)?;
        let amplitudes: Vec<f64> = selections.iter().map(amplitude).collect();
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

/// Computes the performance under each condition, in the order in which the conditions begin. Each selection comes with
/// the name of its condition. The selections of a condition count as one sequence.
pub fn fitts_by_condition(
    selections: impl IntoIterator<Item = (String, Selection)>,
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
        .map(|(name, group)| (name, Fitts::of(&group)));
    fitts.collect()
}

/// Returns the signed distance of the selected point from the centre of the target along the task axis, in the unit of
/// the selection.
fn offset(selection: &Selection) -> f64 {
    let [to, point] = [selection.to, selection.point].map(DVec3::from);
    (point - to).dot(task_axis(selection))
}

/// Returns the distance from the start point to the selected point along the task axis, in the unit of the selection.
fn amplitude(selection: &Selection) -> f64 {
    let [start, point] =
        [selection.start.unwrap_or(selection.from), selection.point].map(DVec3::from);
    (point - start).dot(task_axis(selection))
}

/// Returns the direction from the start target to the target to select, of length 1.
fn task_axis(selection: &Selection) -> DVec3 {
    let [from, to] = [selection.from, selection.to].map(DVec3::from);
    (to - from).normalize()
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
    /// Fits a line to the movement times over the effective indices of difficulty by least squares. Each condition is
    /// one point.
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

/// Returns the selections that the pinches of a hand make. `pinches` are in order of time. Each pinch selects the
/// nearest target, and its movement starts at the time and the point of the pinch before. A pinch makes no selection if
/// the pinch before selected the same target, because there is no movement between targets. It also makes no selection
/// if the start or the end of its movement is not known, because a pinch is cut there.
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
    let choices: Vec<Choice> = pinches
        .iter()
        .map(|pinch| Choice {
            start: pinch.start,
            end: pinch.end(),
            is_cut_at_start: pinch.is_cut_at_start,
            is_cut_at_end: pinch.is_cut_at_end,
            target: nearest(pinch),
        })
        .collect();
    selections_of(&choices)
}

/// A pinch or a press that chooses a target.
struct Choice {
    start: f64,
    end: f64,
    is_cut_at_start: bool,
    is_cut_at_end: bool,
    /// The centre of the target, and the selected point; `None` if they are not known.
    target: Option<([f64; 3], [f64; 3])>,
}

/// Returns the selections between successive choices, as [`selections`] defines them.
fn selections_of(choices: &[Choice]) -> Vec<Selection> {
    let selection = |pair: &[Choice]| {
        if pair[0].is_cut_at_end || pair[1].is_cut_at_start {
            return None;
        }
        let (from, start) = pair[0].target?;
        let (to, point) = pair[1].target?;
        (from != to).then(|| Selection {
            from,
            start: Some(start),
            to,
            point,
            movement_time: pair[1].start - pair[0].end,
        })
    };
    choices.windows(2).filter_map(selection).collect()
}

/// Returns the selections that presses make with a ray that has an origin and a direction at each sample. `presses` are in order
/// of time. A press selects the target that the ray hits first at its onset, or, if it hits none, the target whose centre has the
/// smallest angle to the ray. The selected point is the point of the ray that is nearest to the centre of the target. Between
/// two samples, the ray is interpolated linearly. The other definitions are those of [`selections`].
pub(crate) fn selections_along(
    channels: &Channels,
    origins: &[[f32; 3]],
    directions: &[[f32; 3]],
    presses: &[Press],
    targets: &[Target],
) -> Vec<Selection> {
    let aimed = |press: &Press| {
        if channels.len == 0 {
            return None;
        }
        let intervals = Intervals::of(channels, [press.start; 2]);
        let origin = DVec3::from(intervals.start(|sample| origins[sample])?);
        let direction = DVec3::from(intervals.start(|sample| directions[sample])?);
        let direction = direction.try_normalize()?;
        let hit = first_hit(targets, press.start, origin, direction).map(|(target, _)| target);
        let nearest = || {
            let existing = targets.iter().enumerate();
            let existing = existing.filter(|(_, target)| target.exists_at(press.start));
            let off =
                |target: &Target| angle(DVec3::from(target.shape.centre()) - origin, direction);
            let nearest = existing.min_by(|a, b| off(a.1).total_cmp(&off(b.1)));
            nearest.map(|(target, _)| target)
        };
        let centre = targets[hit.or_else(nearest)?].shape.centre();
        let along = (DVec3::from(centre) - origin).dot(direction).max(0.0);
        Some((centre, (origin + direction * along).to_array()))
    };
    let choices: Vec<Choice> = presses
        .iter()
        .map(|press| Choice {
            start: press.start,
            end: press.end(),
            is_cut_at_start: press.is_cut_at_start,
            is_cut_at_end: press.is_cut_at_end,
            target: aimed(press),
        })
        .collect();
    selections_of(&choices)
}

#[cfg(test)]
mod tests {
    use inputanim::Side;

    use super::*;
    use crate::pinch::PinchSource;
    use crate::target::Shape;

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
            let before = index.checked_sub(1).map(|before| EXAMPLE[before]);
            Selection {
                from,
                start: before.map(|(x, y, _)| [x, y, 0.0]),
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
        let fitts = Fitts::of(&example()).unwrap();
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

    /// Returns a pinch at each of the positions. The pinches are complete, last 0.1 s and begin once a second.
    fn pinches(positions: &[Option<[f64; 3]>]) -> Vec<Pinch> {
        let pinch = |(second, &position): (usize, &Option<[f64; 3]>)| Pinch {
            side: Side::Right,
            source: PinchSource::Recorded,
            start: second as f64,
            duration: 0.1,
            is_cut_at_start: false,
            is_cut_at_end: false,
            is_interrupted: false,
            position,
            drag: Err(Missing::TooFew),
        };
        positions.iter().enumerate().map(pinch).collect()
    }

    fn ball(name: &str, x: f64, y: f64) -> Target {
        let centre = [x, y, 0.0];
        let radius = 0.02;
        Target::new(name, Shape::Sphere { centre, radius })
    }

    #[test]
    fn a_movement_starts_at_the_point_of_the_pinch_just_before() {
        let targets = [ball("a", 0.0, 0.0), ball("b", 0.3, 0.0)];
        // The pinches select a, b, b, a, an unknown target, b and a. The second pinch of b makes no selection. The
        // pinch of the unknown target and the pinch after it, whose start is not known, make none either.
        let at = |x: f64| Some([x, 0.001, 0.0]);
        let positions = [
            at(0.01),
            at(0.31),
            at(0.27),
            at(-0.02),
            None,
            at(0.305),
            at(0.0),
        ];
        let found = selections(&pinches(&positions), &targets);
        let starts = found.iter().map(|selection| selection.start.unwrap()[0]);
        assert_eq!(starts.collect::<Vec<_>>(), [0.01, 0.27, 0.305]);
        let fitts = Fitts::of(&found).unwrap();
        // On a line, the distances are the differences of x.
        let distances = [0.31 - 0.01, 0.27 + 0.02, 0.305];
        let amplitude = distances.iter().sum::<f64>() / 3.0;
        // 0.01 beyond b, 0.02 beyond a, and at the centre of a: the mean is 0.01, and the variance 0.0001.
        let width = 4.132_731_354_122_493 * 0.01;
        assert!((fitts.effective_amplitude - amplitude).abs() < 1e-12);
        assert!((fitts.effective_width - width).abs() < 1e-12);
        let throughput = (amplitude / width + 1.0).log2() / 0.9;
        assert!((fitts.throughput - throughput).abs() < 1e-12);
    }

    #[test]
    fn amplitudes_are_measured_along_the_axis_of_each_movement() {
        // From a to b along x, and from b to c along y.
        let targets = [
            ball("a", 0.0, 0.0),
            ball("b", 0.3, 0.0),
            ball("c", 0.3, 0.4),
        ];
        let positions = [[0.02, 0.03, 0.0], [0.32, -0.01, 0.0], [0.35, 0.39, 0.0]];
        let found = selections(&pinches(&positions.map(Some)), &targets);
        let amplitude = Fitts::of(&found).unwrap().effective_amplitude;
        // 0.3 along x and 0.4 along y.
        assert!((amplitude - 0.35).abs() < 1e-12, "{amplitude}");
        let centres = found.into_iter().map(|selection| Selection {
            start: None,
            ..selection
        });
        let centres: Vec<Selection> = centres.collect();
        let amplitude = Fitts::of(&centres).unwrap().effective_amplitude;
        // 0.32 along x and 0.39 along y.
        assert!((amplitude - 0.355).abs() < 1e-12, "{amplitude}");
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
        let found = fitts_by_condition(fast.chain(slow));
        let expected = Fitts::of(&example()).unwrap().throughput;
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
        assert_eq!(Fitts::of(&selections), Err(Missing::Undefined));
        assert_eq!(Fitts::of(&selections[..1]), Err(Missing::TooFew));
    }

    #[test]
    fn the_model_of_points_on_a_line_is_exact() {
        let condition = |difficulty: f64| Fitts {
            effective_difficulty: difficulty,
            movement_time: 0.2 + 0.1 * difficulty,
            ..Fitts::of(&example()).unwrap()
        };
        let model = FittsModel::fit(&[1.0, 2.0, 4.0].map(condition)).unwrap();
        assert!((model.intercept - 0.2).abs() < 1e-12 && (model.slope - 0.1).abs() < 1e-12);
        assert!((model.r_squared - 1.0).abs() < 1e-12);
    }
}
