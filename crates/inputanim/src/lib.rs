//! Reads, writes, evaluates, records, checks and repairs MRTK "input animation" recordings: the head,
//! two hands of 27 joints, pinches, eye gaze and markers, as animation curves.
//!
//! A [`Recording`] is the content of one file.
//!
//! | task | start with |
//! |---|---|
//! | read | [`Recording::parse`]; [`Recording::recover`] for damaged files |
//! | write | [`Recording::write`], [`Recording::to_bytes`] |
//! | evaluate at any time | [`Sampler`]; [`FloatCurve::evaluator`] for one curve |
//! | play back with events | [`Player`] |
//! | record frames | [`Recorder`]; [`session`] to survive a crash |
//! | describe and check | [`info`], [`doctor`] |
//! | change | [`edit`], [`repair`], [`reduce`] |
//! | compare | [`diff`] |
//! | convert axes | [`Space`] |
//!
//! ```
//! use inputanim::{Joint, Layout, Recording};
//! # let recording = Recording::with_streams(Layout::Mrtk1_1, inputanim::Flags::ALL);
//! # let bytes = recording.to_bytes()?;
//!
//! let recording = Recording::parse(&bytes)?;
//! println!("{}, {} s", recording.layout, recording.duration());
//! if let Some(hands) = &recording.hands {
//!     let tip = &hands.right.joints[Joint::IndexTip];
//!     println!("height of the right index tip: {} keys", tip.position[1].keys.len());
//! }
//! assert_eq!(recording.to_bytes()?, bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Units and axes: times are seconds (`f32`, as in files) and rates are Hz (`f64`). Positions are metres
//! and rotations are quaternions x, y, z, w, in Unity's world space: left-handed, +X right, +Y up,
//! +Z forward. Section numbers refer to docs/format.md of the repository, the specification of the
//! format.
//!
//! Option types such as [`Limits`] and [`RecorderOptions`] may get more fields. Other crates change them
//! by assignment: `let mut limits = Limits::default(); limits.max_keys = 1000;`.
//!
//! Cargo features: `parallel` (default) uses all processors for sampling; without it the library starts
//! no threads. `mint` converts [`Pose`] and [`Ray`] to and from the types of the `mint` crate. `serde`
//! serialises findings, summaries, differences and reports.

#![forbid(unsafe_code)]

mod about;
#[macro_use]
mod choice;
pub mod controller;
mod curve;
mod device;
pub mod diff;
pub mod doctor;
pub mod edit;
mod element;
mod evaluate;
mod frame;
pub mod headset;
pub mod info;
mod joint;
mod key;
mod known;
mod layout;
mod loss;
mod marker;
pub mod marker_names;
#[cfg(feature = "mint")]
mod mint;
pub mod names;
mod order;
pub mod parallel;
mod parts;
mod path;
mod pauses;
pub mod pinch;
mod player;
mod pose;
mod read;
mod record;
mod recording;
pub mod reduce;
pub mod relative_time;
mod remedy;
pub mod repair;
pub mod row;
mod sampler;
#[cfg(feature = "serde")]
mod serialize;
pub mod session;
mod session_format;
mod space;
mod states;
mod time_range;
mod time_union;
pub mod trigger_names;
mod vector;
pub mod velocity;
mod write;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

pub use about::{About, AboutTexts};
pub use choice::UnknownName;
pub use curve::{BooleanCurve, Curve, CurveMut, FloatCurve, KeyKind, Keys, WrapMode};
pub use device::{
    Device, DeviceLoss, DeviceName, Haptic, InputCurve, InputName, InputValue, InvalidDeviceEvents,
    InvalidHaptic, InvalidName, OutputName, PoseName, ProfileChange,
};
pub use element::Element;
pub use evaluate::{BooleanEvaluator, FloatEvaluator, TimeNotANumber};
pub use frame::{DeviceFrame, Frame, HandFrame, Pose, Ray};
pub use joint::{Joint, Joints, Side, UnknownJoint, UnknownSide};
pub use key::{BooleanKey, FullKey, SimpleKey, WeightedMode};
pub use known::{InvalidGap, Known};
pub use layout::{Layout, Version};
pub use loss::{LayoutLoss, UnknownTime};
pub use marker::Marker;
pub use parts::{InvalidDevices, Parts};
pub use path::{CurvePath, PoseChannel, RayChannel, Stream, UnknownCurve};
pub use pauses::{InvalidPauses, Pauses};
pub use player::{EndAction, PlaybackState, Player, Transition, TransitionKind, Transitions};
pub use pose::{PoseCurves, RayCurves};
pub use read::{
    Corrections, CurveIndex, DamagedPart, FilePart, IndexedCurve, Limits, MAGIC, ParseError,
    ParseErrorKind, PartDamage, ReadError, RecoveredRecording, TooManySamples, TriedLayout,
    read_bytes,
};
pub use record::{Absence, RecordError, Recorder, RecorderOptions};
pub use recording::{Flags, HandCurves, HandJointCurves, Hands, Recording};
pub use relative_time::{InvalidTime, LimitedTime, RelativeTimeRange, TimePoint};
pub use remedy::ErrorRemedy;
pub use sampler::{
    DeviceColumns, FrameColumns, HandColumns, InputColumn, PoseColumns, RayColumns, Sampler,
    SamplerCursor, UnplayableCurve,
};
pub use space::Space;
pub use time_range::{TimeRange, TimeRangeError};
pub use write::WriteError;
