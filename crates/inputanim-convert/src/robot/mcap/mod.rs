//! MCAP (<https://mcap.dev>), a container of messages on topics over time, with the messages of
//! Foxglove (<https://docs.foxglove.dev/docs/sdk/schemas>) as protobuf. Foxglove, Rerun and the MCAP
//! libraries for Python, C++, Go and TypeScript read these files.
//!
//! | topic | message | content |
//! |---|---|---|
//! | [`TRANSFORMS`] | `foxglove.FrameTransforms` | the frames `head`, `gaze`, `left/IndexTip`, … in [`WORLD`] |
//! | [`HANDS`] | `foxglove.SceneUpdate` | bones as lines, joints as spheres |
//! | [`GAZE`] | `foxglove.SceneUpdate` | the gaze as a line of 1 m |
//! | `/left/joints`, `/right/joints` | `foxglove.PointCloud` | the joints again, because Rerun does not draw scenes |
//! | [`STATES`] | `inputanim.States` | the states of the hands, for plots |
//! | [`MARKERS`] | `foxglove.Log` | markers |
//! | [`RECORDING`] | `inputanim.RecordingPiece` | the bytes of the recording, in pieces |
//! | `/right.controller/inputs` | `inputanim.Inputs_right_controller` | the inputs of a device over time, for plots |
//! | [`DEVICES`] | `inputanim.Device` | the profiles and haptic pulses of controllers and other devices |
//! | [`DEVICE_CURVES`] | `inputanim.DeviceCurve` | the keys of their poses and inputs, bit for bit |
//!
//! # Writing
//!
//! - The recording is sampled from 0 to its end, and at each time at which a state changes. Topics without
//!   recorded content are not written.
//! - [`SPACE`] describes the axes: right-handed, +X right, +Y forward, +Z up, in metres. A joint's
//!   +Y runs along its bone and its +Z leaves the back of the hand; the head and the gaze look along
//!   their +Y.
//! - While a hand is not tracked, it is deleted from the scene, its point cloud is empty, and it has no
//!   transforms. The same holds for poses that are not finite.
//! - Nothing is lost, because the file also contains the bytes of the recording. Memory is bounded.
//!
//! # Reading
//!
//! If the topic [`RECORDING`] exists, its bytes are the recording, and the topics of devices are its devices. Other files are read from messages
//! `foxglove.FrameTransforms` as protobuf, on any topics, with the layout `mrtk-1.1`:
//!
//! - The name of a frame is `head`, `gaze` or the name of a joint, such as `left/IndexTip`. Other frames are ignored.
//!   All must have the same parent, in the axes of [`SPACE`].
//! - The transforms of one time are one frame; the first is at 0. The time is the timestamp of the
//!   transforms, or the log time of the message if they have none. Messages that are up to one second late
//!   are sorted. If messages are later than that, the largest number of times that are in order is read: a time that is far
//!   ahead costs only its messages.
//! - A hand is tracked while any of its joints is known, and in gaps of at most 0.5 s, because its messages may
//!   have times of their own. If the topic [`STATES`] exists, it determines when hands are tracked and pinch.
//! - Markers come from [`MARKERS`].
//!
//! Damage of a file costs the chunk, the record or the message that contains it, and the report names it. If bytes of the
//! recording are missing, the other messages are read.
//!
//! ```
//! use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let (mcap, _) = write_bytes(Format::Mcap, &recording, &WriteOptions::default())?;
//! // The file contains the recording besides the samples.
//! let (again, _) = read(Format::Mcap, &mcap, &ReadOptions::default())?;
//! assert_eq!(again, recording);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod error;
mod frame_id;
mod frames;
mod gaze;
mod inputs;
mod messages;
mod output;
mod points;
mod read;
mod scene;
mod streams;
mod topics;
mod transforms;
mod write;

pub use crate::robot::mcap_file::damage::Damage;
pub use error::McapError;
pub(crate) use read::read;
pub(crate) use write::write;

use inputanim::Space;

/// The topic of `foxglove.FrameTransforms`.
pub const TRANSFORMS: &str = "/tf";
/// The topic of the hands as a scene.
pub const HANDS: &str = "/hands";
/// The topic of the gaze as a scene.
pub const GAZE: &str = "/gaze";
/// The topic of the states of hands.
pub const STATES: &str = "/states";
/// The topic of the markers.
pub const MARKERS: &str = "/markers";
/// The topic of the recording itself.
pub const RECORDING: &str = "/inputanim/recording";

/// The topic of the profiles and haptic pulses of devices.
pub const DEVICES: &str = "/inputanim/devices";
/// The topic of the keys of the poses and inputs of devices.
pub const DEVICE_CURVES: &str = "/inputanim/device_curves";

/// The parent of all frames.
pub const WORLD: &str = "world";

/// The axes of all messages: +Z is up, as the 3D panels of Foxglove and Rerun have it.
pub const SPACE: Space = Space::Blender;
