//! Volume of the convex hull of points in space.
//!
//! Method: Quickhull (Barber, Dobkin and Huhdanpaa 1996). Each face keeps the points outside of it. The
//! farthest of them joins the hull, and the faces that it sees are replaced by a cone to the horizon.
//!
//! Guarantee: exact predicates (Shewchuk 1997) decide which faces a point sees. With rounded predicates, faces that are
//! nearly in one plane can be seen inconsistently, and the hull of a flat path gets a wrong volume.

use glam::DVec3;
use robust::{Coord3D, orient3d};

struct Face {
    /// Corners, counterclockwise seen from outside in right-handed axes.
    corners: [usize; 3],
    /// Normal of the face, whose length is twice the area of the face, and its scalar product with a corner.
    plane: (DVec3, f64),
    /// Points outside of the face, each in the list of one face only.
    outside: Vec<usize>,
}

/// Points, relative to the first one, so that rounding depends on their extent only.
struct Points {
    points: Vec<DVec3>,
    /// Greatest height above a face whose sign could be wrong because of rounding.
    rounding: f64,
}

impl Points {
    fn new(points: impl Iterator<Item = DVec3>) -> Points {
        let mut points: Vec<DVec3> = points.filter(|point| point.is_finite()).collect();
        let origin = points.first().copied().unwrap_or_default();
        let mut extent: f64 = 0.0;
        for point in &mut points {
            *point -= origin;
            extent = extent.max(point.abs().max_element());
        }
        // A height is a sum of products of three coordinates. Each coordinate is the difference of two numbers that are
        // at most the extent. There are 12 products of at most 8 extent³, with fewer than 10 roundings each.
        let rounding = 1000.0 * f64::EPSILON * extent.powi(3);
        Points { points, rounding }
    }

    fn face(&self, corners: [usize; 3]) -> Face {
        let [a, b, c] = corners.map(|corner| self.points[corner]);
        let normal = (b - a).cross(c - a);
        Face {
            corners,
            plane: (normal, normal.dot(a)),
            outside: Vec::new(),
        }
    }

    /// Returns the height of a point above a face, multiplied by twice the area of the face: positive outside of the
    /// face, 0 in its plane. The sign is exact.
    fn height(&self, face: &Face, point: usize) -> f64 {
        let (normal, offset) = face.plane;
        let height = normal.dot(self.points[point]) - offset;
        if height.abs() > self.rounding {
            return height;
        }
        let coordinates = |index: usize| {
            let DVec3 { x, y, z } = self.points[index];
            Coord3D { x, y, z }
        };
        let [a, b, c] = face.corners.map(coordinates);
        -orient3d(a, b, c, coordinates(point))
    }

    /// Adds each of the points with these indices to the list of the first face that it is outside of. Points inside of
    /// all faces are dropped.
    fn assign(&self, faces: &mut [Face], indices: impl Iterator<Item = usize>) {
        for index in indices {
            let mut faces = faces.iter_mut();
            if let Some(face) = faces.find(|face| self.height(face, index) > 0.0) {
                face.outside.push(index);
            }
        }
    }

    /// Returns the faces of a first tetrahedron, which point outwards; `None` if all points are in one plane.
    fn tetrahedron(&self) -> Option<Vec<Face>> {
        let points = &self.points;
        let farthest = |measure: &dyn Fn(usize) -> f64| {
            let indices = 0..points.len();
            indices.max_by(|&a, &b| measure(a).total_cmp(&measure(b)))
        };
        let a = farthest(&|index| -points[index].x)?;
        let b = farthest(&|index| points[index].distance_squared(points[a]))?;
        let axis = points[b] - points[a];
        let c = farthest(&|index| axis.cross(points[index] - points[a]).length_squared())?;
        let base = self.face([a, b, c]);
        let d = farthest(&|index| self.height(&base, index).abs())?;
        let height = self.height(&base, d);
        let (b, c) = if height > 0.0 { (c, b) } else { (b, c) };
        let faces = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        (height != 0.0).then(|| faces.map(|corners| self.face(corners)).into())
    }
}

impl Face {
    fn edges(&self) -> [(usize, usize); 3] {
        let [a, b, c] = self.corners;
        [(a, b), (b, c), (c, a)]
    }
}

