//! Captures of hands by Unity's package XR Hands (`.handsbin`), which a recorder writes on the device.
//!
//! Source: the public source of XR Hands 1.7 (version 1 of the files) and of later packages (version 2). No file of Unity was
//! available.
//!
//! All numbers are little endian: `i32` is an integer of 32 bits, `f32` a float of 32 bits, `bool` a byte with 0 or 1. A text has its
//! length in bytes before it, as LEB128, and is UTF-8. A pose consists of the position x, y, z and the rotation x, y, z, w in `f32`. A
//! hand has 26 poses, in the order of [`Joint::ALL`](inputanim::Joint::ALL) from the wrist on. Poses are in Unity's axes, relative to
//! the XR origin.
//!
//! **Version 1**: `i32` 1, text name, `f32` duration in seconds, `i32` number of frames. For each frame: `f32` time in seconds, `bool`
//! left tracked, `bool` right tracked, `bool` left valid, `bool` right valid, 26 poses if the left hand is valid, 26 poses if the
//! right hand is valid.
//!
//! **Version 2**: `i32` 2, `i32` flags, `i32` options (bit 0: the step before rendering is captured too), text name, `f32` duration,
//! `i32` 26, 4 bytes with a bit for each joint of the device, `i32` layout of hand meshes, 5 times 16 `f32` (shapes of fingers),
//! `i32` number of frames. For each frame:
//!
//! - `i32` flags: bits 0 and 1 state that the left and the right hand have a snapshot, bits 2 and 3 gestures, bits 4 and 5 aim data.
//! - `f32` time, `i32` state of the head (bit 0: the position is tracked, bit 1: the rotation), and the pose of the head if the state is
//!   not 0.
//! - `i32` results of the step "dynamic", and another `i32` for the step before rendering if it is captured.
//! - For the left hand, then for the right hand, each if the frame's flags state it:
//!   - a snapshot: `i32` flags (bit 0: it has the step "dynamic", bit 1: the step before rendering), and for each step that is captured
//!     and that it has: `i32` flags (bit 0: the joints are valid, bit 1: the hand is tracked), the pose of the root, and `i32` 26 and 26
//!     poses if the joints are valid.
//!   - gestures: `i32` hand (1 left, 2 right), `i32` flags, and for each bit from 0 on: aim pose, `f32` aim value, `f32` grasp value,
//!     grip pose, pinch pose, `f32` pinch value, poke pose, `bool` aim, `bool` grasp, `bool` pinch.
//!   - aim data: `i32` hand, `i32` flags (bit 1: the index finger pinches; bit 5: a pose follows), `i32` state, 2 `i32` reserved, 4
//!     `f32` strengths of pinches, and the aim pose.
//!
//! When read, the recording has the layout `mrtk-1.1`:
//!
//! - Every frame becomes a key of each of its poses. A frame that is not later than the one before is lost.
//! - In version 2, the step "dynamic" is read. If a hand lacks it, the step before rendering is read.
//! - The joints of a hand that is tracked without valid joints are unknown. Unity writes a hand without valid joints in version 2 as
//!   if it were not tracked, so that these cases cannot be distinguished.
//! - Joints of a hand that is not tracked are a loss.
//! - A hand pinches if its gestures state it, or else if their pinch value is at least 0.5, or else if its aim data states
//!   it. In a file in which no frame states it, as in version 1, pinches are not recorded. If other frames state it, the last state
//!   is held, which is a loss.
//! - Other poses and values of gestures, aim data, and roots that are not the wrist are not read. A note counts their frames.
//! - A head that has only a position or only a rotation is unknown.
//! - Damaged files are refused, with the place of the damage.
//!
//! When written, a file has version 2:
//!
//! - A hand has a snapshot while it is tracked and all 26 joints are known. Its root is the wrist.
//! - A hand whose pinches are recorded has gestures with a pinch value of 0 or 1 and a state of the pinch.
//! - The shapes of fingers are −1, which XR Hands uses for shapes that a finger does not have.
//!
//! ```
//! use inputanim_convert::{Format, ReadOptions, WriteOptions, read, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let (bytes, _) = write_bytes(Format::HandsBin, &recording, &WriteOptions::default())?;
//! let (again, _) = read(Format::HandsBin, &bytes, &ReadOptions::default())?;
//! assert_eq!(again.duration(), 1.0);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod bytes;
mod error;
mod frames;
mod read;
mod write;

use inputanim::Joint;

pub use error::HandsBinError;
pub(crate) use read::read;
pub(crate) use write::write;

/// The number of joints of a hand.
const JOINTS: usize = Joint::ALL.len() - 1;

/// Returns the joints of a hand in the order of the files.
fn joints() -> impl Iterator<Item = Joint> {
    Joint::ALL.into_iter().skip(1)
}

/// The number of fingers, each with a shape.
const FINGERS: usize = 5;
/// The numbers of the shape of a finger.
const PER_FINGER: usize = 16;

/// The option that the step before rendering is captured.
const BEFORE_RENDER: i32 = 1;

/// The flags of a frame. Each is the bit of the left hand; the next bit is that of the right hand.
mod frame_flag {
    pub(super) const SNAPSHOT: i32 = 1 << 0;
    pub(super) const GESTURES: i32 = 1 << 2;
    pub(super) const AIM: i32 = 1 << 4;
    pub(super) const ALL: i32 = 0b11_1111;
}

/// The parts of a head that are tracked.
mod head_state {
    pub(super) const POSITION: i32 = 1 << 0;
    pub(super) const ROTATION: i32 = 1 << 1;
    pub(super) const POSE: i32 = POSITION | ROTATION;
}

/// The steps of a snapshot.
mod step_flag {
    pub(super) const DYNAMIC: i32 = 1 << 0;
    pub(super) const BEFORE_RENDER: i32 = 1 << 1;
    pub(super) const ALL: i32 = DYNAMIC | BEFORE_RENDER;
}

/// The flags of a hand in a step.
mod hand_flag {
    pub(super) const VALID: i32 = 1 << 0;
    pub(super) const TRACKED: i32 = 1 << 1;
    pub(super) const ALL: i32 = VALID | TRACKED;
}

/// The content of gestures that decides about pinches.
mod gesture_flag {
    pub(super) const PINCH_VALUE: i32 = 1 << 5;
    pub(super) const PINCH_STATE: i32 = 1 << 9;
}

/// The flags of aim data.
mod aim_flag {
    pub(super) const INDEX: i32 = 1 << 1;
    pub(super) const POSE: i32 = 1 << 5;
    pub(super) const ALL: i32 = 0b11_1111;
}
