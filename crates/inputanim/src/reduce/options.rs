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
pub struct ErrorBounds {
    /// The bound for positions and for the origin of the gaze, in metres.
    pub position: f64,
    /// The bound for rotations and for the direction of the gaze, in degrees.
    pub rotation: f64,
}

/// The algorithm that selects the keys to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(tag = "name", rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum ReduceMethod {
    /// The longest valid line from each key to the next, in one pass over the samples.
    #[default]
    OnePass,
    /// The smallest number of keys, by dynamic programming. Takes several times as long as one pass.
    ///
    /// For positions the number is optimal among lines of at most four seconds at 60 Hz; for
    /// rotations it is close to optimal.
    Optimal,
    /// The algorithm of MRTK's recorder, for comparison: lines are divided at the farthest sample
    /// (Ramer, Douglas and Peucker) within partitions.
    Mrtk {
        /// The number of samples in a partition. MRTK's default is 32; 0 makes one partition of
        /// all samples.
        partition: usize,
    },
}

/// Options for [`Recording::reduce`](crate::Recording::reduce).
///
/// ```
/// use inputanim::reduce::{ReduceMethod, ReduceOptions};
/// let mut options = ReduceOptions::default();
/// options.joints.position = 0.0005;
/// options.method = ReduceMethod::Optimal;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct ReduceOptions {
    /// The bounds for the head.
    pub head: ErrorBounds,
    /// The bounds for every joint.
    pub joints: ErrorBounds,
    /// The bounds for the gaze.
    pub gaze: ErrorBounds,
    /// The bound for points at [`POINT_DISTANCE`] from the head or joint, in any direction, that
    /// move and turn with it, in metres. Infinity adds no bound.
    pub point: f64,
    /// The algorithm that selects the keys.
    pub method: ReduceMethod,
    /// Allows cubic curves with tangents where they need fewer keys than linear interpolation.
    ///
    /// Only layouts with full keys hold tangents. A full key takes 28 bytes with or without them.
    pub tangents: bool,
}

impl Default for ReduceOptions {
    /// Returns the thresholds of MRTK's recorder (docs/format.md, section 5.4): 1 mm and 0.2° for
    /// joints, 2 mm and 0.2° for head and gaze.
    fn default() -> Self {
        let bounds = |position| ErrorBounds {
            position,
            rotation: 0.2,
        };
        ReduceOptions {
            head: bounds(0.002),
            joints: bounds(0.001),
            gaze: bounds(0.002),
            point: f64::INFINITY,
            method: ReduceMethod::default(),
            tangents: false,
        }
    }
}

impl ReduceOptions {
    /// Returns the bounds for one vector, with the bound for points applied.
    pub(super) fn bounds_of(&self, path: VectorPath) -> ErrorBounds {
        match path {
            VectorPath::Head(_) => self.with_point(self.head),
            VectorPath::Joint(..) => self.with_point(self.joints),
            VectorPath::Gaze(_) => self.gaze,
        }
    }

    /// Tightens bounds so that the bound for points follows from them.
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

    /// Refuses invalid bounds, and tangents in a layout with simple keys.
    pub(super) fn check(&self, layout: Layout) -> Result<(), ReduceError> {
        if self.tangents && layout.key_kind() == KeyKind::Simple {
            return Err(ReduceError::SimpleKeys { layout });
        }
        for bounds in [self.head, self.joints, self.gaze] {
            check_bound(bounds.position, "m")?;
            check_bound(bounds.rotation, "°")?;
        }
        check_bound(self.point, "m")
    }
}

fn check_bound(value: f64, unit: &'static str) -> Result<(), ReduceError> {
    if value >= 0.0 {
        Ok(())
    } else {
        Err(ReduceError::InvalidBound { value, unit })
    }
}
