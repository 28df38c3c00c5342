//! Targets in the world: looks at them, distances from them, and hits of the hand.

use std::collections::HashSet;
use std::ops::Range;

use glam::{DQuat, DVec3};
use inputanim::{Joint, Side, TimeRange};

use crate::channels::{Channels, runs, vector};
use crate::error::InvalidTarget;
use crate::gaze::Fixation;

/// A named region of the world.
///
/// With the feature `serde`, a target is read from an object such as
/// `{"name": "button", "shape": "sphere", "centre": [0, 1.4, 0.5], "radius": 0.05}`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Target {
    /// Name.
    pub name: String,
    /// Region, in metres in Unity's world space.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub shape: Shape,
    /// Time ranges in which the target exists; empty if it always exists. No range may end before it starts.
    #[cfg_attr(feature = "serde", serde(default))]
    pub times: Vec<TimeRange>,
}

/// The shape of a target.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "shape", rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Shape {
    /// A sphere.
    Sphere {
        /// Centre.
        centre: [f64; 3],
        /// Radius, at least 0.
        radius: f64,
    },
    /// A box; with a size of 0 along one axis, a rectangle.
    Box {
        /// Centre.
        centre: [f64; 3],
        /// Extents along its own axes, at least 0.
        size: [f64; 3],
        /// Rotation as a quaternion x, y, z, w of any length above 0; none by default.
        #[cfg_attr(feature = "serde", serde(default = "no_rotation"))]
        rotation: [f64; 4],
    },
    /// An infinite plane.
    Plane {
        /// A point of the plane.
        point: [f64; 3],
        /// Direction at a right angle to the plane, of any length above 0.
        normal: [f64; 3],
    },
}

#[cfg(feature = "serde")]
fn no_rotation() -> [f64; 4] {
    DQuat::IDENTITY.to_array()
}

impl Target {
    /// Returns a target that always exists.
    ///
    /// ```
    /// use inputanim_analysis::{AnalysisParameters, Shape, Target};
    /// let button = Shape::Sphere { centre: [0.1, 1.2, 0.5], radius: 0.03 };
    /// let mut options = AnalysisParameters::default();
    /// options.targets = vec![Target::new("button", button)];
    /// ```
    pub fn new(name: impl Into<String>, shape: Shape) -> Target {
        Target {
            name: name.into(),
            shape,
            times: Vec::new(),
        }
    }

    /// Returns `true` if the target exists at a time in seconds.
    pub fn exists_at(&self, time: f64) -> bool {
        self.times.is_empty() || self.times.iter().any(|range| range.contains(time as f32))
    }

    /// Checks the name, the shape and the time ranges of the target. Returns the first member that is not valid as an
    /// error.
    pub(crate) fn check(&self) -> Result<(), InvalidMember> {
        let problem = |member, columns, expected, found: &[f64]| {
            Err(InvalidMember {
                member,
                columns,
                expected,
                found: listed(found),
            })
        };
        let is_finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let is_size =
            |numbers: &[f64]| is_finite(numbers) && numbers.iter().all(|size| *size >= 0.0);
        // Directions are divided by their length, which is the root of this sum.
        let has_length = |numbers: &[f64]| {
            let squares = numbers.iter().map(|number| number * number);
            squares.sum::<f64>().is_normal()
        };
        if self.name.trim().is_empty() {
            return problem("name", "name", "the name of a target", &[]);
        }
        let place = self.shape.centre();
        if !is_finite(&place) {
            let member = match self.shape {
                Shape::Plane { .. } => "point",
                _ => "centre",
            };
            return problem(member, "x, y, z", "finite numbers", &place);
        }
        match &self.shape {
            Shape::Sphere { radius, .. } if !is_size(&[*radius]) => {
                return problem("radius", "radius", "a number of at least 0", &[*radius]);
            }
            Shape::Box { size, .. } if !is_size(size) => {
                let columns = "size_x, size_y, size_z";
                return problem("size", columns, "numbers of at least 0", size);
            }
            Shape::Box { rotation, .. } if !has_length(rotation) => {
                let columns = "rotation_x, rotation_y, rotation_z, rotation_w";
                let expected = "a quaternion with a length above 0";
                return problem("rotation", columns, expected, rotation);
            }
            Shape::Plane { normal, .. } if !has_length(normal) => {
                let columns = "normal_x, normal_y, normal_z";
                let expected = "a direction with a length above 0";
                return problem("normal", columns, expected, normal);
            }
            _ => {}
        }
        // Comparisons with NaN are false.
        let is_valid = |range: &&TimeRange| range.start <= range.end;
        match self.times.iter().find(|range| !is_valid(range)) {
            Some(TimeRange { start, end }) => Err(InvalidMember {
                member: "times",
                columns: "start, end",
                expected: "an end at or after the start",
                found: listed(&[*start, *end]),
            }),
            None => Ok(()),
        }
    }
}

