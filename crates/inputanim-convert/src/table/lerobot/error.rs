//! The errors of datasets of LeRobot.

use inputanim::Element;

/// A recording that cannot be part of a dataset, or a dataset that cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LeRobotError {
    /// No stream is recorded or selected.
    #[error("no stream is recorded or selected, so that a state would be empty")]
    NoFeatures,
    /// The rate is not a whole number, or out of its range.
    #[error("invalid rate: {0} Hz (must be a whole number from 1 to 1,000,000)")]
    Rate(f64),
    /// A file or chunk would have no content.
    #[error("expected files of at least 1 MiB and chunks of at least 1 file")]
    Sizes,
    /// A stream is not recorded, but it is part of the states of the dataset.
    #[error("{0} is not recorded, but it is part of the states of the dataset")]
    NotRecorded(Element),
    /// The base of relative poses is not recorded.
    #[error("{base} is not recorded, but poses are relative to it")]
    NoBase {
        /// The base.
        base: Element,
    },
    /// A pose or ray is never finite in an episode, although it is recorded and, for a joint, tracked. A relative pose is
    /// not finite either while its base is unknown.
    #[error("{element} is not finite from {start} s to {end} s")]
    NeverFinite {
        /// The pose or ray.
        element: Element,
        /// The start of the episode in seconds.
        start: f32,
        /// The end of the episode in seconds.
        end: f32,
    },
    /// The times of an episode are not finite, or in the wrong order.
    #[error("invalid time range of an episode: {start} s to {end} s")]
    Range {
        /// The start in seconds.
        start: f32,
        /// The end in seconds.
        end: f32,
    },
    /// The dataset has no episode.
    #[error("the dataset would have no episodes")]
    NoEpisodes,
}

impl crate::shared::error::OfFormat for LeRobotError {}
