//! Frames, markers and options that a recorder refuses.

use crate::device::{DeviceName, Haptic, InvalidHaptic};
use crate::path::CurvePath;

/// A frame, marker or option that a recorder refuses. The recorder is then as it was before.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A time is NaN or infinite.
    #[error("expected a finite time, found {0} s")]
    TimeNotFinite(f32),
    /// A frame is not later than the frame before it.
    #[error("expected a time after {previous} s (the last frame), found {time} s")]
    TimeNotAfter {
        /// Time of the refused frame, in seconds.
        time: f32,
        /// Time of the last recorded frame, in seconds.
        previous: f32,
    },
    /// A number of a pose or ray is NaN or infinite.
    #[error("{curve} at {time} s: expected a finite number, found {value}")]
    ValueNotFinite {
        /// The first such curve in file order.
        curve: CurvePath,
        /// The number.
        value: f32,
        /// Time of the refused frame, in seconds.
        time: f32,
    },
    /// A rotation has x, y, z and w 0. The identity is 0, 0, 0, 1.
    #[error("{w} at {time} s: expected a rotation, found x, y, z and w all 0")]
    RotationZero {
        /// The w of the first such rotation in file order.
        w: CurvePath,
        /// Time of the refused frame, in seconds.
        time: f32,
    },
    /// A frame has a device twice.
    #[error("{device} at {time} s: expected each device once in a frame")]
    DeviceTwice {
        /// The device.
        device: DeviceName,
        /// Time of the refused frame, in seconds.
        time: f32,
    },
    /// A haptic pulse is [not valid](Haptic::check).
    #[error("haptic pulse of {device}: {}", InvalidHaptic(*haptic))]
    InvalidHaptic {
        /// The device.
        device: DeviceName,
        /// The pulse.
        haptic: Haptic,
    },
    /// The length of the rolling buffer is not a finite number above 0.
    #[error("invalid length of the rolling buffer: {0} s (must be finite and above 0)")]
    InvalidBuffer(f32),
    /// The maximum rate is not a finite number above 0.
    #[error("invalid maximum rate: {0} Hz (must be finite and above 0)")]
    InvalidRate(f64),
    /// The sync interval of a session is not a finite number above 0.
    #[error("invalid sync interval: {0} s (must be finite and above 0)")]
    InvalidSyncInterval(f32),
}