fn listed<N: ToString>(numbers: &[N]) -> String {
    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

/// A member of a target that has an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InvalidMember {
    /// The name of the member.
    pub(crate) member: &'static str,
    /// The names of its columns in a table.
    pub(crate) columns: &'static str,
    /// The valid values.
    pub(crate) expected: &'static str,
    /// The value; empty for a name.
    pub(crate) found: String,
}

/// Checks that the members of all targets are valid, and that no two targets have the same name.
///
/// All numbers must be finite, radii and sizes at least 0, rotations and normals of a length above 0, and no time range
/// may end before it starts. Names must differ and may not be empty.
///
/// ```
/// use inputanim_analysis::{Shape, Target, check_targets};
/// let plane = Shape::Plane { point: [0.0; 3], normal: [0.0; 3] };
/// assert_eq!(
///     check_targets(&[Target::new("floor", plane)]).unwrap_err().to_string(),
///     "target 1 (\"floor\"), normal: expected a direction with a length above 0, found \"0, 0, 0\"",
/// );
/// ```
///
/// # Errors
/// Returns the first target that is not valid.
pub fn check_targets(targets: &[Target]) -> Result<(), InvalidTarget> {
    let mut names = HashSet::new();
    for (index, target) in targets.iter().enumerate() {
        let unique = if names.insert(target.name.as_str()) {
            Ok(())
        } else {
            Err(InvalidMember {
                member: "name",
                columns: "name",
                expected: "a name that no other target has",
                found: target.name.escape_debug().to_string(),
            })
        };
        target
            .check()
            .and(unique)
            .map_err(|invalid| InvalidTarget {
                number: index + 1,
                name: target.name.clone(),
                member: invalid.member,
                expected: invalid.expected,
                found: invalid.found,
            })?;
    }
    Ok(())
}

impl Shape {
    /// Returns the centre of the shape in metres; for a plane, its point.
    pub fn centre(&self) -> [f64; 3] {
        match *self {
            Shape::Sphere { centre, .. } | Shape::Box { centre, .. } => centre,
            Shape::Plane { point, .. } => point,
        }
    }

    /// Returns the distance in metres from the origin of a ray to its first point in the shape; 0 from
    /// inside, `None` if the ray misses. The direction has length 1.
    ///
    /// ```
    /// use inputanim_analysis::Shape;
    /// let sphere = Shape::Sphere { centre: [0.0, 0.0, 3.0], radius: 1.0 };
    /// assert_eq!(sphere.hit([0.0; 3], [0.0, 0.0, 1.0]), Some(2.0));
    /// assert_eq!(sphere.hit([0.0; 3], [0.0, 1.0, 0.0]), None);
    /// ```
    pub fn hit(&self, origin: [f64; 3], direction: [f64; 3]) -> Option<f64> {
        let (origin, direction) = (DVec3::from(origin), DVec3::from(direction));
        match *self {
            Shape::Sphere { centre, radius } => {
                let to = DVec3::from(centre) - origin;
                let along = to.dot(direction);
                let reach = radius * radius - (to - direction * along).length_squared();
                let half = libm::sqrt(reach);
                // The comparisons are false for NaN: the ray passes the sphere.
                if radius >= 0.0 && reach >= 0.0 && along + half >= 0.0 {
                    Some((along - half).max(0.0))
                } else {
                    None
                }
            }
            Shape::Box {
                centre,
                size,
                rotation,
            } => {
                let back = DQuat::from_array(rotation).normalize().conjugate();
                let origin = back * (origin - DVec3::from(centre));
                let direction = back * direction;
                // The comparisons below would take NaN for a hit.
                if !origin.is_finite() || !direction.is_finite() {
                    return None;
                }
                let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
                for axis in 0..3 {
                    let half = size[axis] / 2.0;
                    if direction[axis] == 0.0 {
                        if origin[axis].abs() > half {
                            return None;
                        }
                        continue;
                    }
                    let ends = [-half, half].map(|end| (end - origin[axis]) / direction[axis]);
                    enter = enter.max(ends[0].min(ends[1]));
                    leave = leave.min(ends[0].max(ends[1]));
                }
                (enter <= leave).then_some(enter)
            }
            Shape::Plane { point, normal } => {
                let normal = DVec3::from(normal);
                let along = (DVec3::from(point) - origin).dot(normal) / direction.dot(normal);
                (along >= 0.0 && along.is_finite()).then_some(along)
            }
        }
    }

