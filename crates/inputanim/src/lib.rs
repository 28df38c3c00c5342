//! Reads, writes, checks and describes MRTK "input animation" recordings: head, two hands of 27
//! joints, pinch, eye gaze and markers as animation curves.
//!
//! Everything is done with a [`Recording`]: get one from bytes with [`Recording::parse`], or from
//! frames with a [`Recorder`]; look at it or change it; and [write](Recording::write) it.
//!
//! ```
//! use inputanim::{Joint, Layout, Recording};
//! # let take = Recording::with_streams(Layout::Mrtk1_1, inputanim::Flags::ALL);
//! # let bytes = take.to_bytes(Layout::Mrtk1_1)?;
//!
//! let recording = Recording::parse(&bytes)?;
//! println!("{}, {} s", recording.layout, recording.duration());
//! if let Some(hands) = &recording.hands {
//!     let tip = &hands.right.joints[Joint::IndexTip];
//!     println!("{} keys of the index tip's height", tip.position[1].keys.len());
//! }
//! assert_eq!(recording.to_bytes(recording.layout)?, bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Positions are metres and rotations quaternions x, y, z, w in Unity's world space (left-handed,
//! +X right, +Y up, +Z forward); times are seconds. The format itself is described in
//! docs/format.md of the repository, whose sections the items here name.

#![forbid(unsafe_code)]

mod curve;
pub mod diff;
pub mod doctor;
pub mod edit;
mod evaluate;
mod frame;
mod joint;
mod key;
mod layout;
mod loss;
mod marker;
mod parallel;
mod path;
pub mod player;
mod pose;
mod read;
pub mod record;
mod recording;
pub mod reduce;
pub mod repair;
pub mod sampler;
pub mod session;
mod space;
mod span;
pub mod summary;
mod vector;
mod write;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

pub use curve::{BooleanCurve, Curve, CurveMut, FloatCurve, KeyKind, Keys, WrapMode};
pub use evaluate::{BooleanEvaluator, FloatEvaluator, TimeNotANumber};
pub use frame::{Frame, HandFrame, Pose, Ray};
pub use joint::{Joint, Joints, Side, UnknownJoint};
pub use key::{BooleanKey, FullKey, SimpleKey, WeightedMode};
pub use layout::{Layout, UnknownLayout, Version};
pub use loss::Loss;
pub use marker::Marker;
pub use path::{CurvePath, PoseChannel, RayChannel, Stream, UnknownCurve};
pub use player::Player;
pub use pose::{PoseCurves, RayCurves};
pub use read::{
    Limits, Lost, MAGIC, Missing, ParseError, ParseErrorKind, Part, ReadError, Recovery, Tried,
    read_bytes,
};
pub use record::{RecordError, Recorder};
pub use recording::{Flags, HandCurves, HandJointCurves, Hands, Recording};
pub use sampler::Sampler;
pub use space::{Space, UnknownSpace};
pub use span::Span;
pub use write::WriteError;
