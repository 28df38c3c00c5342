//! Curves over time, with a bounded number of points.

use std::fmt::Write;

use crate::channels::runs;

/// The range of values of a curve whose ends are the same, such as an angle from −180° to 180°.
const PERIOD: f64 = 360.0;

/// Returns SVG path data for a curve through values over time.
///
/// `x` returns the horizontal position of a sample in pixels, which increases with the sample. `y` returns the vertical
/// position of a value. In each column of pixels, the smallest and the largest value of each uninterrupted part are
/// drawn. A column with more than two parts becomes a vertical line. A part ends where a value is not finite, and, for
/// a curve that wraps, where the values jump to the other end. The number of points is at most eight per column.
pub(super) fn path(
    values: &[f64],
    wraps: bool,
    x: impl Fn(usize) -> f64,
    y: impl Fn(f64) -> f64,
) -> String {
    let mut path = String::new();
    let is_jump = |index: usize| {
        let [before, after] = [values[index - 1], values[index]];
        !before.is_finite() || (wraps && (after - before).abs() > PERIOD / 2.0)
    };
    let mut is_drawing = false;
    let mut start = 0;
    while start < values.len() {
        let column = x(start).floor();
        let end = (start + 1..values.len()).find(|&index| x(index).floor() > column);
        let end = end.unwrap_or(values.len());
        let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
        for run in runs(start..end, |index| values[index].is_finite()) {
            let mut from = run.start;
            for index in (run.start + 1..run.end).filter(|&index| is_jump(index)) {
                parts.push(from..index);
                from = index;
            }
            parts.push(from..run.end);
        }
        if parts.len() > 2 {
            // The values of a curve that wraps are at both ends of the axis, and no value is between them.
            let is_known = |index: &usize| values[*index].is_finite();
            let (above, below): (Vec<usize>, Vec<usize>) = (start..end)
                .filter(is_known)
                .partition(|&index| !wraps || values[index] >= 0.0);
            for half in [above, below] {
                let numbers = half.iter().map(|&index| values[index]);
                let [low, high] = extent(numbers);
                if low <= high {
                    let _ = write!(path, "M{:.1} {:.1}", column + 0.5, y(low));
                    let _ = write!(path, "L{:.1} {:.1}", column + 0.5, y(high));
                }
            }
            is_drawing = false;
        } else {
            for part in parts {
                let continues = is_drawing && part.start == start && start > 0 && !is_jump(start);
                let order = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
                let extremes = [part.clone().min_by(order), part.clone().max_by(order)];
                let mut points: Vec<usize> = extremes.into_iter().flatten().collect();
                points.sort_unstable();
                for (number, &index) in points.iter().enumerate() {
                    let command = if number == 0 && !continues { 'M' } else { 'L' };
                    let _ = write!(path, "{command}{:.1} {:.1}", x(index), y(values[index]));
                    // Equal points make a single sample visible as a dot.
                    if points[0] == points[points.len() - 1] && continues {
                        break;
                    }
                }
            }
            is_drawing = values[end - 1].is_finite();
        }
        start = end;
    }
    path
}

/// Returns the smallest and the largest of some numbers. Without numbers, the first result is larger than the second.
pub(super) fn extent(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::MAX, f64::MIN], |[low, high], number| {
        [low.min(number), high.max(number)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f64], wraps: bool, samples_per_pixel: f64) -> String {
        path(
            values,
            wraps,
            |index| index as f64 / samples_per_pixel,
            |y| y,
        )
    }

    #[test]
    fn curves_break_at_gaps_and_where_they_wrap() {
        let gap = [0.0, 1.0, f64::NAN, 2.0];
        assert_eq!(
            points(&gap, false, 1.0),
            "M0.0 0.0L0.0 0.0L1.0 1.0M3.0 2.0L3.0 2.0"
        );
        let wrap = [170.0, 179.0, -179.0, -170.0];
        assert_eq!(
            points(&wrap, true, 1.0),
            "M0.0 170.0L0.0 170.0L1.0 179.0M2.0 -179.0L2.0 -179.0L3.0 -170.0"
        );
        assert_eq!(points(&wrap, false, 1.0).matches('M').count(), 1);
        assert_eq!(points(&[f64::NAN; 3], true, 1.0), "");
    }

    #[test]
    fn no_peak_is_lost_and_points_are_bounded() {
        let mut values: Vec<f64> = (0..100_000).map(|index| f64::from(index % 7)).collect();
        values[50_001] = 99.0;
        let long = points(&values, false, 1000.0);
        assert!(long.contains(" 99.0"));
        assert!(long.matches(['M', 'L']).count() <= 800);
        let flicker: Vec<f64> = (0..100_000)
            .map(|index| if index % 2 == 0 { 180.0 } else { -180.0 })
            .collect();
        let flicker = points(&flicker, true, 1000.0);
        assert!(flicker.matches(['M', 'L']).count() <= 800);
        // No line crosses the axis.
        assert!(!flicker.contains(" 180.0L0.5 -180.0"), "{}", &flicker[..80]);
    }
}
