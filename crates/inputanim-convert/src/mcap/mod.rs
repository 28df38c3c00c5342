//! MCAP (<https://mcap.dev>), a container of messages on topics over time, with the messages of
//! Foxglove (<https://docs.foxglove.dev/docs/sdk/schemas>) as protobuf: what Foxglove, Rerun and the
//! MCAP libraries for Python, C++, Go and TypeScript read.
//!
//! | topic | message | what |
//! |---|---|---|
//! | [`TRANSFORMS`] | `foxglove.FrameTransforms` | the frames `head`, `gaze`, `left/IndexTip`, … in [`WORLD`] |
//! | [`HANDS`] | `foxglove.SceneUpdate` | bones as lines, joints as spheres |
//! | [`GAZE`] | `foxglove.SceneUpdate` | where the eyes look, as a line of a metre |
//! | `/left/joints`, `/right/joints` | `foxglove.PointCloud` | the joints again, since Rerun does not draw scenes |
//! | [`STATES`] | `inputanim.States` | whether hands are tracked and pinch, for plots |
//! | [`MARKERS`] | `foxglove.Log` | markers |
//! | [`RECORDING`] | `inputanim.RecordingPiece` | the bytes of the recording's own file, in pieces |
//!
//! When written:
//!
//! - The recording is sampled, from 0 to its end, and at each time at which a hand is found or lost,
//!   or begins or ends to pinch. A topic for which nothing is recorded is left out.
//! - The axes are those of [`SPACE`]: right-handed, +X right, +Y forward, +Z up, in metres. A joint's
//!   +Y runs along its bone and its +Z leaves the back of the hand; the head and the gaze look along
//!   their +Y.
//! - A hand is left out while it is not tracked: deleted from the scene, an empty point cloud, no
//!   transforms. So is what is not finite. There is no message of no transforms at all.
//! - Nothing is lost, since the bytes of the recording are there too. Memory is bounded: messages are
//!   written as they are made.
//!
//! When read, the bytes on [`RECORDING`] are the recording. A file of another program, or one from
//! which that topic was filtered out, is read from its frame transforms: see [`read`].

mod clock;
mod damage;
mod error;
mod frames;
mod gaze;
mod messages;
mod output;
mod part;
mod pieces;
mod points;
mod read;
mod record;
mod records;
mod scene;
mod streams;
mod topics;
mod transforms;
mod write;

pub use damage::Damage;
pub use error::{Error, Loss};
pub use read::{Reading, read, read_with};
pub use write::{Options, Report, Times, WriteError, write};

use inputanim::Space;

/// The topic of `foxglove.FrameTransforms`.
pub const TRANSFORMS: &str = "/tf";
/// The topic of the hands as a scene.
pub const HANDS: &str = "/hands";
/// The topic of the gaze as a scene.
pub const GAZE: &str = "/gaze";
/// The topic of what hands do.
pub const STATES: &str = "/states";
/// The topic of the markers.
pub const MARKERS: &str = "/markers";
/// The topic of the recording itself.
pub const RECORDING: &str = "/inputanim/recording";

/// The frame in which all others are.
pub const WORLD: &str = "world";

/// The axes of all messages: +Z is up, as the 3D panels of Foxglove and Rerun have it.
pub const SPACE: Space = Space::Blender;

/// Whether bytes begin as an MCAP file does.
///
/// ```
/// assert!(inputanim_convert::mcap::is_mcap(b"\x89MCAP0\r\n"));
/// assert!(!inputanim_convert::mcap::is_mcap(&inputanim::MAGIC));
/// ```
pub fn is_mcap(bytes: &[u8]) -> bool {
    bytes.starts_with(mcap::MAGIC)
}
