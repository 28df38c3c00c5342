//! The largest angle between directions.

use std::f64::consts::FRAC_1_SQRT_2;
use std::mem;

use glam::DVec3;
use robust::{Coord, orient2d};

use crate::channels::angle;

/// Returns the largest angle between any two of the directions, in degrees; 0 for fewer than two. `mean` is the mean of
/// the directions, of length 1.
///
/// Method: the ends of the largest angle are corners of the convex hull of the directions, because the angle to a
/// direction has no maximum inside of an arc that is less than 90° away from it. If all directions are within 45° of
/// their mean, their gnomonic projection has the same hull, because it maps great circles to lines. This hull has few
/// corners. Otherwise, a tree of boxes finds for each direction the direction that is nearest to its opposite.
pub(crate) fn dispersion(directions: &[DVec3], mean: DVec3) -> f64 {
    if directions
        .iter()
        .all(|direction| direction.dot(mean) > FRAC_1_SQRT_2)
    {
        let across = mean.any_orthonormal_vector();
        let up = mean.cross(across);
        let project = |direction: &DVec3| {
            let along = direction.dot(mean);
            Coord {
                x: direction.dot(across) / along,
                y: direction.dot(up) / along,
            }
        };
        let points: Vec<Coord<f64>> = directions.iter().map(project).collect();
        let corners: Vec<DVec3> = corners(&points)
            .into_iter()
            .map(|at| directions[at])
            .collect();
        let pairs = corners.iter().enumerate();
        let pairs = pairs.flat_map(|(at, a)| corners[at + 1..].iter().map(|b| [*a, *b]));
        let farthest = pairs.max_by(|a, b| chord(a).total_cmp(&chord(b)));
        return farthest.map_or(0.0, |[a, b]| angle(a, b));
    }
    let directions = directions.iter().map(|direction| direction.normalize());
    let directions: Vec<DVec3> = directions.collect();
    let tree = Node::of(directions.clone());
    let mut best = f64::INFINITY;
    let mut farthest = 0.0;
    for &direction in &directions {
        if let Some(other) = tree.nearest(-direction, &mut best) {
            farthest = angle(direction, other);
        }
    }
    farthest
}

/// Returns the square of the distance of two points.
fn chord([a, b]: &[DVec3; 2]) -> f64 {
    a.distance_squared(*b)
}

/// Points in a box, in two nodes with half of the points each or in a leaf.
struct Node {
    min: DVec3,
    max: DVec3,
    points: Vec<DVec3>,
    halves: Option<Box<[Node; 2]>>,
}

impl Node {
    /// The greatest number of points in a leaf.
    const LEAF: usize = 16;

    fn of(mut points: Vec<DVec3>) -> Node {
        let min = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let max = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let halves = (points.len() > Node::LEAF).then(|| {
            let axis = (max - min).max_position();
            points.sort_unstable_by(|a, b| a[axis].total_cmp(&b[axis]));
            let upper = points.split_off(points.len() / 2);
            Box::new([mem::take(&mut points), upper].map(Node::of))
        });
        Node {
            min,
            max,
            points,
            halves,
        }
    }

    /// Returns the square of the distance of a point from the box; 0 inside.
    fn gap(&self, from: DVec3) -> f64 {
        from.distance_squared(from.clamp(self.min, self.max))
    }

    /// Returns the point of this node that is nearest to `to`, if the square of its distance is less than `best`. That
    /// square then replaces `best`. `None` if no point is nearer.
    fn nearest(&self, to: DVec3, best: &mut f64) -> Option<DVec3> {
        let mut nearest = None;
        for point in &self.points {
            let distance = point.distance_squared(to);
            if distance < *best {
                *best = distance;
                nearest = Some(*point);
            }
        }
        let Some([lower, upper]) = self.halves.as_deref() else {
            return nearest;
        };
        let nearer_first = if lower.gap(to) <= upper.gap(to) {
            [lower, upper]
        } else {
            [upper, lower]
        };
        for half in nearer_first {
            if half.gap(to) < *best {
                nearest = half.nearest(to, best).or(nearest);
            }
        }
        nearest
    }
}

/// Returns the indices of the corners of the convex hull of points in a plane (monotone chain, Andrew 1979,
/// with exact predicates).
fn corners(points: &[Coord<f64>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let by_x = points[a].x.total_cmp(&points[b].x);
        by_x.then(points[a].y.total_cmp(&points[b].y))
    });
    let chain = |order: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for next in order {
            while let [.., a, b] = chain[..]
                && orient2d(points[a], points[b], points[next]) <= 0.0
            {
                chain.pop();
            }
            chain.push(next);
        }
        chain
    };
    let mut corners = chain(&mut order.iter().copied());
    corners.extend(chain(&mut order.iter().rev().copied()));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaze::mean_direction;

    #[test]
    fn the_dispersion_is_the_largest_angle_of_all_pairs() {
        let mut seed = 7_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
        };
        for spread in [1e-3, 0.02, 0.3, 1.0, 4.0] {
            for count in [2, 3, 5, 20, 60, 300] {
                let direction = |_| {
                    let offset = DVec3::new(random(), random(), 0.2 * random()) * spread;
                    (DVec3::new(0.2, 0.3, 1.0) + offset).normalize()
                };
                let directions: Vec<DVec3> = (0..count).map(direction).collect();
                let pairs = directions
                    .iter()
                    .flat_map(|a| directions.iter().map(|b| angle(*a, *b)));
                let expected = pairs.fold(0.0, f64::max);
                let found = dispersion(&directions, mean_direction(&directions));
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{spread}, {count}: {found}, not {expected}"
                );
            }
        }
        assert_eq!(dispersion(&[], DVec3::NAN), 0.0);
        assert_eq!(dispersion(&[DVec3::Z], DVec3::Z), 0.0);
        assert_eq!(dispersion(&[DVec3::Z; 5], DVec3::Z), 0.0);
    }

    #[test]
    fn a_long_turn_takes_few_comparisons() {
        // Comparing all pairs would take an hour.
        let direction = |index: u32| {
            let turn = 0.0058 * f64::from(index);
            DVec3::new(libm::sin(turn), 0.3, libm::cos(turn)).normalize()
        };
        let directions: Vec<DVec3> = (0..400_000).map(direction).collect();
        let expected = angle(DVec3::new(1.0, 0.3, 0.0), DVec3::new(-1.0, 0.3, 0.0));
        let found = dispersion(&directions, mean_direction(&directions));
        assert!((found - expected).abs() < 1e-3, "{found}, not {expected}");
    }
}
