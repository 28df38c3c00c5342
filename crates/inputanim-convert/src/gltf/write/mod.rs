//! A recording out as glTF.

mod buffer;
mod component;
mod gaze;
mod knots;
mod mesh;
mod report;
mod room;
mod rotations;
mod scene;
mod stream;
mod track;

use std::io::{self, Write};

use inputanim::{Curve, CurvePath, Recording, TimeNotANumber};

use super::container::{self, Container};
use super::names::NodeNames;

use report::Told;
pub use report::{Loss, Note, Report};

/// How glTF is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Binary, or text.
    pub container: Container,
    /// How nodes are named.
    pub node_names: NodeNames,
    /// How often a second what has no form in glTF is looked at.
    pub rate: f64,
}

impl Default for Options {
    /// Binary, with the names of curves, 60 a second.
    fn default() -> Self {
        Options {
            container: Container::Glb,
            node_names: NodeNames::Inputanim,
            rate: 60.0,
        }
    }
}

/// A recording that cannot be written as glTF.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The recording holds what its own layout cannot: write it in another first.
    #[error(transparent)]
    Layout(#[from] inputanim::WriteError),
    /// A curve that cannot be played.
    #[error("{curve} cannot be played")]
    Unplayable {
        /// The curve.
        curve: CurvePath,
        /// Why.
        source: TimeNotANumber,
    },
    /// A number that cannot be worked with.
    #[error("the rate is {0}: it must be above 0 and at most a million")]
    Rate(f64),
    /// Curves of a form that glTF does not have, over so long a time that looking at them at the rate
    /// would take too much memory.
    #[error("{vector}: it would take more than {} Mi new keys", room::Room::MOST >> 20)]
    TooManyKeys {
        /// The vector or rotation at which they became too many.
        vector: String,
    },
    /// More than 4 GiB.
    #[error("the file would have {0} bytes: glTF files end at 4 GiB")]
    TooLarge(u64),
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a recording as glTF, and says what did not come through.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When a curve cannot be played, the file would be too large, or `output` fails; and when the
/// recording holds what its own layout cannot, such as gaze in version 1.0.
///
/// ```
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::gltf;
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
/// let mut bytes = Vec::new();
/// let report = gltf::write(&take, &gltf::Options::default(), &mut bytes)?;
/// assert!(bytes.starts_with(b"glTF") && report.losses.is_empty());
/// assert_eq!(gltf::read(&bytes)?, take);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    output: impl Write,
) -> Result<Report, Error> {
    let layout = recording.layout;
    let losses = recording.losses(layout);
    if !losses.is_empty() {
        return Err(inputanim::WriteError::Lossy { layout, losses }.into());
    }
    if !(options.rate > 0.0 && options.rate <= inputanim::Span::HIGHEST_RATE) {
        return Err(Error::Rate(options.rate));
    }
    for (curve, keys) in recording.curves() {
        let playable = match keys {
            Curve::Float(curve) => curve.evaluator().map(drop),
            Curve::Boolean(curve) => curve.evaluator().map(drop),
        };
        playable.map_err(|source| Error::Unplayable { curve, source })?;
    }
    let mut told = Told::default();
    let (document, bytes) = scene::scene(recording, options, &mut told)?;
    container::write(document, &bytes, options.container, output)?;
    Ok(told.report(recording))
}