/// Returns the volume of the convex hull of points in metres, in cubic metres. 0 if all points are in one plane, `None`
/// for fewer than four points. Points that are not finite are ignored.
pub(crate) fn volume(points: impl Iterator<Item = DVec3>) -> Option<f64> {
    let points = Points::new(points);
    if points.points.len() < 4 {
        return None;
    }
    let Some(mut faces) = points.tetrahedron() else {
        return Some(0.0);
    };
    points.assign(&mut faces, 0..points.points.len());
    let mut seen: Vec<Face> = Vec::new();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    // Each step adds one corner, so there are at most as many steps as points.
    while let Some(face) = faces.iter().find(|face| !face.outside.is_empty()) {
        let heights = face
            .outside
            .iter()
            .map(|&index| (points.height(face, index), index));
        let Some((_, apex)) = heights.max_by(|(a, _), (b, _)| a.total_cmp(b)) else {
            break;
        };
        seen.clear();
        seen.extend(faces.extract_if(.., |face| points.height(face, apex) > 0.0));
        edges.clear();
        edges.extend(seen.iter().flat_map(Face::edges));
        edges.sort_unstable();
        // An edge of the horizon belongs to one seen face only.
        let horizon = edges
            .iter()
            .filter(|&&(from, to)| edges.binary_search(&(to, from)).is_err());
        let added = faces.len();
        faces.extend(horizon.map(|&(from, to)| points.face([from, to, apex])));
        let freed = seen.iter().flat_map(|face| &face.outside).copied();
        points.assign(&mut faces[added..], freed.filter(|&index| index != apex));
    }
    let sixth = |face: &Face| {
        let [a, b, c] = face.corners.map(|corner| points.points[corner]);
        a.dot(b.cross(c)) / 6.0
    };
    Some(faces.iter().map(sixth).sum::<f64>().max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_with_points_inside_has_its_volume() {
        let steps = [0.0, 0.5, 1.0, 2.0];
        let points = steps.into_iter().flat_map(|x| {
            steps
                .into_iter()
                .flat_map(move |y| steps.map(|z| DVec3::new(x + 5.0, y, z)))
        });
        let found = volume(points).unwrap();
        assert!((found - 8.0).abs() < 1e-9, "{found}");
    }

    #[test]
    fn the_hull_of_a_sphere_approaches_its_volume() {
        // A spiral of Fibonacci covers the sphere evenly.
        let points = (0..2000).map(|index| {
            let z = 1.0 - (2 * index + 1) as f64 / 2000.0;
            let turn = index as f64 * 2.399_963_229_728_653;
            let radius = (1.0 - z * z).sqrt();
            DVec3::new(radius * turn.cos(), radius * turn.sin(), z)
        });
        let found = volume(points).unwrap();
        let sphere = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((0.99..1.0).contains(&(found / sphere)), "{found}");
    }

    #[test]
    fn points_nearly_in_one_plane_have_a_small_volume() {
        // Paths of a few decimetres on a slanted plane in single precision, with heights near the
        // rounding of their positions.
        let [u, v] = [DVec3::new(0.1, 0.2, 0.05), DVec3::new(0.2, -0.1, 0.07)];
        for height in [0.0, 1e-8, 1e-7, 3e-7, 1e-6, 1e-5, 1e-4] {
            let points = (0..2000).map(|index| {
                let turn = f64::from(index) * 0.1;
                let around = u * (turn.cos() + 0.3 * (3.1 * turn).sin()) + v * turn.sin();
                let above = u.cross(v).normalize() * height * (7.7 * turn).sin();
                (DVec3::new(0.3, 1.2, 0.4) + around + above)
                    .as_vec3()
                    .as_dvec3()
            });
            let found = volume(points).unwrap();
            assert!(
                (0.0..0.5 * height + 1e-7).contains(&found),
                "{height}: {found}"
            );
        }
    }

    #[test]
    fn flat_and_few_points_have_no_volume() {
        let flat = (0..9).map(|index| DVec3::new((index % 3) as f64, (index / 3) as f64, 1.0));
        assert_eq!(volume(flat), Some(0.0));
        assert_eq!(volume([DVec3::ONE; 9].into_iter()), Some(0.0));
        assert_eq!(volume([DVec3::NAN, DVec3::X, DVec3::Y].into_iter()), None);
    }
}