    /// Returns the distance of a point from the shape in metres; 0 inside, NaN if a coordinate is NaN.
    pub fn distance(&self, point: [f64; 3]) -> f64 {
        let point = DVec3::from(point);
        match *self {
            Shape::Sphere { centre, radius } => {
                let distance = point.distance(DVec3::from(centre)) - radius;
                // `max` would replace NaN, the distance of an unknown point.
                if distance < 0.0 { 0.0 } else { distance }
            }
            Shape::Box {
                centre,
                size,
                rotation,
            } => {
                let back = DQuat::from_array(rotation).normalize().conjugate();
                let local = back * (point - DVec3::from(centre));
                let half = DVec3::from(size) / 2.0;
                if local.is_finite() {
                    (local.abs() - half).max(DVec3::ZERO).length()
                } else {
                    f64::NAN
                }
            }
            Shape::Plane {
                point: base,
                normal,
            } => (point - DVec3::from(base))
                .dot(DVec3::from(normal).normalize())
                .abs(),
        }
    }
}

/// A time interval in which the gaze ray hits the same target without interruption.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Look {
    /// Index of the target.
    pub target: usize,
    /// Onset in seconds.
    pub start: f64,
    /// Duration in seconds: from the first sample to the sample after the last one, or to the last one if the
    /// gaze is not known after it.
    pub duration: f64,
    /// Point of the target that the gaze hits first.
    pub position: [f64; 3],
}

impl Look {
    /// Returns the time in seconds at which the look ends.
    pub fn end(&self) -> f64 {
        self.start + self.duration
    }
}

/// Returns the looks at targets in order of time. The gaze looks at the target that its ray hits first. Returns nothing
/// if the gaze is not recorded.
pub fn looks(channels: &Channels, targets: &[Target]) -> Vec<Look> {
    let (Some(origins), Some(directions)) = (&channels.gaze_origin, &channels.gaze_direction)
    else {
        return Vec::new();
    };
    looks_along(channels, origins, directions, targets)
}

/// Returns the looks at targets along a ray, as [`looks`] defines them, in order of time. The ray has an origin and a direction
/// of length 1 at each sample.
pub(crate) fn looks_along(
    channels: &Channels,
    origins: &[[f32; 3]],
    directions: &[[f32; 3]],
    targets: &[Target],
) -> Vec<Look> {
    if targets.is_empty() {
        return Vec::new();
    }
    let hits: Vec<Option<(usize, f64)>> = (0..channels.len)
        .map(|sample| {
            let direction = vector(directions[sample]);
            let time = channels.time(sample);
            first_hit(targets, time, vector(origins[sample]), direction)
        })
        .collect();
    let mut looks = Vec::new();
    for run in runs(0..channels.len, |sample| hits[sample].is_some()) {
        let mut start = run.start;
        while let Some((target, along)) = (start < run.end).then(|| hits[start]).flatten() {
            let is_other = |&sample: &usize| hits[sample].map(|(target, _)| target) != Some(target);
            let end = (start..run.end).find(is_other).unwrap_or(run.end);
            let is_known = |sample: usize| {
                vector(origins[sample]).is_finite() && vector(directions[sample]).is_finite()
            };
            let has_next = end < channels.len && is_known(end);
            let last = if has_next { end } else { end - 1 };
            let position = vector(origins[start]) + vector(directions[start]) * along;
            looks.push(Look {
                target,
                start: channels.time(start),
                duration: (last - start) as f64 / channels.rate,
                position: position.to_array(),
            });
            start = end;
        }
    }
    looks
}

