//! Hands as BVH, Biovision's hierarchy of joints with their motion: for animation programs.
//!
//! ```text
//! HIERARCHY
//! ROOT RightWrist
//! {
//!   OFFSET 0 0 0
//!   CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
//!   JOINT RightPalm
//!   {
//!     OFFSET 0 0 -4.6
//!     CHANNELS 3 Zrotation Xrotation Yrotation
//!     ...
//! MOTION
//! Frames: 241
//! Frame Time: 0.016666666666666666
//! 12.3 140.2 -38.1 1.5 -20.4 3.2 0 0 0 ...
//! ```
//!
//! - **Skeleton.** The joints hang on each other as [`Joint::parent`](inputanim::Joint::parent) has
//!   it, `LeftWrist` or `RightWrist` first. Since many programs read one root only, two hands hang on a
//!   root `Hands`, which stands still at the origin.
//! - **Axes and units.** Right-handed, +Y up, −Z forward: [`Space::OpenXr`](inputanim::Space::OpenXr),
//!   which the defaults of Blender's importer turn into Blender's own axes. Lengths are centimetres,
//!   unless [`Options::scale`] says otherwise.
//! - **Rotations** are degrees about Z, X, Y in this order (the matrix is Z · X · Y), each joint's
//!   relative to its parent. Of the angles that say the same, those are taken that are nearest to the
//!   frame before.
//! - **Rest pose.** With all angles 0 the hand is flat, its fingers straight ahead: an offset is the
//!   mean of where a joint is, seen from its parent, over all frames in which the hand is tracked. A
//!   finger tip ends a centimetre further on, and two hands lie 0.4 m apart.
//! - **Bones that change their length** by more than [`RIGID`], or of which only one end is known in
//!   some frames, have position channels too, which take the place of the offset, as in Blender,
//!   MotionBuilder and bvhio. So each joint is where it was within a millimetre.
//! - **Frames** are at a steady rate from 0 to the end, or just beyond it.
//! - **While a hand is not tracked** it stands still: BVH has no gaps.

mod euler;
mod skeleton;
mod write;

use std::fmt;
use std::io;

use inputanim::Side;

use crate::sampled::SampleError;

pub use write::write;

/// How far, in metres, a joint may be from where its parent has it without channels of its own for
/// positions: five of them in a row, as in a finger, make less than a millimetre.
pub const RIGID: f64 = 0.000_15;

/// How a recording is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The hand to write; `None` is both, as far as they are ever tracked.
    pub hand: Option<Side>,
    /// Frames a second.
    pub rate: f64,
    /// Units of length in a metre: 100 for centimetres.
    pub scale: f64,
}

impl Default for Options {
    /// Both hands, 60 frames a second, in centimetres.
    fn default() -> Options {
        Options {
            hand: None,
            rate: 60.0,
            scale: 100.0,
        }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// How many frames.
    pub frames: usize,
    /// How many joints.
    pub joints: usize,
    /// How many of them have position channels, since their bones do not keep their length.
    pub stretching: usize,
    /// What did not come through.
    pub losses: Vec<Loss>,
}

/// Why a recording is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// No hand is ever tracked.
    #[error("no hand is ever tracked: there is nothing to write")]
    NoHands,
    /// The hand that is asked for is never tracked.
    #[error("the {0} hand is never tracked: there is nothing to write")]
    NoHand(Side),
    /// The number of units in a metre makes no sense.
    #[error("the scale is {0}: it must be above 0 and finite")]
    Scale(f64),
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Something that BVH cannot hold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Loss {
    /// That a hand is not tracked in some frames: it stands still in them.
    Untracked {
        /// Which hand.
        side: Side,
        /// Frames in which it is not tracked.
        frames: usize,
        /// All frames.
        of: usize,
    },
    /// Joints that are not known or not finite while their hand is tracked: they stand still.
    Unknown {
        /// Which hand.
        side: Side,
        /// Frames in which any joint of it is.
        frames: usize,
    },
    /// The head.
    Camera,
    /// The eyes.
    Gaze,
    /// When a hand pinches.
    Pinches,
    /// Markers.
    Markers {
        /// How many.
        markers: usize,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Loss::Untracked { side, frames, of } => write!(
                f,
                "that the {side} hand is not tracked in {frames} of {of} frames: it stands still"
            ),
            Loss::Unknown { side, frames } => write!(
                f,
                "joints of the {side} hand that are not known in {frames} frame{}: they stand still",
                plural(frames)
            ),
            Loss::Camera => f.write_str("the head"),
            Loss::Gaze => f.write_str("the gaze"),
            Loss::Pinches => f.write_str("when hands pinch"),
            Loss::Markers { markers } => write!(f, "{markers} marker{}", plural(markers)),
        }
    }
}
