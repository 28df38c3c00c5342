//! Universal Scene Description (<https://openusd.org>), as text (`.usda`) and binary (`.usdc`).
//!
//! ```text
//! /take                 markers
//!   /head               where the head is
//!     /head_camera      looks where the head does
//!   /gaze               −Z is where the eyes look
//!     /gaze_ray         a line of 1 m
//!   /left               SkelRoot: tracked, pinching; hidden while not tracked
//!     /left_motion      SkelAnimation: joints relative to the ones they hang on
//!     /left_skeleton    Skeleton
//!     /left_mesh        balls and bones, so that it can be seen
//!   /right
//! ```
//!
//! - Axes are those of [`Space::Usd`](inputanim::Space::Usd): right-handed, +Y up, −Z forward, in
//!   metres; `upAxis` and `metersPerUnit` say so.
//! - The recording is sampled from 0 to its end: a time code is a frame, and
//!   `timeCodesPerSecond` is the rate. There are also samples at each time at which a hand is found
//!   or lost, or begins or ends to pinch, and at the end. Between samples USD draws straight lines,
//!   and turns rotations along the shortest way.
//! - Joints have samples while their hand is tracked. In the rest pose each joint is where it is
//!   first known.
//! - `inputanim:tracked` and `inputanim:pinching` of a hand change at the exact times.
//!   `inputanim:markers` of the take holds the names of the markers at the last time that had one.
//! - A gaze is hidden where it is not finite or its direction is 0, as it is on devices that do not see
//!   the eyes.
//! - A joint or head that is not finite, or farther away than a million kilometres, stays where it
//!   was.
//!
//! Text and binary hold the same. Numbers have the digits of 32-bit floats.

mod binary;
mod contents;
mod hand;
mod head;
mod mesh;
mod skeleton;
mod stage;
mod take;
mod text;

use std::fmt;
use std::io::{self, Write};

use inputanim::{Joint, Recording, Side};

use crate::sampled::{self, SampleError};
use take::Take;

/// How a recording is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Text or binary.
    pub encoding: Encoding,
    /// Frames and time codes a second.
    pub rate: f64,
}

impl Default for Options {
    /// Binary, 60 frames a second.
    fn default() -> Options {
        Options {
            encoding: Encoding::Binary,
            rate: 60.0,
        }
    }
}

/// The two forms of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// `.usda`
    Text,
    /// `.usdc`, a crate file of version 0.8.
    Binary,
}

/// Something that did not come through.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// Frames in which a joint is recorded, but has no place or rotation: it stays where it was.
    Hand {
        /// Which hand.
        side: Side,
        /// Frames in which it was tracked.
        frames: usize,
        /// Such a joint in the first of them.
        joint: Joint,
    },
    /// Frames in which the head has no place or rotation: it stays where it was.
    Head {
        /// How many.
        frames: usize,
    },
    /// Markers that are at no time, or whose names have a NUL, which USD's texts end at.
    Markers {
        /// How many.
        markers: usize,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: &usize| if *count == 1 { "" } else { "s" };
        match self {
            Loss::Hand {
                side,
                frames,
                joint,
            } => write!(
                f,
                "joints of the {side} hand in {frames} frame{}, where they are not known, such as {joint}",
                plural(frames)
            ),
            Loss::Head { frames } => write!(
                f,
                "the head in {frames} frame{}, where it is not known",
                plural(frames)
            ),
            Loss::Markers { markers } => write!(
                f,
                "{markers} marker{}, at no time or with a NUL in the name",
                plural(markers)
            ),
        }
    }
}

/// Why a recording is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a recording, and says what did not come through. Frames are made as they are written, so
/// that memory holds a few numbers for each and no more.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When a curve cannot be played, when there would be too many frames, or when `output` fails.
///
/// ```
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::usd::{self, Encoding, Options};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(0.0, &Pose::at([0.0, 1.6, 0.5]));
/// let options = Options { encoding: Encoding::Text, ..Options::default() };
/// let mut text = Vec::new();
/// assert_eq!(usd::write(&take, &options, &mut text)?, []);
/// let text = String::from_utf8(text)?;
/// assert!(text.starts_with("#usda 1.0\n"));
/// assert!(text.contains("0: (0, 1.6, -0.5),"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    output: impl Write,
) -> Result<Vec<Loss>, WriteError> {
    let sampler = sampled::sampler(recording, options.rate)?;
    let take = Take::new(recording, sampler, options.rate);
    let (stage, losses) = contents::of(&take);
    match options.encoding {
        Encoding::Text => text::write(&stage, output)?,
        Encoding::Binary => binary::write(&stage, output)?,
    }
    Ok(losses)
}
