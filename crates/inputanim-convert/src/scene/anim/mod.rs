//! Writes animation clips of Unity (`.anim`) in the form of its editor: YAML with a curve for each position
//! and rotation.
//!
//! ```yaml
//! %YAML 1.1
//! %TAG !u! tag:unity3d.com,2011:
//! --- !u!74 &7400000
//! AnimationClip:
//!   m_Name: take
//!   m_PositionCurves:
//!   - curve:
//!       m_Curve:
//!       - serializedVersion: 3
//!         time: 0
//!         value: {x: 0, y: 1.6, z: 0}
//!         inSlope: {x: 0, y: 0, z: 0}
//!         outSlope: {x: 0, y: 0.5, z: 0}
//!     path: Camera
//! ```
//!
//! The clip moves the children of the object that plays it. It finds them by their paths:
//!
//! | path | content |
//! |---|---|
//! | `Camera` | position and rotation of the head |
//! | `LeftHand`, `RightHand` | active while the hand is tracked |
//! | `LeftHand/IndexTip` and so on | the joints, by their names in MRTK |
//! | `LeftHand/Pinch` | active while the hand pinches |
//! | `Gaze`, `Gaze/Direction` | the origin of the gaze, and below it the direction as a vector |
//!
//! Poses are in world space, so the objects of the hands and of the gaze must be at the origin, without a
//! rotation. The axes and units are Unity's, as in a recording.
//!
//! Keys are preserved, with their tangents and weights; linear segments get their slopes as tangents. A key
//! of a clip belongs to a vector: if one component has a key, the other components get a key too. This does not change
//! their curves. Keys before 0 and [`Joint::None`](inputanim::Joint::None) are dropped. Curves that repeat
//! are written out. Markers become events. Unity interpolates rotations by component, as MRTK does, so sign
//! flips (D4) are visible in Unity as in MRTK; repair the recording first to get the shorter arc.
//!
//! Limit: the text is about 17 times as large as the recording, so the disk limits the speed
//! (docs/performance.md).
//!
//! ```
//! use inputanim_convert::{Format, WriteOptions, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let mut options = WriteOptions::default();
//! options.clip_name = "take".to_owned();
//! let (clip, _) = write_bytes(Format::Anim, &recording, &options)?;
//! assert!(clip.starts_with(b"%YAML 1.1"));
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod keys;
mod write;
mod yaml;

pub(crate) use write::write;

/// A clip that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimError {
    /// A name that is not valid for a function.
    #[error("invalid function name {0:?}: expected letters, digits and _")]
    Event(String),
}

impl crate::shared::error::OfFormat for AnimError {}
