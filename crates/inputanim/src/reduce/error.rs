//! Errors of a reduction, and the vectors that it skips.

use crate::layout::Layout;
use crate::path::CurvePath;

/// An error of a reduction. The recording is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// A bound is negative or not a number.
    #[error("invalid bound: {value}{}{unit} (must be at least 0)", if unit.is_empty() { "" } else { " " })]
    InvalidBound {
        /// The bound.
        value: f64,
        /// The unit: `m` or `°`; empty for inputs.
        unit: &'static str,
    },
    /// The size of partitions is given for an algorithm that has none.
    #[error("partition needs the method mrtk")]
    PartitionWithoutMrtk,
    /// Tangents are requested in a layout that cannot hold them.
    #[error("layout {layout} has simple keys, which cannot store tangents")]
    SimpleKeys {
        /// The layout of the recording.
        layout: Layout,
    },
    /// The w component of a rotation was not saved.
    ///
    /// Such a rotation is meaningless until it is [repaired](crate::repair). A reduction would
    /// remove the pattern by which the damage is recognised.
    #[error("{curve} was not saved: its rotation must be repaired first")]
    LostW {
        /// The first such w curve.
        curve: CurvePath,
    },
}

/// The reason why a vector was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum SkipReason {
    /// Curves have tangents: they are not interpolated linearly.
    #[error("it has tangents")]
    Tangents,
    /// Key times do not increase, or one is not finite.
    #[error("its keys are not in order of time")]
    Times,
    /// Curves have different key times, and at least one of them does not hold its values at both ends.
    #[error("its curves repeat, but have different key times")]
    Loops,
    /// Values are infinite or not numbers.
    #[error("it has values that are not finite")]
    Values,
}

/// A vector that was skipped and is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct SkippedVector {
    /// The first of its curves.
    pub curve: CurvePath,
    /// The reason.
    pub reason: SkipReason,
}
