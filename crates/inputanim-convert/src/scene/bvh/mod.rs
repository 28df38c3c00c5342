//! Writes hands as BVH (Biovision Hierarchy), a hierarchy of joints with their motion, for animation
//! programs.
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
//! - **Skeleton.** [`Joint::parent`](inputanim::Joint::parent) defines the hierarchy, with `LeftWrist`
//!   or `RightWrist` as the root. Many programs read only one root, so two hands share a root `Hands`,
//!   which does not move and is at the origin.
//! - **Axes and units.** Right-handed, +Y up, −Z forward: [`Space::OpenXr`](inputanim::Space::OpenXr),
//!   which the defaults of Blender's importer convert to Blender's axes. Lengths are centimetres, unless
//!   [`WriteOptions::scale`](crate::WriteOptions::scale) says otherwise.
//! - **Rotations** are degrees about Z, X, Y in this order (the matrix is Z · X · Y), relative to the
//!   parent. Several sets of angles describe one rotation; the one nearest to the frame before is used.
//!   Angles have no sign flips.
//! - **Rest pose.** If all angles are 0, the hand is flat and its fingers point straight ahead. An offset
//!   is the mean position of a joint in its parent's axes over all frames in which the hand is tracked. The
//!   end site of a finger tip is one centimetre beyond it, and two hands are 0.4 m apart.
//! - **Position channels.** A bone has them if its length changes by more than [`RIGID`], or if only one of its ends is
//!   known in some frames. They replace the offset, as Blender, MotionBuilder and bvhio expect. Each joint is therefore
//!   within one millimetre of its recorded position.
//! - **Frames** have a fixed rate, from 0 to the first frame at or after the end.
//! - **Untracked hands** keep their last pose, because BVH has no gaps.
//!
//! ```
//! use inputanim::Side;
//! use inputanim_convert::{Format, WriteOptions, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # let palm = &mut recording.hands_mut().left.joints[inputanim::Joint::Palm];
//! # palm.push(0.0, &Pose::IDENTITY);
//! # recording.hands_mut().left.tracked.push(0.0, true);
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let mut options = WriteOptions::default();
//! options.hand = Some(Side::Left);
//! let (bvh, _) = write_bytes(Format::Bvh, &recording, &options)?;
//! assert!(bvh.starts_with(b"HIERARCHY"));
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod euler;
mod skeleton;
mod write;

use inputanim::Side;

pub(crate) use write::write;

/// The distance in metres by which a joint may differ from its fixed offset before it gets position
/// channels: five such joints in a row, as in a finger, add up to less than a millimetre.
pub const RIGID: f64 = 0.000_15;

/// Hands that cannot be written as BVH.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BvhError {
    /// No hand is ever tracked.
    #[error("no hand is ever tracked")]
    NoHands,
    /// The requested hand is never tracked.
    #[error("the {0} hand is never tracked")]
    NoHand(Side),
    /// The number of units per metre is not a positive number.
    #[error("invalid scale: {0} units per metre (must be above 0 and finite)")]
    Scale(f64),
}

impl crate::shared::error::OfFormat for BvhError {}