/// Returns the index of the target that a ray hits first at a time in seconds, and the distance in metres from the
/// origin of the ray. `None` if the ray hits no target, or is not finite.
pub(crate) fn first_hit(
    targets: &[Target],
    time: f64,
    origin: DVec3,
    direction: DVec3,
) -> Option<(usize, f64)> {
    if !direction.is_finite() || !origin.is_finite() {
        return None;
    }
    let hits = targets.iter().enumerate().filter_map(|(index, target)| {
        let along = target.shape.hit(origin.to_array(), direction.to_array())?;
        target.exists_at(time).then_some((index, along))
    });
    hits.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Returns the index of the target that a fixation is on; `None` if there is none. It is the first target on the ray in
/// the mean direction of the fixation, from the origin of the gaze in the middle of the fixation.
pub(crate) fn fixated(
    channels: &Channels,
    targets: &[Target],
    fixation: &Fixation,
) -> Option<usize> {
    let middle = (fixation.samples.start + fixation.samples.end - 1) / 2;
    let origin = channels.gaze_origin.as_ref()?.get(middle)?;
    let hit = first_hit(
        targets,
        channels.time(middle),
        vector(*origin),
        fixation.direction.into(),
    );
    hit.map(|(target, _)| target)
}

/// Returns the smallest distance in metres of the index tip from a target, in the samples at which the target exists.
/// `None` if the distance is not known at any of them.
pub(crate) fn nearest(
    channels: &Channels,
    side: Side,
    target: &Target,
    samples: Range<usize>,
) -> Option<f64> {
    let tips = channels.hand(side).joint(Joint::IndexTip)?;
    samples
        .filter(|&sample| target.exists_at(channels.time(sample)))
        .map(|sample| target.shape.distance(vector(tips[sample]).to_array()))
        .filter(|distance| !distance.is_nan())
        .reduce(f64::min)
}

/// Returns the times in seconds at which the ray from the tip of the index finger, in the direction from its knuckle to
/// its tip, enters a target: the ray hits it at this sample, and does not hit it or is not known at the sample before.
/// Other targets do not hide it. Returns `None` if the joints are not recorded.
pub(crate) fn ray_entries(channels: &Channels, side: Side, target: &Target) -> Option<Vec<f64>> {
    let hand = channels.hand(side);
    let (knuckles, tips) = (
        hand.joint(Joint::IndexKnuckle)?,
        hand.joint(Joint::IndexTip)?,
    );
    let is_hit = |sample: usize| {
        let (knuckle, tip) = (vector(knuckles[sample]), vector(tips[sample]));
        let direction = (tip - knuckle).normalize();
        let shape = &target.shape;
        direction.is_finite()
            && target.exists_at(channels.time(sample))
            && shape.hit(tip.to_array(), direction.to_array()).is_some()
    };
    let hits = runs(0..channels.len, is_hit);
    Some(hits.map(|run| channels.time(run.start)).collect())
}

/// Counts the transitions between successive looks at different targets: the entry in row i and column j is the number
/// of times that a look at target j followed one at target i. `targets` is the number of targets.
pub fn transitions(looks: &[Look], targets: usize) -> Vec<Vec<usize>> {
    let mut matrix = vec![vec![0; targets]; targets];
    for pair in looks
        .windows(2)
        .filter(|pair| pair[0].target != pair[1].target)
    {
        matrix[pair[0].target][pair[1].target] += 1;
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str, shape: Shape, times: &[(f32, f32)]) -> String {
        let mut target = Target::new(name, shape);
        let times = times.iter();
        target.times = times
            .map(|&(start, end)| TimeRange { start, end })
            .collect();
        let found = check_targets(&[target]);
        found.map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn targets_without_a_meaning_are_refused() {
        let sphere = |radius| Shape::Sphere {
            centre: [0.0; 3],
            radius,
        };
        let cuboid = |size, rotation| Shape::Box {
            centre: [0.0; 3],
            size,
            rotation,
        };
        let plane = |point, normal| Shape::Plane { point, normal };
        let upright = [0.0, 0.0, 0.0, 1.0];
        for (shape, expected) in [
            (sphere(0.0), ""),
            (
                sphere(-1.0),
                "target 1 (\"a\"), radius: expected a number of at least 0, found \"-1\"",
            ),
            (
                sphere(f64::NAN),
                "target 1 (\"a\"), radius: expected a number of at least 0, found \"NaN\"",
            ),
            (cuboid([1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 2.0]), ""),
            (
                cuboid([1.0, -1.0, 0.0], upright),
                "target 1 (\"a\"), size: expected numbers of at least 0, found \"1, -1, 0\"",
            ),
            (
                cuboid([1.0; 3], [0.0; 4]),
                "target 1 (\"a\"), rotation: expected a quaternion with a length above 0, found \"0, 0, 0, 0\"",
            ),
            (
                cuboid([f64::INFINITY, 1.0, 1.0], upright),
                "target 1 (\"a\"), size: expected numbers of at least 0, found \"inf, 1, 1\"",
            ),
            (plane([0.0; 3], [0.0, 3.0, 0.0]), ""),
            (
                plane([0.0; 3], [0.0; 3]),
                "target 1 (\"a\"), normal: expected a direction with a length above 0, found \"0, 0, 0\"",
            ),
            (
                plane([f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0]),
                "target 1 (\"a\"), point: expected finite numbers, found \"NaN, 0, 0\"",
            ),
        ] {
            assert_eq!(error("a", shape, &[]), expected);
        }
        assert_eq!(
            error(" ", sphere(1.0), &[]),
            "target 1 (\" \"), name: expected the name of a target, found \"\""
        );
        assert_eq!(error("a", sphere(1.0), &[(1.0, 1.0), (0.0, f32::MAX)]), "");
        assert_eq!(
            error("a", sphere(1.0), &[(0.0, 1.0), (3.0, 1.5)]),
            "target 1 (\"a\"), times: expected an end at or after the start, found \"3, 1.5\""
        );
    }

    #[test]
    fn names_of_targets_are_unique() {
        let ball = |name: &str| {
            let centre = [0.0; 3];
            Target::new(
                name,
                Shape::Sphere {
                    centre,
                    radius: 1.0,
                },
            )
        };
        assert_eq!(check_targets(&[ball("a"), ball("b"), ball("A")]), Ok(()));
        let error = check_targets(&[ball("a"), ball("b"), ball("a")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "target 3 (\"a\"), name: expected a name that no other target has, found \"a\""
        );
    }

    #[test]
    fn rays_pass_shapes_that_are_not_valid() {
        let centre = [0.0, 0.0, 5.0];
        let sphere = Shape::Sphere {
            centre,
            radius: -1.0,
        };
        let cuboid = Shape::Box {
            centre,
            size: [1.0; 3],
            rotation: [0.0; 4],
        };
        for shape in [sphere, cuboid] {
            assert_eq!(shape.hit([0.0; 3], [0.0, 0.0, 1.0]), None);
        }
    }

    #[test]
    fn rays_hit_shapes_at_the_distance_of_their_surface() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let upright = [0.0, 0.0, 0.0, 1.0];
        let turned = [
            0.0,
            (std::f64::consts::PI / 8.0).sin(),
            0.0,
            (std::f64::consts::PI / 8.0).cos(),
        ];
        let cube = |rotation| Shape::Box {
            centre: [0.0, 0.0, 5.0],
            size: [2.0; 3],
            rotation,
        };
        let plane = Shape::Plane {
            point: [0.0, 0.0, 4.0],
            normal: [0.0, 0.0, -3.0],
        };
        let ahead = [0.0, 0.0, 1.0];
        assert_eq!(cube(upright).hit([0.0; 3], ahead), Some(4.0));
        let corner = cube(turned).hit([0.0; 3], ahead).unwrap();
        assert!((corner - (5.0 - 2.0 * half)).abs() < 1e-12, "{corner}");
        assert_eq!(cube(upright).hit([0.0, 0.0, 5.0], ahead), Some(0.0));
        assert_eq!(cube(upright).hit([0.0, 1.5, 0.0], ahead), None);
        assert_eq!(cube(upright).hit([0.0, 0.0, 9.0], ahead), None);
        assert_eq!(plane.hit([0.0; 3], ahead), Some(4.0));
        assert_eq!(plane.hit([0.0, 0.0, 5.0], ahead), None);
        assert_eq!(plane.hit([0.0; 3], [1.0, 0.0, 0.0]), None);
        let sphere = Shape::Sphere {
            centre: [0.0, 0.0, 5.0],
            radius: 1.0,
        };
        assert_eq!(sphere.hit([0.0, 0.0, 7.0], ahead), None);
        assert_eq!(sphere.hit([0.0, 0.0, 5.0], ahead), Some(0.0));
    }

    #[test]
    fn distances_are_zero_inside() {
        let sphere = Shape::Sphere {
            centre: [1.0, 0.0, 0.0],
            radius: 0.5,
        };
        assert_eq!(sphere.distance([3.0, 0.0, 0.0]), 1.5);
        assert_eq!(sphere.distance([1.2, 0.0, 0.0]), 0.0);
        assert!(sphere.distance([f64::NAN; 3]).is_nan());
        let flat = Shape::Box {
            centre: [0.0; 3],
            size: [2.0, 2.0, 0.0],
            rotation: [0.0, 0.0, 0.0, 1.0],
        };
        assert_eq!(flat.distance([0.5, 0.5, -2.0]), 2.0);
        assert_eq!(flat.distance([4.0, 5.0, 0.0]), 5.0);
    }

    #[test]
    fn transitions_skip_repeated_looks() {
        let look = |target| Look {
            target,
            start: 0.0,
            duration: 0.1,
            position: [0.0; 3],
        };
        let looks = [0, 1, 1, 0, 1, 2].map(look);
        let expected = [vec![0, 2, 0], vec![1, 0, 1], vec![0, 0, 0]];
        assert_eq!(transitions(&looks, 3), expected);
    }
}
