//! Recordings of NVIDIA's Isaac Capture, which was called Isaac Teleop before version 1.6
//! (<https://github.com/NVIDIA/IsaacTeleop>): MCAP with FlatBuffers. `DeviceIOSession` records these files, and
//! `ReplaySession` replays them for the retargeting to robots.
//!
//! | topic | message | content |
//! |---|---|---|
//! | [`LEFT_HAND`], [`RIGHT_HAND`] | `core.HandPoseRecord` | 26 joints of OpenXR: pose, `is_valid`, radius |
//! | [`HEAD`] | `core.HeadPoseRecord` | the head: pose, `is_valid`, `is_tracked` |
//! | [`LEFT_CONTROLLER`], [`RIGHT_CONTROLLER`] | `core.ControllerSnapshotRecord` | grip, aim and inputs of controllers |
//! | [`GAZE`] | `inputanim.GazeRecord` | the gaze |
//! | [`STATES`] | `inputanim.StatesRecord` | tracking and pinching of both hands |
//! | [`MARKERS`] | `inputanim.MarkerRecord` | names of markers, at their times |
//! | [`RECORDING`] | `inputanim.PieceRecord` | the bytes of the recording, in pieces |
//! | [`DEVICES`] | `inputanim.DeviceRecord` | the profiles and haptic pulses of devices |
//! | [`DEVICE_CURVES`] | `inputanim.DeviceCurveRecord` | the keys of the poses and inputs of devices |
//! | [`CHECKSUM`] | `inputanim.ChecksumRecord` | a checksum of the messages on the topics of NVIDIA, and of gaze, states and markers |
//!
//! NVIDIA's reader ignores the topics that begin with `inputanim/`. A topic of NVIDIA consists of a base name, which is
//! the name of a tracker in the session, and of the name of a device. The base names are `hands`, `controllers` and `head`.
//! Poses are in metres, in the axes of OpenXR: [`Space::OpenXr`](inputanim::Space::OpenXr). Each message is a
//! table with a payload and three times.
//!
//! # Writing
//!
//! - The recording is sampled from 0 to its end. With a rate, there is also a sample at each time at which a state of a
//!   hand changes; with [`Sampling::Keys`](crate::Sampling::Keys), the samples are at the keys and have their values. Every
//!   sample has a message on each topic, because a replay takes one message of each topic per step. Topics without recorded
//!   content are not written. If one hand is recorded, both have a topic, because a replay reads both.
//! - The numbers of poses are the numbers of the [`Sampler`](inputanim::Sampler), to the last bit. Its rotations have length 1.
//! - A joint is valid while its hand is tracked and its pose is known. The head is valid and tracked while its pose is
//!   known. Poses that are not valid are 0. The report notes joints that are not recorded.
//! - If a controller is recorded, both have a topic. A pose of a controller is valid while it is known, and a message has no content while
//!   the controller is not active. The eight inputs of NVIDIA are `x.click` and `y.click` (left) or `a.click` and `b.click` (right),
//!   `thumbstick.click`, `menu.click`, `thumbstick.x`, `thumbstick.y`, `squeeze.value` and `trigger.value`. If the controller lacks one of
//!   them, the corresponding input is written: `a` for `x` and `b` for `y`, and the reverse; `squeeze.click`; `trigger.click` or
//!   `select.click`. Unknown inputs are 0. A note lists what a replay does not get. The file also contains all devices exactly.
//! - The joints have the radii of IWER's hand, which has an average size; the palm has 20 mm. MRTK records no radii.
//! - The log time of a message, and all three times in it, are [`WriteOptions::start_time`](crate::WriteOptions::start_time)
//!   plus the time in the recording, in nanoseconds. In NVIDIA's recordings these are times of the system's monotonic clock.
//! - Chunks are not compressed, because NVIDIA's reader refuses compressed chunks. A hand takes 1 KB per sample.
//! - Nothing is lost, because the file also contains the bytes of the recording. Memory is bounded.
//!
//! # Reading
//!
//! If the file contains the bytes of a recording, and the messages are still those that were written with them, these bytes
//! are the recording. If a program changed, removed or added messages on the topics above, the messages are read instead,
//! and the report says so: the checksum differs then. In a damaged file, messages are missing anyway. There, the bytes of the
//! recording count if the header names this library as the writer, because a program that copies a file writes its own name.
//!
//! Messages become a recording with the layout `mrtk-1.1`:
//!
//! - Hands, head and controllers are recognised by the schema of their channel and the last part of their topic: `left_hand`,
//!   `right_hand`, `head`, `left_controller` and `right_controller`. If several topics have the same last part, the first
//!   one with a valid pose is read, and the report names the others.
//! - A time is the time at which a sample was taken, which all devices of a recording have on one clock. If this time is 0 in
//!   all messages, times are log times. If it is 0 in some messages, their log times are moved to the clock of the others, by
//!   the smallest difference between log time and sample time in the file. NVIDIA's reader defines no clock: it returns
//!   messages in the order of log times. The first message is at 0. Messages that are late are sorted.
//! - Messages with equal times are one frame. A joint that is not valid is unknown. A hand is tracked while any of its joints
//!   is valid, and until its next message, but at most 0.5 s.
//! - A controller becomes a device with the poses `grip` and `aim`, which are known while they are valid, and with the eight inputs. It is
//!   not active while its messages have no content.
//! - The messages of programs, such as the commands that begin and end an episode, are markers. Records without a message
//!   only state that none came.
//! - If the topic [`STATES`] exists, it determines when hands are tracked and pinch. Other recordings of hands have no pinches.
//! - Radii, which MRTK does not record, are not kept.
//!
//! Damage of a file costs the chunk, the record or the message that contains it, and the report names it.
//!
//! ```
//! use inputanim_convert::{Format, ReadOptions, Sampling, WriteOptions, read, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let mut options = WriteOptions::default();
//! options.sampling = Sampling::Rate(60.0);
//! let (mcap, _) = write_bytes(Format::Isaac, &recording, &options)?;
//! let (again, _) = read(Format::Isaac, &mcap, &ReadOptions::default())?;
//! assert_eq!(again, recording);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod error;
mod messages;
mod read;
mod schema;
mod streams;
mod table;
mod topics;
mod value;
mod write;

