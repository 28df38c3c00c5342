//! Paths in space, with a bounded size.

use std::fmt::Write;

use crate::channels::runs;

/// The largest number of points of a path that is drawn as a line. A longer path is drawn as the area that it covers.
const MAX_POINTS: usize = 6000;

/// Returns SVG path data for a path through `points` in pixels, and `true` if it is an area to fill instead of a line.
/// Points that are not finite interrupt the line. The path is in a view with this width and height, whose upper left
/// corner is `origin`.
pub(super) fn path(
    points: &[[f64; 2]],
    [width, height]: [f64; 2],
    origin: [f64; 2],
) -> (String, bool) {
    let is_known = |index: usize| points[index].iter().all(|value| value.is_finite());
    let mut lines: Vec<Vec<[i64; 2]>> = Vec::new();
    let mut count = 0;
    for run in runs(0..points.len(), is_known) {
        // Tenths of pixels. Points that are less than half a pixel from the last one are not visible.
        let mut line: Vec<[i64; 2]> = Vec::new();
        for point in &points[run] {
            let point = point.map(|value| libm::round(value * 10.0) as i64);
            let is_near =
                |last: &[i64; 2]| (last[0] - point[0]).abs() < 5 && (last[1] - point[1]).abs() < 5;
            if !line.last().is_some_and(is_near) {
                line.push(point);
            }
        }
        count += line.len();
        lines.push(line);
    }
    if count > MAX_POINTS {
        return (area(&lines, [width, height], origin), true);
    }
    let mut path = String::new();
    for line in lines {
        let mut command = 'M';
        // A single point is repeated, so that its round end is visible.
        let single = (line.len() == 1).then(|| line[0]);
        for [x, y] in line.into_iter().chain(single) {
            let _ = write!(
                path,
                "{command}{:.1} {:.1}",
                x as f64 / 10.0,
                y as f64 / 10.0
            );
            command = 'L';
        }
    }
    (path, false)
}

/// Returns SVG path data for the area that lines cover: rectangles that are one pixel high. The points of `lines` are
/// in tenths of pixels. Pixels outside of the view with this `size` and the upper left corner `origin` are ignored.
fn area(lines: &[Vec<[i64; 2]>], size: [f64; 2], origin: [f64; 2]) -> String {
    let [columns, rows] = size.map(|length| libm::ceil(length).max(0.0) as usize + 1);
    let mut covered = vec![false; columns * rows];
    let mut cover = |[x, y]: [f64; 2]| {
        let [x, y] = [x - origin[0], y - origin[1]].map(libm::floor);
        if x >= 0.0 && y >= 0.0 && (x as usize) < columns && (y as usize) < rows {
            covered[y as usize * columns + x as usize] = true;
        }
    };
    for line in lines {
        let points = line
            .iter()
            .map(|point| point.map(|part| part as f64 / 10.0));
        let mut last: Option<[f64; 2]> = None;
        for point in points {
            let from = last.unwrap_or(point);
            let distance = (point[0] - from[0]).abs().max((point[1] - from[1]).abs());
            // The figure bounds the distance of two points in it.
            let steps = (libm::ceil(distance) as usize).clamp(1, 20_000);
            for step in 0..=steps {
                let share = step as f64 / steps as f64;
                cover([0, 1].map(|axis| from[axis] + share * (point[axis] - from[axis])));
            }
            last = Some(point);
        }
    }
    let mut path = String::new();
    for (row, pixels) in covered.chunks(columns).enumerate() {
        for run in runs(0..columns, |column| pixels[column]) {
            let (x, y) = (origin[0] + run.start as f64, origin[1] + row as f64);
            let width = run.len();
            let _ = write!(path, "M{x:.0} {y:.0}h{width}v1h-{width}z");
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_path_is_a_line_and_breaks_at_gaps() {
        let points = [
            [0.0, 0.0],
            [0.1, 0.0],
            [5.0, 1.0],
            [f64::NAN; 2],
            [7.0, 7.0],
        ];
        let drawn = path(&points, [10.0; 2], [0.0; 2]);
        assert_eq!(
            drawn,
            ("M0.0 0.0L5.0 1.0M7.0 7.0L7.0 7.0".to_owned(), false)
        );
    }

    #[test]
    fn a_long_path_is_an_area_of_bounded_size() {
        let points: Vec<[f64; 2]> = (0..400_000)
            .map(|index| {
                let angle = f64::from(index) * 0.1;
                [
                    100.0 + 80.0 * libm::cos(angle),
                    100.0 + 80.0 * libm::sin(1.3 * angle),
                ]
            })
            .collect();
        let (drawn, is_area) = path(&points, [200.0, 200.0], [0.0; 2]);
        assert!(is_area && drawn.len() < 100_000, "{}", drawn.len());
    }
}
