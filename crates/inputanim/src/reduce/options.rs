//! Options of a reduction.

use crate::curve::KeyKind;
use crate::layout::Layout;
use crate::vector::VectorPath;

use super::error::ReduceError;

/// The distance between a joint and the point on which its position and rotation errors are judged
/// together, in metres.
///
/// 3 cm is the usual shell distance of animation compressors, such as the Animation Compression
/// Library.
pub const POINT_DISTANCE: f64 = 0.03;

/// The largest errors that one stream may have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct ErrorBounds {
    /// The bound for positions and for the origin of the gaze, in metres.
    pub position: f64,
    /// The bound for rotations and for the direction of the gaze, in degrees.
    pub rotation: f64,
}

/// The bounds of a reduction, with the defaults for bounds that are not given.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Bounds {
    /// The bounds for the head.
    pub head: ErrorBounds,
    /// The bounds for every joint.
    pub joints: ErrorBounds,
    /// The bounds for the gaze.
    pub gaze: ErrorBounds,
    /// The bound for points; see [`Reduce::point`].
    pub point: f64,
    /// The bound for inputs with numbers.
    pub input: f64,
}

named_enum! {
    /// The algorithm that selects the keys to keep.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(
        feature = "serde",
        derive(serde::Serialize, serde::Deserialize),
        serde(rename_all = "kebab-case")
    )]
    #[non_exhaustive]
    pub enum ReduceMethod: "method of reduction" {
        /// The longest valid line from each key to the next, in one pass over the samples.
        #[default]
        OnePass => "one-pass",
        /// The smallest number of keys, by dynamic programming. Takes several times as long as one pass.
        ///
        /// For positions the number is optimal among lines of at most four seconds at 60 Hz; for
        /// rotations it is close to optimal.
        Optimal => "optimal",
        /// The algorithm of MRTK's recorder, for comparison: lines are divided at the farthest sample
        /// (Ramer, Douglas and Peucker) within partitions.
        Mrtk => "mrtk",
    }
}

/// Removes keys that interpolation can reproduce within error bounds. By default, the bounds are the thresholds of
/// MRTK's recorder (docs/format.md, section 5.4): 1 mm and 0.2° for joints, 2 mm and 0.2° for head and gaze. Those of joints also
/// count for the poses of devices. An input loses at most 0.001, and one with tangents no key.
///
/// ```
/// use inputanim::reduce::{Reduce, ReduceMethod};
/// let mut reduce = Reduce::default();
/// reduce.position = Some(0.0005);
/// reduce.method = ReduceMethod::Optimal;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, rename_all = "camelCase", deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Reduce {
    /// The largest error of positions and of the gaze origin, in metres.
    pub position: Option<f64>,
    /// The largest error of rotations and of the gaze direction, in degrees.
    pub rotation: Option<f64>,
    /// The largest error of the position of the head, in metres; by default as for all positions.
    pub head_position: Option<f64>,
    /// The largest error of the rotation of the head, in degrees; by default as for all rotations.
    pub head_rotation: Option<f64>,
    /// The largest error of the origin of the gaze, in metres; by default as for all positions.
    pub gaze_origin: Option<f64>,
    /// The largest error of the direction of the gaze, in degrees; by default as for all rotations.
    pub gaze_direction: Option<f64>,
    /// The largest error of points at [`POINT_DISTANCE`] from the head or a joint, in any direction, that
    /// move and turn with it, in metres. By default, and with infinity, there is no such bound.
    pub point: Option<f64>,
    /// The largest error of inputs with numbers, such as triggers (0 to 1) and axes (−1 to 1); 0.001 by default.
    pub input: Option<f64>,
    /// The algorithm that selects the keys.
    pub method: ReduceMethod,
    /// The number of samples in a partition of MRTK's algorithm; [`Reduce::PARTITION`] by default. 0 makes one
    /// partition of all samples.
    pub partition: Option<usize>,
    /// `true` to allow cubic curves with tangents where they need fewer keys than linear interpolation.
    ///
    /// Only layouts with full keys hold tangents. A full key takes 28 bytes with or without them.
    pub tangents: bool,
}

impl Reduce {
    /// The number of samples in a partition of MRTK's recorder.
    pub const PARTITION: usize = 32;

    /// Returns the error bounds of the head, the joints and the gaze, with the defaults for bounds that are not given.
    pub fn bounds(&self) -> Bounds {
        let bounds = |position: Option<f64>, rotation: Option<f64>, default: f64| ErrorBounds {
            position: position.or(self.position).unwrap_or(default),
            rotation: rotation.or(self.rotation).unwrap_or(0.2),
        };
        Bounds {
            head: bounds(self.head_position, self.head_rotation, 0.002),
            joints: bounds(None, None, 0.001),
            gaze: bounds(self.gaze_origin, self.gaze_direction, 0.002),
            point: self.point.unwrap_or(f64::INFINITY),
            input: self.input.unwrap_or(0.001),
        }
    }

    /// Returns an error if a partition size is given for an algorithm other than MRTK's.
    pub(crate) fn check(&self) -> Result<(), ReduceError> {
        if self.partition.is_some() && self.method != ReduceMethod::Mrtk {
            return Err(ReduceError::PartitionWithoutMrtk);
        }
        Ok(())
    }

    /// Returns an error if a bound is negative or not a number, if tangents are requested in a layout with simple keys,
    /// or in the case of [`check`](Self::check).
    pub(super) fn check_for(&self, layout: Layout) -> Result<(), ReduceError> {
        self.check()?;
        if self.tangents && layout.key_kind() == KeyKind::Simple {
            return Err(ReduceError::SimpleKeys { layout });
        }
        let all = self.bounds();
        for bounds in [all.head, all.joints, all.gaze] {
            check_bound(bounds.position, "m")?;
            check_bound(bounds.rotation, "°")?;
        }
        check_bound(all.input, "")?;
        check_bound(all.point, "m")
    }
}

impl Bounds {
    /// Returns the error bounds for one vector. For the head and the joints, they are tightened so that the bound for
    /// points holds too.
    pub(super) fn of_vector(&self, path: VectorPath) -> ErrorBounds {
        match path {
            VectorPath::Head(_) => self.with_point(self.head),
            VectorPath::Joint(..) => self.with_point(self.joints),
            VectorPath::Gaze(_) => self.gaze,
            // The poses of controllers are as precise as those of joints.
            VectorPath::Device(..) => self.with_point(self.joints),
            VectorPath::Input(..) => ErrorBounds {
                position: self.input,
                rotation: 0.0,
            },
        }
    }

    /// Returns `bounds`, tightened so that the bound for points holds if they hold.
    ///
    /// Position and rotation are reduced separately, so the allowed error is divided between them: a rotation by an
    /// angle moves the point by the chord of that angle. The chord gets at most half of the bound, and the position
    /// gets the rest.
    fn with_point(&self, bounds: ErrorBounds) -> ErrorBounds {
        let half_angle = (self.point / (4.0 * POINT_DISTANCE)).min(1.0).asin();
        let degrees = bounds.rotation.min(2.0 * half_angle.to_degrees());
        let chord = 2.0 * POINT_DISTANCE * (degrees.min(180.0).to_radians() / 2.0).sin();
        ErrorBounds {
            position: bounds.position.min(self.point - chord),
            rotation: degrees,
        }
    }
}

fn check_bound(value: f64, unit: &'static str) -> Result<(), ReduceError> {
    if value >= 0.0 {
        Ok(())
    } else {
        Err(ReduceError::InvalidBound { value, unit })
    }
}