pub use crate::robot::mcap_file::damage::Damage;
pub use error::IsaacError;
pub(crate) use read::read;
pub use table::Malformed;
pub(crate) use write::write;

/// The topic of the left hand.
pub const LEFT_HAND: &str = "hands/left_hand";
/// The topic of the right hand.
pub const RIGHT_HAND: &str = "hands/right_hand";
/// The topic of the left controller.
pub const LEFT_CONTROLLER: &str = "controllers/left_controller";
/// The topic of the right controller.
pub const RIGHT_CONTROLLER: &str = "controllers/right_controller";
/// The topic of the head.
pub const HEAD: &str = "head/head";
/// The topic of the gaze.
pub const GAZE: &str = "inputanim/gaze";
/// The topic of the states of hands.
pub const STATES: &str = "inputanim/states";
/// The topic of the markers.
pub const MARKERS: &str = "inputanim/markers";
/// The topic of the recording itself.
pub const RECORDING: &str = "inputanim/recording";
/// The topic of the profiles and haptic pulses of devices.
pub const DEVICES: &str = "inputanim/devices";
/// The topic of the keys of the poses and inputs of devices.
pub const DEVICE_CURVES: &str = "inputanim/device_curves";
/// The topic of the checksum.
pub const CHECKSUM: &str = "inputanim/checksum";

/// The smallest value of a trigger, from 0 to 1, at which a hand that is derived from a controller pinches.
pub const PINCH_TRIGGER: f32 = crate::shared::controller::PINCH_TRIGGER;

/// The encoding of schemas and messages.
const FLATBUFFER: &str = "flatbuffer";
/// The profile in the header of MCAP files, which is the profile of NVIDIA's recorder.
const PROFILE: &str = "teleop";
/// The number of topics or joints that a loss or note lists.
const LISTED: usize = 3;
