//! XROR, the files of the dataset BOXRR-23 (<https://github.com/MetaGuard/xror>): 4.7 million recordings of the games Beat
//! Saber and Tilt Brush. XROR files can only be read.
//!
//! A file is one BSON document:
//!
//! ```text
//! {"$schema": "https://metaguard.github.io/xror/schema/v1.0.0/schema.json",
//!  "info": {"hardware": {"devices": [
//!     {"name": "Oculus Quest 2", "type": "HMD", "joint": "HEAD", "axes": ["x", "y", "z", "i", "j", "k", "1"]},
//!     {"type": "CONTROLLER", "joint": "HAND_LEFT", "axes": [ … ]}, … ]},
//!   "software": { … }, "user": { … }, "timestamp": … },
//!  "frames": binary data,
//!  "events": [{"id": "m", "name": "Miss", "attr": ["spawnTime"], "floatData": binary data}, … ]}
//! ```
//!
//! Binary data is an array of 32-bit numbers that is compressed with fpzip. A row of `frames` consists of the time in
//! seconds, and of one number for each axis of each device, in the order of the devices: the position x, y, z in metres,
//! and the rotation as a quaternion i, j, k, 1 (w is last). A row of `floatData` consists of the time and the numbers
//! of an event. Files do not state their axes. By convention these are Unity's axes: left-handed, +X right, +Y up,
//! +Z forward.
//!
//! The recording has the layout `mrtk-1.1`:
//!
//! - Every frame becomes a key of each of its poses, with the numbers of the file. The first frame is at 0.
//! - The device with the joint `HEAD` is the head. Without a joint, a device of the type `HMD` is the head.
//! - The device with the joint `HAND_LEFT` or `HAND_RIGHT` is the controller of that hand. Files do not state which pose of a
//!   controller was recorded; it becomes the pose `grip`. Files have no buttons.
//! - A device of the type `TRACKER` with another joint is a tracker with the name of the joint, such as `tracker.hip`.
//! - The first device of each part is read. Other devices are reported. A file without a head, controller or tracker is refused, such as
//!   a drawing of Tilt Brush, which has only a brush.
//! - A device that has only a position gets the identity as rotation.
//! - A pose with NaN is unknown in that frame. A pose with an infinite number, or with a rotation of 0, is reported.
//! - Each event becomes a marker with the name of its type, in order of time. The other numbers of events are dropped.
//! - Frames whose numbers are all −1, and events at −1 s, are padding: the library of XROR adds them to arrays that its
//!   version of fpzip cannot compress. It writes such arrays with 64-bit numbers, which are read too.
//! - `frames` may also be an array of arrays of numbers, as in version 0.1.0 of the format.
//! - Damage of the document costs the member that contains it. Without readable axes, a device is lost; the others are found by
//!   the number of columns. A frame that cannot be read, or whose time is out of order, is lost.
//! - If the compressed frames end too early, the frames before are kept. Compressed data has no checksum. It is damaged if it
//!   cannot be decompressed, or if bytes are left over after it; then the frames before the first one with a rotation that is
//!   not of length 1, or with a time out of order, are kept.
//! - [`ReadOptions::space`](crate::ReadOptions::space) states other axes than Unity's.

mod bson;
mod devices;
mod error;
mod events;
mod fpzip;
mod read;

pub use error::XrorError;
pub use fpzip::FpzipError;
pub(crate) use read::read;

/// The number in rows that the library of XROR adds to small arrays.
const PADDING: f64 = -1.0;
