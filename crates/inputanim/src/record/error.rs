//! Why something is not recorded.

use crate::path::CurvePath;

/// A frame, marker or setting that a recorder refuses; what was recorded is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Times must be numbers.
    #[error("the time {0} is not a finite number of seconds")]
    TimeNotFinite(f32),
    /// Times must grow from frame to frame.
    #[error("the time {time} s does not come after the frame before it, at {previous} s")]
    TimeNotAfter {
        /// The refused frame's time, in seconds.
        time: f32,
        /// The last recorded frame's time, in seconds.
        previous: f32,
    },
    /// Poses and rays must be numbers.
    #[error("{curve} is {value} at {time} s: leave out a pose or ray that is not known")]
    ValueNotFinite {
        /// The first such curve in file order.
        curve: CurvePath,
        /// What the frame has for it.
        value: f32,
        /// The refused frame's time, in seconds.
        time: f32,
    },
    /// Rotations must have a direction.
    #[error(
        "{w} is 0 at {time} s, as are x, y and z: no rotation is 0, 0, 0, 1; leave out a pose that is not known"
    )]
    RotationZero {
        /// The w of the first such rotation in file order.
        w: CurvePath,
        /// The refused frame's time, in seconds.
        time: f32,
    },
    /// A setting that makes no sense.
    #[error("{what} is {value}: it must be above 0 and finite")]
    Setting {
        /// What the number is, such as `the rate`.
        what: &'static str,
        /// The number.
        value: f32,
    },
}
